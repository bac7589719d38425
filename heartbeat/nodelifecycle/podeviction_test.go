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

const evictAfter = time.Minute

// on gives a controller of that version, which deletes pods itself.
func on(minor, patch int) func(*Config) {
	return func(c *Config) {
		c.Behaviors = version.Lookup(version.Version{Minor: minor, Patch: patch})
		c.Behaviors.Lease.NodeLease = true // the gate, which is off in 1.13
		c.EnableTaintManager = false
		c.PodEvictionTimeout = evictAfter
	}
}

// evictionLab has a node n with the pods a and b, which falls silent at once,
// and another that beats.
func evictionLab(t *testing.T, edit ...func(*Config)) *lab {
	l := newLab(t, edit...)
	l.cluster("other", 1)
	l.put("n", corev1.ConditionTrue)
	l.putPod("a", corev1.ConditionTrue)
	l.putPod("b", corev1.ConditionTrue)
	l.run()
	return l
}

// evictedAt is the first pass more than a minute after the only heartbeat, and
// the pass over the queue after that.
const evictedAt = firstPass + evictAfter + period

func TestPodsOfASilentNodeAreDeletedAMinuteAfterItsLastHeartbeat(t *testing.T) {
	for _, v := range [][2]int{{13, 12}, {15, 12}, {16, 7}, {17, 17}, {20, 15}, {26, 15}} {
		t.Run(fmt.Sprint(v), func(t *testing.T) {
			l := evictionLab(t, on(v[0], v[1]))
			l.to(3 * time.Minute)
			deletes := l.callsOf("delete pods")
			require.Len(t, deletes, 2)
			for i, name := range []string{"a", "b"} {
				require.Equal(t, name, deletes[i].Name)
				require.InDelta(t, evictedAt, deletes[i].Sent.Duration(), float64(2*nodeEvictionPeriod), "from the last heartbeat, not from Unknown")
				pod := l.server.Pod("default", name)
				require.NotNil(t, pod.DeletionTimestamp, "it is left to its kubelet")
				require.Equal(t, "NodeLost", pod.Status.Reason)
				require.Equal(t, "Node n which was running pod "+name+" is unresponsive", pod.Status.Message)
			}
			require.Empty(t, l.when("n", "+unreachable:NoExecute"))
			require.Equal(t, []string{"Node n event: Deleting all Pods from Node n."}, messages(l.recorded("DeletingAllPods")))
			require.Equal(t, []string{"Marking for deletion Pod a from Node n", "Marking for deletion Pod b from Node n"},
				messages(l.recorded("NodeControllerEviction")))
		})
	}
}

func messages(events []*corev1.Event) (out []string) {
	for _, e := range events {
		out = append(out, e.Message)
	}
	return out
}

func TestNodeThatSaysItIsNotReadyKeepsItsPodsForTheTimeoutFromThen(t *testing.T) {
	l := evictionLab(t, on(20, 15))
	l.beat("n")
	l.to(20 * time.Second)
	l.put("n", corev1.ConditionFalse)
	l.to(20*time.Second + evictAfter + period - time.Second)
	require.Empty(t, l.callsOf("delete pods"))
	l.to(20*time.Second + evictAfter + 2*period)
	require.Len(t, l.callsOf("delete pods"), 2)
	require.Empty(t, l.callsOf("update nodes/status"))
}

func TestGateOfTaintBasedEvictionsDecidesUpTo1_17(t *testing.T) {
	off := func(c *Config) { c.EnableTaintManager, c.TaintBasedEvictions = true, false }
	l := evictionLab(t, on(17, 17), off)
	l.to(3 * time.Minute)
	require.Len(t, l.callsOf("delete pods"), 2)

	l = evictionLab(t, on(18, 20), off)
	l.to(3 * time.Minute)
	require.Empty(t, l.callsOf("delete pods"), "the gate is locked")
	require.Len(t, l.when("n", "+unreachable:NoExecute"), 1)
}

func TestFrom1_27OnNoFlagHasPodsDeleted(t *testing.T) {
	l := evictionLab(t, on(27, 0))
	l.to(3 * time.Minute)
	require.Empty(t, l.callsOf("delete pods"))
	require.Len(t, l.when("n", "+unreachable:NoExecute"), 1)
}

func TestNodeThatIsBackInTimeKeepsItsPods(t *testing.T) {
	l := evictionLab(t, on(20, 15))
	l.to(expiry + time.Second)
	l.put("n", corev1.ConditionTrue)
	l.beat("n")
	l.to(10 * time.Minute)
	require.Empty(t, l.callsOf("delete pods"))
	require.Equal(t, unmarked, l.nc.nodeEvictionMap["n"])
}

