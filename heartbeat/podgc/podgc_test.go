package podgc

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/informer"
	"github.com/holter-sim/holter/heartbeat/version"
	"github.com/holter-sim/holter/sim"
)

type tester interface {
	require.TestingT
	Helper()
	Cleanup(func())
}

// lab is an API server and a pod garbage collector, which looks at 0.1 s, 20.1 s,
// 40.1 s and so on.
type lab struct {
	t      tester
	engine *sim.Engine
	server *fakeapi.Server
	calls  []fakeapi.Call
}

// threshold is how many ended pods the lab's collector leaves.
const threshold = 3

func newLab(t tester, minor int) *lab {
	l := &lab{t: t, engine: sim.New(sim.Options{Seed: 1})}
	t.Cleanup(l.engine.Close)
	l.server = fakeapi.New(l.engine, fakeapi.Options{Observer: l, CheckImmutable: true})
	host := l.engine.NewHost("kube-controller-manager")
	client := l.server.NewClient(fakeapi.ClientOptions{Host: host, Name: "kube-controller-manager"})
	nodes := informer.New[*corev1.Node](host, informer.Config{Name: "nodes", Watch: opened(client.Nodes().Watch)})
	pods := informer.New[*corev1.Pod](host, informer.Config{Name: "pods", Watch: opened(client.Pods("").Watch)})
	New(host, Clients{
		Nodes: client.Nodes(),
		Pods:  func(ns string) heartbeat.PodDeleter { return client.Pods(ns) },
		ListNodes: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return client.Nodes().List(ctx, o)
		},
	}, Informers{nodes, pods}, threshold, version.Lookup(version.Version{Minor: minor, Patch: version.Newest}).PodGC, nil).Run()
	nodes.Run()
	pods.Run()
	return l
}

func opened(open func(context.Context, metav1.ListOptions) (*fakeapi.Watch, error)) heartbeat.WatchFunc {
	return func(ctx context.Context, o metav1.ListOptions) (heartbeat.Watch, error) {
		w, err := open(ctx, o)
		if err != nil {
			return nil, err
		}
		return w, nil
	}
}

func (l *lab) to(d time.Duration) {
	l.t.Helper()
	require.NoError(l.t, l.engine.RunUntil(sim.Time(d)))
}

func (l *lab) node(name string, ready corev1.ConditionStatus, taints ...string) {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: ready}}
	for _, key := range taints {
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule})
	}
	l.server.Put(node)
}

func (l *lab) pod(name, node string, edit ...func(*corev1.Pod)) {
	grace := int64(30)
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
		Spec:       corev1.PodSpec{NodeName: node, TerminationGracePeriodSeconds: &grace},
		Status:     corev1.PodStatus{Phase: corev1.PodRunning},
	}
	for _, f := range edit {
		f(pod)
	}
	l.server.Put(pod)
}

// ending is a pod whose deletion has begun.
func ending(pod *corev1.Pod) {
	grace := int64(30)
	pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds = &metav1.Time{Time: time.Unix(1, 0)}, &grace
}

// sent returns what the controller asked: "40.1s delete pods a 200".
func (l *lab) sent() []string {
	calls := slices.Clone(l.calls)
	slices.SortFunc(calls, func(a, b fakeapi.Call) int { return cmp.Compare(a.ID, b.ID) })
	var out []string
	for _, c := range calls {
		if c.Verb != "watch" {
			out = append(out, fmt.Sprintf("%s %s %s %s %d", c.Sent.Duration(), c.Verb, c.Resource, c.Name, c.Code))
		}
	}
	return out
}

// Received keeps what was asked.
func (l *lab) Received(c *fakeapi.Call)                               { l.calls = append(l.calls, *c) }
func (l *lab) Answered(*fakeapi.Call)                                 {}
func (l *lab) Delivered(string, string, watch.Event, sim.Time)        {}
func (l *lab) Changed(_ string, _, _ runtime.Object, _ *fakeapi.Call) {}

func TestOrphanGoes40sAfterItIsFirstMissedAndItsNodeIsAskedForTwice(t *testing.T) {
	l := newLab(t, 36)
	l.node("there", corev1.ConditionTrue)
	l.pod("kept", "there")
	l.pod("orphan", "gone")
	l.pod("pending", "")
	l.to(5 * time.Minute)
	require.Equal(t, []string{
		"40.1s get nodes gone 404", "40.1s patch pods orphan 200", "40.1s delete pods orphan 200",
		"1m20.1s get nodes gone 404",
	}, l.sent())
	require.Nil(t, l.server.Pod("default", "orphan"))
}

func TestOrphanGoesByItsVersion(t *testing.T) {
	list := func(at string) string { return at + " list nodes  200" }
	for minor, want := range map[int][]string{
		13: {list("100ms"), "100ms delete pods orphan 200", list("20.1s"), list("40.1s")},
		16: {list("100ms"), "100ms delete pods orphan 200", list("20.1s"), list("40.1s")},
		17: {"40.1s get nodes gone 404", "40.1s delete pods orphan 200"},
		25: {"40.1s get nodes gone 404", "40.1s delete pods orphan 200"},
		26: {"40.1s get nodes gone 404", "40.1s patch pods orphan 200", "40.1s delete pods orphan 200"},
		37: {"40.1s get nodes gone 404", "40.1s patch pods orphan 200", "40.1s delete pods orphan 200"},
	} {
		l := newLab(t, minor)
		l.pod("orphan", "gone")
		l.to(50 * time.Second)
		require.Equal(t, want, l.sent(), "1.%d", minor)
	}
}

