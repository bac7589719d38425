package scenario

import (
	"fmt"
	"time"

	"github.com/holter-sim/holter/traces"
)

// conditionStays: a node's condition has a status over a whole window. The
// status that it has when the window opens counts too. Without a From the window
// opens at the fault that Since names, if the condition has the status then, and
// otherwise when it first has it. A Node that is deleted has no condition.
type conditionStays struct {
	expected
	status string        // what it is now, absent while there is none
	opened bool          // the window has been entered
	broken string        // the status that it should not have had, "" for none
	when   time.Duration // when it had it
}

// absent is the status of a condition that is not there.
const absent = "absent"

func (c *conditionStays) observe(ev *traces.Event) {
	t, ok := c.follow(ev)
	if ok {
		c.enter(t)
	}
	if c.learn(ev) && ok {
		c.judge(t)
	}
}

// enter opens the window before what happens at t.
func (c *conditionStays) enter(t time.Duration) {
	switch {
	case c.opened:
	case c.spec.From != nil:
		if t >= c.spec.From.Duration {
			c.open(c.spec.From.Duration)
		}
	case c.spec.Since != "":
		c.judge(t)
	}
}

// open checks what the condition is when the window opens.
func (c *conditionStays) open(t time.Duration) {
	c.opened = true
	c.judge(t)
}

// judge holds the status of now against the one that is to stay.
func (c *conditionStays) judge(t time.Duration) {
	switch {
	case !c.inWindow(t):
	case c.status == c.spec.Stays:
		c.opened = c.opened || c.spec.From == nil
	case c.opened && c.broken == "":
		c.broken, c.when = c.status, t
		if c.broken == "" {
			c.broken = absent
		}
	}
}

// learn follows the condition, whatever the window.
func (c *conditionStays) learn(ev *traces.Event) bool {
	switch {
	case ev.Node != c.node:
		return false
	case ev.Kind == traces.KindTransition && ev.Name == c.spec.Condition:
		c.status = ev.To
	case ev.Kind == traces.KindRegister && ev.To == "deleted":
		c.status = absent
	default:
		return false
	}
	return true
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
