package serve

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"github.com/holter-sim/holter/scenario"
)

func TestARunThatNobodyComesToIsTheOneOfRun(t *testing.T) {
	s, _, err := scenario.Load(nodeDeath, nil)
	require.NoError(t, err)
	want, err := scenario.Run(s, scenario.Options{}, nil)
	require.NoError(t, err)

	l := newLab(t, Max)
	l.until("the scenario is over", func() bool { return l.state().Over })
	got := l.end()
	require.Equal(t, want.Expectations, got.Expectations)
	require.Equal(t, want.Transitions, got.Transitions)
	require.Equal(t, want.Taints, got.Taints)
	require.Equal(t, want.Requests, got.Requests)
	require.Equal(t, want.Events, got.Events)
	require.NotEqual(t, want.TraceHash, got.TraceHash, "there are dates in a trace")
	require.Equal(t, "000180.000000s", got.Simulated)
	require.False(t, l.Meddled())
}

// An informer of client-go's sees over HTTP what happens in the simulation.
func TestAnInformerSeesTheNodeThatDiesTurnUnknown(t *testing.T) {
	l := newLab(t, 1)
	require.NoError(t, l.Pause())
	stop := make(chan struct{})
	factory := informers.NewSharedInformerFactory(l.clientset(), 0)
	unknown := make(chan *corev1.Node, 100)
	nodes := factory.Core().V1().Nodes().Informer()
	_, err := nodes.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(_, now any) {
		for _, c := range now.(*corev1.Node).Status.Conditions {
			if c.Type == corev1.NodeReady && c.Status == corev1.ConditionUnknown {
				unknown <- now.(*corev1.Node)
			}
		}
	}})
	require.NoError(t, err)
	factory.Start(stop)
	require.True(t, cache.WaitForCacheSync(l.ctx().Done(), nodes.HasSynced), "a list and a watch are answered though the clock stands")
	require.NoError(t, l.Step(2*time.Minute))
	require.Equal(t, "node-1", (<-unknown).Name)
	require.Len(t, nodes.GetStore().List(), 3)
	close(stop)
	factory.Shutdown()
	for _, v := range l.end().Expectations {
		require.True(t, v.OK || v.Got == "never", "%+v", v)
	}
}

