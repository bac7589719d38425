package podworkers

import (
	"cmp"
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
	"github.com/holter-sim/holter/heartbeat/version"
	"github.com/holter-sim/holter/sim"
)

type tester interface {
	require.TestingT
	Helper()
	Cleanup(func())
}

// lab is an API server and the pods' side of one kubelet, which starts at 0, so
// its turns come at 10 s, 20 s and so on. Requests take no time.
type lab struct {
	t       tester
	engine  *sim.Engine
	server  *fakeapi.Server
	minor   int
	host    *sim.Host
	runtime *Runtime
	workers *Workers
	admin   *fakeapi.Client
	people  *sim.Host
	calls   []fakeapi.Call
}

func newLab(t tester, minor int) *lab { return newLabWith(t, minor, 1, 0) }

// newLabWith is one with another seed, and a latency of requests and watches.
func newLabWith(t tester, minor int, seed uint64, latency time.Duration) *lab {
	l := &lab{t: t, engine: sim.New(sim.Options{Seed: seed}), minor: minor, runtime: NewRuntime()}
	t.Cleanup(l.engine.Close)
	l.server = fakeapi.New(l.engine, fakeapi.Options{Observer: l, CheckImmutable: true, Latency: sim.Fixed(latency)})
	l.host = l.engine.NewHost("kubelet")
	l.people = l.engine.NewHost("people")
	l.admin = l.server.NewClient(fakeapi.ClientOptions{Host: l.people, Name: "kubectl"})
	l.start()
	return l
}

func (l *lab) start() {
	client := l.server.NewClient(fakeapi.ClientOptions{Host: l.host, Name: "kubelet"})
	pods := informer.New[*corev1.Pod](l.host, informer.Config{
		Name: "pods", FieldSelector: "spec.nodeName=n",
		Watch: func(ctx context.Context, o metav1.ListOptions) (heartbeat.Watch, error) {
			w, err := client.Pods("").Watch(ctx, o)
			if err != nil {
				return nil, err
			}
			return w, nil
		},
	})
	l.workers = New(l.host, Config{
		NodeName: "n", Pods: func(ns string) PodClient { return client.Pods(ns) }, Informer: pods, Runtime: l.runtime,
		Behaviors: version.Lookup(version.Version{Minor: l.minor, Patch: version.Newest}).PodWorkers,
	})
	pods.Run()
}

// restart starts the kubelet anew.
func (l *lab) restart() {
	l.host.Kill()
	l.host.Restart()
	l.start()
}

func (l *lab) to(d time.Duration) {
	l.t.Helper()
	require.NoError(l.t, l.engine.RunUntil(sim.Time(d)))
}

// bind puts a pod into the store that the scheduler has just bound.
func (l *lab) bind(name string, edit ...func(*corev1.Pod)) {
	grace := int64(30)
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
		Spec: corev1.PodSpec{NodeName: "n", TerminationGracePeriodSeconds: &grace, RestartPolicy: corev1.RestartPolicyAlways,
			Containers: []corev1.Container{{Name: "main", Image: "main"}}},
		Status: corev1.PodStatus{Phase: corev1.PodPending},
	}
	for _, f := range edit {
		f(pod)
	}
	l.server.Put(pod)
}

// sleeps has a pod's container end after so many seconds, and not start again.
func sleeps(seconds string, policy corev1.RestartPolicy) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		pod.Spec.Containers[0].Command, pod.Spec.RestartPolicy = []string{"sleep", seconds}, policy
	}
}

func (l *lab) delete(name string, options metav1.DeleteOptions) {
	l.people.Go("kubectl", func() { _ = l.admin.Pods("default").Delete(context.Background(), name, options) })
}

func (l *lab) pod(name string) *corev1.Pod { return l.server.Pod("default", name) }

// is says what the API server has of a pod: "Running ready".
func (l *lab) is(name string) string {
	pod := l.pod(name)
	if pod == nil {
		return "gone"
	}
	text := string(pod.Status.Phase)
	if c := findCondition(&pod.Status, corev1.PodReady); c != nil && c.Status == corev1.ConditionTrue {
		text += " ready"
	}
	if pod.DeletionTimestamp != nil {
		text += " terminating"
	}
	return text
}

// sent returns what the kubelet wrote: "1s patch pods/status a 200".
func (l *lab) sent(verbs ...string) []string {
	calls := slices.Clone(l.calls)
	slices.SortFunc(calls, func(a, b fakeapi.Call) int { return cmp.Compare(a.ID, b.ID) })
	var out []string
	for _, c := range calls {
		if c.Client == "kubelet" && slices.Contains(verbs, c.Verb) {
			out = append(out, fmt.Sprintf("%s %s %s %d", c.Sent.Duration().Truncate(time.Second), c.Verb, c.Name, c.Code))
		}
	}
	return out
}

// Received keeps what was asked.
func (l *lab) Received(c *fakeapi.Call)                               { l.calls = append(l.calls, *c) }
func (l *lab) Answered(*fakeapi.Call)                                 {}
func (l *lab) Delivered(string, string, watch.Event, sim.Time)        {}
func (l *lab) Changed(_ string, _, _ runtime.Object, _ *fakeapi.Call) {}
