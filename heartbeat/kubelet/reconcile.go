package kubelet

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// reconcileResources brings the resources of a node that is there already in
// line with the machine's, as far as the version does so at registration.
// Upstream: reconcileExtendedResource, reconcileHugePageResource.
func (kl *Kubelet) reconcileResources(node, existing *corev1.Node) bool {
	rules := &kl.cfg.Behaviors.Kubelet
	changed := rules.UpdatesDefaultResources && updateDefaultResources(node, existing)
	if rules.ZeroesExtendedResources || kl.cfg.Machine.NoDeviceCheckpoint {
		changed = zeroExtendedResources(existing) || changed
	}
	if rules.ReconcilesHugePages {
		changed = reconcileHugePages(node, existing) || changed
	}
	return changed
}

// zeroExtendedResources, until somebody advertises them again. Upstream:
// Kubelet.reconcileExtendedResource (always up to v1.14.8; since then if
// devicemanager's ShouldResetExtendedResourceCapacity).
func zeroExtendedResources(existing *corev1.Node) bool {
	changed := false
	for name := range existing.Status.Capacity { // order: each is set to the same
		if isExtendedResource(name) {
			setResource(&existing.Status.Capacity, name, *resource.NewQuantity(0, resource.DecimalSI))
			setResource(&existing.Status.Allocatable, name, *resource.NewQuantity(0, resource.DecimalSI))
			changed = true
		}
	}
	return changed
}

// reconcileHugePages sets the sizes that the machine has and removes others.
// Where the node has no resources at all, v1.19.0 to v1.19.5 and v1.20.0 panic;
// here they fill them in. Upstream: Kubelet.reconcileHugePageResource.
func reconcileHugePages(node, existing *corev1.Node) bool {
	changed := false
	for name, capacity := range node.Status.Capacity { // order: each is looked at by itself
		if !isHugePage(name) {
			continue
		}
		allocatable := node.Status.Allocatable[name]
		had, supported := existing.Status.Capacity[name]
		hadAllocatable := existing.Status.Allocatable[name]
		if !supported || had.Cmp(capacity) != 0 {
			setResource(&existing.Status.Capacity, name, capacity)
			changed = true
		}
		if !supported || hadAllocatable.Cmp(allocatable) != 0 {
			setResource(&existing.Status.Allocatable, name, allocatable)
			changed = true
		}
	}
	for name := range existing.Status.Capacity { // order: each is looked at by itself
		if _, supported := node.Status.Capacity[name]; isHugePage(name) && !supported {
			delete(existing.Status.Capacity, name)
			delete(existing.Status.Allocatable, name)
			changed = true
		}
	}
	return changed
}

func setResource(list *corev1.ResourceList, name corev1.ResourceName, quantity resource.Quantity) {
	if *list == nil {
		*list = corev1.ResourceList{}
	}
	(*list)[name] = quantity.DeepCopy()
}

// isHugePage. Upstream: helper.IsHugePageResourceName.
func isHugePage(name corev1.ResourceName) bool {
	return strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
}

// updateDefaultResources fills in what an existing node has none of.
// Upstream: updateDefaultResources.
func updateDefaultResources(node, existing *corev1.Node) bool {
	changed := false
	if existing.Status.Capacity == nil && node.Status.Capacity != nil {
		existing.Status.Capacity = node.Status.Capacity.DeepCopy()
		changed = true
	}
	if existing.Status.Allocatable == nil && node.Status.Allocatable != nil {
		existing.Status.Allocatable = node.Status.Allocatable.DeepCopy()
		changed = true
	}
	return changed
}
