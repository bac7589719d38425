package nodelifecycle

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/lease"
	"github.com/holter-sim/holter/heartbeat/version"
	"github.com/holter-sim/holter/sim"
)

const (
	manager = "kube-controller-manager"
	grace   = 50 * time.Second
	startup = 60 * time.Second
	period  = 5 * time.Second
	// firstPass is when a controller started at 0 makes its first pass: its
	// caches are filled at once, and looked at 100 ms later.
	firstPass = syncedPollPeriod
)

// tester is a test, or one case of a property.
type tester interface {
	require.TestingT
	Helper()
	Cleanup(func())
}

// lab is an API server and a node lifecycle controller. The nodes' heartbeats
// are written straight into the store.
type lab struct {
	t      tester
	engine *sim.Engine
	server *fakeapi.Server
	host   *sim.Host
	cfg    Config
	nc     *Controller

	calls     []fakeapi.Call // of the controller
	changes   []change
	decisions []string
	inFlight  int // requests of the controller
	most      int
	beating   map[string]bool
}

// change is one thing that happened to a node in the store.
type change struct {
	at   time.Duration
	node string
	what string // "Ready False", "+not-ready:NoExecute", "-not-ready:NoExecute", "deleted"
}

func defaults() Config {
	return Config{
		Behaviors:                 version.Lookup(version.Version{Minor: 36, Patch: version.Newest}),
		EnableTaintManager:        true,
		TaintBasedEvictions:       true,
		PodEvictionTimeout:        5 * time.Minute,
		NodeMonitorPeriod:         period,
		NodeMonitorGracePeriod:    grace,
		NodeStartupGracePeriod:    startup,
		NodeEvictionRate:          0.1,
		SecondaryNodeEvictionRate: 0.01,
		LargeClusterSizeThreshold: 50,
		UnhealthyZoneThreshold:    0.55,
	}
}

func newLab(t tester, edit ...func(*Config)) *lab {
	l := &lab{t: t, engine: sim.New(sim.Options{Seed: 1}), cfg: defaults(), beating: map[string]bool{}}
	t.Cleanup(l.engine.Close)
	for _, f := range edit {
		f(&l.cfg)
	}
	l.server = fakeapi.New(l.engine, fakeapi.Options{Observer: l, CheckImmutable: true})
	l.host = l.engine.NewHost(manager)
	return l
}

// build makes a controller on host, which may be a wrapper of l.host.
func (l *lab) build(host heartbeat.Host) {
	client := l.server.NewClient(fakeapi.ClientOptions{Host: l.host, Name: manager})
	nodes, leases, pods := client.Nodes(), client.Leases(""), client.Pods("")
	l.nc = New(host, Clients{
		Nodes:            nodes,
		Pods:             func(ns string) heartbeat.PodClient { return client.Pods(ns) },
		ListPodsAssigned: listed(pods.List),
		Events:           func(ns string) heartbeat.EventClient { return client.Events(ns) },
		WatchNodes:       opened(nodes.Watch),
		WatchLeases:      opened(leases.Watch),
		WatchPods:        opened(pods.Watch),
		ListNodes:        listed(nodes.List),
		ListLeases:       listed(leases.List),
		ListPods:         listed(pods.List),
	}, l.cfg, l)
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

func listed[L runtime.Object](list func(context.Context, metav1.ListOptions) (L, error)) heartbeat.ListFunc {
	return func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return list(ctx, o) }
}

// run starts the controller.
func (l *lab) run() {
	l.build(l.host)
	l.nc.Run()
}

// to runs the engine to so long after its start.
func (l *lab) to(d time.Duration) {
	l.t.Helper()
	require.NoError(l.t, l.engine.RunUntil(sim.Time(d)))
}

func (l *lab) now() time.Duration { return l.engine.Now().Duration() }

// do runs f as a process of the controller's host, to its end.
func (l *lab) do(f func()) {
	l.t.Helper()
	done := false
	l.host.Go("test", func() { f(); done = true })
	require.NoError(l.t, l.engine.RunWhile(func() bool { return !done }, sim.Never))
}

// put writes a node whose conditions say Ready, or nothing if ready is "".
func (l *lab) put(name string, ready corev1.ConditionStatus, edit ...func(*corev1.Node)) {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
		corev1.LabelOSStable: "linux", "beta.kubernetes.io/os": "linux",
	}}}
	if old := l.server.Node(name); old != nil {
		node = old.DeepCopy()
		node.Status.Conditions = nil
	}
	if ready != "" {
		for _, kind := range []corev1.NodeConditionType{corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure, corev1.NodeReady} {
			status := corev1.ConditionFalse
			if kind == corev1.NodeReady {
				status = ready
			}
			node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{
				Type: kind, Status: status, Reason: "Kubelet", LastHeartbeatTime: l.wall(), LastTransitionTime: l.wall(),
			})
		}
	}
	for _, f := range edit {
		f(node)
	}
	l.server.Put(node)
}

