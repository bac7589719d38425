package kubelet

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/version"
)

// nodeStatusUpdateRetry is the number of immediate tries to update the status.
const nodeStatusUpdateRetry = 5

// syncNodeStatus registers the node if that is still to be done, and brings
// its status up to date. Upstream: Kubelet.syncNodeStatus.
func (kl *Kubelet) syncNodeStatus() {
	kl.syncNodeStatusMux.Lock()
	defer kl.syncNodeStatusMux.Unlock()

	if kl.cfg.RegisterNode {
		kl.registerWithAPIServer()
	}
	if err := kl.updateNodeStatus(); err != nil {
		heartbeat.Decide(kl.tracer, heartbeat.DecisionStatusFailed, kl.cfg.NodeName, err.Error())
	}
}

// updateNodeStatus tries five times, without waiting. Upstream:
// Kubelet.updateNodeStatus.
func (kl *Kubelet) updateNodeStatus() error {
	var err error
	for i := 0; i < nodeStatusUpdateRetry; i++ {
		if err = kl.tryUpdateNodeStatus(i); err == nil {
			return nil
		}
		if i > 0 && kl.clients.OnRepeatedHeartbeatFailure != nil {
			kl.clients.OnRepeatedHeartbeatFailure()
		}
	}
	return fmt.Errorf("update node status exceeds retry count: %w", err)
}

// tryUpdateNodeStatus reads the node (from the lister first, from the API
// server after a failure), computes its status and sends it if it changed or
// a report is due. Upstream: Kubelet.tryUpdateNodeStatus.
func (kl *Kubelet) tryUpdateNodeStatus(tryNumber int) error {
	original, err := kl.readNode(tryNumber)
	if err != nil {
		return fmt.Errorf("error getting node %q: %w", kl.cfg.NodeName, err)
	}

	computed := heartbeat.Monotonic(kl.host)
	node, changed := kl.updateNode(original)
	if kl.cfg.Behaviors.Lease.NodeLease && !changed && !kl.isUpdateStatusPeriodExpired() {
		return nil
	}

	// A change and a restart draw a new delay, so that nodes which changed
	// together do not report together for ever; a periodic report has used
	// its delay and goes on at the fixed interval.
	if kl.cfg.Behaviors.Kubelet.DelayAfterNodeStatusChange {
		if changed || kl.lastStatusReportTime.IsZero() {
			kl.delayAfterNodeStatusChange = kl.calculateDelay()
		} else {
			kl.delayAfterNodeStatusChange = 0
		}
	}
	if err := kl.patchNodeStatus(original, node); err != nil {
		return err
	}
	if !kl.cfg.Behaviors.Kubelet.ReportTimeAfterPatch {
		kl.lastStatusReportTime = computed
	}
	return nil
}

func (kl *Kubelet) readNode(tryNumber int) (*corev1.Node, error) {
	if tryNumber > 0 {
		return kl.clients.Heartbeat.Get(context.Background(), kl.cfg.NodeName, metav1.GetOptions{})
	}
	if !kl.cfg.Behaviors.Kubelet.ReadsNodeFromLister {
		return kl.clients.Heartbeat.Get(context.Background(), kl.cfg.NodeName, metav1.GetOptions{ResourceVersion: "0"})
	}
	if node := kl.Node(); node != nil {
		return node, nil
	}
	return nil, fmt.Errorf("node %q not found in the lister", kl.cfg.NodeName)
}

// isUpdateStatusPeriodExpired: a report is due. Upstream: same name.
func (kl *Kubelet) isUpdateStatusPeriodExpired() bool {
	if kl.lastStatusReportTime.IsZero() && !kl.cfg.Behaviors.Kubelet.NeverReportedIsExpired {
		return false
	}
	return heartbeat.Monotonic(kl.host).Sub(kl.lastStatusReportTime) >= kl.cfg.NodeStatusReportFrequency+kl.delayAfterNodeStatusChange
}

// calculateDelay draws from [-0.5, 0.5) of the report frequency. Upstream:
// Kubelet.calculateDelay.
func (kl *Kubelet) calculateDelay() time.Duration {
	period := int64(kl.cfg.NodeStatusReportFrequency)
	return time.Duration(kl.reportDelay.Int64N(period) - period/2)
}

