package scenario

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/heartbeat/workloads"
	"github.com/holter-sim/holter/sim"
	"github.com/holter-sim/holter/traces"
)

// Options says how a cluster is run, beside what its scenario says. The zero
// value is fine.
type Options struct {
	// Sinks take every event of the trace, in order.
	Sinks []traces.Sink

	// Check turns on what finds bugs in the model at the cost of speed: objects
	// are hashed to catch writers to shared ones, and each fast path is run
	// beside the slow one.
	Check bool

	// ShuffleTies orders what falls on one instant by the seed instead of by
	// when it was scheduled. What depends on such an order shows up.
	ShuffleTies bool

	// Start is the wall-clock instant that the run begins at; zero is the engine's
	// own, 2026-01-01T00:00:00Z.
	Start time.Time

	// PodsOfOthers has pods seen to though they are not the scenario's: what it has
	// no use for, be it kubelets that run pods, the controllers that delete them or
	// a scheduler, is started by the first pod that needs it. Up to then the run is
	// what it is without.
	PodsOfOthers bool

	// through has every client speak over the wire, nil for the native surface.
	through fakeapi.Through
}

// Cluster is a scenario come to life: an engine, an API server, kubelets and a
// controller-manager, before or in the middle of its run.
type Cluster struct {
	scenario  *Scenario
	effective Effective
	options   Options

	engine  *sim.Engine
	server  *fakeapi.Server
	nodes   []*Node
	byName  map[string]*Node
	manager *ControllerManagerHost
	outages outages
	drawn   []time.Duration // when each fault strikes
	hosts   map[string]int  // names given to the hosts of faults
	podsOn  map[string]bool // nodes that have had their pods

	seesToPods bool // kubelets and controllers do
	schedules  bool // a scheduler runs

	workloads []*workloads.Workload

	recorder   *traces.Recorder
	observer   *observer
	history    *History
	checkers   []checker
	invariants []invariant
}

// Build makes a cluster of a scenario, which must be valid. Nothing runs yet.
// Close it when done.
func Build(s *Scenario, o Options) (*Cluster, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	effective, err := s.Effective()
	if err != nil {
		return nil, err
	}
	c := &Cluster{scenario: s, effective: effective, options: o, byName: map[string]*Node{}, hosts: map[string]int{}, podsOn: map[string]bool{}}
	c.seesToPods = s.hasPods()
	c.engine = sim.New(sim.Options{Seed: s.Spec.Seed, Start: o.Start, ShuffleTies: o.ShuffleTies})
	if err := c.buildServer(); err != nil {
		return nil, err
	}
	for i := range s.Spec.Workloads {
		c.workloads = append(c.workloads, s.Spec.Workloads[i].workload())
	}
	c.manager = newControllerManagerHost(c)
	c.buildNodes()
	c.buildJudges()
	c.scheduleFaults()
	c.start()
	return c, nil
}

// buildServer makes the API server and the network before it.
func (c *Cluster) buildServer() error {
	latency, err := c.scenario.Spec.Network.Latency.Dist()
	if err != nil {
		return err
	}
	watchLatency, err := c.scenario.Spec.Network.WatchLatency.Dist()
	if err != nil {
		return err
	}
	c.observer = newObserver(c)
	c.server = fakeapi.New(c.engine, fakeapi.Options{
		Latency:        latency,
		WatchLatency:   watchLatency,
		Work:           c.effective.APIServer.Work,
		FlowControl:    c.effective.APIServer.flowControl(&c.effective),
		Observer:       c.observer,
		UntaintedNodes: !c.effective.Behaviors.APIServer.TaintsNewNodes,
		NoBookmarks:    !c.effective.Behaviors.APIServer.Bookmarks,
		CheckImmutable: c.options.Check,
		AnyNamespace:   true, // those of a scenario are there by being named
		// kubectl waits for a namespace that it deletes to be gone.
		EmptyNamespaces: true,
		Release:         release(c.effective.KubernetesVersion),
		Through:         c.options.through,
	})
	return c.scenario.Spec.Network.setLatencies(c.server.Network())
}

// release is the version that /version tells. Of a series it is the first release,
// since nobody knows which will be the last, and clients want three numbers.
func release(version string) string {
	if strings.Count(version, ".") == 1 {
		return version + ".0"
	}
	return version
}

