package tainteviction

import (
	"math"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/holter-sim/holter/heartbeat/taints"
)

func getNoExecuteTaints(taints []corev1.Taint) []corev1.Taint {
	var result []corev1.Taint
	for i := range taints {
		if taints[i].Effect == corev1.TaintEffectNoExecute {
			result = append(result, taints[i])
		}
	}
	return result
}

// getMatchingTolerations tells whether every taint is tolerated, and by which
// toleration each: the first that fits. Upstream: pkg/apis/core/v1/helper.
func getMatchingTolerations(taints []corev1.Taint, tolerations []corev1.Toleration) (bool, []corev1.Toleration) {
	var used []corev1.Toleration
	for i := range taints {
		at := firstToleration(&taints[i], tolerations)
		if at < 0 {
			return false, nil
		}
		used = append(used, tolerations[at])
	}
	return true, used
}

// intolerable lists the taints that no toleration tolerates.
func intolerable(taints []corev1.Taint, tolerations []corev1.Toleration) []corev1.Taint {
	return slices.DeleteFunc(slices.Clone(taints), func(t corev1.Taint) bool { return firstToleration(&t, tolerations) >= 0 })
}

func firstToleration(taint *corev1.Taint, tolerations []corev1.Toleration) int {
	for i := range tolerations {
		if taints.Tolerates(&tolerations[i], taint) {
			return i
		}
	}
	return -1
}

// getMinTolerationTime is the shortest time of the tolerations, negative if all
// of them are for ever.
func getMinTolerationTime(tolerations []corev1.Toleration) time.Duration {
	if len(tolerations) == 0 {
		return 0
	}
	least := int64(math.MaxInt64)
	for i := range tolerations {
		seconds := tolerations[i].TolerationSeconds
		switch {
		case seconds == nil:
		case *seconds <= 0:
			return 0
		default:
			least = min(least, *seconds)
		}
	}
	if least == math.MaxInt64 {
		return -1
	}
	return time.Duration(least) * time.Second
}

// taintNames says for people which taints there are.
func taintNames(taints []corev1.Taint) string {
	names := make([]string, len(taints))
	for i := range taints {
		names[i] = taints[i].Key + ":" + string(taints[i].Effect)
	}
	return strings.Join(names, ", ")
}
