package kubelet

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/fakeapi"
)

func TestRestartedKubeletReportsAtOnceThoughNothingChanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLab(t, rapid.Uint64().Draw(t, "seed"))
		l.run()
		at := time.Minute + time.Duration(rapid.Int64Range(0, int64(10*time.Minute)).Draw(t, "at"))
		l.to(at)
		l.restart()
		l.to(at + 9*time.Second)
		require.Len(t, l.reports(at), 1)
		require.Equal(t, at+100*ms, l.reports(at)[0].Sent.Duration(), "right after its registration")
		require.NotContains(t, l.events(at), "NodeNotReady")

		delay := l.kl.delayAfterNodeStatusChange
		require.NotZero(t, delay, "it draws a delay too")
		l.to(at + 100*ms + reports + delay - 1)
		require.Len(t, l.reports(at), 1)
		l.to(at + 100*ms + reports + delay + longestTick)
		require.Len(t, l.reports(at), 2)
	})
}

func TestNodeOfARestartedKubeletNeverTurnsNotReady(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLab(t, rapid.Uint64().Draw(t, "seed"))
		l.run()
		l.to(time.Minute)
		moved := l.stored(corev1.NodeReady).LastTransitionTime
		for range rapid.IntRange(1, 5).Draw(t, "restarts") {
			l.to(l.now() + time.Duration(rapid.Int64Range(0, int64(20*time.Second)).Draw(t, "after")))
			l.restart()
		}
		l.to(l.now() + time.Minute)
		require.Equal(t, moved, l.stored(corev1.NodeReady).LastTransitionTime)
		require.Equal(t, corev1.ConditionTrue, l.status(corev1.NodeReady))
	})
}

func TestRestartedKubeletDrawsOtherDelays(t *testing.T) {
	l := newLab(t, 1)
	l.run()
	seen := map[time.Duration]bool{}
	for range 10 {
		l.to(l.now() + 5*time.Second)
		seen[l.kl.delayAfterNodeStatusChange] = true
		l.restart()
	}
	require.Len(t, seen, 10)
}

func TestKubeletKilledInTheMiddleOfAReportHasSentIt(t *testing.T) {
	l := newLab(t, 1)
	l.run()
	l.to(15 * time.Second)
	l.rule(heartbeatClient, "patch", "nodes/status", fakeapi.Rule{LoseReply: true, Count: 1})
	l.kl.cfg.Machine.NodeInfo.KernelVersion = "7"
	tick := l.tickAfter(15 * time.Second)
	l.host.Kill()
	require.Equal(t, "7", l.server.Node("n").Status.NodeInfo.KernelVersion)
	l.to(tick + time.Hour)
	require.Len(t, l.reports(tick), 1, "and nothing else ever")
	require.Equal(t, tick, l.ticks[len(l.ticks)-1])
}

func TestKubeletWithoutEventsCallbackAndTracerRuns(t *testing.T) {
	l := newLab(t, 1)
	client := l.server.NewClient(fakeapi.ClientOptions{Host: l.host, Name: heartbeatClient, Timeout: timeout})
	l.kl = New(l.host, Clients{Kube: client.Nodes(), Heartbeat: client.Nodes(), Leases: client.Leases("kube-node-lease"), WatchNodes: l.watchBy(client)}, l.cfg, nil)
	l.kl.Run()
	l.ready()
	l.rule(heartbeatClient, "patch", "nodes/status", refuse)
	l.put(unknown)
	l.to(time.Minute)
	require.Equal(t, corev1.ConditionUnknown, l.status(corev1.NodeReady))
	require.Empty(t, l.events(0))
}
