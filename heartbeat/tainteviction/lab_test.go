package tainteviction

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
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

const (
	manager     = "kube-controller-manager"
	unreachable = corev1.TaintNodeUnreachable
	notReady    = corev1.TaintNodeNotReady
	// started is when the controller has its caches and begins.
	started = syncedPollPeriod
)

type tester interface {
	require.TestingT
	Helper()
	Cleanup(func())
}

// lab is an API server and a taint eviction controller. Nodes and pods are
// written straight into the store.
type lab struct {
	t      tester
	engine *sim.Engine
	server *fakeapi.Server
	host   *sim.Host
	tc     *Controller

	calls     []fakeapi.Call
	decisions []string
}

func behaviors(minor int) version.TaintEviction {
	return version.Lookup(version.Version{Minor: minor, Patch: version.Newest}).TaintEviction
}

func newLab(t tester, b version.TaintEviction) *lab {
	l := &lab{t: t, engine: sim.New(sim.Options{Seed: 1})}
	t.Cleanup(l.engine.Close)
	l.server = fakeapi.New(l.engine, fakeapi.Options{Observer: l, CheckImmutable: true})
	l.host = l.engine.NewHost(manager)
	client := l.server.NewClient(fakeapi.ClientOptions{Host: l.host, Name: manager})
	nodes := informer.New[*corev1.Node](l.host, informer.Config{Name: "nodes", Watch: opened(client.Nodes().Watch)})
	pods := informer.New[*corev1.Pod](l.host, informer.Config{Name: "pods", Watch: opened(client.Pods("").Watch)})
	l.tc = New(l.host, Clients{
		Pods:   func(ns string) heartbeat.PodDeleter { return client.Pods(ns) },
		Events: func(ns string) heartbeat.EventClient { return client.Events(ns) },
	}, Informers{nodes, pods, func(node string) (on []*corev1.Pod) {
		for _, pod := range pods.Store().List() {
			if pod.Spec.NodeName == node {
				on = append(on, pod)
			}
		}
		return on
	}}, b, l)
	nodes.Run()
	pods.Run()
	l.tc.Run()
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

// to runs the engine to so long after its start.
func (l *lab) to(d time.Duration) {
	l.t.Helper()
	require.NoError(l.t, l.engine.RunUntil(sim.Time(d)))
}

// node writes a node with NoExecute taints of those keys.
func (l *lab) node(name string, keys ...string) {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	for _, key := range keys {
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: key, Effect: corev1.TaintEffectNoExecute})
	}
	l.server.Put(node)
}

// pod writes a pod of a node with those tolerations.
func (l *lab) pod(name, node string, tolerations ...corev1.Toleration) {
	grace := int64(30)
	l.server.Put(&corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
		Spec:       corev1.PodSpec{NodeName: node, Tolerations: tolerations, TerminationGracePeriodSeconds: &grace},
		Status:     corev1.PodStatus{Phase: corev1.PodRunning},
	})
}

// tolerate is a toleration of a key, for ever or for so many seconds.
func tolerate(key string, seconds ...int64) corev1.Toleration {
	t := corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute}
	if len(seconds) > 0 {
		t.TolerationSeconds = &seconds[0]
	}
	return t
}

// ending tells whether a pod is being deleted, or gone.
func (l *lab) ending(name string) bool {
	pod := l.server.Pod("default", name)
	return pod == nil || pod.DeletionTimestamp != nil
}

// sent returns what the controller asked, but for events: "5m0.1s delete pods a: ok".
func (l *lab) sent() []string {
	calls := slices.Clone(l.calls)
	slices.SortFunc(calls, func(a, b fakeapi.Call) int { return cmp.Compare(a.ID, b.ID) })
	var out []string
	for _, c := range calls {
		if c.Resource == "events" || c.Verb == "watch" {
			continue
		}
		answer := "ok"
		if c.Err != nil {
			answer = string(c.Reason)
		}
		out = append(out, fmt.Sprintf("%s %s %s: %s", c.Sent.Duration(), c.Verb, strings.TrimSuffix(c.Resource+"/"+c.Subresource, "/")+" "+c.Name, answer))
	}
	return out
}

// events returns the events about a pod, by their messages.
func (l *lab) events() (out []corev1.Event) {
	for _, c := range l.calls {
		if ev, ok := c.Object.(*corev1.Event); ok && c.Resource == "events" {
			out = append(out, *ev)
		}
	}
	return out
}

func (l *lab) Received(c *fakeapi.Call)                               { l.calls = append(l.calls, *c) }
func (l *lab) Answered(*fakeapi.Call)                                 {}
func (l *lab) Delivered(string, string, watch.Event, sim.Time)        {}
func (l *lab) Changed(_ string, _, _ runtime.Object, _ *fakeapi.Call) {}
func (l *lab) Decided(kind, node, detail string) {
	l.decisions = append(l.decisions, kind+" "+node+" "+detail)
}
