package scenario

import (
	"fmt"
	"time"

	"github.com/holter-sim/holter/traces"
)

// conditionStays: a node's condition has a status over a whole window. The
// status that it has when the window opens counts too; without a From the
// window opens when the condition first has the status.
type conditionStays struct {
	expected
	status string        // what it is now, "" before the first transition
	opened bool          // the window has been entered
	broken string        // the status that it should not have had, "" for none
	when   time.Duration // when it had it
}

func (c *conditionStays) observe(ev *traces.Event) {
	t, ok := c.follow(ev)
	if !ok {
		c.learn(ev)
		return
	}
	if !c.opened && c.spec.From != nil && t >= c.spec.From.Duration {
		c.open(c.spec.From.Duration)
	}
	if !c.learn(ev) || c.broken != "" {
		return
	}
	switch {
	case c.opened && c.inWindow(t) && c.status != c.spec.Stays:
		c.broken, c.when = c.status, t
	case !c.opened && c.spec.From == nil && c.status == c.spec.Stays:
		c.opened = true
	}
}

// open checks what the condition is when the window opens.
func (c *conditionStays) open(t time.Duration) {
	c.opened = true
	if c.status != c.spec.Stays {
		c.broken, c.when = c.status, t
		if c.broken == "" {
			c.broken = "absent"
		}
	}
}

// learn follows the condition, whatever the window.
func (c *conditionStays) learn(ev *traces.Event) bool {
	if ev.Kind == traces.KindTransition && ev.Node == c.node && ev.Name == c.spec.Condition {
		c.status = ev.To
		return true
	}
	return false
}

func (c *conditionStays) verdict(end time.Duration) Verdict {
	text := fmt.Sprintf("%s %s stays %s", c.node, c.spec.Condition, c.spec.Stays)
	want := c.spec.Stays + c.window()
	if !c.since {
		return c.missing(c.name(text), want)
	}
	if !c.opened && c.spec.From != nil && end-c.origin >= c.spec.From.Duration {
		c.open(c.spec.From.Duration)
	}
	v := Verdict{Name: c.name(text), Want: want, OK: c.opened && c.broken == ""}
	switch {
	case c.broken != "":
		v.Got = fmt.Sprintf("%s %s", c.broken, c.at(c.when))
	case !c.opened:
		v.Got = "never " + c.spec.Stays
	default:
		v.Got = c.spec.Stays + " throughout"
	}
	return v
}
