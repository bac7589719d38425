package lease_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/sim"
)

func TestOwnerReferenceIsSetOnce(t *testing.T) {
	l := newLab(t, 1, sim.Dist{})
	owner := l.putNode(node)
	l.start(node)
	l.to(200 * time.Second)
	require.Len(t, l.all().of("get", "nodes"), 1)
	require.Equal(t, []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: node, UID: owner.UID}}, l.stored().OwnerReferences)
}

func TestLeaseWithoutAnOwnerGetsOneWithItsNextRenewal(t *testing.T) {
	l := newLab(t, 1, sim.Dist{})
	l.putNode(node)
	orphan := l.putLease(node, l.engine.Start()).DeepCopy()
	orphan.OwnerReferences = nil
	l.server.Put(orphan)
	l.start(node)
	l.to(25 * time.Second)
	require.Equal(t, []string{"get leases: ok", "get nodes: ok", "update leases: ok", "update leases: ok", "update leases: ok"}, l.all().what())
	require.Len(t, l.stored().OwnerReferences, 1)
}

func TestLeaseWhoseOwnerIsNotFoundIsNotRenewed(t *testing.T) {
	l := newLab(t, 1, sim.Dist{})
	l.putNode(node)
	orphan := l.putLease(node, l.engine.Start()).DeepCopy()
	orphan.OwnerReferences = nil
	l.server.Put(orphan)
	l.server.Remove(l.server.Node(node))
	l.start(node)
	l.to(5 * time.Second)
	require.Equal(t, append([]string{"get leases: ok"}, repeat(5, "get nodes: NotFound")...), l.all().what())
	require.Equal(t, 4, l.repeated)
	l.to(15 * time.Second)
	next := l.since(5 * time.Second).what()
	require.Equal(t, append(append(repeat(5, "get nodes: NotFound"), "get leases: ok"), repeat(5, "get nodes: NotFound")...), next)
}

// The garbage collector takes the Lease with its Node. The kubelet's next PUT
// carries the uid of what is gone.
func TestDeletedNodesLeaseComesBackOnlyWithTheNode(t *testing.T) {
	l := newLab(t, 1, sim.Dist{})
	l.startRegistered(node)
	l.to(5 * time.Second)
	l.server.Remove(l.stored())
	l.server.Remove(l.server.Node(node))

	l.to(15 * time.Second)
	ensure := []string{"get leases: NotFound", "get nodes: NotFound"}
	want := append(append([]string{"update leases: Conflict"}, ensure...), repeat(4, "get nodes: NotFound")...)
	want = append(want, ensure...)
	require.Equal(t, want, l.since(5*time.Second).what(), "the conflict is of the uid, not 404; nothing is created without an owner")
	require.Equal(t, 4, l.repeated)
	require.Contains(t, l.since(5 * time.Second)[0].Err.Error(), "UID in precondition")
	for at := 15 * time.Second; at < 45*time.Second; at += interval {
		l.to(at + interval)
		require.Equal(t, ensure, l.since(at).what())
	}
	require.Nil(t, l.stored())

	again := l.putNode(node)
	l.to(56 * time.Second)
	require.Equal(t, []string{"get leases: NotFound", "get nodes: ok", "create leases: ok"}, l.since(45*time.Second).what())
	require.Equal(t, again.UID, l.stored().OwnerReferences[0].UID)
}

// Between 1.16 and 1.19 a renewal of the last Lease is prepared once more before
// its first try, which shows where it has no owner.
func TestALeaseWithoutAnOwnerIsPreparedTwiceFrom1_16To1_19(t *testing.T) {
	for release, asks := range map[string]int{"1.16": 6, "1.19": 6, "1.20": 5, "1.28": 5} {
		l := newLab(t, 1, sim.Dist{})
		l.putNode(node)
		orphan := l.putLease(node, l.engine.Start()).DeepCopy()
		orphan.OwnerReferences = nil
		l.server.Put(orphan)
		l.server.Remove(l.server.Node(node))
		l.startOf(release, node)
		l.to(5 * time.Second)
		heal := l.fail(500, metav1.StatusReasonInternalError, "update", "leases", 5)
		l.to(15 * time.Second)
		heal()
		want := []string{}
		if asks == 6 {
			want = append(want, "get nodes: NotFound")
		}
		want = append(want, repeat(5, "get nodes: NotFound", "update leases: InternalError")...)
		require.Equal(t, append(want, "get leases: ok", "get nodes: NotFound", "update leases: ok"), l.since(5*time.Second).what(), release)
	}
}
