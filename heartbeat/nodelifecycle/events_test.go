package nodelifecycle

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/stretchr/testify/require"
)

// recorded returns the events that the controller has created with a reason.
func (l *lab) recorded(reason string) []*corev1.Event {
	var out []*corev1.Event
	for _, c := range l.callsOf("create events") {
		if ev := c.Object.(*corev1.Event); ev.Reason == reason {
			out = append(out, ev)
		}
	}
	return out
}

func TestControllerTellsOfNodesThatComeAndGo(t *testing.T) {
	l := newLab(t)
	l.cluster("other", 1)
	l.run()
	l.to(7 * time.Second)
	l.put("n", corev1.ConditionTrue)
	uid := l.server.Node("n").UID
	l.to(20 * time.Second)
	l.server.Remove(l.server.Node("n"))
	l.to(30 * time.Second)

	came, went := l.recorded("RegisteredNode"), l.recorded("RemovingNode")
	require.Len(t, came, 2)
	require.Len(t, went, 1)
	require.Equal(t, "Node n event: Registered Node n in Controller", came[1].Message)
	require.Equal(t, "Node n event: Removing Node n from Controller", went[0].Message)
	for _, ev := range []*corev1.Event{came[1], went[0]} {
		require.Equal(t, corev1.ObjectReference{APIVersion: "v1", Kind: "Node", Name: "n", UID: uid}, ev.InvolvedObject)
		require.Equal(t, corev1.EventSource{Component: "node-controller"}, ev.Source)
		require.Equal(t, corev1.EventTypeNormal, ev.Type)
		require.Equal(t, "default", ev.Namespace)
	}
	require.Equal(t, []time.Duration{10 * time.Second, 20 * time.Second},
		[]time.Duration{came[1].FirstTimestamp.Sub(l.engine.Start()), went[0].FirstTimestamp.Sub(l.engine.Start())}, "in the passes after it")
}

func TestNodeThatComesBackUnderItsNameIsOneThatWent(t *testing.T) {
	l := newLab(t)
	l.put("n", corev1.ConditionTrue)
	l.beat("n")
	l.run()
	l.to(6 * time.Second)
	l.server.Remove(l.server.Node("n"))
	l.to(7 * time.Second)
	l.put("n", corev1.ConditionTrue)
	l.to(30 * time.Second)
	require.Len(t, l.recorded("RegisteredNode"), 1, "between two passes nobody was missing")
	require.Empty(t, l.recorded("RemovingNode"))
}

func TestLossOfReadinessIsToldOfTheNodeAndItsPods(t *testing.T) {
	l := podLab(t)
	l.to(10 * time.Minute)
	events := l.recorded("NodeNotReady")
	require.Len(t, events, 3)
	require.Equal(t, "Node n status is now: NodeNotReady", events[0].Message)
	require.Equal(t, corev1.EventTypeNormal, events[0].Type)
	for i, name := range []string{"ready", "ready-2"} {
		ev := events[i+1]
		require.Equal(t, "Node is not ready", ev.Message)
		require.Equal(t, corev1.EventTypeWarning, ev.Type)
		require.Equal(t, "Pod", ev.InvolvedObject.Kind)
		require.Equal(t, name, ev.InvolvedObject.Name)
		require.Equal(t, "default", ev.Namespace)
		require.Equal(t, l.server.Pod("default", name).UID, ev.InvolvedObject.UID)
	}
}