func TestNodeThatIsBackWhileItWaitsForItsTurnKeepsItsPods(t *testing.T) {
	l := newLab(t, on(20, 15))
	l.cluster("other", 9)
	for _, name := range []string{"n0", "n1"} {
		l.put(name, corev1.ConditionTrue)
		l.putPodOn(name, "on-"+name, corev1.ConditionTrue)
	}
	l.run()
	l.to(evictedAt + time.Second)
	require.Equal(t, []string{"on-n0"}, deleted(l))
	l.put("n1", corev1.ConditionTrue)
	l.beat("n1")
	l.to(5 * time.Minute)
	require.Equal(t, []string{"on-n0"}, deleted(l))
}

func TestPodsThatAreEndingOrOfADaemonSetAreCalledLostAndNotDeleted(t *testing.T) {
	l := evictionLab(t, on(20, 15))
	controls := true
	agent := l.server.Pod("default", "a").DeepCopy()
	agent.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "agent", Controller: &controls}}
	l.server.Put(agent)
	ending := l.server.Pod("default", "b").DeepCopy()
	grace, now := int64(30), l.wall()
	ending.DeletionTimestamp, ending.DeletionGracePeriodSeconds = &now, &grace
	l.server.Put(ending)
	l.to(10 * time.Minute)
	require.Empty(t, l.callsOf("delete pods"))
	for _, name := range []string{"a", "b"} {
		require.Equal(t, "NodeLost", l.server.Pod("default", name).Status.Reason)
	}
	require.Equal(t, evicted, l.nc.nodeEvictionMap["n"], "that is all there was to do")
}

func TestPodThatComesToANodeWhosePodsWereDeletedIsDeletedAtOnce(t *testing.T) {
	for _, c := range []struct {
		minor, patch int
		want         int
	}{{16, 7, 2}, {20, 15, 3}} {
		l := evictionLab(t, on(c.minor, c.patch))
		l.to(3 * time.Minute)
		require.Len(t, l.callsOf("delete pods"), 2)
		l.putPod("late", corev1.ConditionTrue)
		l.to(3*time.Minute + 10*time.Millisecond)
		require.Len(t, l.callsOf("delete pods"), c.want, "1.%d", c.minor)
	}
}

func TestPodsThatAreStillThereAreAskedForInEachPassFrom1_17(t *testing.T) {
	l := evictionLab(t, on(20, 15))
	l.rule(fakeapi.Rule{Match: fakeapi.Match{Verbs: []string{"delete"}}, Respond: respond(404, metav1.StatusReasonNotFound)})
	l.to(evictedAt + 2*period + time.Second)
	require.Equal(t, []string{"a", "b", "a", "b", "a", "b"}, deleted(l), "no token is asked for any more")
}

func TestPodsOfANodeThatIsDeletedWhileItWaitsAreDeleted(t *testing.T) {
	l := evictionLab(t, on(20, 15))
	names := l.cluster("more", 2)
	l.putPodOn(names[0], "c", corev1.ConditionTrue)
	l.stop(names...)
	l.to(evictedAt + time.Second)
	waits := ""
	for _, q := range l.nc.zonePodEvictor {
		for _, v := range q.queue {
			waits = v.name
		}
	}
	require.NotEmpty(t, waits, "one node in 10 s")
	l.server.Remove(l.server.Node(waits))
	l.to(2 * time.Minute)
	require.Len(t, deleted(l), 3, "a, b and c")
	require.NotContains(t, l.nc.nodeEvictionMap, waits)
}

func TestConflictOverAPodsStatusLeavesItForTheNextTurn(t *testing.T) {
	l := evictionLab(t, on(20, 15))
	l.to(evictedAt - time.Second)
	l.rule(fakeapi.Rule{Match: podStatusPuts, Respond: respond(409, metav1.StatusReasonConflict), Count: 1})
	l.to(evictedAt + 5*time.Second)
	require.Equal(t, []string{"b"}, deleted(l), "the other pod is not kept waiting")
	require.Contains(t, l.decisions, "pods-not-evicted n")
	l.to(evictedAt + 15*time.Second)
	require.Equal(t, []string{"b", "a"}, deleted(l), "with the next token, 10 s later")
}

func TestDeletionThatFailsEndsTheTurn(t *testing.T) {
	l := evictionLab(t, on(20, 15))
	l.rule(fakeapi.Rule{Match: fakeapi.Match{Verbs: []string{"delete"}}, Respond: respond(500, ""), Count: 1})
	l.to(evictedAt + 5*time.Second)
	require.Equal(t, []string{"a"}, deleted(l))
	l.to(evictedAt + 15*time.Second)
	require.Equal(t, []string{"a", "a", "b"}, deleted(l))
}

func TestPodThatIsGoneEndsTheTurnUpTo1_16(t *testing.T) {
	for _, c := range []struct {
		minor, patch int
		want         []string
	}{{16, 7, []string{"a"}}, {16, 8, []string{"a", "b"}}} {
		l := evictionLab(t, on(c.minor, c.patch))
		l.rule(fakeapi.Rule{Match: fakeapi.Match{Verbs: []string{"delete"}}, Respond: respond(404, metav1.StatusReasonNotFound), Count: 1})
		l.to(evictedAt + 4*time.Second)
		require.Equal(t, c.want, deleted(l))
	}
}

