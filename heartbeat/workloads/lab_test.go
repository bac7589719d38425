package workloads

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

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

// lab is an API server and the controllers of some workloads. Requests and
// watches take 10 ms, so that what the controllers know is old.
type lab struct {
	t      tester
	engine *sim.Engine
	server *fakeapi.Server
	host   *sim.Host
	all    []*Workload
	people *sim.Host
	admin  *fakeapi.Client
	calls  []string
	names  []string // of the pods that there are, in order of creation
}

const latency = 10 * time.Millisecond

func newLab(t tester, all ...*Workload) *lab {
	l := &lab{t: t, engine: sim.New(sim.Options{Seed: 1}), all: all}
	t.Cleanup(l.engine.Close)
	l.server = fakeapi.New(l.engine, fakeapi.Options{Observer: l, CheckImmutable: true, Latency: sim.Fixed(latency)})
	l.host, l.people = l.engine.NewHost("kube-controller-manager"), l.engine.NewHost("people")
	l.admin = l.server.NewClient(fakeapi.ClientOptions{Host: l.people, Name: "kubectl"})
	for _, w := range all {
		w.Namespace, w.Created = "default", true
		w.Template.Containers = []corev1.Container{{Name: "main", Image: "main"}}
	}
	l.start()
	return l
}

func (l *lab) start() {
	client := l.server.NewClient(fakeapi.ClientOptions{Host: l.host, Name: "kube-controller-manager"})
	nodes := informer.New[*corev1.Node](l.host, informer.Config{Name: "nodes", Watch: opened(client.Nodes().Watch)})
	pods := informer.New[*corev1.Pod](l.host, informer.Config{Name: "pods", Watch: opened(client.Pods("").Watch)})
	New(l.host, Clients{Pods: func(ns string) PodClient { return client.Pods(ns) }}, Informers{nodes, pods}, l.all).Run()
	nodes.Run()
	pods.Run()
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

func (l *lab) node(name string, taints ...corev1.Taint) {
	l.server.Put(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{Taints: taints}})
}

// runs does what scheduler and kubelet do: the pod is on that node, and ready
// or not.
func (l *lab) runs(name, node string, ready corev1.ConditionStatus) {
	pod := l.pod(name).DeepCopy()
	pod.Spec.NodeName, pod.Status.Phase = node, corev1.PodRunning
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: ready}}
	l.server.Put(pod)
}

func (l *lab) delete(name string) {
	l.people.Go("kubectl", func() { _ = l.admin.Pods("default").Delete(context.Background(), name, metav1.DeleteOptions{}) })
}

func (l *lab) pod(name string) *corev1.Pod { return l.server.Pod("default", name) }

// sent returns the writes of the controllers, and forgets them.
func (l *lab) sent() []string {
	calls := l.calls
	l.calls = nil
	return calls
}

// Answered keeps what the controllers wrote.
func (l *lab) Answered(c *fakeapi.Call) {
	if c.Client == "kube-controller-manager" && (c.Verb == "create" || c.Verb == "delete") {
		name := c.Name
		if pod, ok := c.Object.(*corev1.Pod); ok {
			name = pod.Name
		}
		l.calls = append(l.calls, fmt.Sprintf("%s %s %d", c.Verb, name, c.Code))
	}
}

// Changed keeps the names of the pods.
func (l *lab) Changed(resource string, old, new runtime.Object, _ *fakeapi.Call) {
	before, _ := old.(*corev1.Pod)
	after, _ := new.(*corev1.Pod)
	switch {
	case resource != "pods":
	case before == nil:
		l.names = append(l.names, after.Name)
	case after == nil:
		l.names = slices.DeleteFunc(l.names, func(name string) bool { return name == before.Name })
	}
}
func (l *lab) Received(*fakeapi.Call)                          {}
func (l *lab) Delivered(string, string, watch.Event, sim.Time) {}

// active are the pods of a Deployment that count.
func (l *lab) active() []string {
	return slices.DeleteFunc(slices.Clone(l.names), func(name string) bool { return !active(l.pod(name)) })
}