func (l *lab) wall() metav1.Time {
	return metav1.Time{Time: l.engine.Start().Add(l.now())}
}

// renew writes the node's lease.
func (l *lab) renew(name string) { l.renewAs(name, l.wall().Time) }

func (l *lab) renewAs(name string, renewed time.Time) {
	l.server.Put(&coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: lease.Namespace},
		Spec:       coordinationv1.LeaseSpec{RenewTime: &metav1.MicroTime{Time: renewed}},
	})
}

// beat renews the node's lease now and every 10 s, until stop.
func (l *lab) beat(names ...string) {
	for _, name := range names {
		l.beating[name] = true
		var next func()
		next = func() {
			if l.beating[name] {
				l.renew(name)
				l.engine.After(10*time.Second, next)
			}
		}
		next()
	}
}

func (l *lab) stop(names ...string) {
	for _, name := range names {
		delete(l.beating, name)
	}
}

// cluster puts so many ready nodes that beat, in a zone.
func (l *lab) cluster(zone string, n int) []string {
	var names []string
	for i := range n {
		name := fmt.Sprintf("%s%02d", zone, i)
		l.put(name, corev1.ConditionTrue, inZone(zone))
		l.beat(name)
		names = append(names, name)
	}
	return names
}

func inZone(zone string) func(*corev1.Node) {
	return func(node *corev1.Node) { node.Labels[corev1.LabelTopologyZone] = zone }
}

// rule puts a fault on the controller's requests.
func (l *lab) rule(r fakeapi.Rule) (remove func()) {
	r.Match.Clients = []string{manager}
	return l.server.Network().Add(r)
}

func respond(code int32, reason metav1.StatusReason) *metav1.Status {
	return &metav1.Status{Status: metav1.StatusFailure, Code: code, Reason: reason}
}

// when returns the instants at which something happened to a node.
func (l *lab) when(node, what string) []time.Duration {
	var out []time.Duration
	for _, c := range l.changes {
		if c.node == node && c.what == what {
			out = append(out, c.at)
		}
	}
	return out
}

// sent returns what the controller asked at or after from, but for events, in
// the order of sending: "update nodes/status a: Conflict".
func (l *lab) sent(from time.Duration) []string {
	var out []string
	for _, c := range l.callsOf("") {
		if c.Sent.Duration() < from || c.Resource == "events" || c.Verb == "watch" {
			continue
		}
		answer := string(c.Reason)
		if c.Err == nil {
			answer = "ok"
		}
		out = append(out, fmt.Sprintf("%s %s %s: %s", c.Verb, resource(&c), c.Name, answer))
	}
	return out
}

// callsOf returns the calls "patch nodes", say, in the order of sending.
func (l *lab) callsOf(what string) []fakeapi.Call {
	out := slices.DeleteFunc(slices.Clone(l.calls), func(c fakeapi.Call) bool {
		return what != "" && c.Verb+" "+resource(&c) != what
	})
	slices.SortFunc(out, func(a, b fakeapi.Call) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

func resource(c *fakeapi.Call) string {
	if c.Subresource != "" {
		return c.Resource + "/" + c.Subresource
	}
	return c.Resource
}

func (l *lab) Received(c *fakeapi.Call) {
	if c.Client == manager {
		l.calls = append(l.calls, *c)
	}
}

func (l *lab) Answered(*fakeapi.Call)                          {}
func (l *lab) Delivered(string, string, watch.Event, sim.Time) {}
func (l *lab) Decided(kind, node, _ string) {
	l.decisions = append(l.decisions, strings.TrimSpace(kind+" "+node))
}

func (l *lab) Changed(_ string, old, obj runtime.Object, _ *fakeapi.Call) {
	was, _ := old.(*corev1.Node)
	is, _ := obj.(*corev1.Node)
	note := func(node *corev1.Node, what string) {
		l.changes = append(l.changes, change{l.now(), node.Name, what})
	}
	switch {
	case is == nil && was == nil:
		return
	case is == nil:
		note(was, "deleted")
		return
	case was == nil:
		was = &corev1.Node{}
	}
	for i := range is.Status.Conditions {
		c := &is.Status.Conditions[i]
		if before := condition(&was.Status, c.Type); before == nil || before.Status != c.Status {
			note(is, string(c.Type)+" "+string(c.Status))
		}
	}
	for _, taint := range missingFrom(is.Spec.Taints, was.Spec.Taints) {
		note(is, "+"+taintName(taint))
	}
	for _, taint := range missingFrom(was.Spec.Taints, is.Spec.Taints) {
		note(is, "-"+taintName(taint))
	}
}

func taintName(t corev1.Taint) string {
	return strings.TrimPrefix(t.Key, "node.kubernetes.io/") + ":" + string(t.Effect)
}
