package scenario

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/fakeapi"
)

// createPods puts the scenario's pods on a node when it is first registered,
// running and ready from that moment: they show what becomes of pods when their
// node does not answer. Nothing replaces one that was deleted.
func (c *Cluster) createPods(node string) {
	if len(c.scenario.Spec.Pods) == 0 || c.podsOn[node] {
		return
	}
	c.podsOn[node] = true
	c.engine.After(0, func() {
		for i := range c.scenario.Spec.Pods {
			group := &c.scenario.Spec.Pods[i]
			for n := range group.PerNode {
				c.server.Put(group.pod(node, n))
			}
		}
	})
}

// podName is the name of a group's nth pod on a node.
func (g *PodGroup) podName(node string, n int) string {
	return fmt.Sprintf("%s-%s-%d", g.Name, node, n)
}

func (g *PodGroup) pod(node string, n int) *corev1.Pod {
	grace := int64(corev1.DefaultTerminationGracePeriodSeconds)
	if g.TerminationGracePeriodSeconds != nil {
		grace = int64(*g.TerminationGracePeriodSeconds)
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: g.podName(node, n), Namespace: g.Namespace},
		Spec: corev1.PodSpec{
			NodeName: node, Tolerations: g.tolerations(), TerminationGracePeriodSeconds: &grace,
			RestartPolicy: corev1.RestartPolicyAlways,
		},
		Status: corev1.PodStatus{
			Phase:      corev1.PodRunning,
			Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
		},
	}
	fakeapi.Admit(pod)
	if g.TolerationSeconds != nil {
		// What admission has added is what is not said otherwise.
		for i := len(g.Tolerations); i < len(pod.Spec.Tolerations); i++ {
			seconds := int64(*g.TolerationSeconds)
			pod.Spec.Tolerations[i].TolerationSeconds = &seconds
		}
	}
	return pod
}

func (g *PodGroup) tolerations() []corev1.Toleration {
	var tolerations []corev1.Toleration
	for _, t := range g.Tolerations {
		toleration := corev1.Toleration{
			Key: t.Key, Operator: corev1.TolerationOperator(t.Operator), Value: t.Value, Effect: corev1.TaintEffect(t.Effect),
		}
		if t.TolerationSeconds != nil {
			seconds := int64(*t.TolerationSeconds)
			toleration.TolerationSeconds = &seconds
		}
		tolerations = append(tolerations, toleration)
	}
	return tolerations
}
