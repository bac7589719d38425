package fakeapi

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"
)

// FuzzPatch sends any patch of any type: it is done or refused with a Status, it
// leaves a valid object of the same name and uid, and a second time it changes
// nothing more, but for JSON patches.
func FuzzPatch(f *testing.F) {
	for i, patch := range []string{
		`[{"op":"add","path":"/metadata/labels","value":{"a":"b"}},{"op":"test","path":"/metadata/name","value":"n"}]`,
		`{"metadata":{"labels":{"k":null,"x":"y"}},"spec":{"taints":[]}}`,
		`{"spec":{"taints":[{"$patch":"delete","key":"node.kubernetes.io/not-ready"}]},"status":{"conditions":[{"type":"Ready","status":"True"}]}}`,
		`{"status":{"$setElementOrder/conditions":[{"type":"Ready"}],"conditions":[{"lastHeartbeatTime":"2026-01-01T00:00:10Z","type":"Ready"}]}}`,
		"apiVersion: v1\nkind: Node\nmetadata: {name: n, labels: {k: w}}\n",
	} {
		f.Add(uint8(i), i%2 == 0, patch)
	}
	kinds := []types.PatchType{types.JSONPatchType, types.MergePatchType, types.StrategicMergePatchType, types.StrategicMergePatchType, types.ApplyYAMLPatchType}
	f.Fuzz(func(t *testing.T, kind uint8, status bool, patch string) {
		l := newLab(t, Options{})
		l.do(func() {
			made := must(l.c.Nodes().Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", Labels: map[string]string{"k": "v"}},
				Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: "Ready"}}}}, metav1.CreateOptions{}))
			typ := kinds[int(kind)%len(kinds)]
			var sub []string
			if status {
				sub = []string{"status"}
			}
			got, err := l.c.Nodes().Patch(ctx, "n", typ, []byte(patch), metav1.PatchOptions{FieldManager: "m"}, sub...)
			if err != nil {
				_, ok := err.(apierrors.APIStatus) //nolint:errorlint // it comes bare
				require.True(t, ok, "%T", err)
				require.Equal(t, made, l.s.Node("n"))
				return
			}
			require.Equal(t, made.UID, got.UID)
			require.Equal(t, "n", got.Name)
			require.Empty(t, nodeStrategy{}.validate(got, nil, ""))
			if typ == types.JSONPatchType || strings.Contains(patch, "$") || strings.Contains(patch, "resourceVersion") {
				return
			}
			again, err := l.c.Nodes().Patch(ctx, "n", typ, []byte(patch), metav1.PatchOptions{FieldManager: "m"}, sub...)
			require.NoError(t, err)
			require.Equal(t, got.ResourceVersion, again.ResourceVersion)
		})
	})
}

// FuzzSelectors lists and watches by any selectors: they are refused with 400,
// or select what the selector itself says.
func FuzzSelectors(f *testing.F) {
	f.Add("zone=a,tier notin (x,y)", "spec.unschedulable=true")
	f.Add("!zone", "metadata.name=n1,metadata.name!=n2")
	f.Add("zone in (a, b)", "")
	f.Fuzz(func(t *testing.T, label, field string) {
		l := newLab(t, Options{})
		l.do(func() {
			for i, zone := range []string{"a", "b", ""} {
				node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("n", i)}, Spec: corev1.NodeSpec{Unschedulable: i == 1}}
				if zone != "" {
					node.Labels = map[string]string{"zone": zone}
				}
				must(l.c.Nodes().Create(ctx, node, metav1.CreateOptions{}))
			}
			o := metav1.ListOptions{LabelSelector: label, FieldSelector: field}
			list, err := l.c.Nodes().List(ctx, o)
			w, watchErr := l.c.Nodes().Watch(ctx, o)
			require.Equal(t, err == nil, watchErr == nil)
			if err != nil {
				require.True(t, apierrors.IsBadRequest(err), "%v", err)
				return
			}
			byLabel, err := labels.Parse(label)
			require.NoError(t, err)
			byField, err := fields.ParseSelector(field)
			require.NoError(t, err)
			var want, got, seen []string
			for _, obj := range l.s.nodes.selectObjects(nil, &selector{res: l.s.nodes.res}) {
				if byLabel.Matches(labels.Set(metaOf(obj).Labels)) && byField.Matches(nodeStrategy{}.selectable(obj)) {
					want = append(want, metaOf(obj).Name)
				}
			}
			for _, node := range list.Items {
				got = append(got, node.Name)
			}
			l.h.Sleep(1)
			for _, line := range must(drain(w)) {
				name, _, _ := strings.Cut(strings.TrimPrefix(line, "ADDED "), "@")
				seen = append(seen, name)
			}
			require.Equal(t, want, got)
			require.Equal(t, want, seen)
		})
	})
}

// A list in pages, and a list at an old version, is the list as it was then,
// whatever has been written since.
func TestPagesAreTheListAsItWas(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l := newLab(t, Options{})
		l.do(func() {
			name := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"})
			write := func(n int) {
				for range n {
					lease := l.s.Lease(ns, name.Draw(rt, "name"))
					switch {
					case lease == nil:
						for _, name := range []string{"a", "b", "c", "d", "e"} {
							if l.s.Lease(ns, name) == nil {
								l.c.createLease(name)
								break
							}
						}
					case rapid.Bool().Draw(rt, "delete"):
						require.NoError(rt, l.c.Leases(ns).Delete(ctx, lease.Name, metav1.DeleteOptions{}))
					default:
						l.h.Sleep(time.Second)
						must(l.c.renew(lease))
					}
				}
			}
			write(rapid.IntRange(0, 10).Draw(rt, "before"))
			whole := must(l.c.Leases("").List(ctx, metav1.ListOptions{}))
			o, paged := metav1.ListOptions{Limit: rapid.Int64Range(1, 3).Draw(rt, "limit")}, whole.DeepCopy()
			paged.Items = paged.Items[:0]
			for more := true; more; more = o.Continue != "" {
				page := must(l.c.Leases("").List(ctx, o))
				require.Equal(rt, whole.ResourceVersion, page.ResourceVersion)
				paged.Items = append(paged.Items, page.Items...)
				o.Continue = page.Continue
				write(rapid.IntRange(0, 4).Draw(rt, "between"))
			}
			require.Equal(rt, asJSON(whole.Items), asJSON(paged.Items))
			then := must(l.c.Leases("").List(ctx, metav1.ListOptions{ResourceVersion: whole.ResourceVersion, ResourceVersionMatch: metav1.ResourceVersionMatchExact}))
			require.Equal(rt, asJSON(whole.Items), asJSON(then.Items))
		})
	})
}

func asJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

func TestMemoryStaysFlatOverAMillionRenewals(t *testing.T) {
	l := newLab(t, Options{})
	l.s.checked, l.s.observer = false, nil
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	l.do(func() {
		lease := l.c.createLease("a")
		renewals := func(n int) {
			for range n {
				l.h.Sleep(time.Microsecond)
				lease = must(l.c.renew(lease))
			}
		}
		renewals(20_000) // fills the watch log
		before := heap()
		renewals(1_000_000)
		require.Less(t, heap(), before+1<<20)
	})
}
