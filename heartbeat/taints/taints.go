// Package taints tells which taints a pod tolerates: k8s.io/api core/v1
// (v0.36) and k8s.io/component-helpers scheduling/corev1 (v0.36).
package taints

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// Tolerates tells whether a toleration is one of a taint. Upstream:
// Toleration.ToleratesTaint without the gate TaintTolerationComparisonOperators,
// which is off.
func Tolerates(t *corev1.Toleration, taint *corev1.Taint) bool {
	if t.Effect != "" && t.Effect != taint.Effect || t.Key != "" && t.Key != taint.Key {
		return false
	}
	switch t.Operator {
	case "", corev1.TolerationOpEqual:
		return t.Value == taint.Value
	case corev1.TolerationOpExists:
		return true
	}
	return false
}

// Untolerated tells whether there is a taint with one of the effects that none
// of the tolerations is of. Upstream: FindMatchingUntoleratedTaint.
func Untolerated(taints []corev1.Taint, tolerations []corev1.Toleration, effects ...corev1.TaintEffect) bool {
	return slices.ContainsFunc(taints, func(taint corev1.Taint) bool {
		return slices.Contains(effects, taint.Effect) &&
			!slices.ContainsFunc(tolerations, func(t corev1.Toleration) bool { return Tolerates(&t, &taint) })
	})
}
