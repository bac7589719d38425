package workloads

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/fakeapi"
)

const (
	yes = corev1.ConditionTrue
	no  = corev1.ConditionFalse
)

func TestReplicasAreCreatedOneThenTwoThenFourAtATime(t *testing.T) {
	l := newLab(t, &Workload{Kind: Deployment, Name: "web", Replicas: 5})
	l.to(100*time.Millisecond + latency)
	require.Len(t, l.sent(), 1)
	l.to(100*time.Millisecond + 3*latency)
	require.Len(t, l.sent(), 2)
	l.to(100*time.Millisecond + 5*latency)
	require.Len(t, l.sent(), 2)
	l.to(time.Minute)
	require.Empty(t, l.sent())
	pod := l.pod("web-1")
	require.Equal(t, "ReplicaSet", pod.OwnerReferences[0].Kind)
	require.Equal(t, corev1.PodPending, pod.Status.Phase)
}

func TestPodThatIsTerminatingIsReplacedAtOnceAndOnce(t *testing.T) {
	l := newLab(t, &Workload{Kind: Deployment, Name: "web", Replicas: 2})
	l.to(time.Second)
	l.runs("web-1", "n", yes)
	l.runs("web-2", "n", yes)
	l.to(2 * time.Second)
	l.sent()
	l.delete("web-1")
	l.to(2*time.Second + 3*latency)
	require.Equal(t, []string{"create web-3 201"}, l.sent())
	require.NotNil(t, l.pod("web-1").DeletionTimestamp, "the old one is still there")
	l.server.Remove(l.pod("web-1"))
	l.to(time.Minute)
	require.Empty(t, l.sent())
}

func TestReplicaThatIsNotReadyIsNotReplaced(t *testing.T) {
	l := newLab(t, &Workload{Kind: Deployment, Name: "web", Replicas: 1})
	l.to(time.Second)
	l.runs("web-1", "n", yes)
	l.to(2 * time.Second)
	l.sent()
	l.runs("web-1", "n", no)
	l.to(time.Hour)
	require.Empty(t, l.sent())
}

func TestExcessReplicasGoLeastLossFirst(t *testing.T) {
	w := &Workload{Kind: Deployment, Name: "web", Replicas: 4}
	l := newLab(t, w)
	l.to(time.Second)
	l.runs("web-1", "n", yes)
	l.runs("web-2", "n", no)
	l.runs("web-3", "n", yes)
	w.Replicas = 2
	l.to(2 * time.Second)
	l.sent()
	pod := l.pod("web-1").DeepCopy()
	pod.Labels["seen"] = "yes" // a change of a pod has the set looked at
	l.server.Put(pod)
	l.to(3 * time.Second)
	require.Nil(t, l.pod("web-4"), "it has no node")
	require.NotNil(t, l.pod("web-2").DeletionTimestamp, "it is not ready")
	require.Nil(t, l.pod("web-1").DeletionTimestamp)
	require.Nil(t, l.pod("web-3").DeletionTimestamp)
}

func TestFailureIsTriedAgainAfterAPauseThatDoubles(t *testing.T) {
	l := newLab(t, &Workload{Kind: Deployment, Name: "web", Replicas: 1})
	end := l.server.Network().Add(fakeapi.Rule{Match: fakeapi.Match{Verbs: []string{"create"}}, Respond: &metav1.Status{Code: http.StatusInternalServerError}})
	l.to(100*time.Millisecond + 3*latency + firstRetry)
	require.Len(t, l.sent(), 2, "5 ms after the first answer")
	l.to(10 * time.Second)
	tries := len(l.sent())
	require.InDelta(t, 8, tries, 2, "5, 10, 20 ms and so on")
	end()
	l.to(20 * time.Second)
	require.Len(t, l.names, 1)
}

func TestStatefulSetCreatesOneAfterTheOther(t *testing.T) {
	l := newLab(t, &Workload{Kind: StatefulSet, Name: "db", Replicas: 3})
	l.to(time.Minute)
	require.Equal(t, []string{"create db-0 201"}, l.sent(), "it is not ready")
	l.runs("db-0", "a", yes)
	l.to(2 * time.Minute)
	require.Equal(t, []string{"create db-1 201"}, l.sent())
	l.runs("db-1", "b", yes)
	l.to(3 * time.Minute)
	require.Equal(t, []string{"create db-2 201"}, l.sent())
}

func TestStatefulSetWaitsUntilItsPodIsGone(t *testing.T) {
	l := newLab(t, &Workload{Kind: StatefulSet, Name: "db", Replicas: 1})
	l.to(time.Second)
	l.runs("db-0", "a", yes)
	l.sent()
	l.delete("db-0")
	l.to(time.Hour)
	require.Empty(t, l.sent())
	l.server.Remove(l.pod("db-0"))
	l.to(time.Hour + time.Second)
	require.Equal(t, []string{"create db-0 201"}, l.sent())
}

func TestStatefulSetDeletesAPodThatHasEnded(t *testing.T) {
	l := newLab(t, &Workload{Kind: StatefulSet, Name: "db", Replicas: 1})
	l.to(time.Second)
	pod := l.pod("db-0").DeepCopy()
	pod.Spec.NodeName, pod.Status.Phase = "a", corev1.PodFailed
	l.server.Put(pod)
	l.sent()
	l.to(2 * time.Second)
	require.Equal(t, []string{"delete db-0 200", "create db-0 201"}, l.sent())
}

