package kubelet

import (
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/sim"
)

// notReadyUntil is a lab with a registered kubelet whose storage is ready at
// an instant of the test's choosing, and not by itself.
func notReadyUntil(t tester, seed uint64, d time.Duration) *lab {
	l := newLab(t, seed)
	l.rule(kubeClient, "get", "nodes", refuse) // what the CSI plugin asks for
	l.run()
	l.at(d, func() { l.kl.runtimeState.storageError = nil })
	return l
}

func TestKubeletThatBecomesReadySaysSoWithinATenthOfASecond(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := time.Duration(rapid.Int64Range(int64(time.Second), int64(119*time.Second)).Draw(t, "at"))
		l := notReadyUntil(t, rapid.Uint64().Draw(t, "seed"), at)
		l.to(at - 1)
		require.Equal(t, corev1.ConditionFalse, l.status(corev1.NodeReady))
		require.LessOrEqual(t, l.ready()-at, 100*ms)
		l.to(l.now() + ms)
		require.Contains(t, l.events(0), "NodeReady")
	})
}

func TestNewNodeIsReadyLongBeforeItsSecondTick(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLab(t, rapid.Uint64().Draw(t, "seed"))
		l.server.Network().SetLatency(sim.Uniform(0, 10*ms))
		l.run()
		require.Less(t, l.ready(), time.Second)
	})
}

func TestStartingKubeletLooksEveryTenthOfASecondAndSendsNothing(t *testing.T) {
	l := notReadyUntil(t, 1, 20*time.Second)
	l.to(3 * time.Second)
	l.ticks = nil
	l.to(9 * time.Second)
	require.Len(t, l.ticks, 60)
	for _, gap := range gapsOf(l.ticks) {
		require.Equal(t, 100*ms, gap)
	}
	require.Empty(t, l.sent(heartbeatClient, 3*time.Second))
}

func TestFastPathWaitsForTheRegistration(t *testing.T) {
	l := newLab(t, 1)
	l.rule(kubeClient, "create", "nodes", refuse)
	l.run()
	l.to(12700*ms + ms)
	require.Len(t, l.ticks, 7, "the status of each node that was to be created, and nothing between")
}

func TestFastPathEndsWhenTheNodeIsReady(t *testing.T) {
	for name, start := range map[string]func(*lab){
		"new": func(l *lab) {
			l.run()
			l.ready()
			l.to(5 * time.Second)
		},
		"made ready by the status loop": func(l *lab) {
			held := l.rule(kubeClient, "watch", "nodes", holdWatch) // the fast path sees no node
			l.run()
			l.to(25 * time.Second)
			require.Equal(l.t, corev1.ConditionTrue, l.status(corev1.NodeReady))
			held()
			l.to(26 * time.Second)
		},
		"ready before its restart": func(l *lab) {
			l.run()
			l.to(25 * time.Second)
			l.restart()
			l.to(30 * time.Second)
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, 1)
			start(l)
			began := l.now()
			require.Equal(t, corev1.ConditionTrue, l.status(corev1.NodeReady))
			l.put(unknown)
			tick := l.tickAfter(began)
			require.Greater(t, tick-began, time.Second, "nobody but the status loop looks")
			require.Len(t, l.reports(began), 1)
			require.Equal(t, corev1.ConditionTrue, l.status(corev1.NodeReady))
			l.ticks = nil
			l.to(began + 5*time.Minute)
			for _, gap := range gapsOf(l.ticks) {
				require.GreaterOrEqual(t, gap, updates)
			}
		})
	}
}

func TestFastPathEndsAfterTwoMinutes(t *testing.T) {
	l := notReadyUntil(t, 1, 121*time.Second)
	l.to(122 * time.Second)
	before, after := 0, 0
	for _, tick := range l.ticks {
		if tick < 119*time.Second {
			continue
		}
		if tick < 120*time.Second {
			before++
		} else {
			after++
		}
	}
	require.GreaterOrEqual(t, before, 10)
	require.LessOrEqual(t, after, 1)
	ready := l.ready()
	require.Contains(t, l.ticks, ready)
	require.Greater(t, ready, 122*time.Second, "the next tick of the status loop")
}

