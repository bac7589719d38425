package scenario

import (
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/fakeapi"
)

// createPods puts the scenario's pods on a node when it is first registered, as
// if the scheduler had bound them: its kubelet starts them. Nothing replaces one
// that was deleted, but for a static one.
func (c *Cluster) createPods(node string) {
	if len(c.scenario.Spec.Pods) == 0 || c.podsOn[node] {
		return
	}
	c.podsOn[node] = true
	c.engine.After(0, func() {
		for i := range c.scenario.Spec.Pods {
			group := &c.scenario.Spec.Pods[i]
			if group.Static {
				continue
			}
			for n := range group.PerNode {
				c.server.Put(group.pod(node, n))
			}
		}
		if n := c.Node(node); n != nil {
			n.runStaticPods()
		}
	})
}

// podName is the name of a group's nth pod on a node.
func (g *PodGroup) podName(node string, n int) string {
	if g.Static {
		return g.Name + "-" + node
	}
	return fmt.Sprintf("%s-%s-%d", g.Name, node, n)
}

// pod is a pod that is bound to a node, and was not started yet.
func (g *PodGroup) pod(node string, n int) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: g.podName(node, n), Namespace: g.Namespace},
		Spec:       g.template(),
		Status: corev1.PodStatus{
			Phase:      corev1.PodPending,
			Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}},
		},
	}
	pod.Spec.NodeName = node
	return pod
}

// staticPod is the pod in the folder of every kubelet.
func (g *PodGroup) staticPod() *corev1.Pod {
	spec := g.template()
	spec.Tolerations = g.tolerations() // no admission comes between, and the kubelet adds its own
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: g.Name, Namespace: g.Namespace}, Spec: spec}
}

func (g *PodGroup) template() corev1.PodSpec {
	spec := g.PodTimes.template()
	if g.RunFor.Duration > 0 {
		spec.Containers[0].Command = []string{"sleep", strconv.Itoa(int(g.RunFor.Duration / time.Second))}
		spec.RestartPolicy = corev1.RestartPolicyNever
	}
	return spec
}

// template is what all pods with these times are made of, after admission.
func (t *PodTimes) template() corev1.PodSpec {
	grace := int64(corev1.DefaultTerminationGracePeriodSeconds)
	if t.TerminationGracePeriodSeconds != nil {
		grace = int64(*t.TerminationGracePeriodSeconds)
	}
	pod := &corev1.Pod{Spec: corev1.PodSpec{
		Containers: []corev1.Container{{Name: "main", Image: "main"}}, Tolerations: t.tolerations(),
		TerminationGracePeriodSeconds: &grace, RestartPolicy: corev1.RestartPolicyAlways,
	}}
	fakeapi.Admit(pod)
	if t.TolerationSeconds != nil {
		// What admission has added is what is not said otherwise.
		for i := len(t.Tolerations); i < len(pod.Spec.Tolerations); i++ {
			seconds := int64(*t.TolerationSeconds)
			pod.Spec.Tolerations[i].TolerationSeconds = &seconds
		}
	}
	return pod.Spec
}

func (t *PodTimes) tolerations() []corev1.Toleration {
	var tolerations []corev1.Toleration
	for _, t := range t.Tolerations {
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
