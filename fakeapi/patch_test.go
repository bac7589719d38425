package fakeapi

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"pgregory.net/rapid"
)

func TestStrategicMergeGoesByConditionType(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		l.s.Put(kubeletNode("x", 3))
		node := must(l.c.Nodes().Patch(ctx, "x", types.StrategicMergePatchType,
			[]byte(`{"status":{"conditions":[{"type":"Ready","status":"Unknown","reason":"NodeStatusUnknown"},{"type":"New","status":"True"}]}}`),
			metav1.PatchOptions{}, "status"))
		require.Len(t, node.Status.Conditions, 5)
		ready := node.Status.Conditions[3]
		require.Equal(t, []any{corev1.NodeReady, corev1.ConditionUnknown, "NodeStatusUnknown", "as expected"},
			[]any{ready.Type, ready.Status, ready.Reason, ready.Message})
		require.EqualValues(t, "New", node.Status.Conditions[4].Type)
		require.Len(t, node.Status.Images, 3)

		node = must(l.c.Nodes().Patch(ctx, "x", types.StrategicMergePatchType,
			[]byte(`{"status":{"conditions":[{"$patch":"delete","type":"New"}]}}`), metav1.PatchOptions{}, "status"))
		require.Len(t, node.Status.Conditions, 4)
	})
}

func TestTaintsAreReplacedAsAWholeAndTheRestIsShared(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		before := l.s.Put(kubeletNode("x", 50)).(*corev1.Node)
		patch := `{"metadata":{"resourceVersion":"` + before.ResourceVersion + `"},"spec":{"taints":[{"effect":"NoSchedule","key":"node.kubernetes.io/unreachable","timeAdded":"2026-01-01T00:00:40Z"}]}}`
		node := must(l.c.Nodes().Patch(ctx, "x", types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}))
		require.Equal(t, []corev1.Taint{{Key: "node.kubernetes.io/unreachable", Effect: "NoSchedule",
			TimeAdded: &metav1.Time{Time: time.Date(2026, 1, 1, 0, 0, 40, 0, time.UTC)}}}, node.Spec.Taints)
		require.Same(t, &before.Status.Images[0], &node.Status.Images[0])
		require.Equal(t, before.Labels, node.Labels)
		node = must(l.c.Nodes().Patch(ctx, "x", types.StrategicMergePatchType, []byte(`{"spec":{"taints":null}}`), metav1.PatchOptions{}))
		require.Empty(t, node.Spec.Taints)
	})
}

func TestPatchesOfPodsLeasesAndEvents(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		l.c.createPod("default", "p", "x")
		pod := must(l.c.Pods("default").Patch(ctx, "p", types.StrategicMergePatchType,
			[]byte(`{"metadata":{"uid":"`+string(l.s.Pod("default", "p").UID)+`"},"status":{"conditions":[{"type":"DisruptionTarget","status":"True"}]}}`), metav1.PatchOptions{}, "status"))
		require.EqualValues(t, "DisruptionTarget", pod.Status.Conditions[0].Type)
		require.Equal(t, corev1.PodPending, pod.Status.Phase)

		lease := l.c.createLease("x")
		patched := must(l.c.Leases(ns).Patch(ctx, "x", types.MergePatchType, []byte(`{"spec":{"leaseDurationSeconds":50}}`), metav1.PatchOptions{}))
		require.EqualValues(t, 50, *patched.Spec.LeaseDurationSeconds)
		require.Equal(t, lease.Spec.HolderIdentity, patched.Spec.HolderIdentity)
		_, err := l.c.Leases(ns).Patch(ctx, "x", types.MergePatchType, []byte(`{"metadata":{"resourceVersion":null}}`), metav1.PatchOptions{})
		require.ErrorContains(t, err, "must be specified for an update")

		ev := must(l.c.Events("default").Create(ctx, &corev1.Event{ObjectMeta: metav1.ObjectMeta{Name: "e"}, Count: 1}, metav1.CreateOptions{}))
		ev = must(l.c.Events("default").Patch(ctx, ev.Name, types.StrategicMergePatchType,
			[]byte(`{"count":2,"lastTimestamp":"2026-01-01T00:01:00Z"}`), metav1.PatchOptions{}))
		require.EqualValues(t, 2, ev.Count)
		require.Equal(t, time.Date(2026, 1, 1, 0, 1, 0, 0, time.UTC), ev.LastTimestamp.Time)
	})
}

