package nodelifecycle

import (
	"context"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// reconciledLabels are labels whose beta name follows the stable one.
// Upstream: labelReconcileInfo.
var reconciledLabels = []struct{ primary, secondary string }{
	{corev1.LabelOSStable, "beta.kubernetes.io/os"},
	{corev1.LabelArchStable, "beta.kubernetes.io/arch"},
}

// reconcileNodeLabels gives a node the beta labels that its stable ones ask
// for. Nodes of kubelets have them; others may not. A failure is not retried
// until the node changes again. Upstream: same name, and
// controller.AddOrUpdateLabelsOnNode, whose error hides a conflict from its
// own retry.
func (nc *Controller) reconcileNodeLabels(name string) {
	node, ok := nc.nodes.Store().Get(name)
	if !ok {
		return
	}
	labels := map[string]string{}
	for _, label := range reconciledLabels {
		value, exists := node.Labels[label.primary]
		if secondary, has := node.Labels[label.secondary]; exists && (!has || secondary != value) {
			labels[label.secondary] = value
		}
	}
	if len(labels) == 0 {
		return
	}
	fresh, err := nc.clients.Nodes.Get(context.Background(), name, metav1.GetOptions{ResourceVersion: "0"})
	if err != nil {
		return
	}
	data, err := labelPatch(fresh, labels)
	if err != nil {
		return
	}
	_, _ = nc.clients.Nodes.Patch(context.Background(), name, types.StrategicMergePatchType, data, metav1.PatchOptions{})
}

// labelPatch is the strategic merge patch that gives node the labels, {} if it
// has them.
func labelPatch(node *corev1.Node, labels map[string]string) ([]byte, error) {
	missing := map[string]string{}
	for key, value := range labels { // order: into a map
		if have, ok := node.Labels[key]; !ok || have != value {
			missing[key] = value
		}
	}
	if len(missing) == 0 {
		return []byte("{}"), nil
	}
	return json.Marshal(map[string]any{"metadata": map[string]any{"labels": missing}})
}
