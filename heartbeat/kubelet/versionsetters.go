package kubelet

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// The setters that some versions have and others have not. What they report is
// the machine's.

// setRuntimeHandlers. Upstream: nodestatus.RuntimeHandlers.
func (kl *Kubelet) setRuntimeHandlers(node *corev1.Node) {
	node.Status.RuntimeHandlers = kl.cfg.Machine.RuntimeHandlers
}

// setNodeFeatures. Upstream: nodestatus.NodeFeatures.
func (kl *Kubelet) setNodeFeatures(node *corev1.Node) { node.Status.Features = kl.cfg.Machine.Features }

// setVolumeLimits. Upstream: nodestatus.VolumeLimits.
func (kl *Kubelet) setVolumeLimits(node *corev1.Node) {
	node.Status.Capacity = withResources(node.Status.Capacity, kl.cfg.Machine.VolumeLimits)
	node.Status.Allocatable = withResources(node.Status.Allocatable, kl.cfg.Machine.VolumeLimits)
}

// setDeclaredFeatures. Upstream: Kubelet.setNodeStatus, after the setters.
func (kl *Kubelet) setDeclaredFeatures(node *corev1.Node) {
	node.Status.DeclaredFeatures = kl.cfg.Machine.DeclaredFeatures
}

// removeOutOfDiskCondition takes away what an older kubelet has left.
// Upstream: nodestatus.RemoveOutOfDiskCondition.
func removeOutOfDiskCondition(node *corev1.Node) {
	node.Status.Conditions = slices.DeleteFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == outOfDisk })
}

const outOfDisk corev1.NodeConditionType = "OutOfDisk"
