package holtertest

import (
	"errors"
	"strings"
	"time"

	"github.com/holter-sim/holter/scenario"
)

// A bad argument ends the test at the caller's line, with what is accepted: an
// assertion about a node that is not there would be met, or missed, for nothing.

// checkNode wants the name of a node.
func (c *Cluster) checkNode(method, node string) {
	c.tb.Helper()
	if c.Cluster.Node(node) != nil {
		return
	}
	const most = 6
	var names []string
	for _, group := range c.Cluster.Scenario().NodeNames() {
		if len(group) > most {
			group = []string{group[0] + " to " + group[len(group)-1]}
		}
		names = append(names, group...)
	}
	c.tb.Fatalf("holtertest: %s: %q is no node of this cluster; accepted: %s", method, node, strings.Join(names, ", "))
}

// checkExpected judges arguments as the expectation of a scenario that they come to.
func (c *Cluster) checkExpected(method string, x scenario.Expectation) {
	c.tb.Helper()
	err := c.Cluster.Scenario().CheckExpectation(x)
	if err == nil {
		return
	}
	var bad *scenario.InputError
	if errors.As(err, &bad) {
		plain := *bad
		plain.Field = "" // the field of a file is none of the caller's
		err = &plain
	}
	c.tb.Fatalf("holtertest: %s: %v", method, err)
}

// checkRequests judges a kind of requests, "" or "VERB RESOURCE", and how many there may be.
func (c *Cluster) checkRequests(method, node, kind string, least, most int) {
	c.tb.Helper()
	c.checkNode(method, node)
	verb, resource, found := strings.Cut(kind, " ")
	if kind != "" && (!found || verb == "" || resource == "") {
		c.tb.Fatalf("holtertest: %s: %q is no kind of requests; accepted: VERB RESOURCE, as in \"update leases\", or \"\" for all", method, kind)
	}
	match := &scenario.RequestMatch{Verb: verb, Resource: resource}
	c.checkExpected(method, scenario.Expectation{Node: node, Requests: match, Count: []int{least, most}})
}

// checkTime wants a length of time that can lie ahead.
func (c *Cluster) checkTime(method string, d time.Duration) {
	c.tb.Helper()
	if d < 0 || c.Now() > longRun-d {
		c.tb.Fatalf("holtertest: %s: %q cannot be run at %s; accepted: a duration from 0s, and %s in all", method, d, micros(c.Now()), longRun)
	}
}

// required stands for a text that an expectation would leave out if it were empty.
func required(text string) string {
	if text == "" {
		return " "
	}
	return text
}

func (w Window) durations() []scenario.Duration {
	return []scenario.Duration{{Duration: w.First}, {Duration: w.Last}}
}

// micros is a duration as people read it, to the microsecond.
func micros(d time.Duration) string { return d.Truncate(time.Microsecond).String() }
