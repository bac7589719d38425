package nodelifecycle

import (
	corev1 "k8s.io/api/core/v1"
)

// conditionTaints is which NoSchedule taint a condition's status asks for.
// Upstream: nodeConditionToTaintKeyStatusMap.
var conditionTaints = []struct {
	condition corev1.NodeConditionType
	status    corev1.ConditionStatus
	key       string
}{
	{corev1.NodeReady, corev1.ConditionFalse, corev1.TaintNodeNotReady},
	{corev1.NodeReady, corev1.ConditionUnknown, corev1.TaintNodeUnreachable},
	{corev1.NodeMemoryPressure, corev1.ConditionTrue, corev1.TaintNodeMemoryPressure},
	{corev1.NodeDiskPressure, corev1.ConditionTrue, corev1.TaintNodeDiskPressure},
	{corev1.NodeNetworkUnavailable, corev1.ConditionTrue, corev1.TaintNodeNetworkUnavailable},
	{corev1.NodePIDPressure, corev1.ConditionTrue, corev1.TaintNodePIDPressure},
}

// doNoScheduleTaintingPass brings the NoSchedule taints of a node in line with
// its conditions. It runs on every change of a node and is not rate limited; a
// failure is not retried until the node changes again. Upstream: same name.
func (nc *Controller) doNoScheduleTaintingPass(name string) {
	node, ok := nc.nodes.Store().Get(name)
	if !ok {
		return
	}
	want := noScheduleTaints(node)
	var have []corev1.Taint
	for _, t := range node.Spec.Taints {
		if t.Effect == corev1.TaintEffectNoSchedule && isConditionTaint(t.Key) {
			have = append(have, t)
		}
	}
	add, remove := missingFrom(want, have), missingFrom(have, want)
	if len(add) == 0 && len(remove) == 0 {
		return
	}
	nc.swapTaints(add, remove, node)
}

func noScheduleTaints(node *corev1.Node) []corev1.Taint {
	var taints []corev1.Taint
	for _, c := range node.Status.Conditions {
		for _, rule := range conditionTaints {
			if rule.condition == c.Type && rule.status == c.Status {
				taints = append(taints, corev1.Taint{Key: rule.key, Effect: corev1.TaintEffectNoSchedule})
			}
		}
	}
	if node.Spec.Unschedulable {
		taints = append(taints, corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule})
	}
	return taints
}

func isConditionTaint(key string) bool {
	for _, rule := range conditionTaints {
		if rule.key == key {
			return true
		}
	}
	return key == corev1.TaintNodeUnschedulable
}

// missingFrom lists the taints of a that b has no match for.
func missingFrom(a, b []corev1.Taint) []corev1.Taint {
	var out []corev1.Taint
	for i := range a {
		if !hasTaint(b, &a[i]) {
			out = append(out, a[i])
		}
	}
	return out
}
