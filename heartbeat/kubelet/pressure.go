package kubelet

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// pressureWords is what a pressure condition says when it changes.
type pressureWords struct{ reason, message, event string }

func (kl *Kubelet) setMemoryPressure(node *corev1.Node) {
	kl.setPressure(node, corev1.NodeMemoryPressure, kl.cfg.Inputs.MemoryPressure,
		pressureWords{"KubeletHasInsufficientMemory", "kubelet has insufficient memory available", "NodeHasInsufficientMemory"},
		pressureWords{"KubeletHasSufficientMemory", "kubelet has sufficient memory available", "NodeHasSufficientMemory"})
}

func (kl *Kubelet) setDiskPressure(node *corev1.Node) {
	kl.setPressure(node, corev1.NodeDiskPressure, kl.cfg.Inputs.DiskPressure,
		pressureWords{"KubeletHasDiskPressure", "kubelet has disk pressure", "NodeHasDiskPressure"},
		pressureWords{"KubeletHasNoDiskPressure", "kubelet has no disk pressure", "NodeHasNoDiskPressure"})
}

func (kl *Kubelet) setPIDPressure(node *corev1.Node) {
	kl.setPressure(node, corev1.NodePIDPressure, kl.cfg.Inputs.PIDPressure,
		pressureWords{"KubeletHasInsufficientPID", "kubelet has insufficient PID available", "NodeHasInsufficientPID"},
		pressureWords{"KubeletHasSufficientPID", "kubelet has sufficient PID available", "NodeHasSufficientPID"})
}

// setPressure sets a pressure condition. Its words and its transition time
// move with its status only, also where that was Unknown. Upstream:
// MemoryPressureCondition and its kin.
func (kl *Kubelet) setPressure(node *corev1.Node, kind corev1.NodeConditionType, pressure bool, yes, no pressureWords) {
	now := metav1.Time{Time: kl.host.Now()}
	c := condition(&node.Status, kind)
	if c == nil {
		node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{Type: kind, Status: corev1.ConditionUnknown})
		c = &node.Status.Conditions[len(node.Status.Conditions)-1]
	}
	c.LastHeartbeatTime = now
	status, words := corev1.ConditionFalse, no
	if pressure {
		status, words = corev1.ConditionTrue, yes
	}
	if c.Status == status {
		return
	}
	c.Status, c.Reason, c.Message, c.LastTransitionTime = status, words.reason, words.message, now
	kl.recordNodeStatusEvent(corev1.EventTypeNormal, words.event)
}
