package scenario

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/fakeapi"
)

// outOfServiceAction is an administrator who says that a node is off for
// certain: the taint node.kubernetes.io/out-of-service, which is taken off
// where the fault ends. From 1.26 on PodGC then deletes what is terminating on
// it, and its volumes are detached, which is not modelled.
type outOfServiceAction struct{ node string }

func (a outOfServiceAction) verb() string     { return "outOfService" }
func (a outOfServiceAction) nodes() []string  { return []string{a.node} }
func (a outOfServiceAction) describe() string { return "" }

func (a outOfServiceAction) begin(c *Cluster) func() {
	taint := corev1.Taint{Key: corev1.TaintNodeOutOfService, Value: "nodeshutdown", Effect: corev1.TaintEffectNoExecute}
	return c.eachNode(a.node, func(n *Node) func() {
		c.editTaints(n.name, func(taints []corev1.Taint) []corev1.Taint { return append(without(taints, &taint), taint) })
		return func() {
			c.editTaints(n.name, func(taints []corev1.Taint) []corev1.Taint { return without(taints, &taint) })
		}
	})
}

// editTaints changes the taints of a Node as kubectl taint does. If somebody
// else writes the Node at the same time it is tried again.
func (c *Cluster) editTaints(name string, edit func([]corev1.Taint) []corev1.Taint) {
	const tries = 5
	c.kubectl(name, func(client *fakeapi.Client) {
		for range tries {
			node, err := client.Nodes().Get(context.Background(), name, metav1.GetOptions{})
			if err != nil {
				return
			}
			node = node.DeepCopy()
			node.Spec.Taints = edit(node.Spec.Taints)
			if _, err := client.Nodes().Update(context.Background(), node, metav1.UpdateOptions{}); err == nil {
				return
			}
		}
	})
}

func without(taints []corev1.Taint, taint *corev1.Taint) []corev1.Taint {
	return slices.DeleteFunc(slices.Clone(taints), func(t corev1.Taint) bool { return t.MatchTaint(taint) })
}
