package kubelet

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/sim"
)

// The patch is a difference to what the lister knows. Where that is old, the
// kubelet sees no change, and a report carries the heartbeat times alone.
func TestNodeCalledUnknownStaysSoUntilTheKubeletHearsOfIt(t *testing.T) {
	l := newLab(t, 1)
	l.run()
	l.to(15 * time.Second)
	deliver := l.rule(kubeClient, "watch", "nodes", holdWatch)
	l.put(unknown)
	l.to(12 * time.Minute)
	require.NotEmpty(t, l.reports(15*time.Second))
	ready := l.stored(corev1.NodeReady)
	require.Equal(t, corev1.ConditionUnknown, ready.Status)
	require.True(t, ready.LastHeartbeatTime.After(l.engine.Start().Add(time.Minute)), "though it is heard of")

	deliver()
	from := l.now()
	tick := l.tickAfter(from)
	require.Less(t, tick-from, longestTick)
	require.Equal(t, corev1.ConditionTrue, l.status(corev1.NodeReady))
	moved := l.wall(tick)
	for _, kind := range conditionKinds[:4] {
		c := l.stored(kind)
		require.NotEqual(t, corev1.ConditionUnknown, c.Status)
		require.True(t, moved.Equal(&c.LastTransitionTime), kind)
	}
	require.Equal(t, []string{"NodeHasSufficientMemory", "NodeHasNoDiskPressure", "NodeHasSufficientPID", "NodeReady"}, l.events(from))
}

func TestRetryReadsWhatTheListerDoesNotKnow(t *testing.T) {
	l := newLab(t, 1)
	l.run()
	l.to(15 * time.Second)
	l.rule(kubeClient, "watch", "nodes", holdWatch)
	l.put(unknown)
	one := refuse
	one.Count = 1
	l.rule(heartbeatClient, "patch", "nodes/status", one)
	l.kl.cfg.Machine.NodeInfo.KernelVersion = "7"
	tick := l.tickAfter(15 * time.Second)
	require.Equal(t, []string{"patch nodes/status: 500", "get nodes: ok", "patch nodes/status: ok"}, l.sent(heartbeatClient, tick))
	require.Equal(t, corev1.ConditionTrue, l.status(corev1.NodeReady))
}

// What was reported is no news when it comes back by the watch.
func TestOwnReportIsNoChange(t *testing.T) {
	l := newLab(t, 1)
	l.server.Network().SetLatency(sim.Fixed(50 * ms))
	l.run()
	l.ready()
	l.to(30 * time.Second)
	sent := len(l.reports(0))
	l.to(2 * time.Minute)
	require.Len(t, l.reports(0), sent)
	require.Same(t, l.server.Node("n"), l.kl.Node(), "the lister has what the server has")
}

// A watch that lags lets the kubelet send a change once more at the next tick.
func TestChangeIsSentAgainWhileTheListerDoesNotKnowOfIt(t *testing.T) {
	l := newLab(t, 1)
	l.run()
	l.to(15 * time.Second)
	deliver := l.rule(kubeClient, "watch", "nodes", holdWatch)
	l.kl.cfg.Machine.NodeInfo.KernelVersion = "7"
	l.to(15*time.Second + 3*longestTick)
	require.GreaterOrEqual(t, len(l.reports(15*time.Second)), 3)
	deliver()
	from := l.now() + ms
	l.to(from + 2*time.Minute)
	require.Empty(t, l.reports(from))
}

func TestFirstTryFailsUntilTheListerHasTheNode(t *testing.T) {
	l := newLab(t, 1)
	l.rule(kubeClient, "watch", "nodes", holdWatch)
	l.run()
	l.to(200 * ms)
	require.Equal(t, []string{"get nodes: ok", "patch nodes/status: ok"}, l.sent(heartbeatClient, 100*ms))
	require.Zero(t, l.repeated, "the first failure is none")
	require.Nil(t, l.kl.Node())
}
