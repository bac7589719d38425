package kubelet

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// defaultNodeStatusFuncs returns the setters in upstream's order (v1.36.3;
// pkg/kubelet/nodestatus/setters.go), those of the version among them, and
// after them the user's own. A setter replaces what it sets and never writes
// through a pointer, since the node shares its parts with the lister's.
func (kl *Kubelet) defaultNodeStatusFuncs() []func(*corev1.Node) {
	rules := &kl.cfg.Behaviors.Kubelet
	setters := append(make([]func(*corev1.Node), 0, 16),
		kl.setNodeAddress,
		kl.setMachineInfo,
		kl.setVersionInfo,
		kl.setDaemonEndpoints,
		kl.setImages,
		kl.setGoRuntime,
	)
	if rules.RuntimeHandlers && kl.cfg.Machine.RuntimeHandlers != nil {
		setters = append(setters, kl.setRuntimeHandlers)
	}
	if rules.NodeFeatures && kl.cfg.Machine.Features != nil {
		setters = append(setters, kl.setNodeFeatures)
	}
	if rules.VolumeLimits && kl.cfg.Machine.VolumeLimits != nil {
		setters = append(setters, kl.setVolumeLimits)
	}
	setters = append(setters, kl.setMemoryPressure, kl.setDiskPressure, kl.setPIDPressure, kl.setReady, kl.setVolumesInUse)
	if rules.RemovesOutOfDisk {
		setters = append(setters, removeOutOfDiskCondition)
	}
	setters = append(setters, kl.recordNodeSchedulableEvent)
	if rules.DeclaredFeatures && kl.cfg.Machine.DeclaredFeatures != nil {
		setters = append(setters, kl.setDeclaredFeatures)
	}
	return append(setters, kl.cfg.Setters...)
}

// setMachineInfo. Upstream: nodestatus.MachineInfo.
func (kl *Kubelet) setMachineInfo(node *corev1.Node) {
	kl.setResources(node)
	info, own := &node.Status.NodeInfo, &kl.cfg.Machine.NodeInfo
	info.MachineID, info.SystemUUID = own.MachineID, own.SystemUUID
	if info.BootID != "" && info.BootID != own.BootID && !kl.rebootRecorded {
		kl.rebootRecorded = true
		kl.recordEvent(corev1.EventTypeWarning, "NodeRebooted", fmt.Sprintf("Node %s has been rebooted, boot id: %s", kl.cfg.NodeName, own.BootID))
	}
	info.BootID = own.BootID
	if kl.cfg.Behaviors.Kubelet.RunningInUserNamespace {
		info.RunningInUserNamespace = own.RunningInUserNamespace
	}
}

func (kl *Kubelet) setVersionInfo(node *corev1.Node) {
	info, own := &node.Status.NodeInfo, &kl.cfg.Machine.NodeInfo
	info.KernelVersion, info.OSImage = own.KernelVersion, own.OSImage
	info.ContainerRuntimeVersion, info.KubeletVersion = own.ContainerRuntimeVersion, own.KubeletVersion
	info.KubeProxyVersion = own.KubeletVersion
	if kl.cfg.Behaviors.Kubelet.ClearsKubeProxyVersion {
		info.KubeProxyVersion = ""
	}
}

func (kl *Kubelet) setDaemonEndpoints(node *corev1.Node) {
	node.Status.DaemonEndpoints = kl.cfg.Machine.DaemonEndpoints
}

// setImages lists the largest images. Upstream: nodestatus.Images.
func (kl *Kubelet) setImages(node *corev1.Node) {
	images := kl.cfg.Inputs.Images
	if images == nil {
		images = kl.cfg.Machine.Images
	}
	if limit := kl.cfg.NodeStatusMaxImages; limit > -1 && limit < len(images) {
		images = images[:limit:limit]
	}
	node.Status.Images = images
}

func (kl *Kubelet) setGoRuntime(node *corev1.Node) {
	node.Status.NodeInfo.OperatingSystem = kl.cfg.Machine.NodeInfo.OperatingSystem
	node.Status.NodeInfo.Architecture = kl.cfg.Machine.NodeInfo.Architecture
}

// setReady sets the Ready condition from the errors of runtime, network and
// storage, a shutdown and missing capacity. Its transition time moves only with its status; the event
// comes only where a condition was there before. Upstream: ReadyCondition.
func (kl *Kubelet) setReady(node *corev1.Node) {
	now := metav1.Time{Time: kl.host.Now()}
	ready := corev1.NodeCondition{
		Type:              corev1.NodeReady,
		Status:            corev1.ConditionTrue,
		Reason:            "KubeletReady",
		Message:           "kubelet is posting ready status",
		LastHeartbeatTime: now,
	}
	if why := kl.notReady(node); why != "" {
		ready.Status, ready.Reason, ready.Message = corev1.ConditionFalse, "KubeletNotReady", why
	} else if kl.cfg.Machine.AppArmor && kl.cfg.Behaviors.Kubelet.AppArmorInReady {
		ready.Message += ". AppArmor enabled"
	}

	c := condition(&node.Status, corev1.NodeReady)
	if c == nil {
		ready.LastTransitionTime = now
		node.Status.Conditions = append(node.Status.Conditions, ready)
		return
	}
	if c.Status == ready.Status {
		ready.LastTransitionTime = c.LastTransitionTime
		*c = ready
		return
	}
	ready.LastTransitionTime = now
	*c = ready
	if ready.Status == corev1.ConditionTrue {
		kl.recordNodeStatusEvent(corev1.EventTypeNormal, "NodeReady")
	} else {
		kl.recordNodeStatusEvent(corev1.EventTypeNormal, "NodeNotReady")
	}
}

// setVolumesInUse says nothing before the volume manager has looked at what is
// mounted. Upstream: nodestatus.VolumesInUse.
func (kl *Kubelet) setVolumesInUse(node *corev1.Node) {
	if !kl.cfg.Inputs.VolumesNotSynced {
		node.Status.VolumesInUse = kl.cfg.Inputs.VolumesInUse
	}
}

// recordNodeSchedulableEvent. Upstream: same name.
func (kl *Kubelet) recordNodeSchedulableEvent(node *corev1.Node) {
	if kl.lastNodeUnschedulable == node.Spec.Unschedulable {
		return
	}
	kl.lastNodeUnschedulable = node.Spec.Unschedulable
	if node.Spec.Unschedulable {
		kl.recordNodeStatusEvent(corev1.EventTypeNormal, "NodeNotSchedulable")
	} else {
		kl.recordNodeStatusEvent(corev1.EventTypeNormal, "NodeSchedulable")
	}
}

// condition returns the condition of that type, to be read or written in
// place, or nil.
func condition(status *corev1.NodeStatus, kind corev1.NodeConditionType) *corev1.NodeCondition {
	for i := range status.Conditions {
		if status.Conditions[i].Type == kind {
			return &status.Conditions[i]
		}
	}
	return nil
}
