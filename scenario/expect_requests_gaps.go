package scenario

import (
	"fmt"
	"strings"
	"time"

	"github.com/holter-sim/holter/traces"
)

// requestsGaps: the pauses between requests of a node's kubelet are these,
// each from the answer of one to the sending of the next.
type requestsGaps struct {
	expected
	answered time.Duration // when the last matching request was answered
	started  bool
	gaps     []time.Duration
}

func (c *requestsGaps) observe(ev *traces.Event) {
	_, ok := c.follow(ev)
	if !ok || len(c.gaps) == len(c.spec.Gaps) || !c.matches(ev) || ev.Sent < c.origin || !c.inWindow(ev.Sent-c.origin) {
		return
	}
	if c.started {
		c.gaps = append(c.gaps, ev.Sent-c.answered)
	}
	c.started, c.answered = true, ev.At
}

func (c *requestsGaps) verdict(time.Duration) Verdict {
	want := make([]time.Duration, len(c.spec.Gaps))
	ok := len(c.gaps) == len(want)
	for i := range want {
		want[i] = c.spec.Gaps[i].Duration
		ok = ok && (c.gaps[i]-want[i]).Abs() <= c.spec.Tolerance.Duration
	}
	text := fmt.Sprintf("%s pauses between %s%s", c.node, c.spec.Requests, c.window())
	wantText := fmt.Sprintf("%s, give or take %s", durations(want), c.spec.Tolerance)
	if !c.since {
		return c.missing(c.name(text), wantText)
	}
	return Verdict{Name: c.name(text), OK: ok, Want: wantText, Got: durations(c.gaps)}
}

func durations(list []time.Duration) string {
	if len(list) == 0 {
		return "none"
	}
	texts := make([]string, len(list))
	for i, d := range list {
		texts[i] = d.Truncate(time.Microsecond).String()
	}
	return strings.Join(texts, " ")
}
