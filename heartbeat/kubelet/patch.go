package kubelet

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/holter-sim/holter/heartbeat"
)

// patchNodeStatus sends the difference between two nodes' status. The patch
// carries no resourceVersion, so it never conflicts. Upstream:
// nodeutil.PatchNodeStatus (component-helpers v0.36.3).
func patchNodeStatus(nodes heartbeat.NodeClient, original, node *corev1.Node, replacesAddresses bool) (*corev1.Node, error) {
	data, err := patchBytes(original, node, replacesAddresses)
	if err != nil {
		return nil, err
	}
	updated, err := nodes.Patch(context.Background(), node.Name, types.StrategicMergePatchType, data, metav1.PatchOptions{}, "status")
	if err != nil {
		return nil, fmt.Errorf("failed to patch status %q for node %q: %w", data, node.Name, err)
	}
	return updated, nil
}

// patchBytes is the strategic merge patch from original to node, the spec
// left out. Addresses that changed are replaced as a whole: their list would
// merge by type and keep old ones, as it did before v1.16. Upstream:
// preparePatchBytesforNodeStatus.
func patchBytes(original, node *corev1.Node, replacesAddresses bool) ([]byte, error) {
	oldData, err := json.Marshal(original)
	if err != nil {
		return nil, fmt.Errorf("failed to marshal old node %q: %w", original.Name, err)
	}
	replace := len(original.Status.Addresses) > 0 && replacesAddresses && !sameAddresses(original.Status.Addresses, node.Status.Addresses)
	statusOnly := *node
	statusOnly.Spec = original.Spec
	if replace {
		statusOnly.Status.Addresses = original.Status.Addresses
	}
	newData, err := json.Marshal(&statusOnly)
	if err != nil {
		return nil, fmt.Errorf("failed to marshal new node %q: %w", node.Name, err)
	}
	data, err := strategicpatch.CreateTwoWayMergePatch(oldData, newData, corev1.Node{})
	if err != nil {
		return nil, fmt.Errorf("failed to create patch for node %q: %w", node.Name, err)
	}
	if !replace {
		return data, nil
	}
	return replaceAddresses(data, node.Status.Addresses)
}

// replaceAddresses. Upstream: fixupPatchForNodeStatusAddresses.
func replaceAddresses(data []byte, addresses []corev1.NodeAddress) ([]byte, error) {
	var patch map[string]any
	if err := json.Unmarshal(data, &patch); err != nil {
		return nil, err
	}
	list := make([]any, 0, len(addresses)+1)
	for _, a := range addresses {
		list = append(list, map[string]string{"type": string(a.Type), "address": a.Address})
	}
	list = append(list, map[string]string{"$patch": "replace"})
	status, _ := patch["status"].(map[string]any)
	if status == nil {
		status = map[string]any{}
		patch["status"] = status
	}
	status["addresses"] = list
	return json.Marshal(patch)
}
