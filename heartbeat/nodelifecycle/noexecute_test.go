package nodelifecycle

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/fakeapi"
)

// requireWithinAnEvictionPeriod holds an instant to (from, from+100ms].
func requireWithinAnEvictionPeriod(t require.TestingT, from time.Duration, got []time.Duration) {
	require.Len(t, got, 1)
	require.GreaterOrEqual(t, got[0], from)
	require.LessOrEqual(t, got[0], from+nodeEvictionPeriod)
}

func TestNoExecuteTaintComesWithin100MillisecondsOfUnknown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLab(t)
		l.cluster("other", 1)
		l.put("n", corev1.ConditionTrue)
		l.run()
		last := time.Duration(rapid.IntRange(1000, 20_000).Draw(t, "last")) * time.Millisecond
		l.to(last)
		l.renew("n")
		l.to(last + 100*time.Second)
		unknown := l.when("n", "Ready Unknown")
		require.Len(t, unknown, 1)
		requireWithinAnEvictionPeriod(t, unknown[0], l.when("n", "+unreachable:NoExecute"))
	})
}

func TestNoExecuteTaintsComeOneInTenSecondsAndZone(t *testing.T) {
	l := newLab(t)
	a, b := l.cluster("a", 6), l.cluster("b", 6)
	l.run()
	l.to(5 * time.Second)
	l.stop(a[:3]...) // half of a zone is no disruption
	l.stop(b[:3]...)
	l.to(100 * time.Second)
	for _, zone := range [][]string{a, b} {
		unknown := l.when(zone[0], "Ready Unknown")[0]
		for i, name := range zone[:3] {
			require.Equal(t, unknown, l.when(name, "Ready Unknown")[0])
			requireWithinAnEvictionPeriod(t, unknown+time.Duration(i)*10*time.Second, l.when(name, "+unreachable:NoExecute"))
			require.Equal(t, []time.Duration{unknown}, l.when(name, "+unreachable:NoSchedule"))
		}
	}
}

func TestTaintSaysSinceWhen(t *testing.T) {
	l := newLab(t)
	l.cluster("other", 1)
	l.put("n", corev1.ConditionTrue)
	l.run()
	l.to(expiry + time.Second)
	for _, taint := range l.server.Node("n").Spec.Taints {
		require.Equal(t, corev1.TaintNodeUnreachable, taint.Key)
		require.Empty(t, taint.Value)
		require.True(t, taint.TimeAdded.Equal(&metav1.Time{Time: l.engine.Start().Add(expiry.Truncate(time.Second))}))
	}
	require.Len(t, l.server.Node("n").Spec.Taints, 2)
}

func TestTaintOfANodeThatIsReadyAgainGoesInTheNextPass(t *testing.T) {
	l := newLab(t)
	l.cluster("other", 1)
	l.put("n", corev1.ConditionTrue)
	l.run()
	l.to(expiry + 22*time.Second)
	l.put("n", corev1.ConditionTrue)
	l.beat("n")
	l.to(expiry + time.Minute)
	require.Equal(t, []time.Duration{expiry + 22*time.Second}, l.when("n", "-unreachable:NoSchedule"))
	require.Equal(t, []time.Duration{expiry + 25*time.Second}, l.when("n", "-unreachable:NoExecute"))

	l.stop("n") // and it is tainted as often as it falls silent
	l.to(expiry + 3*time.Minute)
	require.Len(t, l.when("n", "+unreachable:NoExecute"), 2)
}

func TestUnreachableAndNotReadySwapWithoutTheQueue(t *testing.T) {
	l := newLab(t)
	l.cluster("other", 1)
	l.put("n", corev1.ConditionTrue)
	l.run()
	l.to(expiry + 22*time.Second)
	l.put("n", corev1.ConditionFalse) // it is back, and not ready
	l.beat("n")
	l.to(expiry + 40*time.Second)
	swapped := expiry + 25*time.Second
	require.Equal(t, []time.Duration{swapped}, l.when("n", "+not-ready:NoExecute"))
	require.Equal(t, []time.Duration{swapped}, l.when("n", "-unreachable:NoExecute"))
	require.Equal(t, []string{"get nodes n: ok", "patch nodes n: ok", "get nodes n: ok", "patch nodes n: ok"}, l.sent(swapped)[:4], "it is added first, then the other is removed")

	l.stop("n")
	l.to(expiry + 200*time.Second)
	unknown := l.when("n", "Ready Unknown")
	require.Len(t, unknown, 2)
	require.Equal(t, unknown[1:], l.when("n", "-not-ready:NoExecute"))
	require.Equal(t, unknown[1:], l.when("n", "+unreachable:NoExecute")[1:], "the condition of this pass decides (since v1.34)")
}

