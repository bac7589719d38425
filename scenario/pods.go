package scenario

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/sim"
)

// createPods puts the scenario's pods on the nodes as they start, running and
// ready from the first moment: no kubelet runs pods here, they only show what
// becomes of them when their node does not answer.
func createPods(c *Cluster) {
	if len(c.scenario.Spec.Pods) == 0 {
		return
	}
	for _, n := range c.nodes {
		c.engine.At(sim.Time(n.startAt), func() {
			for i := range c.scenario.Spec.Pods {
				createGroup(c, &c.scenario.Spec.Pods[i], n.name)
			}
		})
	}
}

func createGroup(c *Cluster, group *PodGroup, node string) {
	for i := range group.PerNode {
		c.server.Put(&corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%s-%d", group.Name, node, i), Namespace: group.Namespace},
			Spec:       corev1.PodSpec{NodeName: node},
			Status: corev1.PodStatus{
				Phase:      corev1.PodRunning,
				Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
			},
		})
	}
}
