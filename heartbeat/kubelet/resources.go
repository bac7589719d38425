package kubelet

import (
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Others than the kubelet may advertise resources on its node (the
// cluster-level extended resources): the kubelet's own never drive them out.

// missingResources are those of have that own says nothing of, nil for none.
func missingResources(have, own corev1.ResourceList) corev1.ResourceList {
	var missing corev1.ResourceList
	for name, quantity := range have { // order: into a map
		if _, known := own[name]; !known {
			if missing == nil {
				missing = corev1.ResourceList{}
			}
			missing[name] = quantity
		}
	}
	return missing
}

// keptAllocatable is what stays allocatable beside the machine's own: all of
// what others advertise as capacity, and what was there without a capacity
// unless it is an extended resource.
func keptAllocatable(stale, foreign corev1.ResourceList) corev1.ResourceList {
	kept := maps.Clone(foreign)
	for name, quantity := range stale { // order: into a map
		if _, has := foreign[name]; has || isExtendedResource(name) {
			continue
		}
		if kept == nil {
			kept = corev1.ResourceList{}
		}
		kept[name] = quantity
	}
	return kept
}

// withResources adds to own, which is shared where there is nothing to add.
func withResources(own, more corev1.ResourceList) corev1.ResourceList {
	if len(more) == 0 {
		return own
	}
	all := maps.Clone(own)
	maps.Copy(all, more)
	return all
}

// isExtendedResource. Upstream: helper.IsExtendedResourceName, but for its
// check of the name's length.
func isExtendedResource(name corev1.ResourceName) bool {
	native := !strings.Contains(string(name), "/") || strings.Contains(string(name), corev1.ResourceDefaultNamespacePrefix)
	return !native && !strings.HasPrefix(string(name), corev1.DefaultResourceRequestsPrefix)
}