func TestNodeThatIsBackInQuarantineKeepsItsPods(t *testing.T) {
	l := newLab(t, 36)
	l.pod("p", "n")
	l.to(30 * time.Second)
	l.node("n", corev1.ConditionTrue)
	l.to(5 * time.Minute)
	require.Empty(t, l.sent())
	require.NotNil(t, l.server.Pod("default", "p"))
}

func TestNodeThatOnlyTheInformerMissesKeepsItsPods(t *testing.T) {
	l := newLab(t, 36)
	l.pod("p", "n")
	l.to(time.Second)
	l.server.Network().Add(fakeapi.Rule{HoldWatch: true, Match: fakeapi.Match{Resources: []string{"nodes"}}})
	l.node("n", corev1.ConditionTrue)
	l.to(100 * time.Second)
	require.Equal(t, []string{"40.1s get nodes n 200", "1m20.1s get nodes n 200"}, l.sent())
}

func TestFailureIsTriedAgainWithTheNextOfTheQuarantine(t *testing.T) {
	l := newLab(t, 36)
	l.pod("p", "n")
	l.server.Network().Add(fakeapi.Rule{
		Match: fakeapi.Match{Verbs: []string{"get"}}, Count: 1,
		Respond: &metav1.Status{Status: metav1.StatusFailure, Code: 500, Reason: metav1.StatusReasonInternalError},
	})
	l.to(90 * time.Second)
	require.Equal(t, []string{
		"40.1s get nodes n 500", "1m20.1s get nodes n 404", "1m20.1s patch pods p 200", "1m20.1s delete pods p 200",
	}, l.sent())
}

func TestEndingPodsOfANodeOutOfServiceGoAtOnceSince1_26(t *testing.T) {
	for minor, goes := range map[int]bool{25: false, 26: true, 36: true} {
		l := newLab(t, minor)
		l.node("out", corev1.ConditionUnknown, corev1.TaintNodeOutOfService)
		l.node("ready", corev1.ConditionTrue, corev1.TaintNodeOutOfService)
		l.node("dead", corev1.ConditionUnknown)
		l.pod("a", "out", ending)
		l.pod("b", "out", ending)
		l.pod("running", "out")
		l.pod("ready", "ready", ending)
		l.pod("dead", "dead", ending)
		l.to(time.Minute)
		require.Equal(t, goes, l.server.Pod("default", "a") == nil, "1.%d", minor)
		require.Equal(t, goes, l.server.Pod("default", "b") == nil, "1.%d", minor)
		for _, name := range []string{"running", "ready", "dead"} {
			require.NotNil(t, l.server.Pod("default", name), "1.%d %s", minor, name)
		}
	}
}

func TestUnscheduledEndingPodGoesAtOnce(t *testing.T) {
	l := newLab(t, 36)
	l.pod("p", "", ending)
	l.pod("ended", "", ending, func(pod *corev1.Pod) { pod.Status.Phase = corev1.PodFailed })
	l.to(time.Second)
	require.Equal(t, []string{"100ms delete pods ended 200", "100ms patch pods p 200", "100ms delete pods p 200"}, l.sent())
}

// TestOnlyOrphansAreDeleted holds for any pods and nodes.
func TestOnlyOrphansAreDeleted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		minor := rapid.SampledFrom([]int{13, 17, 26, 36}).Draw(t, "minor")
		l := newLab(t, minor)
		defer l.engine.Close()
		names := []string{"", "a", "b", "c"}
		exists := map[string]bool{"": true}
		for _, name := range names[1:] {
			if exists[name] = rapid.Bool().Draw(t, name); exists[name] {
				l.node(name, corev1.ConditionTrue)
			}
		}
		on := rapid.SliceOfN(rapid.SampledFrom(names), 0, 8).Draw(t, "pods")
		for i, node := range on {
			l.pod(fmt.Sprintf("p%d", i), node)
		}
		l.to(time.Minute)
		for i, node := range on {
			require.Equal(t, exists[node], l.server.Pod("default", fmt.Sprintf("p%d", i)) != nil)
		}
	})
}

func TestEndedPodsOverTheThresholdGoOldestFirst(t *testing.T) {
	for minor, want := range map[int][]string{26: {"b", "c"}, 27: {"b", "e"}, 36: {"b", "e"}} {
		l := newLab(t, minor)
		l.node("there", corev1.ConditionTrue)
		l.pod("a", "there")
		for i, name := range []string{"b", "c", "d", "e", "f"} {
			l.to(time.Duration(i) * time.Second)
			l.pod(name, "there", func(pod *corev1.Pod) {
				pod.Status.Phase = corev1.PodSucceeded
				if name == "e" {
					pod.Status.Phase, pod.Status.Reason = corev1.PodFailed, "Evicted"
				}
			})
		}
		l.to(time.Minute)
		for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
			gone := l.server.Pod("default", name) == nil
			require.Equal(t, slices.Contains(want, name), gone, "pod %s of 1.%d", name, minor)
		}
	}
}

func TestNoMoreEndedPodsAreDeletedThanAreOverTheThreshold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLab(t, 36)
		l.node("there", corev1.ConditionTrue)
		ended := rapid.IntRange(0, 8).Draw(t, "ended")
		for i := range ended {
			l.pod(fmt.Sprintf("ended-%d", i), "there", func(pod *corev1.Pod) { pod.Status.Phase = corev1.PodFailed })
		}
		l.pod("running", "there")
		l.to(time.Minute)
		left := 0
		for i := range ended {
			if l.server.Pod("default", fmt.Sprintf("ended-%d", i)) != nil {
				left++
			}
		}
		require.Equal(t, min(ended, threshold), left)
		require.NotNil(t, l.server.Pod("default", "running"))
	})
}
