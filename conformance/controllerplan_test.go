package conformance

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/heartbeat/nodelifecycle"
	"github.com/holter-sim/holter/heartbeat/version"
)

// controllerPlan is a plan for the node lifecycle controller.
type controllerPlan struct {
	plan
	config    nodelifecycle.Config
	firstPass time.Duration
	zones     int
	// open leaves to chance in upstream what is else settled.
	open bool
}

// drawControllerPlan draws a schedule of three to five minutes for up to six
// nodes in up to three zones.
func drawControllerPlan(r *rapid.T) *controllerPlan {
	d := newDraft(r, 0, 0)
	d.length = d.duration("length", 3*time.Minute, 5*time.Minute)
	if d.odds("long", 10) { // watches end after five to ten minutes
		d.length = d.duration("length", 5*time.Minute, 13*time.Minute)
	}
	d.watchLatency = d.instant("watch latency", time.Millisecond, 100*time.Millisecond)
	d.clients = []string{controllerHost}
	p := &controllerPlan{config: d.controllerConfig()}
	breaker := &p.config.Behaviors.NodeLifecycle.NodeLeaseCircuitBreaker
	p.zones = pick(d, "zones", 1, 1, 1, 2, 3)
	d.latency = d.controllerLatency(*breaker)
	d.cast = append(d.cast, fmt.Sprintf("%d zones, the circuit breaker is there: %v", p.zones, *breaker))
	p.firstPass = d.instant("first pass", 10*time.Millisecond, 90*time.Millisecond)

	var nodes []string
	for i := range d.number("nodes", 1, 6) {
		name := fmt.Sprintf("node-%d", i)
		d.monitoredNode(name, i%p.zones, i%p.zones == 0)
		if i%p.zones == 0 {
			nodes = append(nodes, name)
		}
	}
	if p.zones > 1 && *breaker { // which may leave out all the others of a zone
		d.monitoredNode("node-healthy", 0, false)
	}
	d.add(d.instant("start", 0, 20*time.Second), "the controller starts", func(s *stage) {
		if h := s.hosts[controllerHost]; h.Alive() && h.Incarnation() == 0 {
			s.start(controllerHost)
		}
	})
	for range d.number("faults", 0, 6) {
		d.controllerFault(pick(d, "node", nodes...), p.zones)
	}
	for range pick(d, "kills", 0, 0, 1, 2) {
		least := time.Duration(0)
		if d.refusals { // a reflector that waits a minute after a refusal is not stopped in it, and draws one number more
			least = time.Minute + time.Second
		}
		d.killHost(controllerHost, least, least+time.Minute)
	}
	p.plan = d.plan
	return p
}

// controllerLatency draws the one-way latency. Upstream's retries of a status
// update have a race of their own: 100 ms after the first, a last tick may come
// through or not (wait.PollImmediate). It is no race where a retry is on its way
// then; that is so if one takes 40 to 60 ms, or more than 80. A retry is a PUT and
// a GET of the node, and with the circuit breaker a GET of the lease before.
func (d *draft) controllerLatency(breaker bool) time.Duration {
	ways := 4 * time.Duration(1)
	if breaker {
		ways = 6
	}
	if d.odds("slow", 40) {
		return d.duration("latency", 82*time.Millisecond/ways, 120*time.Millisecond)
	}
	return d.duration("latency", 41*time.Millisecond/ways, 59*time.Millisecond/ways)
}

func (d *draft) controllerConfig() nodelifecycle.Config {
	c := nodelifecycle.Config{
		NodeMonitorPeriod:         5 * time.Second,
		NodeMonitorGracePeriod:    pick(d, "grace", 15*time.Second, 40*time.Second, 50*time.Second),
		NodeStartupGracePeriod:    pick(d, "startup grace", 20*time.Second, 60*time.Second),
		NodeEvictionRate:          pick[float32](d, "rate", 0.1, 0.1, 0.5, 0.07),
		SecondaryNodeEvictionRate: 0.01,
		LargeClusterSizeThreshold: pick(d, "large", 50, 3),
		UnhealthyZoneThreshold:    0.55,
	}
	// Without its circuit breaker the controller of 1.37 is that of 1.36.
	c.Behaviors = version.Lookup(pick(d, "version", version.Version{Minor: 36, Patch: version.Newest}, upstreamVersion))
	if d.odds("cost", 30) {
		c.PassCostPerNode = d.duration("pass cost", 100*time.Microsecond, 2*time.Millisecond)
	}
	return c
}

// controllerFault draws a fault of one node, of the controller, or of the server.
//
// With several zones upstream leaves two things to the order of a map, anew each
// time: in which of them nodes are tainted first, and which of those that no node
// stands for in a pass are forgotten. So there the nodes of one zone have troubles
// of their own, and nothing else has; and with the circuit breaker, which passes
// over nodes, one of that zone has none.
func (d *draft) controllerFault(node string, zones int) {
	const most = time.Minute
	switch fault := pick(d, "fault", "rule", "rule", "rule", "write", "write", "write", "server"); {
	case fault == "write" || zones > 1:
		d.writeOf(node, zones)
	case fault == "rule":
		d.ruleFor(controllerHost, most,
			[]string{"lose request", "lose reply", "respond", "respond", "latency", "hold watches", "hold watches", "partition"},
			[]string{"get", "update", "patch", "list", "watch"}, []string{"nodes", "nodes/status", "leases", "pods", "pods/status"})
	default:
		d.serverFault(most)
	}
}

// writeOf has somebody else write a node.
func (d *draft) writeOf(node string, zones int) {
	at := d.instant("at", 0, d.length)
	writes := []struct {
		what string
		do   func(*stage)
	}{
		{"is cordoned", change(node, func(n *corev1.Node) { n.Spec.Unschedulable = !n.Spec.Unschedulable })},
		{"is labelled", change(node, func(n *corev1.Node) { n.Labels["touched"] = fmt.Sprint(at.Nanoseconds()) })},
		{"loses its beta label", change(node, func(n *corev1.Node) { delete(n.Labels, "beta.kubernetes.io/os") })},
		{"changes its architecture", change(node, func(n *corev1.Node) { n.Labels[corev1.LabelArchStable] = "arm64" })},
		{"loses its taints", change(node, func(n *corev1.Node) { n.Spec.Taints = nil })},
		{"loses its conditions", change(node, func(n *corev1.Node) { n.Status.Conditions = nil })},
		{"has no network", change(node, func(n *corev1.Node) { setCondition(n, corev1.NodeNetworkUnavailable, corev1.ConditionTrue) })},
		{"has its lease deleted", func(s *stage) { s.removeLease(node) }},
		{"is excluded from disruption checks", change(node, func(n *corev1.Node) { n.Labels["node.kubernetes.io/exclude-disruption"] = "" })},
		{"is deleted, with its lease", func(s *stage) { s.removeNode(node); s.removeLease(node) }},
	}
	if zones > 1 {
		writes = writes[:len(writes)-2]
	}
	w := pick(d, "write", writes...)
	d.add(at, node+" "+w.what, w.do)
}
