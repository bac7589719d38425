package scenario

import (
	"fmt"
	"time"

	"github.com/holter-sim/holter/traces"
)

// podStays: a pod is there and its deletion does not begin, or it is ready, up
// to the end of the window. What it was before the window it is at its start.
type podStays struct {
	expected
	holds  bool
	broken string // what it became, "" for nothing
	when   time.Duration
}

func (c *podStays) observe(ev *traces.Event) {
	c.follow(ev)
	switch {
	case ev.Kind != kindPod || ev.Name != c.spec.Pod || c.broken != "" || c.over(ev.At):
	case ev.To == c.spec.Stays:
		c.holds = true
	case !c.breaks(ev.To):
	case c.holds && c.since && c.inWindow(ev.At-c.origin):
		c.broken, c.when = ev.To, ev.At
	default:
		c.holds = false
	}
}

// over tells whether the window is behind.
func (c *podStays) over(at time.Duration) bool {
	return c.since && c.spec.To != nil && at-c.origin > c.spec.To.Duration
}

// breaks tells whether a pod that becomes that is no longer what it is to stay.
func (c *podStays) breaks(to string) bool {
	switch to {
	case PodTerminating, PodDeleted:
		return true
	case PodNotReady, PodSucceeded, PodFailed:
		return c.spec.Stays == PodReady
	}
	return false
}

func (c *podStays) verdict(time.Duration) Verdict {
	text := fmt.Sprintf("pod %s stays %s", c.spec.Pod, c.spec.Stays)
	want := c.spec.Stays + c.window()
	if !c.since {
		return c.missing(c.name(text), want)
	}
	v := Verdict{Name: c.name(text), Want: want, Got: c.spec.Stays + " throughout"}
	switch {
	case !c.holds:
		v.Got = "never " + c.spec.Stays
	case c.broken != "":
		v.Got = c.broken + " " + c.at(c.when-c.origin)
	default:
		v.OK = true
	}
	return v
}
