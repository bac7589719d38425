package conformance

import (
	"cmp"
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	upstream "k8s.io/kubernetes/pkg/controller/nodelifecycle"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/bubble"
	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/lease"
	"github.com/holter-sim/holter/heartbeat/nodelifecycle"
	"github.com/holter-sim/holter/sim"
)

// controllerHost is the name of the controller's host and client.
const controllerHost = "node-controller"

// lastBackoff is longer than any wait that upstream does not give up when it is
// told to stop: a reflector's, which is a minute at most.
const lastBackoff = 2 * time.Minute

// TestNodeLifecycleControllersActsAreUpstreams compares every request of the
// controller with its body, outcome and instants, every transition and taint of
// a node, and every event.
func TestNodeLifecycleControllersActsAreUpstreams(t *testing.T) {
	c := &comparison{T: t}
	rapid.Check(t, func(r *rapid.T) {
		plan := drawControllerPlan(r)
		ours, open := ourController(r, plan)
		if open > 0 {
			c.cut++
			plan.length = open - time.Microsecond
			ours, _ = ourController(r, plan)
		}
		var theirs *Log
		defer c.watch(&plan.plan, &theirs, ours)()
		upstreamController(t, plan, &theirs)
		c.requireSame(r, &plan.plan, theirs, ours)
	})
	c.report()
}

// upstreamController runs upstream's controller in a bubble, with the log where it
// can be seen before the end.
func upstreamController(t *testing.T, plan *controllerPlan, log **Log) {
	synctest.Test(t, func(t *testing.T) {
		s := plan.newStage()
		defer s.engine.Close()
		*log = s.log
		bridge := bubble.NewBridge(s.engine)
		gate := fmt.Sprintf("NodeControllerLeaseCircuitBreaker=%v", plan.config.Behaviors.NodeLifecycle.NodeLeaseCircuitBreaker)
		require.NoError(t, utilfeature.DefaultMutableFeatureGate.Set(gate))
		utilruntime.PanicHandlers = []func(context.Context, any){
			func(context.Context, any) { s.log.Panicked(bridge.Now(), controllerHost) }}
		s.hosts[controllerHost] = s.engine.NewHost(controllerHost)
		cancel := func() {}
		s.stop = func(string) { cancel() }
		s.start = func(string) {
			var ctx context.Context
			ctx, cancel = context.WithCancel(t.Context())
			s.draws = NewDraws(plan.seed) // what is left of one that was killed may have drawn
			go startUpstreamController(ctx, t, s, plan, NewLine(bridge, s.hosts[controllerHost]))
		}
		time.Sleep(plan.length)
		cancel()
		require.NoError(t, bridge.Close())
		time.Sleep(lastBackoff)
	})
}

func startUpstreamController(ctx context.Context, t *testing.T, s *stage, plan *controllerPlan, line Line) {
	tellApart(plan.open)
	set := NewClientset(line, s.controllerClient(), NewSink(s.log, line.bridge.Now))
	factory := informers.NewSharedInformerFactory(set, 0)
	order := &listers{line: line, first: plan.firstPass, cost: plan.config.PassCostPerNode, open: plan.open}
	c := plan.config
	nc, err := upstream.NewNodeLifecycleController(ctx,
		leaseInformer{factory.Coordination().V1().Leases(), order},
		podInformer{factory.Core().V1().Pods()},
		nodeInformer{factory.Core().V1().Nodes(), order},
		daemonSets{},
		set, c.NodeMonitorPeriod, c.NodeStartupGracePeriod, c.NodeMonitorGracePeriod,
		c.NodeEvictionRate, c.SecondaryNodeEvictionRate, int32(c.LargeClusterSizeThreshold), c.UnhealthyZoneThreshold)
	if err != nil {
		t.Error(err)
		return
	}
	// One after the other at one instant, or they would draw in any order how long
	// their watches are to last.
	for _, i := range []cache.SharedIndexInformer{
		factory.Coordination().V1().Leases().Informer(), factory.Core().V1().Nodes().Informer(), factory.Core().V1().Pods().Informer()} {
		go i.RunWithContext(ctx)
		line.Turn("informers")
	}
	nc.Run(ctx)
}

