package fakeapi

import (
	"slices"
	"time"

	"github.com/holter-sim/holter/sim"
)

// Network lies between the server and its clients: the one place where latency
// and faults enter. Rules take effect when they are added and cease when they
// are removed, for requests on their way as well: whether a request is lost is
// decided as it arrives, whether an answer is lost as it would be received.
type Network struct {
	s       *Server
	latency sim.Dist
	watch   sim.Dist
	some    []LatencyOf // in the place of the two
	rules   []*rule
	slowing int      // rules with Work
	held    []*Watch // with something to deliver, in the order they were held
}

func newNetwork(s *Server, latency, watch sim.Dist) *Network {
	return &Network{s: s, latency: latency, watch: watch}
}

// SetLatency changes the one-way latency of requests and answers from now on.
func (n *Network) SetLatency(d sim.Dist) { n.latency = d }

// SetWatchLatency changes the latency of watch events from now on.
func (n *Network) SetWatchLatency(d sim.Dist) { n.watch = d }

// LatencyOf is the one-way latency of some calls, and of events of such watches.
type LatencyOf struct {
	Match   Match
	Latency sim.Dist
}

// SetLatencyOf has some calls take other latencies from now on: the first entry
// that matches decides, unless there is a rule with a Latency.
func (n *Network) SetLatencyOf(list []LatencyOf) { n.some = slices.Clone(list) }

// Add puts a rule in force, after those already there: where two rules answer
// one question, the first decides. The function returned removes it; calling
// it again does nothing.
func (n *Network) Add(r Rule) (remove func()) {
	added := newRule(r)
	added.since = n.s.engine.Now()
	n.rules = append(n.rules, added)
	if added.Work != nil {
		n.slowing++
	}
	if added.severs() {
		n.s.silenced(silence{
			since:   added.since,
			lasts:   func() bool { return slices.Contains(n.rules, added) },
			touches: added.matchesWatch,
		})
	}
	return func() { n.remove(added) }
}

func (n *Network) remove(r *rule) {
	i := slices.Index(n.rules, r)
	if i < 0 {
		return
	}
	n.rules = slices.Delete(n.rules, i, i+1)
	if r.Work != nil {
		n.slowing--
	}
	if r.HoldWatch {
		n.release()
	}
}

// release lets watches go on that no rule holds any more.
func (n *Network) release() {
	held := n.held
	n.held = nil
	for _, w := range held {
		w.held = false
		w.arm()
	}
}

// delay draws the one-way latency of a call.
func (n *Network) delay(r *request) time.Duration {
	d := &n.latency
	for _, rule := range n.rules {
		if rule.Latency != nil && rule.touches(r) {
			d = rule.Latency
			break
		}
	}
	if d == &n.latency && len(n.some) > 0 {
		d = n.latencyOf(d, r.client, r.call.Verb, r.resource, r.call.Name)
	}
	if d.IsZero() {
		return 0
	}
	return d.Sample(r.client.requestRand())
}

// losesRequest decides about a request that is about to arrive.
func (n *Network) losesRequest(r *request) bool {
	for _, rule := range n.rules {
		if rule.LoseRequest && rule.touches(r) {
			rule.silence(r)
			return true
		}
	}
	return false
}

// losesReply decides about an answer that is about to be received.
func (n *Network) losesReply(r *request) bool {
	for _, rule := range n.rules {
		if rule.LoseReply && rule.touches(r) {
			rule.silence(r)
			return true
		}
	}
	return false
}

// delayWatch draws the latency of an event of w.
func (n *Network) delayWatch(w *Watch) time.Duration {
	d := &n.watch
	for _, rule := range n.rules {
		if rule.Latency != nil && rule.matchesWatch(w) {
			d = rule.Latency
			break
		}
	}
	if d == &n.watch && len(n.some) > 0 {
		d = n.latencyOf(d, w.client, "watch", w.table.res.plural, w.sel.name)
	}
	if d.IsZero() {
		return 0
	}
	return d.Sample(w.client.watchRand())
}

// latencyOf is the latency of some calls, or else the one given.
func (n *Network) latencyOf(other *sim.Dist, c *Client, verb, resource, name string) *sim.Dist {
	for i := range n.some {
		if n.some[i].Match.matches(c, verb, resource, name) {
			return &n.some[i].Latency
		}
	}
	return other
}

// holds decides about a watch that has something to deliver.
func (n *Network) holds(w *Watch) bool {
	for _, rule := range n.rules {
		if rule.HoldWatch && rule.matchesWatch(w) {
			return true
		}
	}
	return false
}
