package kubelet

import (
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/holter-sim/holter/heartbeat"
)

// The resources of a node: what the machine has, what device plugins offer, and
// what others advertise, which the kubelet never drives out.

// setResources fills in capacity and allocatable. Most nodes have nothing but
// their machine's own resources, and share these. Upstream:
// nodestatus.MachineInfo (v1.36.3).
func (kl *Kubelet) setResources(node *corev1.Node) {
	m := &kl.cfg.Machine
	if kl.devices.none() && knowsAll(m.Capacity, node.Status.Capacity) && knowsAll(m.Capacity, node.Status.Allocatable) {
		node.Status.Capacity, node.Status.Allocatable = m.Capacity, kl.ownAllocatable
		return
	}
	devices := kl.devices.getCapacity(heartbeat.Monotonic(kl.host))
	capacity := cloned(node.Status.Capacity)
	maps.Copy(capacity, m.Capacity)
	maps.Copy(capacity, devices.capacity)
	for _, name := range devices.removed {
		capacity[name] = *resource.NewQuantity(0, resource.DecimalSI)
	}
	allocatable := cloned(node.Status.Allocatable)
	for name := range allocatable { // order: each is looked at by itself
		if _, found := capacity[name]; !found && isExtendedResource(name) {
			delete(allocatable, name)
		}
	}
	setAllocatable(allocatable, capacity, m.Reserved, devices.allocatable)
	node.Status.Capacity, node.Status.Allocatable = capacity, allocatable
}

// setAllocatable is capacity without what is reserved, with what the device
// plugins say of their own, and memory without all huge pages.
func setAllocatable(allocatable, capacity, reserved, devices corev1.ResourceList) {
	for name, quantity := range capacity { // order: into a map
		allocatable[name] = without(quantity, reserved[name])
	}
	maps.Copy(allocatable, devices)
	for name, quantity := range capacity { // order: a difference does not depend on it
		if isHugePage(name) {
			allocatable[corev1.ResourceMemory] = without(allocatable[corev1.ResourceMemory], quantity)
		}
	}
}

// allocatable is what of the machine's own resources can be given away. It is
// the capacity itself where nothing is taken from it.
func (m *Machine) allocatable() corev1.ResourceList {
	taken := len(m.Reserved) > 0
	for name := range m.Capacity { // order: one suffices
		taken = taken || isHugePage(name)
	}
	if !taken {
		return m.Capacity
	}
	allocatable := corev1.ResourceList{}
	setAllocatable(allocatable, m.Capacity, m.Reserved, nil)
	return allocatable
}

// without takes from a quantity, down to nothing.
func without(quantity, taken resource.Quantity) resource.Quantity {
	left := quantity.DeepCopy()
	if left.Sub(taken); left.Sign() < 0 {
		left.Set(0)
	}
	return left
}

// knowsAll tells whether own has an entry for each of have.
func knowsAll(own, have corev1.ResourceList) bool {
	for name := range have { // order: one suffices
		if _, known := own[name]; !known {
			return false
		}
	}
	return true
}

// cloned is a copy, never nil.
func cloned(list corev1.ResourceList) corev1.ResourceList {
	if list == nil {
		return corev1.ResourceList{}
	}
	return maps.Clone(list)
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
