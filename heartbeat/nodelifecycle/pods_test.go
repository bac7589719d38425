package nodelifecycle

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/fakeapi"
)

// putPod writes a pod of node n with that Ready condition.
func (l *lab) putPod(name string, ready corev1.ConditionStatus) { l.putPodOn("n", name, ready) }

func (l *lab) putPodOn(node, name string, ready corev1.ConditionStatus) {
	grace := int64(30)
	l.server.Put(&corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
		Spec:       corev1.PodSpec{NodeName: node, TerminationGracePeriodSeconds: &grace},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{
			{Type: corev1.PodScheduled, Status: corev1.ConditionTrue},
			{Type: corev1.PodReady, Status: ready, Reason: "kept", LastTransitionTime: metav1.Time{Time: l.engine.Start()}},
		}},
	})
}

// podLab has a node n that falls silent, with pods.
func podLab(t *testing.T) *lab {
	l := newLab(t)
	l.cluster("other", 1)
	l.put("n", corev1.ConditionTrue)
	l.putPod("ready", corev1.ConditionTrue)
	l.putPod("unready", corev1.ConditionFalse)
	l.putPod("ready-2", corev1.ConditionTrue)
	l.server.Put(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "starting", Namespace: "default"}, Spec: corev1.PodSpec{NodeName: "n"}})
	l.run()
	return l
}

func TestPodsOfANodeThatTurnsUnknownAreMarkedOnce(t *testing.T) {
	l := podLab(t)
	l.to(10 * time.Minute)
	puts := l.callsOf("update pods/status")
	require.Len(t, puts, 2, "the ready ones, in order")
	require.Equal(t, []string{"ready", "ready-2"}, []string{puts[0].Name, puts[1].Name})
	require.Equal(t, expiry, puts[0].Sent.Duration())

	c := l.server.Pod("default", "ready").Status.Conditions
	require.Equal(t, corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}, c[0])
	require.Equal(t, corev1.PodReady, c[1].Type)
	require.Equal(t, corev1.ConditionFalse, c[1].Status)
	require.Equal(t, "kept", c[1].Reason)
	require.True(t, c[1].LastTransitionTime.Equal(&metav1.Time{Time: l.engine.Start().Add(expiry.Truncate(time.Second))}))
}

func TestMarkingThatFailsIsRetriedInEveryPass(t *testing.T) {
	l := podLab(t)
	l.rule(fakeapi.Rule{Match: fakeapi.Match{Verbs: []string{"update"}, Resources: []string{"pods/status"}}, Respond: respond(500, ""), Count: 5})
	l.to(10 * time.Minute)
	var passes []string
	for _, c := range l.callsOf("update pods/status") {
		passes = append(passes, fmt.Sprintf("%s %s %d", (c.Sent.Duration()-expiry)/period, c.Name, c.Code))
	}
	require.Equal(t, []string{
		"0s ready 500", "0s ready-2 500", "1ns ready 500", "1ns ready-2 500", "2ns ready 500", "2ns ready-2 200", "3ns ready 200",
	}, passes, "one pass is one period; a failure does not keep the others from being marked")
	require.Len(t, l.callsOf("update nodes/status"), 1)
}

func TestPodThatIsGoneIsNotRetried(t *testing.T) {
	l := podLab(t)
	l.to(20 * time.Second)
	l.rule(fakeapi.Rule{HoldWatch: true, Match: fakeapi.Match{Resources: []string{"pods"}}})
	l.server.Remove(l.server.Pod("default", "ready"))
	l.to(5 * time.Minute)
	require.Len(t, l.callsOf("update pods/status"), 2)
	require.Len(t, l.recorded("NodeNotReady"), 2, "of the node and of the pod that is there")
}

func TestNodeThatSaysItselfThatItIsNotReadyKeepsItsPods(t *testing.T) {
	l := podLab(t)
	l.to(20 * time.Second)
	l.put("n", corev1.ConditionFalse)
	l.beat("n")
	l.to(10 * time.Minute)
	require.Empty(t, l.callsOf("update pods/status"))
	require.Empty(t, l.recorded("NodeNotReady"), "that is the kubelet's to tell")
	require.Len(t, l.when("n", "+not-ready:NoExecute"), 1)
}

func TestNodeThatIsReadyAgainIsNoLongerRetried(t *testing.T) {
	l := podLab(t)
	l.rule(fakeapi.Rule{Match: fakeapi.Match{Verbs: []string{"update"}, Resources: []string{"pods/status"}}, Respond: respond(500, "")})
	l.to(expiry + time.Second)
	require.True(t, l.nc.nodesToRetry["n"])
	l.put("n", corev1.ConditionTrue)
	l.to(expiry + period + time.Second)
	require.False(t, l.nc.nodesToRetry["n"])
	require.Len(t, l.callsOf("update pods/status"), 2)
}

func TestDeletedNodeIsNoLongerRetried(t *testing.T) {
	l := podLab(t)
	l.rule(fakeapi.Rule{Match: fakeapi.Match{Verbs: []string{"update"}, Resources: []string{"pods/status"}}, Respond: respond(500, "")})
	l.to(expiry + time.Second)
	l.server.Remove(l.server.Node("n"))
	l.to(expiry + 2*time.Second)
	require.Empty(t, l.nc.nodesToRetry)
}

func TestPodThatMovesIsItsNewNodesAlone(t *testing.T) {
	l := podLab(t)
	l.to(time.Second)
	moved := l.server.Pod("default", "ready").DeepCopy()
	moved.Spec.NodeName = "other00"
	l.server.Put(moved)
	l.server.Remove(l.server.Pod("default", "unready"))
	l.to(2 * time.Second)
	names := func(pods []*corev1.Pod) (out []string) {
		for _, pod := range pods {
			out = append(out, pod.Name)
		}
		return out
	}
	require.Equal(t, []string{"ready-2", "starting"}, names(l.nc.pods.on("n")))
	require.Equal(t, []string{"ready"}, names(l.nc.pods.on("other00")))
}
