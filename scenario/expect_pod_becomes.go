package scenario

import (
	"fmt"
	"time"

	"github.com/holter-sim/holter/traces"
)

// podBecomes: a pod's deletion begins, or the pod is gone, within a window.
type podBecomes struct {
	expected
	becomes
}

func (c *podBecomes) observe(ev *traces.Event) {
	t, ok := c.follow(ev)
	if ok && ev.Kind == kindPod && ev.Name == c.spec.Pod && ev.To == c.spec.Becomes {
		c.take(&c.expected, t)
	}
}

func (c *podBecomes) verdict(time.Duration) Verdict {
	text := fmt.Sprintf("pod %s %s", c.spec.Pod, c.spec.Becomes)
	return c.becomes.verdict(&c.expected, c.name(text), c.spec.Becomes+" "+c.within())
}

// checkPod wants one of the pods of this scenario, and no node beside it.
func (v *scenarioValidator) checkPod(x *Expectation, at string) {
	if x.Node != "" {
		v.add(badValue(inputJoin(at, "node"), x.Node, "does not go with pod", "either a node or a pod"))
	}
	v.checkPodName(inputJoin(at, "pod"), x.Pod)
}