func (c *Cluster) buildNodes() {
	numbers := map[string]int{} // groups of one name go on counting
	for i := range c.scenario.Spec.Nodes {
		group := &c.scenario.Spec.Nodes[i]
		for range group.Count {
			n := newNode(c, group, fmt.Sprintf("%s-%d", group.Name, numbers[group.Name]), len(c.nodes))
			numbers[group.Name]++
			c.nodes = append(c.nodes, n)
			c.byName[n.name] = n
		}
	}
}

// buildJudges makes what looks at the trace as it is recorded.
func (c *Cluster) buildJudges() {
	c.history = newHistory()
	sinks := []traces.Sink{c.history}
	for i := range c.scenario.Spec.Expect {
		for _, ck := range newCheckers(&c.scenario.Spec.Expect[i], c.nodeNames()) {
			c.checkers = append(c.checkers, ck)
			sinks = append(sinks, traces.SinkFunc(func(ev *traces.Event) error { ck.observe(ev); return nil }))
		}
	}
	for _, inv := range newInvariants(c.effective) {
		c.invariants = append(c.invariants, inv)
		sinks = append(sinks, traces.SinkFunc(func(ev *traces.Event) error { inv.observe(ev); return nil }))
	}
	c.recorder = traces.NewRecorder(append(sinks, c.options.Sinks...)...)
}

// start schedules the first instants of every component.
func (c *Cluster) start() {
	c.manager.start()
	if len(c.workloads) > 0 { // their pods need one
		c.startScheduler()
	}
	c.createWorkloads()
	for _, n := range c.nodes {
		c.engine.At(sim.Time(n.startAt), n.firstStart)
	}
}

// Scenario is what the cluster was built from.
func (c *Cluster) Scenario() *Scenario { return c.scenario }

// Effective is what its components run with.
func (c *Cluster) Effective() Effective { return c.effective }

// Engine is the virtual clock and its events.
func (c *Cluster) Engine() *sim.Engine { return c.engine }

// Server is the API server, with the network before it.
func (c *Cluster) Server() *fakeapi.Server { return c.server }

// Nodes lists the nodes in the order of the scenario.
func (c *Cluster) Nodes() []*Node { return c.nodes }

// Node returns the node of that name, or nil.
func (c *Cluster) Node(name string) *Node { return c.byName[name] }

// ControllerManager is the kube-controller-manager.
func (c *Cluster) ControllerManager() *ControllerManagerHost { return c.manager }

// History is what happened so far.
func (c *Cluster) History() *History { return c.history }

// Now is the virtual time since the start.
func (c *Cluster) Now() time.Duration { return c.engine.Now().Duration() }

// RunUntil runs everything up to that time, which is then Now. The error is a
// panic in the model or a sink that failed; the run has ended with it.
func (c *Cluster) RunUntil(t time.Duration) error {
	if err := c.engine.RunUntil(sim.Time(t)); err != nil {
		return err
	}
	return c.recorder.Err()
}

// RunWhile runs event by event as long as cond holds and no longer than to
// limit.
func (c *Cluster) RunWhile(cond func() bool, limit time.Duration) error {
	if err := c.engine.RunWhile(cond, sim.Time(limit)); err != nil {
		return err
	}
	return c.recorder.Err()
}

// Close unwinds what is still running. The results stay.
func (c *Cluster) Close() { c.engine.Close() }

// newHost makes a host for a fault's own doings. A name that is taken gets a
// number, since a host's name is where its random streams come from.
func (c *Cluster) newHost(name string) *sim.Host {
	c.hosts[name]++
	if n := c.hosts[name]; n > 1 {
		name = fmt.Sprintf("%s#%d", name, n)
	}
	return c.engine.NewHost(name)
}

// expand replaces EveryNode by the names of all nodes.
func (c *Cluster) expand(names ...string) []string {
	if slices.Contains(names, EveryNode) {
		return c.nodeNames()
	}
	return names
}

func (c *Cluster) nodeNames() []string {
	names := make([]string, len(c.nodes))
	for i, n := range c.nodes {
		names[i] = n.name
	}
	return names
}

// record adds one event to the trace and makes it the cause of what follows.
func (c *Cluster) record(ev traces.Event) uint64 {
	ev.At = c.engine.Now().Duration()
	if ev.Cause == 0 {
		ev.Cause = c.engine.Cause()
	}
	seq := c.recorder.Record(ev)
	c.engine.SetCause(seq)
	return seq
}
