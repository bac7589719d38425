package scenario

import (
	"fmt"
	"strconv"
	"time"

	"github.com/holter-sim/holter/traces"
)

// requestsCount: so many requests of a node's kubelet match. A request counts
// where it was sent, if by the end of the run it was answered or given up.
type requestsCount struct {
	expected
	count int
}

func (c *requestsCount) observe(ev *traces.Event) {
	_, ok := c.follow(ev)
	if ok && c.matches(ev) && ev.Sent >= c.origin && c.inWindow(ev.Sent-c.origin) {
		c.count++
	}
}

func (c *requestsCount) verdict(time.Duration) Verdict {
	least, most := c.spec.Count[0], c.spec.Count[1]
	want := fmt.Sprintf("%d to %d", least, most)
	if least == most {
		want = strconv.Itoa(least)
	}
	text := fmt.Sprintf("%s sends %s%s", c.node, c.spec.Requests, c.window())
	if !c.since {
		return c.missing(c.name(text), want)
	}
	return Verdict{Name: c.name(text), OK: c.count >= least && c.count <= most, Want: want, Got: strconv.Itoa(c.count)}
}

// matches tells whether ev is one of the requests that the expectation names.
func (x *expected) matches(ev *traces.Event) bool {
	if ev.Kind != traces.KindRequest || nodeOfClient(ev.Actor) != x.node {
		return false
	}
	m := x.spec.Requests
	return (m.Verb == "" || m.Verb == ev.Verb) && (m.Resource == "" || m.Resource == ev.Resource) && (m.Code == 0 || m.Code == ev.Code)
}

// String says the requests for people: "update leases 409".
func (m *RequestMatch) String() string {
	text := "requests"
	if m.Verb != "" {
		text = m.Verb
	}
	if m.Resource != "" {
		text += " " + m.Resource
	}
	if m.Code != 0 {
		text += " " + strconv.Itoa(m.Code)
	}
	return text
}