func TestDaemonSetHasAPodOnEachNodeThatTakesIt(t *testing.T) {
	taint := func(key string, effect corev1.TaintEffect) corev1.Taint {
		return corev1.Taint{Key: key, Effect: effect}
	}
	w := &Workload{Kind: DaemonSet, Name: "agent"}
	w.Template.Tolerations = AddDaemonTolerations(nil)
	l := newLab(t, w)
	l.node("ready")
	l.node("new", taint(corev1.TaintNodeNotReady, corev1.TaintEffectNoSchedule))
	l.node("cordoned", taint(corev1.TaintNodeUnschedulable, corev1.TaintEffectNoSchedule))
	l.node("special", taint("gpu", corev1.TaintEffectNoSchedule))
	l.to(time.Second)
	require.ElementsMatch(t, []string{"create agent-ready 201", "create agent-cordoned 201"}, l.sent())
	require.Equal(t, "ready", AffinityNode(l.pod("agent-ready")))

	l.runs("agent-ready", "ready", yes)
	l.node("ready", taint(corev1.TaintNodeUnreachable, corev1.TaintEffectNoSchedule), taint(corev1.TaintNodeUnreachable, corev1.TaintEffectNoExecute))
	l.to(time.Hour)
	require.Empty(t, l.sent(), "a node that fails keeps its pod")

	l.node("ready", taint("gpu", corev1.TaintEffectNoExecute))
	l.node("new")
	l.to(2 * time.Hour)
	require.ElementsMatch(t, []string{"delete agent-ready 200", "create agent-new 201"}, l.sent())
}

func TestDaemonSetGivesUpAPodOfANodeThatIsGone(t *testing.T) {
	l := newLab(t, &Workload{Kind: DaemonSet, Name: "agent"})
	l.node("a")
	l.node("b")
	l.to(time.Second)
	l.runs("agent-b", "b", yes)
	l.server.Remove(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}})
	l.server.Remove(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "b"}})
	l.sent()
	l.node("c")
	l.to(2 * time.Second)
	require.ElementsMatch(t, []string{"delete agent-a 200", "create agent-c 201"}, l.sent())
	require.NotNil(t, l.pod("agent-b"), "what ran there is left to PodGC")
}

func TestControllersThatStartAnewFindTheirPods(t *testing.T) {
	l := newLab(t, &Workload{Kind: Deployment, Name: "web", Replicas: 3}, &Workload{Kind: StatefulSet, Name: "db", Replicas: 1})
	l.to(time.Second)
	l.sent()
	l.host.Kill()
	l.host.Restart()
	l.start()
	l.to(time.Minute)
	require.Empty(t, l.sent())
}

// Whatever becomes of the pods, however late the controller learns of it, there
// are never more replicas than are wanted, and in the end as many.
func TestThereAreNeverMoreReplicasThanWanted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		replicas := rapid.IntRange(0, 5).Draw(t, "replicas")
		l := newLab(t, &Workload{Kind: Deployment, Name: "web", Replicas: replicas})
		at := time.Duration(0)
		for range rapid.IntRange(0, 15).Draw(t, "steps") {
			at += time.Duration(rapid.IntRange(0, 200).Draw(t, "ms")) * time.Millisecond
			l.to(at)
			require.LessOrEqual(t, len(l.active()), replicas)
			names := l.names
			if len(names) == 0 {
				continue
			}
			name := rapid.SampledFrom(names).Draw(t, "pod")
			switch rapid.SampledFrom([]string{"run", "delete", "remove", "restart"}).Draw(t, "what") {
			case "run":
				if l.pod(name).DeletionTimestamp == nil {
					l.runs(name, "n", yes)
				}
			case "delete":
				l.delete(name)
			case "remove":
				l.server.Remove(l.pod(name))
			case "restart":
				l.host.Kill()
				l.host.Restart()
				l.start()
			}
		}
		l.to(at + time.Hour)
		require.Len(t, l.active(), replicas)
	})
}

// A StatefulSet never has two pods of one name, which the API server sees to,
// nor one whose predecessor was never there.
func TestStatefulSetComesToItsReplicasInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		replicas := rapid.IntRange(1, 4).Draw(t, "replicas")
		l := newLab(t, &Workload{Kind: StatefulSet, Name: "db", Replicas: replicas})
		seen, at := 0, time.Duration(0)
		for range rapid.IntRange(1, 15).Draw(t, "steps") {
			at += time.Duration(rapid.IntRange(0, 200).Draw(t, "ms")) * time.Millisecond
			l.to(at)
			if next := l.pod(fmt.Sprintf("db-%d", seen)); next != nil {
				seen++
			}
			require.Nil(t, l.pod(fmt.Sprintf("db-%d", seen)), "db-%d comes before its turn", seen)
			if name := fmt.Sprintf("db-%d", rapid.IntRange(0, replicas-1).Draw(t, "pod")); l.pod(name) != nil {
				l.runs(name, "n", yes)
			}
		}
		for i := range replicas {
			l.to(at + time.Duration(i+1)*time.Second)
			if l.pod(fmt.Sprintf("db-%d", i)) != nil {
				l.runs(fmt.Sprintf("db-%d", i), "n", yes)
			}
		}
		l.to(at + time.Minute)
		require.Len(t, l.names, replicas)
	})
}
