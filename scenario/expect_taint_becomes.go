package scenario

import (
	"fmt"
	"time"

	"github.com/holter-sim/holter/traces"
)

// taintBecomes: a taint is added to a node, or removed, within a window.
type taintBecomes struct {
	expected
	becomes
}

func (c *taintBecomes) observe(ev *traces.Event) {
	t, ok := c.follow(ev)
	if !ok || ev.Kind != traces.KindTaint || ev.Node != c.node || ev.Name != c.spec.Taint || ev.To != c.spec.Becomes {
		return
	}
	if c.spec.Effect == "" || c.spec.Effect == ev.Reason {
		c.take(&c.expected, t)
	}
}

func (c *taintBecomes) verdict(time.Duration) Verdict {
	taint := c.spec.Taint
	if c.spec.Effect != "" {
		taint += ":" + c.spec.Effect
	}
	text := fmt.Sprintf("%s taint %s %s", c.node, taint, c.spec.Becomes)
	return c.becomes.verdict(&c.expected, c.name(text), c.spec.Becomes+" "+c.within())
}
