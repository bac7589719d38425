package scenario

import (
	"fmt"
	"slices"
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
	var first []string
	for i := range v.scenario.Spec.Pods {
		group := &v.scenario.Spec.Pods[i]
		for _, nodes := range v.scenario.NodeNames() {
			for _, node := range nodes {
				for n := range min(group.PerNode, mostPodsPerNode) {
					if group.podName(node, n) == x.Pod {
						return
					}
				}
			}
			if len(nodes) > 0 {
				first = append(first, group.podName(nodes[0], 0)+" and so on")
			}
		}
	}
	accepted := "the name of a pod; this scenario has none"
	if len(first) > 0 {
		accepted = listNames(slices.Compact(first))
	}
	v.add(badValue(inputJoin(at, "pod"), x.Pod, "is no pod of this scenario", accepted))
}
