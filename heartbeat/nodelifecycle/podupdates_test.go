package nodelifecycle

import (
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/heartbeat/version"
	"github.com/holter-sim/holter/sim"
)

var podStatusPuts = fakeapi.Match{Verbs: []string{"update"}, Resources: []string{"pods/status"}}

// notReadyLab has a node n that says itself that it is not ready, which marks
// none of its pods, and so 20 s later shows those marked that come after.
func notReadyLab(t *testing.T, edit ...func(*Config)) *lab {
	l := newLab(t, edit...)
	l.cluster("other", 1)
	l.put("n", corev1.ConditionFalse)
	l.beat("n")
	l.run()
	l.to(20 * time.Second)
	return l
}

func TestPodThatComesToANodeThatIsNotReadyIsMarkedAtOnce(t *testing.T) {
	l := notReadyLab(t)
	l.putPod("late", corev1.ConditionTrue)
	l.putPod("unready", corev1.ConditionFalse)
	l.to(time.Minute)
	puts := l.callsOf("update pods/status")
	require.Len(t, puts, 1)
	require.Equal(t, "late", puts[0].Name)
	require.Equal(t, 20*time.Second, puts[0].Sent.Duration(), "no pass is waited for")
	require.Equal(t, corev1.ConditionFalse, l.server.Pod("default", "late").Status.Conditions[1].Status)
	require.Len(t, l.recorded("NodeNotReady"), 1)
}

func TestPodThatIsBoundToANodeThatIsNotReadyIsMarked(t *testing.T) {
	l := notReadyLab(t)
	l.server.Put(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "default"}})
	l.to(30 * time.Second)
	l.putPod("p", corev1.ConditionTrue)
	l.to(40 * time.Second)
	require.Len(t, l.callsOf("update pods/status"), 1)

	l.putPod("p", corev1.ConditionTrue) // says so itself, where it was before
	l.to(50 * time.Second)
	require.Len(t, l.callsOf("update pods/status"), 1, "only a pod that has come is looked at")
}

func TestPodOfANodeThatIsReadyOrNotLookedAtIsLeftAlone(t *testing.T) {
	l := newLab(t)
	l.cluster("n", 1)
	l.putPodOn("n00", "early", corev1.ConditionTrue)
	l.run()
	l.to(20 * time.Second)
	l.putPodOn("n00", "late", corev1.ConditionTrue)
	l.putPodOn("nowhere", "lost", corev1.ConditionTrue)
	l.to(21 * time.Second)
	l.put("fresh", "")
	l.putPodOn("fresh", "first", corev1.ConditionTrue)
	l.to(30 * time.Second)
	require.Empty(t, l.callsOf("update pods/status"))
	require.Empty(t, l.nc.podUpdateQueue.waiting)
}

// What is remembered of a node is not what could not be written: upstream
// remembers a copy of its status, and changes another.
func TestPodThatComesToANodeThatCouldNotBeCalledUnknownIsLeftAlone(t *testing.T) {
	l := newLab(t)
	l.cluster("other", 1)
	l.put("n", corev1.ConditionTrue)
	l.run()
	l.rule(fakeapi.Rule{Match: fakeapi.Match{Verbs: []string{"update"}, Resources: []string{"nodes/status"}}, Respond: respond(500, "")})
	l.to(expiry + time.Second)
	l.putPod("late", corev1.ConditionTrue)
	l.to(expiry + 3*time.Second)
	require.NotEmpty(t, l.callsOf("update nodes/status"))
	require.Empty(t, l.callsOf("update pods/status"))
}

func TestBefore1_17APodThatComesIsNotLookedAt(t *testing.T) {
	l := notReadyLab(t, func(c *Config) { c.Behaviors = version.Lookup(version.Version{Minor: 16, Patch: 7}) })
	l.putPod("late", corev1.ConditionTrue)
	l.to(10 * time.Minute)
	require.Empty(t, l.callsOf("update pods/status"))
}

func TestPodThatCouldNotBeMarkedIsTriedAgainLaterAndLater(t *testing.T) {
	l := notReadyLab(t)
	l.rule(fakeapi.Rule{Match: podStatusPuts, Respond: respond(500, ""), Count: 5})
	l.putPod("late", corev1.ConditionTrue)
	l.to(time.Minute)
	var after []time.Duration
	for _, c := range l.callsOf("update pods/status") {
		after = append(after, c.Sent.Duration()-20*time.Second)
	}
	const ms = time.Millisecond
	require.Equal(t, []time.Duration{0, 5 * ms, 15 * ms, 35 * ms, 75 * ms, 155 * ms}, after)
}

func TestPodOfANodeThatIsGoneIsLookedAtAgainUntilItIsGoneToo(t *testing.T) {
	l := notReadyLab(t)
	l.server.Remove(l.server.Node("n"))
	l.to(21 * time.Second)
	l.putPod("lost", corev1.ConditionTrue)
	l.to(22 * time.Second)
	require.Contains(t, l.nc.podUpdateQueue.waiting, "default/lost")
	l.server.Remove(l.server.Pod("default", "lost"))
	l.to(24 * time.Second)
	require.Empty(t, l.nc.podUpdateQueue.waiting)
	require.Empty(t, l.callsOf("update pods/status"))
}

func TestFourPodsAreMarkedSideBySide(t *testing.T) {
	l := notReadyLab(t)
	l.rule(fakeapi.Rule{Match: podStatusPuts, Latency: ptrTo(sim.Fixed(500 * time.Millisecond))})
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		l.putPod(name, corev1.ConditionTrue)
	}
	l.to(time.Minute)
	var sent []time.Duration
	for _, c := range l.callsOf("update pods/status") {
		sent = append(sent, c.Sent.Duration()-20*time.Second)
	}
	require.Equal(t, []time.Duration{0, 0, 0, 0, time.Second, time.Second}, sent)
}

func TestRetriesOfAPodWaitAThousandSecondsAtMost(t *testing.T) {
	e := sim.New(sim.Options{})
	defer e.Close()
	q := newPodUpdateQueue(e.NewHost("h"), 1, nil)
	var last time.Duration
	for range 100 {
		last = q.exponential("a")
	}
	require.Equal(t, podRetryMax, last)
	require.Equal(t, podRetryBase, q.exponential("b"))
}

func TestRetriesOfAllPodsAreTenASecondAfterTheFirstHundred(t *testing.T) {
	e := sim.New(sim.Options{})
	defer e.Close()
	tries, retried := map[string]int{}, []time.Duration{}
	q := newPodUpdateQueue(e.NewHost("h"), 4, func(name string) bool {
		if tries[name]++; tries[name] == 1 {
			return false
		}
		retried = append(retried, e.Now().Duration())
		return true
	})
	q.start()
	fail := func(round string) {
		for i := range podRetryBurst + 2 {
			q.add(fmt.Sprint(round, i))
		}
	}
	want := slices.Repeat([]time.Duration{podRetryBase}, podRetryBurst)
	want = append(want, 100*time.Millisecond, 200*time.Millisecond)
	fail("first ")
	require.NoError(t, e.RunUntil(sim.Time(time.Hour)))
	require.Equal(t, want, retried)

	fail("second ")
	require.NoError(t, e.RunUntil(sim.Time(2*time.Hour)))
	require.Equal(t, time.Hour+podRetryBase, retried[len(want)+podRetryBurst-1], "the hundred are there again")
}
