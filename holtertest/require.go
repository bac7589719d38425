package holtertest

import (
	"fmt"
	"strings"
	"time"

	"github.com/holter-sim/holter/scenario"
	"github.com/holter-sim/holter/sim"
	"github.com/holter-sim/holter/traces"
)

// Window is when something is to happen, counted from the last fault that was
// injected (from the start if there was none). Both ends are inside.
type Window struct{ First, Last time.Duration }

// Within is the window from first to last.
func Within(first, last time.Duration) Window { return Window{first, last} }

// Ready is the status of a node's Ready condition as it was last written:
// "True", "False", "Unknown", or "" if it never changed.
func (c *Cluster) Ready(node string) string {
	c.tb.Helper()
	c.checkNode("Ready", node)
	status := ""
	for _, t := range c.History().Transitions {
		if t.Node == node && t.Type == "Ready" {
			status = t.To
		}
	}
	return status
}

// RequireReady runs to the end of the window, if that is not over, and
// requires that the node's Ready condition turned to status within it.
func (c *Cluster) RequireReady(node, status string, w Window) {
	c.tb.Helper()
	c.checkNode("RequireReady", node)
	c.checkExpected("RequireReady", scenario.Expectation{Node: node, Condition: "Ready", Becomes: required(status), Within: w.durations()})
	c.runTo(w)
	var seen []string
	for _, t := range c.History().Transitions {
		after := t.At.Duration() - c.mark
		if t.Node != node || t.Type != "Ready" || after < 0 {
			continue
		}
		if t.To == status && after >= w.First && after <= w.Last {
			return
		}
		seen = append(seen, t.To+" after "+micros(after))
	}
	c.fail(node+" Ready becomes "+status, fmt.Sprintf("%s to %s after the fault", w.First, w.Last), orNothing(seen))
}

// RequireReadyStays requires that the node's Ready condition has had no other
// status since the last fault.
func (c *Cluster) RequireReadyStays(node, status string) {
	c.tb.Helper()
	c.checkNode("RequireReadyStays", node)
	c.checkExpected("RequireReadyStays", scenario.Expectation{Node: node, Condition: "Ready", Stays: required(status)})
	if now := c.Ready(node); now != status {
		c.fail(node+" Ready stays "+status, status, now)
	}
	for _, t := range c.History().Transitions {
		if t.Node == node && t.Type == "Ready" && t.At >= sim.Time(c.mark) && t.To != status {
			c.fail(node+" Ready stays "+status, status, fmt.Sprintf("%s at %s", t.To, t.At))
		}
	}
}

// RequireTaint runs to the end of the window, if that is not over, and
// requires that the taint ("node.kubernetes.io/unreachable:NoExecute") was
// added ("added") or removed ("removed") within it.
func (c *Cluster) RequireTaint(node, taint, op string, w Window) {
	c.tb.Helper()
	c.checkNode("RequireTaint", node)
	key, effect, found := strings.Cut(taint, ":")
	if !found || effect == "" {
		c.tb.Fatalf("holtertest: RequireTaint: %q is no taint; accepted: KEY:EFFECT, as in node.kubernetes.io/unreachable:NoExecute", taint)
	}
	c.checkExpected("RequireTaint", scenario.Expectation{Node: node, Taint: required(key), Effect: effect, Becomes: required(op), Within: w.durations()})
	c.runTo(w)
	var seen []string
	for _, t := range c.History().Taints {
		after := t.At.Duration() - c.mark
		if t.Node != node || t.Key+":"+t.Effect != taint || after < 0 {
			continue
		}
		if t.Op == op && after >= w.First && after <= w.Last {
			return
		}
		seen = append(seen, t.Op+" after "+micros(after))
	}
	c.fail(node+" taint "+taint+" "+op, fmt.Sprintf("%s to %s after the fault", w.First, w.Last), orNothing(seen))
}

// Requests lists the requests that a node's kubelet sent since the last fault,
// of that kind: "update leases", "patch nodes/status", or "" for all.
func (c *Cluster) Requests(node, kind string) []traces.Event {
	c.tb.Helper()
	c.checkRequests("Requests", node, kind, 0, 0)
	return c.requests(node, kind)
}

func (c *Cluster) requests(node, kind string) []traces.Event {
	var out []traces.Event
	for i := range c.events.Events {
		ev := &c.events.Events[i]
		if ev.Kind == traces.KindRequest && ev.Actor == "kubelet/"+node && ev.Sent >= c.mark && (kind == "" || kind == ev.Verb+" "+ev.Resource) {
			out = append(out, *ev)
		}
	}
	return out
}

// RequireRequests requires that a node's kubelet sent between least and most
// requests of a kind since the last fault.
func (c *Cluster) RequireRequests(node, kind string, least, most int) {
	c.tb.Helper()
	c.checkRequests("RequireRequests", node, kind, least, most)
	got := c.requests(node, kind)
	if len(got) >= least && len(got) <= most {
		return
	}
	lines := make([]string, len(got))
	for i := range got {
		lines[i] = "\n    " + traces.Text(&got[i])
	}
	c.fail(fmt.Sprintf("%s sends %s", node, kind), fmt.Sprintf("%d to %d", least, most), fmt.Sprintf("%d%s", len(got), strings.Join(lines, "")))
}

func (c *Cluster) runTo(w Window) {
	c.tb.Helper()
	if left := c.mark + w.Last - c.Now(); left > 0 {
		c.RunFor(left)
	}
}

func orNothing(seen []string) string {
	if len(seen) == 0 {
		return "no change"
	}
	return strings.Join(seen, ", ")
}