func TestEveryVerbIsAnswered(t *testing.T) {
	l := newLab(t, Max)
	l.until("the scenario is over", func() bool { return l.state().Over })
	nodes, ctx := l.clientset().CoreV1().Nodes(), l.ctx()
	list, err := nodes.List(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, list.Items, 3)

	w, err := nodes.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	require.NoError(t, err)
	defer w.Stop()
	_, err = nodes.Patch(ctx, "node-0", types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"b"}}}`), metav1.PatchOptions{})
	require.NoError(t, err)
	ev := <-w.ResultChan()
	require.Equal(t, watch.Modified, ev.Type)
	require.Equal(t, "b", ev.Object.(*corev1.Node).Labels["a"], "a write is seen though the clock stands")

	node, err := nodes.Get(ctx, "node-0", metav1.GetOptions{})
	require.NoError(t, err)
	node.Spec.Unschedulable = true
	_, err = nodes.Update(ctx, node, metav1.UpdateOptions{})
	require.NoError(t, err)
	_, err = nodes.Update(ctx, list.Items[0].DeepCopy(), metav1.UpdateOptions{})
	require.ErrorContains(t, err, "the object has been modified")
	_, err = nodes.Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "mine"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	require.NoError(t, nodes.Delete(ctx, "mine", metav1.DeleteOptions{}))
	_, err = nodes.Get(ctx, "mine", metav1.GetOptions{})
	require.ErrorContains(t, err, `nodes "mine" not found`)

	version, err := l.clientset().Discovery().ServerVersion()
	require.NoError(t, err)
	require.Equal(t, "v1.36.0", version.GitVersion)
	require.Less(t, l.now(), 3*time.Minute+5*time.Second, "the clock moved as far as the answers took")
	l.end()
	require.True(t, l.Meddled())
}

// Virtual now is the wall's at speed 1, and at a higher speed when the scenario is
// over, so that what kubectl computes from both is right.
func TestTheClocksOfTheSimulationShowTheTimeOfTheWall(t *testing.T) {
	l := newLab(t, 1)
	require.NoError(t, l.Pause())
	require.InDelta(t, 0, time.Since(l.state().Time).Seconds(), 1)

	l = newLab(t, Max)
	l.until("the scenario is over", func() bool { return l.state().Over })
	require.InDelta(t, 0, time.Since(l.state().Time).Seconds(), 2.5)

	for _, speed := range []Speed{0.5, 1, 1.5, 60, Max} {
		real := time.Date(2026, 11, 21, 10, 0, 0, 700_000_000, time.UTC)
		start := speed.Start(real, 2*time.Minute)
		require.Zero(t, start.Nanosecond())
		if lasts := time.Duration(float64(2*time.Minute) / float64(speed)); speed >= 1 {
			require.InDelta(t, real.Add(lasts).Unix(), start.Add(2*time.Minute).Unix(), 1, speed)
		} else {
			require.Equal(t, real.Truncate(time.Second), start)
		}
	}
}

func TestAClientThatLeavesTakesItsWatchAlong(t *testing.T) {
	l := newLab(t, 1)
	require.NoError(t, l.Step(30*time.Second)) // those of the simulation's own are open by then
	before := l.state().Watches
	nodes := l.clientset().CoreV1().Nodes()
	for range 20 {
		w, err := nodes.Watch(l.ctx(), metav1.ListOptions{})
		require.NoError(t, err)
		l.until("the watch is open", func() bool { return l.state().Watches > before })
		w.Stop()
		l.until("the watch is closed", func() bool { return l.state().Watches == before })
	}
	var processes int
	l.until("their processes have ended", func() bool {
		l.Do(func(c *scenario.Cluster) { processes = c.Engine().Stats().Processes })
		return processes < 20
	})
}

// What a fault does to clients, it does to those that come from outside.
func TestAnOutageIsOneForThoseOutsideToo(t *testing.T) {
	l := newLab(t, 1000)
	client := l.clientset()
	require.NoError(t, l.Inject(scenario.Fault{Outage: &scenario.OutageFault{Mode: scenario.OutageRefuse}, For: scenario.Duration{Duration: 10 * time.Hour}}))
	_, err := client.CoreV1().Nodes().List(l.ctx(), metav1.ListOptions{})
	require.ErrorContains(t, err, "in the simulation: ")
	require.ErrorContains(t, err, "connection refused")

	l = newLab(t, 1000)
	client = l.clientset()
	require.NoError(t, l.Inject(scenario.Fault{Outage: &scenario.OutageFault{Mode: scenario.OutageStop}, For: scenario.Duration{Duration: 10 * time.Hour}}))
	began := l.now()
	_, err = client.CoreV1().Nodes().Create(l.ctx(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "mine"}}, metav1.CreateOptions{})
	require.Error(t, err)
	require.GreaterOrEqual(t, l.now()-began, 30*time.Second, "HTTP/2 finds out, on virtual time")
}

// Node-death has no pods, and so nobody who would see to them from the start.
func TestPodsThatAClientCreatesRunAndCanBeDeleted(t *testing.T) {
	l := newLab(t, 1)
	require.NoError(t, l.Pause())
	require.NoError(t, l.Step(20*time.Second))
	pods, ctx := l.clientset().CoreV1().Pods("default"), l.ctx()
	_, err := pods.Create(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "x"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "a"}}}}, metav1.CreateOptions{})
	require.NoError(t, err)
	require.NoError(t, l.Step(5*time.Second))
	pod, err := pods.Get(ctx, "x", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, corev1.PodRunning, pod.Status.Phase)
	require.NoError(t, pods.Delete(ctx, "x", metav1.DeleteOptions{}))
	require.NoError(t, l.Step(10*time.Second))
	_, err = pods.Get(ctx, "x", metav1.GetOptions{})
	require.ErrorContains(t, err, `pods "x" not found`)
}
