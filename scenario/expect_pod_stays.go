package scenario

import (
	"fmt"
	"time"

	"github.com/holter-sim/holter/traces"
)

// podStays: a pod is there and its deletion does not begin, up to the end of
// the window. Nothing that was deleted comes back, so what happens before the
// window counts as well.
type podStays struct {
	expected
	present bool
	broken  string // what it became, "" for nothing
	when    time.Duration
}

func (c *podStays) observe(ev *traces.Event) {
	c.follow(ev)
	switch {
	case ev.Kind != kindPod || ev.Name != c.spec.Pod:
	case ev.To == PodPresent:
		c.present = true
	case c.broken == "":
		c.broken, c.when = ev.To, ev.At
	}
}

func (c *podStays) verdict(time.Duration) Verdict {
	text := fmt.Sprintf("pod %s stays %s", c.spec.Pod, c.spec.Stays)
	want := c.spec.Stays + c.window()
	if !c.since {
		return c.missing(c.name(text), want)
	}
	v := Verdict{Name: c.name(text), Want: want, Got: c.spec.Stays + " throughout"}
	switch {
	case !c.present:
		v.Got = "never " + c.spec.Stays
	case c.broken != "" && c.inWindow(c.when-c.origin):
		v.Got = c.broken + " " + c.at(c.when-c.origin)
	default:
		v.OK = true
	}
	return v
}
