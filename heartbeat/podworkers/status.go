package podworkers

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	containersNotReady = "ContainersNotReady"
	podCompleted       = "PodCompleted"
	podFailed          = "PodFailed"
)

// generateAPIPodStatus works out a pod's status from what runs of it. terminal
// is a pod whose containers will not start again. Upstream:
// Kubelet.generateAPIPodStatus; the times of transitions come later.
func (w *Workers) generateAPIPodStatus(p *worker, podIsTerminal bool) corev1.PodStatus {
	old := p.known()
	status := corev1.PodStatus{Phase: w.getPhase(p, podIsTerminal), QOSClass: old.QOSClass, StartTime: old.StartTime}
	for _, phase := range []corev1.PodPhase{p.pod.Status.Phase, old.Phase} {
		if terminal(phase) {
			status.Phase = phase // there is no way back
		}
	}
	if status.Phase == old.Phase && w.cfg.Behaviors.KeepsReason { // they belong to the phase
		status.Reason = cmp.Or(old.Reason, p.pod.Status.Reason)
		status.Message = cmp.Or(old.Message, p.pod.Status.Message)
	}
	status.ContainerStatuses = convertToAPIContainerStatuses(p.container, p.pod, old.ContainerStatuses, status.Phase)
	if ip := w.cfg.HostIP; ip != "" {
		status.HostIP, status.HostIPs = ip, []corev1.HostIP{{IP: ip}}
		if p.pod.Spec.HostNetwork {
			status.PodIP, status.PodIPs = ip, []corev1.PodIP{{IP: ip}}
		}
	}
	for i := range p.pod.Status.Conditions {
		if c := &p.pod.Status.Conditions[i]; !byKubelet(c.Type) {
			status.Conditions = append(status.Conditions, *c)
		}
	}
	initialized := corev1.PodCondition{Type: corev1.PodInitialized, Status: corev1.ConditionTrue}
	if status.Phase == corev1.PodSucceeded {
		initialized.Reason = podCompleted
	}
	status.Conditions = append(status.Conditions, initialized,
		readiness(corev1.PodReady, p, status.Phase), readiness(corev1.ContainersReady, p, status.Phase),
		corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue})
	return status
}

// getPhase sums a pod's container up. What ran once and is lost, as by a
// reboot, is about to run again, unless it is never to. Upstream: getPhase.
func (w *Workers) getPhase(p *worker, podIsTerminal bool) corev1.PodPhase {
	switch {
	case p.container.state == containerRunning:
		return corev1.PodRunning
	case p.container.state == containerMissing && p.known().Phase != corev1.PodRunning:
		if podIsTerminal && p.terminating && w.cfg.Behaviors.TerminalBeforeDeleted {
			return corev1.PodFailed // ended before it began; upstream: TerminatePod
		}
		return corev1.PodPending
	}
	ends := podIsTerminal && w.cfg.Behaviors.TerminalBeforeDeleted && !p.static
	exited := p.container.state == containerExited
	switch {
	case !ends && p.container.restarts(p.pod):
		return corev1.PodRunning
	case exited && p.container.exitCode == 0:
		return corev1.PodSucceeded
	}
	return corev1.PodFailed
}

// readiness is the condition Ready, or ContainersReady, of a pod without a
// probe: its container runs. Upstream: GeneratePodReadyCondition,
// GenerateContainersReadyCondition.
func readiness(typ corev1.PodConditionType, p *worker, phase corev1.PodPhase) corev1.PodCondition {
	condition := corev1.PodCondition{Type: typ, Status: corev1.ConditionFalse}
	switch {
	case phase == corev1.PodSucceeded:
		condition.Reason = podCompleted
	case phase == corev1.PodFailed:
		condition.Reason = podFailed
	case p.container.state == containerRunning:
		condition.Status = corev1.ConditionTrue
	default:
		condition.Reason, condition.Message = containersNotReady, unready(p.pod.Spec.Containers)
	}
	return condition
}

// byKubelet tells whether a condition is the kubelet's to write. Upstream:
// kubetypes.PodConditionByKubelet.
func byKubelet(typ corev1.PodConditionType) bool {
	switch typ {
	case corev1.PodScheduled, corev1.PodReady, corev1.PodInitialized, corev1.ContainersReady:
		return true
	}
	return false
}

// isPodStatusByKubeletEqual compares two statuses but for the conditions that
// others write.
func isPodStatusByKubeletEqual(a, b *corev1.PodStatus) bool {
	return a.Phase == b.Phase && a.Reason == b.Reason && a.Message == b.Message && a.StartTime.Equal(b.StartTime) &&
		a.HostIP == b.HostIP && a.PodIP == b.PodIP && equality.Semantic.DeepEqual(a.ContainerStatuses, b.ContainerStatuses) &&
		ownEqual(a.Conditions, b.Conditions) && ownEqual(b.Conditions, a.Conditions)
}

func ownEqual(as, bs []corev1.PodCondition) bool {
	for i := range as {
		a := &as[i]
		if byKubelet(a.Type) && !slices.ContainsFunc(bs, func(b corev1.PodCondition) bool { return equality.Semantic.DeepEqual(*a, b) }) {
			return false
		}
	}
	return true
}

// setTransitionTimes gives the kubelet's conditions the time at which they came
// to be what they are. Upstream: updateLastTransitionTime.
func setTransitionTimes(status, old *corev1.PodStatus, now metav1.Time) {
	for i := range status.Conditions {
		c := &status.Conditions[i]
		if !byKubelet(c.Type) {
			continue
		}
		c.LastTransitionTime = now
		if was := findCondition(old, c.Type); was != nil && was.Status == c.Status {
			c.LastTransitionTime = was.LastTransitionTime
		}
	}
}

func findCondition(status *corev1.PodStatus, typ corev1.PodConditionType) *corev1.PodCondition {
	for i := range status.Conditions {
		if status.Conditions[i].Type == typ {
			return &status.Conditions[i]
		}
	}
	return nil
}
