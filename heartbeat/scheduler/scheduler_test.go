package scheduler

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/informer"
	"github.com/holter-sim/holter/sim"
)

type tester interface {
	require.TestingT
	Helper()
	Cleanup(func())
}

// lab is an API server and a scheduler; requests and watches take 10 ms.
type lab struct {
	t      tester
	engine *sim.Engine
	server *fakeapi.Server

	scheduler *Scheduler
}

func newLab(t tester) *lab {
	l := &lab{t: t, engine: sim.New(sim.Options{Seed: 1})}
	t.Cleanup(l.engine.Close)
	l.server = fakeapi.New(l.engine, fakeapi.Options{CheckImmutable: true, Latency: sim.Fixed(10 * time.Millisecond)})
	host := l.engine.NewHost("kube-scheduler")
	client := l.server.NewClient(fakeapi.ClientOptions{Host: host, Name: "kube-scheduler"})
	nodes := informer.New[*corev1.Node](host, informer.Config{Name: "nodes", Watch: opened(client.Nodes().Watch)})
	pods := informer.New[*corev1.Pod](host, informer.Config{Name: "pods", Watch: opened(client.Pods("").Watch)})
	l.scheduler = New(host, func(ns string) heartbeat.PodBinder { return client.Pods(ns) }, Informers{nodes, pods})
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

func (l *lab) node(name string, edit ...func(*corev1.Node)) {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	for _, f := range edit {
		f(node)
	}
	l.server.Put(node)
}

func tainted(key string, effect corev1.TaintEffect) func(*corev1.Node) {
	return func(node *corev1.Node) {
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: key, Effect: effect})
	}
}

func cordoned(node *corev1.Node) { node.Spec.Unschedulable = true }

func (l *lab) pod(name, owner string, edit ...func(*corev1.Pod)) {
	controller := true
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default",
		OwnerReferences: []metav1.OwnerReference{{Kind: "ReplicaSet", Name: owner, UID: types.UID("uid of " + owner), Controller: &controller}}}}
	for _, f := range edit {
		f(pod)
	}
	l.server.Put(pod)
}

func (l *lab) on(name string) string { return l.server.Pod("default", name).Spec.NodeName }

func TestPodGoesWhereItsTaintsAreTolerated(t *testing.T) {
	l := newLab(t)
	l.node("a", tainted("node.kubernetes.io/unreachable", corev1.TaintEffectNoSchedule))
	l.node("b", tainted("x", corev1.TaintEffectNoExecute))
	l.node("c", cordoned)
	l.node("d", tainted("x", corev1.TaintEffectPreferNoSchedule))
	l.pod("p", "")
	l.to(time.Second)
	require.Equal(t, "d", l.on("p"))
	require.Equal(t, corev1.PodScheduled, l.server.Pod("default", "p").Status.Conditions[0].Type)
}

func TestPodThatNothingTakesWaitsForAChange(t *testing.T) {
	l := newLab(t)
	l.node("a", cordoned)
	l.pod("p", "")
	l.to(time.Hour)
	require.Empty(t, l.on("p"))
	l.node("a")
	l.to(time.Hour + 30*time.Millisecond)
	require.Equal(t, "a", l.on("p"))
}

func TestDaemonPodGoesToItsNodeAlone(t *testing.T) {
	l := newLab(t)
	l.node("a")
	l.pod("p", "", func(pod *corev1.Pod) {
		pod.Spec.Tolerations = []corev1.Toleration{{Key: corev1.TaintNodeUnschedulable, Operator: corev1.TolerationOpExists}}
		pod.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: "In", Values: []string{"b"}}}}},
		}}}
	})
	l.to(time.Second)
	require.Empty(t, l.on("p"))
	l.node("b", cordoned)
	l.to(2 * time.Second)
	require.Equal(t, "b", l.on("p"))
}

// A look at the pods that wait costs as much as there are nodes.
func TestHeartbeatsOfNodesHaveNoPodConsidered(t *testing.T) {
	for change, c := range map[string]struct {
		edit       func(*corev1.Node)
		considered bool
	}{
		"a heartbeat": {func(node *corev1.Node) { node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady}} }, false},
		"a taint":     {tainted("x", corev1.TaintEffectNoSchedule), true},
		"a cordon":    {cordoned, true},
	} {
		l := newLab(t)
		l.node("a", tainted("y", corev1.TaintEffectNoSchedule))
		l.pod("p", "")
		l.to(time.Second)
		node := l.server.Node("a").DeepCopy()
		c.edit(node)
		l.scheduler.updateNode(l.server.Node("a"), node)
		require.Equal(t, c.considered, l.scheduler.due, change)
	}
}

