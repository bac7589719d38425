package scenario

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// kubeletConditions are those that kubelets report, and that the node lifecycle
// controller turns Unknown.
func kubeletConditions() []corev1.NodeConditionType {
	return []corev1.NodeConditionType{corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure, corev1.NodeReady}
}

// healthy is what the kubelet of a ready node reports.
func healthy() []conditionDelta {
	var all []conditionDelta
	for _, kind := range kubeletConditions() {
		all = append(all, conditionDelta{Type: kind, Status: corev1.ConditionFalse})
	}
	all[len(all)-1].Status, all[len(all)-1].Reason = corev1.ConditionTrue, "KubeletReady"
	return all
}

// unknown is what the controller writes of a node that is not heard of.
func unknown() []conditionDelta {
	var all []conditionDelta
	for _, kind := range kubeletConditions() {
		all = append(all, conditionDelta{Type: kind, Status: corev1.ConditionUnknown, Reason: "NodeStatusUnknown"})
	}
	return all
}

// foreignConditions leaves out what kubelets report: what somebody else writes
// of those is what he read.
func foreignConditions(all []conditionDelta) []conditionDelta {
	var others []conditionDelta
	for _, c := range all {
		if !slices.Contains(kubeletConditions(), c.Type) {
			others = append(others, c)
		}
	}
	return others
}

// withReported is what a kubelet says of its node after one more report.
func withReported(before, report []conditionDelta) []conditionDelta {
	after := slices.Clone(before)
	for _, c := range report {
		i := slices.IndexFunc(after, func(old conditionDelta) bool { return old.Type == c.Type })
		switch {
		case c.Status == "" || c.Status == corev1.ConditionUnknown:
		case i < 0:
			after = append(after, c)
		default:
			after[i] = c
		}
	}
	return after
}

// setConditions writes what changes says. A condition whose status stays gets
// the heartbeat only.
func setConditions(status *corev1.NodeStatus, changes []conditionDelta, heartbeat, transition metav1.Time) {
	for _, c := range changes {
		i := slices.IndexFunc(status.Conditions, func(old corev1.NodeCondition) bool { return old.Type == c.Type })
		if i < 0 {
			if c.Status == "" {
				continue
			}
			status.Conditions = append(status.Conditions, corev1.NodeCondition{Type: c.Type})
			i = len(status.Conditions) - 1
		}
		condition := &status.Conditions[i]
		condition.LastHeartbeatTime = heartbeat
		if c.Status != "" && c.Status != condition.Status {
			condition.LastTransitionTime = transition
			condition.Status, condition.Reason = c.Status, c.Reason
		}
	}
}

// writeSpec makes the delta's changes to a node, but for its conditions. Health
// taints stay: they are the controller's.
func (d *nodeDelta) writeSpec(node *corev1.Node) {
	if d.Taints != nil {
		health, _ := splitTaints(node.Spec.Taints)
		node.Spec.Taints = append(slices.Clone(*d.Taints), health...)
	}
	if d.Unschedulable != nil {
		node.Spec.Unschedulable = *d.Unschedulable
	}
	for _, key := range slices.Sorted(maps.Keys(d.Labels)) {
		if value := d.Labels[key]; value == nil {
			delete(node.Labels, key)
		} else {
			if node.Labels == nil {
				node.Labels = map[string]string{}
			}
			node.Labels[key] = *value
		}
	}
}