// updateNode returns the node with a fresh status and whether anything but
// the heartbeat times differs: the pod CIDRs and two labels count too. original
// is shared and is not written to: the setters replace fields, and the
// conditions are copied. Upstream:
// Kubelet.updateNode.
func (kl *Kubelet) updateNode(original *corev1.Node) (*corev1.Node, bool) {
	node := *original
	node.Status.Conditions = append(make([]corev1.NodeCondition, 0, len(original.Status.Conditions)+1), original.Status.Conditions...)

	podCIDRs := kl.podCIDRs(&node)
	podCIDRChanged := podCIDRs != "" && kl.updatePodCIDR(podCIDRs)
	labelsMissing := kl.cfg.Behaviors.Kubelet.RestoresOSLabels && (node.Labels[corev1.LabelOSStable] != operatingSystem || node.Labels[corev1.LabelArchStable] != architecture)
	if labelsMissing {
		node.Labels = withLabels(node.Labels, corev1.LabelOSStable, operatingSystem, corev1.LabelArchStable, architecture)
	}

	kl.setNodeStatus(&node)
	changed := nodeStatusHasChanged(&original.Status, &node.Status)
	if kl.cfg.CheckFastCompare {
		checkCompare(&original.Status, &node.Status, changed)
	}
	return &node, podCIDRChanged || changed || labelsMissing
}

// podCIDRs are those that the control plane has given the node, "" for none.
// Upstream: Kubelet.updateNode; before v1.16 it looked at the first alone.
func (kl *Kubelet) podCIDRs(node *corev1.Node) string {
	if !kl.cfg.Behaviors.Kubelet.PodCIDRs {
		return node.Spec.PodCIDR
	}
	if len(node.Spec.PodCIDRs) == 0 {
		return ""
	}
	return strings.Join(node.Spec.PodCIDRs, ",")
}

// updatePodCIDR tells the runtime of the pods' addresses, and whether they are
// news to this kubelet. Upstream: Kubelet.updatePodCIDR.
func (kl *Kubelet) updatePodCIDR(cidr string) bool {
	if kl.runtimeState.cidr == cidr {
		return false
	}
	kl.runtimeState.cidr = cidr
	return true
}

func withLabels(labels map[string]string, pairs ...string) map[string]string {
	out := make(map[string]string, len(labels)+len(pairs)/2)
	for k, v := range labels { // order: into a map
		out[k] = v
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		out[pairs[i]] = pairs[i+1]
	}
	return out
}

// patchNodeStatus sends the status and notes when. Upstream:
// Kubelet.patchNodeStatus.
func (kl *Kubelet) patchNodeStatus(original, node *corev1.Node) error {
	if _, err := patchNodeStatus(kl.clients.Heartbeat, original, node, kl.cfg.Behaviors.Kubelet.ReplacesAddresses); err != nil {
		return err
	}
	kl.lastStatusReportTime = heartbeat.Monotonic(kl.host)
	return nil
}

// setNodeStatus runs the setters in their order. Upstream:
// Kubelet.setNodeStatus.
func (kl *Kubelet) setNodeStatus(node *corev1.Node) {
	for _, set := range kl.setters {
		set(node)
	}
}

// recordNodeStatusEvent. Upstream: same name.
func (kl *Kubelet) recordNodeStatusEvent(eventType, event string) {
	kl.recordEvent(eventType, event, strings.Join([]string{"Node", kl.cfg.NodeName, "status is now:", event}, " "))
}

// recordEvent. Upstream: Kubelet.recordEvent.
func (kl *Kubelet) recordEvent(eventType, event, message string) {
	ref := corev1.ObjectReference{Kind: "Node", Name: kl.cfg.NodeName}
	if kl.cfg.Behaviors.Kubelet.NodeEventAPIVersion {
		ref.APIVersion = "v1"
	}
	switch kl.cfg.Behaviors.Kubelet.NodeEventUID {
	case version.UIDIsName:
		ref.UID = types.UID(kl.cfg.NodeName)
	case version.UIDIsReal:
		if node := kl.Node(); node != nil {
			ref.UID = node.UID
		}
	case version.UIDIsNone:
	}
	kl.recorder.Event(ref, eventType, event, message)
}
