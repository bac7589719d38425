package wire

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var nodeColumns = []metav1.TableColumnDefinition{
	nameColumn(0),
	column("Status", 0, "The status of the node"),
	column("Roles", 0, "The roles of the node"),
	ageColumn(),
	column("Version", 0, corev1.NodeSystemInfo{}.SwaggerDoc()["kubeletVersion"]),
	column("Internal-IP", 1, corev1.NodeStatus{}.SwaggerDoc()["addresses"]),
	column("External-IP", 1, corev1.NodeStatus{}.SwaggerDoc()["addresses"]),
	column("OS-Image", 1, corev1.NodeSystemInfo{}.SwaggerDoc()["osImage"]),
	column("Kernel-Version", 1, corev1.NodeSystemInfo{}.SwaggerDoc()["kernelVersion"]),
	column("Container-Runtime", 1, corev1.NodeSystemInfo{}.SwaggerDoc()["containerRuntimeVersion"]),
}

// nodeRow is printNode.
func nodeRow(node *corev1.Node, now time.Time) metav1.TableRow {
	info := &node.Status.NodeInfo
	kernel := orUnknown(info.KernelVersion)
	if info.Architecture != "" {
		kernel += " (" + info.Architecture + ")"
	}
	return metav1.TableRow{Cells: []any{
		node.Name, nodeStatus(node), orNone(strings.Join(nodeRoles(node), ",")), age(node.CreationTimestamp, now), info.KubeletVersion,
		address(node, corev1.NodeInternalIP), address(node, corev1.NodeExternalIP),
		orUnknown(info.OSImage), kernel, orUnknown(info.ContainerRuntimeVersion),
	}}
}

func nodeStatus(node *corev1.Node) string {
	status := "Unknown"
	for i := range node.Status.Conditions {
		if c := &node.Status.Conditions[i]; c.Type == corev1.NodeReady {
			if status = "NotReady"; c.Status == corev1.ConditionTrue {
				status = "Ready"
			}
		}
	}
	if node.Spec.Unschedulable {
		status += ",SchedulingDisabled"
	}
	return status
}

// nodeRoles are those that labels say. Upstream: findNodeRoles.
func nodeRoles(node *corev1.Node) []string {
	var roles []string
	for key, value := range node.Labels { // order: the roles are sorted
		if role, ok := strings.CutPrefix(key, "node-role.kubernetes.io/"); ok && role != "" {
			roles = append(roles, role)
		}
		if key == "kubernetes.io/role" && value != "" {
			roles = append(roles, value)
		}
	}
	slices.Sort(roles)
	return slices.Compact(roles)
}

func address(node *corev1.Node, typ corev1.NodeAddressType) string {
	for _, a := range node.Status.Addresses {
		if a.Type == typ {
			return a.Address
		}
	}
	return "<none>"
}

func orUnknown(s string) string {
	if s == "" {
		return "<unknown>"
	}
	return s
}