func TestNodeThatIsReadyWhenItsTurnComesSpendsTheToken(t *testing.T) {
	l := newLab(t, func(c *Config) { c.NodeMonitorPeriod = 7 * time.Second })
	names := l.cluster("zone", 6)
	l.run()
	l.to(5 * time.Second)
	l.stop(names[:3]...)
	l.to(60 * time.Second)
	unknown := l.when(names[0], "Ready Unknown")[0]
	// The second comes back just before its turn; no pass has seen it yet.
	l.to(unknown + 9*time.Second + 950*time.Millisecond)
	l.put(names[1], corev1.ConditionTrue, inZone("zone"))
	l.to(unknown + 40*time.Second)
	require.Empty(t, l.when(names[1], "+unreachable:NoExecute"))
	requireWithinAnEvictionPeriod(t, unknown+20*time.Second, l.when(names[2], "+unreachable:NoExecute"))
}

func TestTaintThatSomebodyTookAwayComesBack(t *testing.T) {
	l := newLab(t)
	l.cluster("other", 1)
	l.put("n", corev1.ConditionTrue)
	l.run()
	l.to(expiry + 22*time.Second)
	bare := l.server.Node("n").DeepCopy()
	bare.Spec.Taints = nil
	l.server.Put(bare)
	l.to(expiry + 40*time.Second)
	added := l.when("n", "+unreachable:NoExecute")
	require.Len(t, added, 2)
	requireWithinAnEvictionPeriod(t, expiry+25*time.Second, added[1:])
	require.Equal(t, expiry+22*time.Second, l.when("n", "+unreachable:NoSchedule")[1], "at once, by its watch event")
}

func TestConflictOverTaintsIsRetriedFromTheStore(t *testing.T) {
	for _, conflicts := range []int{1, 4, 5} {
		l := newLab(t)
		l.put("n", corev1.ConditionTrue)
		l.beat("n")
		l.run()
		l.to(time.Second)
		l.rule(fakeapi.Rule{Match: fakeapi.Match{Verbs: []string{"patch"}, Resources: []string{"nodes"}}, Respond: respond(409, metav1.StatusReasonConflict), Count: conflicts})
		l.put("n", corev1.ConditionTrue, func(node *corev1.Node) { node.Spec.Unschedulable = true })
		l.to(5 * time.Second)
		tries := l.callsOf("patch nodes")
		require.Len(t, tries, min(conflicts+1, 5))
		require.Len(t, l.callsOf("get nodes"), len(tries))
		for i := 1; i < len(tries); i++ {
			pause := tries[i].Sent.Sub(tries[i-1].Received)
			require.True(t, pause >= 100*time.Millisecond && pause < 200*time.Millisecond, pause)
		}
		require.Len(t, l.when("n", "+unschedulable:NoSchedule"), min(1, 5-conflicts))
	}
}

func TestFailureOfATaintKeepsTheNodeInItsQueue(t *testing.T) {
	l := newLab(t)
	l.cluster("zone", 2)
	l.put("n", corev1.ConditionTrue, inZone("zone"))
	l.run()
	l.to(30 * time.Second)
	l.rule(fakeapi.Rule{Match: fakeapi.Match{Verbs: []string{"get"}, Resources: []string{"nodes"}}, Respond: respond(500, ""), Count: 2})
	l.to(expiry + 30*time.Second)
	// The NoSchedule taint fails at the watch event, the NoExecute one at its
	// turn, which takes a token.
	requireWithinAnEvictionPeriod(t, expiry+10*time.Second, l.when("n", "+unreachable:NoExecute"))
}

func TestNodeWithoutAReadyConditionWaitsInItsQueue(t *testing.T) {
	l := newLab(t)
	l.build(l.host)
	l.nc.nodes.Run()
	l.put("n", "")
	l.to(0)
	queue := newRateLimitedTimedQueue(l.host, 1000)
	l.nc.zoneNoExecuteTainter[""] = queue
	queue.add("n", "")
	l.do(l.nc.doNoExecuteTaintingPass)
	require.Equal(t, l.engine.Start().Add(50*time.Millisecond+1), queue.queue[0].processAt)
	queue.add("gone", "")
	l.to(time.Second)
	l.put("n", corev1.ConditionTrue)
	l.to(time.Second)
	l.do(l.nc.doNoExecuteTaintingPass)
	l.to(2 * time.Second)
	l.do(l.nc.doNoExecuteTaintingPass)
	require.Empty(t, queue.queue, "one that is ready, and one that is not there, are done with")
	require.Empty(t, l.sent(0))
}