// ourController runs Holter's. It also reports the instant up to which it can be
// compared, 0 for its end: see opens.
func ourController(t require.TestingT, plan *controllerPlan) (log *Log, open time.Duration) {
	s := plan.newStage()
	defer s.engine.Close()
	s.hosts[controllerHost] = s.engine.NewHost(controllerHost)
	opens := &opens{stage: s}
	s.start = func(string) {
		s.draws = NewDraws(plan.seed)
		host := &Host{Host: s.hosts[controllerHost], Draws: s.draws, First: map[string]time.Duration{"monitor": plan.firstPass},
			Waited: opens.waited, Sleeps: opens.sleeps}
		sink := NewSink(s.log, func() time.Duration { return s.engine.Now().Duration() })
		config := plan.config
		config.Panicked = func(string) {
			s.log.Panicked(s.engine.Now().Duration(), controllerHost)
			host.Kill()
		}
		nodelifecycle.New(host, ourClients(s.controllerClient(), sink), config, nil).Run()
	}
	require.NoError(t, s.engine.RunUntil(sim.Time(plan.length)))
	return s.log, opens.first.Duration()
}

// opens notes from when on a run of upstream's may go another way than ours, or
// not at all.
type opens struct {
	*stage
	first sim.Time // 0 for never

	retried   string // the node that a worker was about to look at again last
	retriedAt sim.Time
}

// waited is told that somebody waits for the lock of a limiter, which is held over
// the requests of a tainting pass. Upstream's monitor waits for it too, but synctest
// takes who waits for a mutex to be running, and would let no time pass for ever.
func (o *opens) waited(since sim.Time) { o.first = cmp.Or(o.first, since) }

// sleeps is told of the pause before a worker of a pass looks at its node again,
// which comes after a GET of it. Of several nodes at one instant the bridge takes
// them in the order of their names; ours goes by whose turn it was.
func (o *opens) sleeps(d time.Duration) {
	now, last := o.engine.Now(), &o.log.last
	if d > retrySleepTime || last.Received != now || last.Verb != "get" || last.Resource != "nodes" {
		return
	}
	if now == o.retriedAt && last.Name < o.retried {
		o.first = cmp.Or(o.first, now)
	}
	o.retried, o.retriedAt = last.Name, now
}

// retrySleepTime is upstream's between two tries to update a node.
const retrySleepTime = 20 * time.Millisecond

func (s *stage) controllerClient() *fakeapi.Client {
	return s.server.NewClient(fakeapi.ClientOptions{Host: s.hosts[controllerHost], Name: controllerHost})
}

// ourClients are those of a controller of ours.
func ourClients(c *fakeapi.Client, sink *Sink) nodelifecycle.Clients {
	return nodelifecycle.Clients{
		Nodes:       c.Nodes(),
		Leases:      c.Leases(lease.Namespace),
		Pods:        func(ns string) heartbeat.PodClient { return c.Pods(ns) },
		Events:      sink.Client,
		WatchNodes:  watcher(c.Nodes().Watch),
		WatchLeases: watcher(c.Leases("").Watch),
		WatchPods:   watcher(c.Pods("").Watch),
		ListNodes:   lister(c.Nodes().List),
		ListLeases:  lister(c.Leases("").List),
		ListPods:    lister(c.Pods("").List),
	}
}

func watcher(watch func(context.Context, metav1.ListOptions) (*fakeapi.Watch, error)) heartbeat.WatchFunc {
	return func(ctx context.Context, o metav1.ListOptions) (heartbeat.Watch, error) {
		w, err := watch(ctx, o)
		if err != nil {
			return nil, err
		}
		return &oneByOne{Watch: w}, nil
	}
}

// oneByOne lets everybody do what there is to do at an event before it hands out
// the next. Where several have come at one instant upstream's workers may begin
// with the first or see the last; the bridge lets them begin.
type oneByOne struct {
	*fakeapi.Watch
	given bool
}

func (w *oneByOne) TryNext() (watch.Event, bool, error) {
	if w.given {
		return watch.Event{}, false, nil
	}
	ev, ok, err := w.Watch.TryNext()
	w.given = ok
	return ev, ok, err
}

func (w *oneByOne) OnReady(f func()) {
	w.given = false
	w.Watch.OnReady(f)
}

func lister[L runtime.Object](list func(context.Context, metav1.ListOptions) (L, error)) heartbeat.ListFunc {
	return func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return list(ctx, o) }
}