func TestBindingThatFailsIsTriedAgainAfterASecondThenTwo(t *testing.T) {
	l := newLab(t)
	l.node("a")
	end := l.server.Network().Add(fakeapi.Rule{Match: fakeapi.Match{Resources: []string{"pods/binding"}}, Respond: &metav1.Status{Code: http.StatusInternalServerError}})
	l.pod("p", "")
	l.to(2 * time.Second) // tried at 0 and at 1 s
	end()
	l.to(3 * time.Second)
	require.Empty(t, l.on("p"))
	l.to(3100 * time.Millisecond)
	require.Equal(t, "a", l.on("p"))
}

func TestPodsAreSpread(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLab(t)
		nodes, pods := rapid.IntRange(1, 5).Draw(t, "nodes"), rapid.IntRange(0, 20).Draw(t, "pods")
		for i := range nodes {
			l.node(fmt.Sprintf("n%d", i))
		}
		l.to(time.Second)
		for i := range pods {
			l.pod(fmt.Sprintf("p%d", i), "web")
		}
		l.to(time.Minute)
		count := map[string]int{}
		for i := range pods {
			count[l.on(fmt.Sprintf("p%d", i))]++
		}
		require.Zero(t, count[""])
		for i := range nodes {
			n := count[fmt.Sprintf("n%d", i)]
			require.GreaterOrEqual(t, n, pods/nodes)
			require.LessOrEqual(t, n, (pods+nodes-1)/nodes)
		}
	})
}

func TestPodsOfOneOwnerAreSpreadBeforeAll(t *testing.T) {
	l := newLab(t)
	l.node("a")
	l.node("b")
	on := func(node string) func(*corev1.Pod) { return func(pod *corev1.Pod) { pod.Spec.NodeName = node } }
	l.pod("web-1", "web", on("a"))
	l.pod("db-1", "db", on("b"))
	l.pod("db-2", "db", on("b"))
	l.to(time.Second)
	l.pod("web-2", "web")
	l.to(2 * time.Second)
	require.Equal(t, "b", l.on("web-2"), "though there are more pods")
	l.pod("job", "job")
	l.to(3 * time.Second)
	require.Equal(t, "a", l.on("job"))
}

func TestPodsThatHaveEndedOrGoneAreNoLoad(t *testing.T) {
	l := newLab(t)
	l.node("a")
	l.node("b")
	l.pod("old", "web", func(pod *corev1.Pod) { pod.Spec.NodeName = "a" })
	l.to(time.Second)
	ended := l.server.Pod("default", "old").DeepCopy()
	ended.Status.Phase = corev1.PodFailed
	l.server.Put(ended)
	l.to(2 * time.Second)
	l.pod("new", "web")
	l.to(3 * time.Second)
	require.Equal(t, "a", l.on("new"))
	l.server.Remove(l.server.Pod("default", "new"))
	l.pod("newer", "web")
	l.to(4 * time.Second)
	require.Equal(t, "a", l.on("newer"))
}

func TestPodGoesToANodeThatItsSelectorMatches(t *testing.T) {
	l := newLab(t)
	l.node("a")
	l.node("b", func(node *corev1.Node) { node.Labels = map[string]string{"disk": "hdd"} })
	l.pod("p", "", func(pod *corev1.Pod) { pod.Spec.NodeSelector = map[string]string{"disk": "ssd"} })
	l.to(time.Second)
	require.Empty(t, l.on("p"))
	l.node("b", func(node *corev1.Node) { node.Labels = map[string]string{"disk": "ssd"} })
	l.to(2 * time.Second)
	require.Equal(t, "b", l.on("p"))
}

func TestPodOfAnotherSchedulerIsLeftToIt(t *testing.T) {
	l := newLab(t)
	l.node("a")
	l.pod("p", "", func(pod *corev1.Pod) { pod.Spec.SchedulerName = "mine" })
	l.pod("q", "", func(pod *corev1.Pod) { pod.Spec.SchedulerName = corev1.DefaultSchedulerName })
	l.to(time.Second)
	require.Empty(t, l.on("p"))
	require.Equal(t, "a", l.on("q"))
}

func TestPodWaitsForItsGates(t *testing.T) {
	l := newLab(t)
	l.node("a")
	l.pod("p", "", func(pod *corev1.Pod) { pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "quota"}} })
	l.to(time.Second)
	require.Empty(t, l.on("p"))
	l.pod("p", "", func(pod *corev1.Pod) { pod.UID = l.server.Pod("default", "p").UID })
	l.to(2 * time.Second)
	require.Equal(t, "a", l.on("p"))
}