// What the library cannot bear has the real server panic, which answers 500.
func TestAPatchThatHasTheLibraryPanicIsAnInternalError(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		l.c.createNode("n")
		_, err := l.c.Nodes().Patch(ctx, "n", types.JSONPatchType, []byte(`[{"op":"test","path":""}]`), metav1.PatchOptions{})
		require.EqualError(t, err, "This request caused apiserver to panic. Look in the logs for details.")
		require.True(t, must(l.c.Nodes().Get(ctx, "n", metav1.GetOptions{})).Name == "n")
	})
}

func TestAMergePatchFollowsRFC7386(t *testing.T) {
	for _, c := range []struct{ original, patch, want string }{ // the examples of its appendix A that have objects at the top
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`{"e":null}`, `{"a":1}`, `{"a":1,"e":null}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
	} {
		r := &request{attempt: attempt{asked: asked{patchType: types.MergePatchType}, call: Call{Patch: []byte(c.patch)}}}
		got, strange, err := r.changeJSON([]byte(c.original))
		require.Nil(t, err)
		require.Empty(t, strange)
		require.JSONEq(t, c.want, string(got), "%s with %s", c.original, c.patch)
	}
}

// slowPatch is what strategicpatch makes of the whole object, by way of JSON.
func slowPatch(t testing.TB, old *corev1.Node, patch []byte) (*corev1.Node, error) {
	in, err := json.Marshal(old)
	require.NoError(t, err)
	out, err := strategicpatch.StrategicMergePatch(in, patch, corev1.Node{})
	if err != nil {
		return nil, err
	}
	node := &corev1.Node{}
	if err := json.Unmarshal(out, node); err != nil {
		return nil, err
	}
	nodeStrategy{}.clean(node)
	return node, nil
}

func requireSameJSON(t testing.TB, want, got any, patch []byte) {
	t.Helper()
	w, err := json.Marshal(want)
	require.NoError(t, err)
	g, err := json.Marshal(got)
	require.NoError(t, err)
	require.Equal(t, string(w), string(g), "patch %s", patch)
}

// drawPatch draws a patch that is nearly what a kubelet sends.
func drawPatch(t *rapid.T) []byte {
	stored := []string{"MemoryPressure", "DiskPressure", "PIDPressure", "Ready"}
	order := stored
	if rapid.IntRange(0, 9).Draw(t, "shuffled") == 0 {
		order = rapid.Permutation(stored).Draw(t, "order")
	}
	text := rapid.SampledFrom([]string{"True", "Unknown", "", "a b", `quo\"te`, "bücher", "2026-01-01T00:00:30Z"})
	times := rapid.SampledFrom([]string{"2026-01-01T00:00:10Z", "2026-01-01T00:00:59Z", "2026-01-01T01:00:00+01:00", "2026-01-01T00:00:10.5Z"})
	var list []string
	for _, typ := range rapid.SliceOfNDistinct(rapid.SampledFrom(append(stored, "New")), 1, 4, rapid.ID).Draw(t, "types") {
		fields := []string{fmt.Sprintf(`"type":%q`, typ)}
		for _, key := range rapid.SliceOfDistinct(rapid.SampledFrom(conditionKeys[1:]), rapid.ID).Draw(t, "keys") {
			switch {
			case strings.HasSuffix(key, "Time"):
				fields = append(fields, fmt.Sprintf(`%q: %q`, key, times.Draw(t, key)))
			default:
				fields = append(fields, fmt.Sprintf(`%q:"%s"`, key, text.Draw(t, key)))
			}
		}
		list = append(list, "{"+strings.Join(rapid.Permutation(fields).Draw(t, "fields"), ", ")+"}")
	}
	var types []string
	for _, typ := range order {
		types = append(types, fmt.Sprintf(`{"type":%q}`, typ))
	}
	setOrder := `"$setElementOrder/conditions":[` + strings.Join(types, ",") + `],`
	if rapid.IntRange(0, 9).Draw(t, "unordered") == 0 {
		setOrder = ""
	}
	return []byte(`{"status":{` + setOrder + ` "conditions":[` + strings.Join(list, ",") + `]}}`)
}

func TestTheFastPatchAgreesWithStrategicMerge(t *testing.T) {
	fast := 0
	rapid.Check(t, func(rt *rapid.T) {
		old, patch := kubeletNode("x", 1), drawPatch(rt)
		nodeStrategy{}.clean(old)
		got := fastPatch(old, patch)
		if got == nil {
			return
		}
		fast++
		want, err := slowPatch(t, old, patch)
		require.NoError(rt, err)
		requireSameJSON(t, want, got, patch)
	})
	require.NotZero(t, fast)
	require.NotNil(t, fastPatch(kubeletNode("x", 1), heartbeatOf(10)), "what a kubelet sends is fast")
	require.NotNil(t, fastPatch(kubeletNode("x", 1), []byte(" {} ")))
}

// For each condition of a patch the fast way looks through those of the node.
func TestANodeOfVeryManyConditionsIsPatchedByTheLibrary(t *testing.T) {
	conditions := make([]string, maxFastConditions+1)
	old := &corev1.Node{}
	for i := range conditions {
		old.Status.Conditions = append(old.Status.Conditions, corev1.NodeCondition{Type: corev1.NodeConditionType(fmt.Sprint("c", i))})
		conditions[i] = fmt.Sprintf(`{"type":"c%d"}`, i)
	}
	patch := func() []byte {
		order := strings.Join(conditions[:len(old.Status.Conditions)], ",")
		return []byte(`{"status":{"$setElementOrder/conditions":[` + order + `],"conditions":[` + order + `]}}`)
	}
	require.Nil(t, fastPatch(old, patch()))
	old.Status.Conditions = old.Status.Conditions[1:]
	conditions = conditions[1:]
	require.NotNil(t, fastPatch(old, patch()))
}

func TestAPatchByPartsAgreesWithOneOfTheWhole(t *testing.T) {
	patches := []string{
		`{"spec":{"taints":[{"key":"a","effect":"NoExecute","timeAdded":"2026-01-01T00:00:05Z"}],"providerID":"p"}}`,
		`{"metadata":{"labels":{"kubernetes.io/os":null,"b":"c"}},"status":{"addresses":[{"type":"Hostname","address":"new"}]}}`,
		`{"status":{"images":null,"capacity":{"cpu":"8","memory":null}}}`,
		`{"metadata":{"annotations":{"a":"b"}},"spec":{"unschedulable":true},"status":{"phase":"Running"},"kind":"Node"}`,
		`{"status":{"addresses":[{"type":"ExternalIP","address":"1.2.3.4"},{"$patch":"replace"}]}}`,
	}
	rapid.Check(t, func(rt *rapid.T) {
		old := kubeletNode("x", 2)
		nodeStrategy{}.clean(old)
		patch := []byte(rapid.SampledFrom(patches).Draw(rt, "patch"))
		if rapid.Bool().Draw(rt, "conditions") {
			patch = drawPatch(rt)
		}
		want, wantErr := slowPatch(t, old, patch)
		r := &request{attempt: attempt{table: &table{res: nodeResource()}, asked: asked{patchType: types.StrategicMergePatchType}, call: Call{Patch: patch}}}
		got, err := r.patched(old)
		require.Equal(rt, wantErr == nil, err == nil, "%v %v", wantErr, err)
		if err == nil {
			requireSameJSON(t, want, got, patch)
		}
	})
}

func FuzzFastPatch(f *testing.F) {
	f.Add(heartbeatOf(10))
	f.Add([]byte(`{}`))
	f.Add([]byte(`{"status":{"$setElementOrder/conditions":[{"type":"Ready"}],"conditions":[{"type":"Ready","status":"False"}]}}`))
	f.Fuzz(func(t *testing.T, patch []byte) {
		old := kubeletNode("x", 1)
		nodeStrategy{}.clean(old)
		before, err := json.Marshal(old)
		require.NoError(t, err)
		got := fastPatch(old, patch)
		requireSameJSON(t, json.RawMessage(before), old, patch)
		if got == nil {
			return
		}
		want, err := slowPatch(t, old, patch)
		require.NoError(t, err, "the fast way took what strategicpatch refuses: %s", patch)
		requireSameJSON(t, want, got, patch)
	})
}
