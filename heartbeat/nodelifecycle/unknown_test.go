package nodelifecycle

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/sim"
)

// failUpdates has every status update answered with 500.
var failUpdates = fakeapi.Rule{Match: fakeapi.Match{Verbs: []string{"update"}, Resources: []string{"nodes/status"}}, Respond: respond(500, "")}

// nextPass returns the first pass at or after an instant.
func nextPass(d time.Duration) time.Duration {
	if d <= firstPass {
		return firstPass
	}
	return firstPass + (d-firstPass+period-1)/period*period
}

func TestSilentNodeIsUnknownAtTheFirstPassAfterTheGracePeriod(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLab(t, func(c *Config) {
			c.NodeMonitorGracePeriod = time.Duration(rapid.IntRange(15_000, 60_000).Draw(t, "grace")) * time.Millisecond
		})
		l.cluster("other", 1)
		l.put("n", corev1.ConditionTrue)
		l.run()
		var last time.Duration
		for range rapid.IntRange(1, 5).Draw(t, "renewals") {
			last += time.Duration(rapid.IntRange(100, 10_000).Draw(t, "after"))*time.Millisecond + time.Microsecond // never at a pass
			l.to(last)
			l.renew("n")
		}
		l.to(last + 100*time.Second)

		seen := nextPass(last)
		want := nextPass(seen + l.cfg.NodeMonitorGracePeriod + 1)
		require.Equal(t, []time.Duration{want}, l.when("n", "Ready Unknown"), "last renewal %s, seen %s", last, seen)
	})
}

func TestFourConditionsTurnUnknownAndKeepTheirHeartbeatTimes(t *testing.T) {
	l := newLab(t)
	l.cluster("other", 1)
	l.put("n", corev1.ConditionTrue, func(node *corev1.Node) {
		node.Status.Conditions = append(node.Status.Conditions[1:], // no MemoryPressure
			corev1.NodeCondition{Type: corev1.NodeNetworkUnavailable, Status: corev1.ConditionFalse, Reason: "RouteCreated"})
	})
	before := l.server.Node("n").Status.DeepCopy()
	l.run()
	l.to(100 * time.Second)
	unknown := metav1.Time{Time: l.engine.Start().Add(l.when("n", "Ready Unknown")[0].Truncate(time.Second))}

	after := l.server.Node("n").Status
	require.Len(t, after.Conditions, 5)
	for i, c := range before.Conditions {
		if c.Type != corev1.NodeNetworkUnavailable {
			c.Status, c.Reason, c.Message = corev1.ConditionUnknown, "NodeStatusUnknown", "Kubelet stopped posting node status."
			c.LastTransitionTime = unknown
		}
		require.Equal(t, c, after.Conditions[i])
	}
	require.Equal(t, corev1.NodeCondition{
		Type: corev1.NodeMemoryPressure, Status: corev1.ConditionUnknown, Reason: "NodeStatusNeverUpdated", Message: "Kubelet never posted node status.",
		LastHeartbeatTime: l.server.Node("n").CreationTimestamp, LastTransitionTime: unknown,
	}, after.Conditions[4], "one that was never posted comes last")
}

func TestNodeThatNeverPostedAStatusIsUnknownAfterTheStartupGracePeriod(t *testing.T) {
	l := newLab(t)
	l.cluster("other", 1)
	l.to(7 * time.Second)
	l.put("n", "")
	l.run() // passes at 7.1, 12.1 ...
	l.to(100 * time.Second)
	require.Equal(t, []time.Duration{67*time.Second + firstPass}, l.when("n", "Ready Unknown"))
	require.Equal(t, []time.Duration{67*time.Second + firstPass}, l.when("n", "PIDPressure Unknown"))
	for _, c := range l.server.Node("n").Status.Conditions {
		require.Equal(t, "NodeStatusNeverUpdated", c.Reason)
	}
	require.NotEmpty(t, l.when("n", "+unreachable:NoExecute"), "it is treated in the same pass")
}

func TestNodeThatNeverWasReadyButRenewsItsLeaseIsLeftAlone(t *testing.T) {
	l := newLab(t)
	l.put("n", "")
	l.beat("n")
	l.run()
	l.to(10 * time.Minute)
	require.Empty(t, l.callsOf("update nodes/status"))
	require.Empty(t, l.server.Node("n").Status.Conditions)
}

func TestUnknownNodeIsNotWrittenAgain(t *testing.T) {
	l := newLab(t)
	l.cluster("other", 1)
	l.put("n", corev1.ConditionTrue)
	l.run()
	l.to(20 * time.Minute)
	require.Len(t, l.callsOf("update nodes/status"), 1)
}

func TestRestartedControllerGivesEverybodyANewGracePeriod(t *testing.T) {
	l := newLab(t)
	l.cluster("other", 1)
	l.put("n", corev1.ConditionTrue)
	l.renew("n")
	l.run()
	for _, at := range []time.Duration{45 * time.Second, 80 * time.Second, 120 * time.Second} {
		l.to(at)
		l.host.Kill()
		l.host.Restart()
		l.run()
	}
	l.to(120*time.Second + grace + firstPass)
	require.Empty(t, l.when("n", "Ready Unknown"))
	l.to(300 * time.Second)
	require.Equal(t, []time.Duration{120*time.Second + firstPass + grace + period}, l.when("n", "Ready Unknown"))
}

func TestKubeletsClockDoesNotMatter(t *testing.T) {
	l := newLab(t)
	l.put("n", corev1.ConditionTrue)
	l.run()
	for at := time.Duration(0); at < 5*time.Minute; at += 10 * time.Second {
		l.to(at)
		l.renewAs("n", l.engine.Start().Add(at-1000*time.Hour))
	}
	require.Empty(t, l.when("n", "Ready Unknown"))
}

// steady is a host whose clock is read without its steps, as Go's is for
// durations.
type steady struct{ *sim.Host }

func (s steady) Monotonic() time.Time {
	return s.Engine().Start().Add(s.Engine().Now().Duration())
}

func TestStepOfTheControllersClockIsNoSilence(t *testing.T) {
	for _, step := range []time.Duration{time.Hour, -time.Hour} {
		l := newLab(t)
		l.cluster("zone", 2)
		l.put("n", corev1.ConditionTrue)
		l.build(steady{l.host})
		l.nc.Run()
		l.to(30 * time.Second)
		l.host.Clock().Step(step)
		l.to(200 * time.Second)
		require.Equal(t, []time.Duration{firstPass + grace + period}, l.when("n", "Ready Unknown"))
		require.Len(t, l.callsOf("update nodes/status"), 1)
		require.Len(t, l.when("n", "+unreachable:NoExecute"), 1)
		since := condition(&l.server.Node("n").Status, corev1.NodeReady).LastTransitionTime
		require.Equal(t, l.engine.Start().Add(firstPass+grace+period+step).Truncate(time.Second), since.Time.UTC(), "what is written is the wall clock's")
	}
}
