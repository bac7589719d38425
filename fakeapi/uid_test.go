package fakeapi

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"
)

// uids makes n nodes and some other objects, and returns what identifies them.
func uids(t testing.TB, seed uint64, n int) []types.UID {
	l := newSeededLab(t, Options{}, seed)
	defer l.e.Close()
	var out []types.UID
	l.do(func() {
		for i := range n {
			name := fmt.Sprint("node-", i)
			out = append(out, l.c.createNode(name).UID, l.c.createLease(name).UID, l.c.createPod("default", name, name).UID)
		}
		for _, obj := range []metav1.Object{
			l.s.Put(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "put"}}).(*corev1.Node),
			must(l.c.Leases(ns).Update(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "updated"}}, metav1.UpdateOptions{})),
		} {
			out = append(out, obj.GetUID())
		}
	})
	return out
}

func TestEveryObjectHasAUidOfItsOwn(t *testing.T) {
	all := uids(t, 1, 200)
	require.Len(t, all, 602)
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(all))), 602)
}

func TestUidIsARandomOneByRFC4122(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		for _, uid := range uids(t, rapid.Uint64().Draw(rt, "seed"), 1) {
			require.Regexp(rt, `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, string(uid))
		}
	})
}

func TestUidsHangOnTheSeed(t *testing.T) {
	require.Equal(t, uids(t, 1, 3), uids(t, 1, 3))
	seen := map[types.UID]bool{}
	for seed := range uint64(20) {
		for _, uid := range uids(t, seed, 3) {
			require.False(t, seen[uid], "seed %d", seed)
			seen[uid] = true
		}
	}
}

func TestObjectThatIsCreatedAnewIsAnotherOne(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		first := l.c.createNode("x").UID
		require.NoError(t, l.c.Nodes().Delete(ctx, "x", metav1.DeleteOptions{}))
		require.NotEqual(t, first, l.c.createNode("x").UID)
	})
}

func TestWritesKeepTheUid(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		node := l.c.createNode("x")
		uid := node.UID
		require.Equal(t, uid, must(l.c.Nodes().UpdateStatus(ctx, node.DeepCopy(), metav1.UpdateOptions{})).UID)
		require.Equal(t, uid, must(l.c.Nodes().Patch(ctx, "x", types.MergePatchType, []byte(`{"status":{"phase":"Running"}}`), metav1.PatchOptions{}, "status")).UID)
		require.Equal(t, uid, l.s.Put(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "x", UID: "other"}}).(*corev1.Node).UID)
	})
}