// deleted are the pods that were asked to be deleted, in order.
func deleted(l *lab) (names []string) {
	for _, c := range l.callsOf("delete pods") {
		names = append(names, c.Name)
	}
	return names
}

func TestFullDisruptionStopsThePodsDeletion(t *testing.T) {
	l := newLab(t, on(20, 15))
	names := l.cluster("zone", 2)
	for _, name := range names {
		l.putPodOn(name, "on-"+name, corev1.ConditionTrue)
	}
	l.run()
	l.stop(names...)
	l.to(10 * time.Minute)
	require.Empty(t, l.callsOf("delete pods"))
}

func TestOneNodeInTenSecondsLosesItsPods(t *testing.T) {
	l := newLab(t, on(20, 15))
	l.cluster("other", 9)
	for _, name := range []string{"n0", "n1"} {
		l.put(name, corev1.ConditionTrue)
		l.putPodOn(name, "on-"+name, corev1.ConditionTrue)
	}
	l.run()
	l.to(5 * time.Minute)
	deletes := l.callsOf("delete pods")
	require.Len(t, deletes, 2)
	require.InDelta(t, 10*time.Second, deletes[1].Sent.Duration()-deletes[0].Sent.Duration(), float64(2*nodeEvictionPeriod))
}

func TestMarksThatFailAreNotRetriedUpTo1_16(t *testing.T) {
	l := evictionLab(t, on(16, 7), func(c *Config) { c.EnableTaintManager = true })
	l.rule(fakeapi.Rule{Match: podStatusPuts, Respond: respond(500, ""), Count: 1})
	l.to(10 * time.Minute)
	require.Len(t, l.callsOf("update pods/status"), 2)
	require.Len(t, l.callsOf("list pods"), 2, "the informer's, and the controller's for the pods of the node")
	require.Equal(t, corev1.ConditionTrue, l.server.Pod("default", "a").Status.Conditions[1].Status)
}

func TestUpTo1_14APodThatIsNotReadyIsWrittenToo(t *testing.T) {
	for _, c := range []struct {
		minor, want int
	}{{14, 2}, {15, 1}} {
		l := evictionLab(t, on(c.minor, 0), func(c *Config) { c.EnableTaintManager = true })
		l.putPod("a", corev1.ConditionFalse)
		l.to(10 * time.Minute)
		require.Len(t, l.callsOf("update pods/status"), c.want)
		moved := l.server.Pod("default", "b").Status.Conditions[1].LastTransitionTime
		require.Equal(t, c.minor == 14, moved.Equal(&metav1.Time{Time: l.engine.Start()}), "1.%d", c.minor)
	}
}

func TestZonesHaveTheirBetaLabelsUpTo1_16(t *testing.T) {
	stable := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{corev1.LabelTopologyZone: "a", corev1.LabelTopologyRegion: "r"}}}
	beta := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{corev1.LabelFailureDomainBetaZone: "a"}}}
	for minor, want := range map[int]string{16: "", 17: "r:\x00:a"} { // order: each is its own case
		l := newLab(t, on(minor, 0))
		l.build(l.host)
		require.Equal(t, want, l.nc.zoneKey(stable))
		require.Equal(t, ":\x00:a", l.nc.zoneKey(beta))
		require.Empty(t, l.nc.zoneKey(&corev1.Node{}))
	}
}

func TestRemovalOfTaintsWaitsForThePassOverTheQueuesUpTo1_24(t *testing.T) {
	for minor, want := range map[int]time.Duration{24: 8 * time.Second, 25: 100 * time.Millisecond} { // order: each is its own case
		l := newLab(t, on(minor, 0), func(c *Config) { c.EnableTaintManager = true })
		l.put("slow", corev1.ConditionUnknown, inZone("a"))
		l.put("back", corev1.ConditionTrue, inZone("b"), func(n *corev1.Node) { n.Spec.Taints = []corev1.Taint{unreachableTaint} })
		l.build(l.host)
		l.nc.nodes.Run()
		l.to(0)
		for _, name := range []string{"slow", "back"} {
			l.nc.addPodEvictorForNewZone(l.server.Node(name))
		}
		l.nc.markNodeForTainting(l.server.Node("slow"), &unreachableTaint)
		l.rule(fakeapi.Rule{Match: fakeapi.Match{Names: []string{"slow"}}, Latency: ptrTo(sim.Fixed(2 * time.Second))})
		l.host.Go("pass", l.nc.doNoExecuteTaintingPass)
		l.host.Go("return", func() {
			l.host.Sleep(100 * time.Millisecond)
			_, _ = l.nc.markNodeAsReachable(l.server.Node("back"))
		})
		l.to(time.Minute)
		removal := slices.IndexFunc(l.calls, func(c fakeapi.Call) bool { return c.Name == "back" && c.Verb == "get" })
		require.Equal(t, want, l.calls[removal].Sent.Duration(), "1.%d", minor)
	}
}
