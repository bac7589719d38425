package nodelifecycle

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/sim"
)

func TestNoScheduleTaintFollowsTheConditionOnItsWatchEvent(t *testing.T) {
	l := newLab(t)
	l.cluster("other", 1)
	l.put("n", corev1.ConditionTrue)
	l.run()
	l.server.Network().SetWatchLatency(sim.Fixed(7 * time.Millisecond))
	l.to(expiry + time.Second)
	unknown := expiry
	require.Equal(t, []time.Duration{unknown}, l.when("n", "Ready Unknown"))
	require.Equal(t, []time.Duration{unknown + 7*time.Millisecond}, l.when("n", "+unreachable:NoSchedule"))

	back := l.now()
	l.put("n", corev1.ConditionTrue)
	l.to(back + time.Second)
	require.Equal(t, []time.Duration{back + 7*time.Millisecond}, l.when("n", "-unreachable:NoSchedule"), "no pass is waited for")
}

func TestNoScheduleTaintsAreThoseTheConditionsAskFor(t *testing.T) {
	set := func(kind corev1.NodeConditionType, status corev1.ConditionStatus) func(*corev1.Node) {
		return func(node *corev1.Node) {
			if c := condition(&node.Status, kind); c != nil {
				c.Status = status
				return
			}
			node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{Type: kind, Status: status})
		}
	}
	for want, edit := range map[string]func(*corev1.Node){
		"not-ready:NoSchedule":           set(corev1.NodeReady, corev1.ConditionFalse),
		"unreachable:NoSchedule":         set(corev1.NodeReady, corev1.ConditionUnknown),
		"memory-pressure:NoSchedule":     set(corev1.NodeMemoryPressure, corev1.ConditionTrue),
		"disk-pressure:NoSchedule":       set(corev1.NodeDiskPressure, corev1.ConditionTrue),
		"pid-pressure:NoSchedule":        set(corev1.NodePIDPressure, corev1.ConditionTrue),
		"network-unavailable:NoSchedule": set(corev1.NodeNetworkUnavailable, corev1.ConditionTrue),
		"unschedulable:NoSchedule":       func(node *corev1.Node) { node.Spec.Unschedulable = true },
		"nothing for a False":            set(corev1.NodeNetworkUnavailable, corev1.ConditionFalse),
		"nothing for an Unknown":         set(corev1.NodeMemoryPressure, corev1.ConditionUnknown),
	} {
		t.Run(want, func(t *testing.T) {
			l := newLab(t)
			l.put("n", corev1.ConditionTrue, edit, func(node *corev1.Node) {
				node.Spec.Taints = []corev1.Taint{
					{Key: "example.com/mine", Effect: corev1.TaintEffectNoSchedule},
					{Key: corev1.TaintNodeDiskPressure, Effect: corev1.TaintEffectNoSchedule}, // perhaps stale
					{Key: corev1.TaintNodePIDPressure, Effect: corev1.TaintEffectNoExecute},   // none of its business
				}
			})
			l.run()
			l.to(firstPass)
			names := map[string]bool{}
			for _, taint := range l.server.Node("n").Spec.Taints {
				names[taintName(taint)] = true
			}
			expected := map[string]bool{"example.com/mine:NoSchedule": true, "pid-pressure:NoExecute": true}
			if want[:7] != "nothing" {
				expected[want] = true
			}
			require.Equal(t, expected, names)
		})
	}
}

func TestNoScheduleTaintsOfManyNodesAreNotRateLimited(t *testing.T) {
	l := newLab(t)
	for i := range 30 {
		l.put(fmt.Sprint("n", i), corev1.ConditionFalse)
	}
	l.run()
	l.to(firstPass)
	for i := range 30 {
		require.Len(t, l.when(fmt.Sprint("n", i), "+not-ready:NoSchedule"), 1)
	}
}

func TestFailedNoScheduleTaintWaitsForTheNextChangeOfTheNode(t *testing.T) {
	l := newLab(t)
	l.put("n", corev1.ConditionTrue)
	l.beat("n")
	l.run()
	l.to(time.Second)
	l.rule(fakeapi.Rule{Match: fakeapi.Match{Verbs: []string{"patch"}, Resources: []string{"nodes"}}, Respond: respond(500, ""), Count: 1})
	l.put("n", corev1.ConditionTrue, func(node *corev1.Node) { node.Spec.Unschedulable = true })
	l.to(60 * time.Second)
	require.Empty(t, l.when("n", "+unschedulable:NoSchedule"))
	touched := l.server.Node("n").DeepCopy()
	touched.Annotations = map[string]string{"touched": "yes"}
	l.server.Put(touched)
	l.to(61 * time.Second)
	require.Equal(t, []time.Duration{60 * time.Second}, l.when("n", "+unschedulable:NoSchedule"))
}

// A patch of taints says what upstream's says: the version and the whole list.
func TestTaintPatchIsUpstreams(t *testing.T) {
	taint := rapid.Custom(func(t *rapid.T) corev1.Taint {
		added := metav1.Unix(rapid.Int64Range(0, 1e9).Draw(t, "added"), 0)
		return corev1.Taint{
			Key:       rapid.SampledFrom([]string{"a", "b", corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable}).Draw(t, "key"),
			Value:     rapid.SampledFrom([]string{"", "v"}).Draw(t, "value"),
			Effect:    rapid.SampledFrom([]corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute}).Draw(t, "effect"),
			TimeAdded: rapid.SampledFrom([]*metav1.Time{nil, &added}).Draw(t, "time"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", ResourceVersion: "17"}}
		node.Spec.Taints = rapid.SliceOfN(taint, 0, 3).Draw(t, "have")
		want := rapid.SliceOfN(taint, 0, 3).Draw(t, "want")
		if len(want) == 0 && len(node.Spec.Taints) == 0 {
			return
		}

		before, after := node.DeepCopy(), node.DeepCopy()
		before.ResourceVersion, after.Spec.Taints = "", want
		upstream, err := strategicpatch.CreateTwoWayMergePatch(marshal(t, before), marshal(t, after), corev1.Node{})
		require.NoError(t, err)
		ours, err := taintPatch(node, want, true)
		require.NoError(t, err)
		apply := func(patch []byte) string {
			out, err := strategicpatch.StrategicMergePatch(marshal(t, node), patch, corev1.Node{})
			require.NoError(t, err)
			return string(out)
		}
		require.JSONEq(t, apply(upstream), apply(ours))
		require.Contains(t, string(ours), `"resourceVersion":"17"`)
	})
}

func marshal(t require.TestingT, v any) []byte {
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return data
}
