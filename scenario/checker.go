package scenario

import (
	"fmt"
	"strings"
	"time"

	"github.com/holter-sim/holter/sim"
	"github.com/holter-sim/holter/traces"
)

// Verdict is what came of one expectation for one node.
type Verdict struct {
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	Want string `json:"want"`
	Got  string `json:"got"`

	of   *Expectation // what it is a verdict on
	node string
}

// Summarize folds the verdicts of an expectation for every node into one where
// all of them are fine. The order stays.
func Summarize(verdicts []Verdict) []Verdict {
	var out []Verdict
	for i := 0; i < len(verdicts); {
		v := verdicts[i]
		n := 1
		for i+n < len(verdicts) && verdicts[i+n].of == v.of && verdicts[i+n].OK && v.OK {
			n++
		}
		if v.OK && v.of != nil && v.of.Node == EveryNode && n > 1 {
			v.Name = strings.Replace(v.Name, v.node, "every node", 1)
			v.Got = fmt.Sprintf("all %d", n)
		} else {
			n = 1
		}
		out = append(out, v)
		i += n
	}
	return out
}

// checker judges one expectation for one node by the trace alone. Each form
// has a file of its own.
type checker interface {
	observe(ev *traces.Event)
	// verdict is asked for once, at the end of the run.
	verdict(end time.Duration) Verdict
	// about is the expectation and the node that it judges.
	about() (*Expectation, string)
}

// newCheckers makes the checkers of an expectation: one, or one a node for "*".
func newCheckers(x *Expectation, allNodes []string) []checker {
	nodes := []string{x.Node}
	if x.Node == EveryNode {
		nodes = allNodes
	}
	checkers := make([]checker, 0, len(nodes))
	for _, node := range nodes {
		base := expected{spec: x, node: node, since: x.Since == ""}
		switch x.Form() {
		case ConditionBecomes:
			checkers = append(checkers, &conditionBecomes{expected: base})
		case ConditionStays:
			checkers = append(checkers, &conditionStays{expected: base})
		case TaintBecomes:
			checkers = append(checkers, &taintBecomes{expected: base})
		case PodBecomes:
			checkers = append(checkers, &podBecomes{expected: base})
		case PodStays:
			checkers = append(checkers, &podStays{expected: base})
		case RequestsCount:
			checkers = append(checkers, &requestsCount{expected: base})
		case RequestsGaps:
			checkers = append(checkers, &requestsGaps{expected: base})
		}
	}
	return checkers
}

// expected is what all checkers share: the expectation, the node, and the
// moment from which its times count.
type expected struct {
	spec   *Expectation
	node   string
	since  bool // the moment is known
	origin time.Duration
}

func (x *expected) about() (*Expectation, string) { return x.spec, x.node }

// follow learns the moment that Since names. It returns the time of ev counted
// from it, and whether it has come.
func (x *expected) follow(ev *traces.Event) (time.Duration, bool) {
	if !x.since && ev.Kind == traces.KindFault && ev.Name == x.spec.Since && ev.To == faultBegins {
		x.since, x.origin = true, ev.At
	}
	return ev.At - x.origin, x.since
}

// inWindow tells whether t lies in From..To.
func (x *expected) inWindow(t time.Duration) bool {
	return (x.spec.From == nil || t >= x.spec.From.Duration) && (x.spec.To == nil || t <= x.spec.To.Duration)
}

// window says From..To for people, "" if neither is given.
func (x *expected) window() string {
	switch from, to := x.spec.From, x.spec.To; {
	case from != nil && to != nil:
		return fmt.Sprintf(" from %s to %s%s", from, to, x.sinceText())
	case from != nil:
		return fmt.Sprintf(" from %s%s", from, x.sinceText())
	case to != nil:
		return fmt.Sprintf(" up to %s%s", to, x.sinceText())
	}
	return x.sinceText()
}

func (x *expected) sinceText() string {
	if x.spec.Since == "" {
		return ""
	}
	return " after " + x.spec.Since
}

func (x *expected) within() string {
	return fmt.Sprintf("within %s..%s%s", x.spec.Within[0], x.spec.Within[1], x.sinceText())
}

func (x *expected) name(text string) string {
	if x.spec.Name == "" {
		return text
	}
	if x.spec.Node == EveryNode {
		return x.spec.Name + " [" + x.node + "]"
	}
	return x.spec.Name
}

// at says a time as the expectation counts it, and as the trace does.
func (x *expected) at(t time.Duration) string {
	if x.origin == 0 {
		return sim.Time(t).String()
	}
	return fmt.Sprintf("%s after %s, at %s", t.Truncate(time.Microsecond), x.spec.Since, sim.Time(t+x.origin))
}

// missing is the verdict of an expectation whose fault never struck.
func (x *expected) missing(name, want string) Verdict {
	return Verdict{Name: name, Want: want, Got: fmt.Sprintf("the fault %q never struck", x.spec.Since)}
}

// becomes looks for the first change that it matches inside Within. What
// happens outside is told where nothing happens inside.
type becomes struct {
	found   bool
	at      time.Duration
	outside []time.Duration
}

func (b *becomes) take(x *expected, t time.Duration) {
	switch {
	case b.found:
	case t >= x.spec.Within[0].Duration && t <= x.spec.Within[1].Duration:
		b.found, b.at = true, t
	case len(b.outside) < 3:
		b.outside = append(b.outside, t)
	}
}

func (b *becomes) verdict(x *expected, name, want string) Verdict {
	v := Verdict{Name: name, Want: want, OK: b.found}
	switch {
	case b.found:
		v.Got = x.at(b.at)
	case !x.since:
		return x.missing(name, want)
	case len(b.outside) > 0:
		v.Got = "only"
		for i, t := range b.outside {
			if i > 0 {
				v.Got += " and"
			}
			v.Got += " " + x.at(t)
		}
	default:
		v.Got = "never"
	}
	return v
}
