package scenario

import (
	"fmt"
	"time"

	"github.com/holter-sim/holter/traces"
)

// conditionBecomes: a node's condition turns to a status within a window.
type conditionBecomes struct {
	expected
	becomes
}

func (c *conditionBecomes) observe(ev *traces.Event) {
	t, ok := c.follow(ev)
	if ok && ev.Kind == traces.KindTransition && ev.Node == c.node && ev.Name == c.spec.Condition && ev.To == c.spec.Becomes {
		c.take(&c.expected, t)
	}
}

func (c *conditionBecomes) verdict(time.Duration) Verdict {
	text := fmt.Sprintf("%s %s becomes %s", c.node, c.spec.Condition, c.spec.Becomes)
	return c.becomes.verdict(&c.expected, c.name(text), c.spec.Becomes+" "+c.within())
}
