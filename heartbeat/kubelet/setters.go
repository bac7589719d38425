package kubelet

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"

	"github.com/holter-sim/holter/heartbeat"
)

// defaultNodeStatusFuncs returns the setters in upstream's order (v1.36.3;
// pkg/kubelet/nodestatus/setters.go). A setter replaces what it sets and
// never writes through a pointer, since the node shares its parts with the
// lister's.
func (kl *Kubelet) defaultNodeStatusFuncs() []func(*corev1.Node) {
	return []func(*corev1.Node){
		kl.setNodeAddress,
		kl.setMachineInfo,
		kl.setVersionInfo,
		kl.setDaemonEndpoints,
		kl.setImages,
		kl.setGoRuntime,
		kl.setMemoryPressure,
		kl.setDiskPressure,
		kl.setPIDPressure,
		kl.setReady,
		kl.recordNodeSchedulableEvent,
	}
}

func (kl *Kubelet) setNodeAddress(node *corev1.Node) {
	node.Status.Addresses = kl.cfg.Machine.Addresses
}

// setMachineInfo keeps resources that others advertise on the node. Upstream:
// nodestatus.MachineInfo.
func (kl *Kubelet) setMachineInfo(node *corev1.Node) {
	foreign := missingResources(node.Status.Capacity, kl.cfg.Machine.Capacity)
	stale := missingResources(node.Status.Allocatable, kl.cfg.Machine.Allocatable)
	node.Status.Capacity = withResources(kl.cfg.Machine.Capacity, foreign)
	node.Status.Allocatable = withResources(kl.cfg.Machine.Allocatable, keptAllocatable(stale, foreign))

	info, own := &node.Status.NodeInfo, &kl.cfg.Machine.NodeInfo
	info.MachineID, info.SystemUUID = own.MachineID, own.SystemUUID
	if info.BootID != "" && info.BootID != own.BootID && !kl.rebootRecorded {
		kl.rebootRecorded = true
		kl.recordEvent(corev1.EventTypeWarning, "NodeRebooted", fmt.Sprintf("Node %s has been rebooted, boot id: %s", kl.cfg.NodeName, own.BootID))
	}
	info.BootID = own.BootID
}

func (kl *Kubelet) setVersionInfo(node *corev1.Node) {
	info, own := &node.Status.NodeInfo, &kl.cfg.Machine.NodeInfo
	info.KernelVersion, info.OSImage = own.KernelVersion, own.OSImage
	info.ContainerRuntimeVersion, info.KubeletVersion = own.ContainerRuntimeVersion, own.KubeletVersion
	info.KubeProxyVersion = "" // cleared since v1.33
}

func (kl *Kubelet) setDaemonEndpoints(node *corev1.Node) {
	node.Status.DaemonEndpoints = kl.cfg.Machine.DaemonEndpoints
}

func (kl *Kubelet) setImages(node *corev1.Node) { node.Status.Images = kl.cfg.Machine.Images }

func (kl *Kubelet) setGoRuntime(node *corev1.Node) {
	node.Status.NodeInfo.OperatingSystem = kl.cfg.Machine.NodeInfo.OperatingSystem
	node.Status.NodeInfo.Architecture = kl.cfg.Machine.NodeInfo.Architecture
}

func (kl *Kubelet) setMemoryPressure(node *corev1.Node) {
	kl.setPressure(node, corev1.NodeMemoryPressure, "KubeletHasSufficientMemory", "kubelet has sufficient memory available", "NodeHasSufficientMemory")
}

func (kl *Kubelet) setDiskPressure(node *corev1.Node) {
	kl.setPressure(node, corev1.NodeDiskPressure, "KubeletHasNoDiskPressure", "kubelet has no disk pressure", "NodeHasNoDiskPressure")
}

func (kl *Kubelet) setPIDPressure(node *corev1.Node) {
	kl.setPressure(node, corev1.NodePIDPressure, "KubeletHasSufficientPID", "kubelet has sufficient PID available", "NodeHasSufficientPID")
}

// setPressure sets a pressure condition to False, there being no pressure in
// the model. A condition that was Unknown gets a new transition time.
// Upstream: MemoryPressureCondition and its kin.
func (kl *Kubelet) setPressure(node *corev1.Node, kind corev1.NodeConditionType, reason, message, event string) {
	now := metav1.Time{Time: kl.host.Now()}
	c := condition(&node.Status, kind)
	if c == nil {
		node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{Type: kind, Status: corev1.ConditionUnknown})
		c = &node.Status.Conditions[len(node.Status.Conditions)-1]
	}
	c.LastHeartbeatTime = now
	if c.Status == corev1.ConditionFalse {
		return
	}
	c.Status, c.Reason, c.Message, c.LastTransitionTime = corev1.ConditionFalse, reason, message, now
	kl.recordNodeStatusEvent(corev1.EventTypeNormal, event)
}

// setReady sets the Ready condition from the runtime's, network's and
// storage's errors. Its transition time moves only with its status; the event
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
	if err := utilerrors.NewAggregate(kl.notReadyErrors(node)); err != nil {
		ready.Status, ready.Reason, ready.Message = corev1.ConditionFalse, "KubeletNotReady", err.Error()
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

func (kl *Kubelet) notReadyErrors(node *corev1.Node) []error {
	errs := kl.runtimeState.errors(heartbeat.Monotonic(kl.host))
	if missing := missingCapacity(node.Status.Capacity); len(missing) > 0 {
		errs = append(errs, fmt.Errorf("missing node capacity for resources: %s", strings.Join(missing, ", ")))
	}
	return errs
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