func TestFastPathDoesNothingWithoutANodeOrItsReadyCondition(t *testing.T) {
	l := newLab(t, 1, func(c *Config) { c.RegisterNode = false })
	l.run()
	l.to(3 * time.Second)
	require.Empty(t, l.ticks, "no node")
	l.server.Put(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}})
	l.to(9 * time.Second)
	require.Empty(t, l.ticks, "no condition")
	tick := l.tickAfter(9 * time.Second)
	require.GreaterOrEqual(t, tick, updates)
	require.Len(t, l.reports(tick), 1, "the status loop makes one")
}

func TestFastReportThatFailsIsFollowedByAStatusUpdate(t *testing.T) {
	l := notReadyUntil(t, 1, 5*time.Second)
	l.to(4 * time.Second)
	rule := refuse
	rule.Count = 2
	l.rule(heartbeatClient, "patch", "nodes/status", rule)
	l.decisions = nil
	l.to(9 * time.Second)
	require.Equal(t, []string{"patch nodes/status: 500", "patch nodes/status: 500", "get nodes: ok", "patch nodes/status: ok"},
		l.sent(heartbeatClient, 4*time.Second), "five tries of its own, of which the first fails too")
	require.Equal(t, corev1.ConditionTrue, l.status(corev1.NodeReady))
	require.Empty(t, l.decisions)
}

func TestFastPathEndsWithItsFirstReportEvenIfNothingArrives(t *testing.T) {
	l := notReadyUntil(t, 1, 5*time.Second)
	l.to(4 * time.Second)
	l.rule(heartbeatClient, "patch", "nodes/status", refuse)
	l.to(9 * time.Second)
	require.Len(t, l.reports(4*time.Second), 1+5)
	require.Equal(t, corev1.ConditionFalse, l.status(corev1.NodeReady))
	require.Equal(t, []string{"status-failed"}, l.decisions[1:])
}

func TestFastReportDrawsNoDelayButIsAReport(t *testing.T) {
	l := notReadyUntil(t, 1, 5*time.Second)
	l.to(4 * time.Second)
	delay := l.kl.delayAfterNodeStatusChange
	require.NotZero(t, delay, "of the first report")
	ready := l.ready()
	l.to(ready + ms)
	require.Equal(t, delay, l.kl.delayAfterNodeStatusChange)
	require.Equal(t, ready, l.kl.lastStatusReportTime.Sub(l.engine.Start()))
}

func TestFastPathAsksTheRuntimeItself(t *testing.T) {
	l := notReadyUntil(t, 1, time.Hour)
	l.to(4 * time.Second)
	require.Less(t, l.engine.Start().Add(4*time.Second).Sub(l.kl.runtimeState.lastBaseRuntimeSync), 100*ms)
}

func TestChangeThatLeavesAStartingNodeNotReadyWaitsForTheStatusLoop(t *testing.T) {
	l := notReadyUntil(t, 1, time.Hour)
	l.to(4 * time.Second)
	l.kl.runtimeState.storageError = errors.New("something else")
	l.to(9900 * ms)
	require.Empty(t, l.reports(4*time.Second))
	l.to(11 * time.Second)
	require.Len(t, l.reports(4*time.Second), 1)
	require.Equal(t, "something else", l.stored(corev1.NodeReady).Message)
}

func TestStatusLoopWaitsForAFastReportThatIsNotAnswered(t *testing.T) {
	l := notReadyUntil(t, 1, 6050*ms)
	l.to(5 * time.Second)
	l.rule(heartbeatClient, "patch", "nodes/status", fakeapi.Rule{LoseRequest: true, Count: 1})
	sent := l.tickAfter(6050 * ms)
	l.ticks = nil
	l.to(sent + timeout - 1)
	require.Empty(t, l.ticks, "the lock is held, though a tick was due")
	l.to(sent + timeout)
	require.Equal(t, []time.Duration{sent, sent + timeout}, instants(l.reports(5*time.Second)))
	l.to(sent + timeout + 9*time.Second)
	require.Equal(t, []time.Duration{sent + timeout, sent + timeout}, l.ticks, "the tick that waited, and the update that follows a failure")
}
