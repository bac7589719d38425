package kubelet

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/sim"
)

// idle is a lab whose kubelet was built and has seen its runtime, and does
// nothing on its own.
func idle(t tester, edit ...func(*Config)) *lab {
	l := newLab(t, 1, edit...)
	l.build(l.host)
	l.kl.updateRuntimeUp()
	return l
}

// drawOriginal draws a node as it is when a status is computed, at whole seconds.
func drawOriginal(t *rapid.T) *corev1.Node {
	node := drawNode(t, "node")
	for _, name := range []string{corev1.LabelOSStable, corev1.LabelArchStable} {
		if rapid.Bool().Draw(t, name) {
			node.Labels = withLabels(node.Labels, name, map[string]string{corev1.LabelOSStable: "linux", corev1.LabelArchStable: "amd64"}[name])
		}
	}
	return node
}

func TestStatusIsComputedOnACopy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := idle(t)
		original := drawOriginal(t)
		before := original.DeepCopy()
		machine := l.cfg.Machine.Capacity.DeepCopy()
		node, _ := l.kl.updateNode(original)
		require.Equal(t, before, original)
		require.Equal(t, machine, l.cfg.Machine.Capacity)
		require.Equal(t, before.Spec, node.Spec)
		require.Equal(t, "linux", node.Labels[corev1.LabelOSStable])
		require.Equal(t, "amd64", node.Labels[corev1.LabelArchStable])
	})
}

func TestConditionsKeepTheirPlacesAndNewOnesFollowWithReadyLast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := idle(t)
		original := drawOriginal(t)
		node, _ := l.kl.updateNode(original)
		var want []corev1.NodeConditionType
		for _, c := range original.Status.Conditions {
			want = append(want, c.Type)
		}
		for _, kind := range conditionKinds[:4] {
			if !slices.Contains(want, kind) {
				want = append(want, kind)
			}
		}
		var got []corev1.NodeConditionType
		for _, c := range node.Status.Conditions {
			got = append(got, c.Type)
		}
		require.Equal(t, want, got)
		require.Equal(t, condition(&original.Status, corev1.NodeNetworkUnavailable), condition(&node.Status, corev1.NodeNetworkUnavailable),
			"what the kubelet does not own it leaves alone")
	})
}

func TestEveryConditionOfTheKubeletIsSeenNowAndMovesWithItsStatusOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := idle(t)
		l.to(time.Hour)
		l.kl.updateRuntimeUp()
		now := metav1.Time{Time: l.host.Now()}
		original := drawOriginal(t)
		node, _ := l.kl.updateNode(original)
		for _, kind := range conditionKinds[:4] {
			old, c := condition(&original.Status, kind), condition(&node.Status, kind)
			want := wantCondition(kind, l)
			require.Equal(t, now, c.LastHeartbeatTime, kind)
			require.Equal(t, want.Status, c.Status, kind)
			switch {
			case old == nil || old.Status != want.Status:
				require.Equal(t, now, c.LastTransitionTime, kind)
				require.Equal(t, want.Reason, c.Reason)
				require.Equal(t, want.Message, c.Message)
			case kind == corev1.NodeReady: // says why at each report
				require.Equal(t, old.LastTransitionTime, c.LastTransitionTime)
				require.Equal(t, want.Reason, c.Reason)
				require.Equal(t, want.Message, c.Message)
			default: // has the words it had
				require.Equal(t, old.LastTransitionTime, c.LastTransitionTime, kind)
				require.Equal(t, old.Reason, c.Reason)
				require.Equal(t, old.Message, c.Message)
			}
		}
	})
}

func wantCondition(kind corev1.NodeConditionType, l *lab) corev1.NodeCondition {
	switch kind {
	case corev1.NodeMemoryPressure:
		return corev1.NodeCondition{Status: corev1.ConditionFalse, Reason: "KubeletHasSufficientMemory", Message: "kubelet has sufficient memory available"}
	case corev1.NodeDiskPressure:
		return corev1.NodeCondition{Status: corev1.ConditionFalse, Reason: "KubeletHasNoDiskPressure", Message: "kubelet has no disk pressure"}
	case corev1.NodePIDPressure:
		return corev1.NodeCondition{Status: corev1.ConditionFalse, Reason: "KubeletHasSufficientPID", Message: "kubelet has sufficient PID available"}
	default:
		return corev1.NodeCondition{Status: corev1.ConditionTrue, Reason: "KubeletReady", Message: "kubelet is posting ready status"}
	}
}

func TestEventsTellOfConditionsThatChangedAndOfNewPressureButNotOfANewReady(t *testing.T) {
	reasons := map[corev1.NodeConditionType]string{
		corev1.NodeMemoryPressure: "NodeHasSufficientMemory",
		corev1.NodeDiskPressure:   "NodeHasNoDiskPressure",
		corev1.NodePIDPressure:    "NodeHasSufficientPID",
		corev1.NodeReady:          "NodeReady",
	}
	rapid.Check(t, func(t *rapid.T) {
		l := idle(t)
		original := drawOriginal(t)
		original.Spec.Unschedulable, original.Status.NodeInfo.BootID = false, ""
		l.kl.updateNode(original)
		l.to(time.Second)
		var want []string
		for _, kind := range conditionKinds[:4] {
			old := condition(&original.Status, kind)
			if old == nil && kind != corev1.NodeReady || old != nil && old.Status != wantCondition(kind, l).Status {
				want = append(want, reasons[kind])
			}
		}
		require.Equal(t, want, l.events(0))
	})
}

func TestEventOfANodeHasNoUidAndSaysWhatItIsNow(t *testing.T) {
	l := idle(t)
	l.kl.updateNode(&corev1.Node{})
	l.to(time.Second)
	ev := l.callsOf("create events")[0].Object.(*corev1.Event)
	require.Equal(t, corev1.ObjectReference{Kind: "Node", APIVersion: "v1", Name: "n"}, ev.InvolvedObject)
	require.Equal(t, corev1.EventSource{Component: "kubelet", Host: "n"}, ev.Source)
	require.Equal(t, "Node n status is now: NodeHasSufficientMemory", ev.Message)
	require.Equal(t, corev1.EventTypeNormal, ev.Type)
}

func TestReportMovesTheHeartbeatTimesOfAllConditionsAndNoTransition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLab(t, rapid.Uint64().Draw(t, "seed"))
		l.server.Network().SetLatency(sim.Uniform(0, 50*ms))
		l.run()
		l.ready()
		first := l.server.Node("n").Status.Conditions
		l.to(time.Minute)
		for len(l.reports(time.Minute)) < 2 {
			l.to(l.now() + time.Second)
		}
		seen := l.wall(l.reports(time.Minute)[1].Sent.Duration())
		for i, c := range l.server.Node("n").Status.Conditions {
			require.True(t, seen.Equal(&c.LastHeartbeatTime), "%s was seen at %s, and sent at %s", c.Type, c.LastHeartbeatTime, seen)
			require.Equal(t, first[i].LastTransitionTime, c.LastTransitionTime)
			require.Equal(t, first[i].Status, c.Status)
		}
	})
}
