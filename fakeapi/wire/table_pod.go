package wire

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var podColumns = []metav1.TableColumnDefinition{
	nameColumn(0),
	column("Ready", 0, "The aggregate readiness state of this pod for accepting traffic."),
	column("Status", 0, "The aggregate status of the containers in this pod."),
	column("Restarts", 0, "The number of times the containers in this pod have been restarted and when the last container in this pod has restarted."),
	ageColumn(),
	column("IP", 1, corev1.PodStatus{}.SwaggerDoc()["podIP"]),
	column("Node", 1, corev1.PodSpec{}.SwaggerDoc()["nodeName"]),
	column("Nominated Node", 1, corev1.PodStatus{}.SwaggerDoc()["nominatedNodeName"]),
	column("Readiness Gates", 1, corev1.PodSpec{}.SwaggerDoc()["readinessGates"]),
}

// podRow is printPod.
func podRow(pod *corev1.Pod, now time.Time) metav1.TableRow {
	c := countContainers(pod)
	restarts := strconv.Itoa(c.restarts)
	if c.restarts != 0 && !c.restarted.IsZero() {
		restarts = fmt.Sprintf("%d (%s ago)", c.restarts, age(c.restarted, now))
	}
	ip := ""
	if len(pod.Status.PodIPs) > 0 {
		ip = pod.Status.PodIPs[0].IP
	}
	row := metav1.TableRow{Cells: []any{
		pod.Name, fmt.Sprintf("%d/%d", c.ready, c.total), c.reason, restarts, age(pod.CreationTimestamp, now),
		orNone(ip), orNone(pod.Spec.NodeName), orNone(pod.Status.NominatedNodeName), readinessGates(pod),
	}}
	switch pod.Status.Phase {
	case corev1.PodSucceeded:
		row.Conditions = completed("Succeeded", "The pod has completed successfully.")
	case corev1.PodFailed:
		row.Conditions = completed("Failed", "The pod failed.")
	}
	return row
}

func completed(reason, message string) []metav1.TableRowCondition {
	return []metav1.TableRowCondition{{Type: metav1.RowCompleted, Status: metav1.ConditionTrue, Reason: reason, Message: message}}
}

// containers are what a row tells of a pod's.
type containers struct {
	total, ready int
	reason       string // the STATUS column
	restarts     int
	restarted    metav1.Time // the last time

	sidecarRestarts  int
	sidecarRestarted metav1.Time
}

func countContainers(pod *corev1.Pod) *containers {
	c := &containers{total: len(pod.Spec.Containers), reason: cmp.Or(pod.Status.Reason, string(pod.Status.Phase))}
	if condition := podCondition(pod, corev1.PodScheduled); condition != nil && condition.Reason == corev1.PodReasonSchedulingGated {
		c.reason = corev1.PodReasonSchedulingGated
	}
	for i := range pod.Spec.InitContainers {
		if sidecar(&pod.Spec.InitContainers[i]) {
			c.total++
		}
	}
	initializing := c.initial(pod)
	initialized := podCondition(pod, corev1.PodInitialized)
	if !initializing || initialized != nil && initialized.Status == corev1.ConditionTrue {
		c.main(pod)
	}
	switch {
	case pod.DeletionTimestamp == nil:
	case pod.Status.Reason == "NodeLost":
		c.reason = "Unknown"
	case pod.Status.Phase != corev1.PodFailed && pod.Status.Phase != corev1.PodSucceeded:
		c.reason = "Terminating"
	}
	return c
}

// initial looks at the init containers, up to the first that is not done, and
// reports whether there is one.
func (c *containers) initial(pod *corev1.Pod) (initializing bool) {
	for i := range pod.Status.InitContainerStatuses {
		s := &pod.Status.InitContainerStatuses[i]
		j := slices.IndexFunc(pod.Spec.InitContainers, func(spec corev1.Container) bool { return spec.Name == s.Name })
		isSidecar := j >= 0 && sidecar(&pod.Spec.InitContainers[j])
		c.restarts += int(s.RestartCount)
		c.restarted = later(c.restarted, s)
		if isSidecar {
			c.sidecarRestarts += int(s.RestartCount)
			c.sidecarRestarted = later(c.sidecarRestarted, s)
		}
		ended, waiting := s.State.Terminated, s.State.Waiting
		switch {
		case ended != nil && ended.ExitCode == 0:
			continue
		case isSidecar && s.Started != nil && *s.Started:
			if s.Ready {
				c.ready++
			}
			continue
		case ended != nil:
			c.reason = "Init:" + endReason(ended)
		case waiting != nil && waiting.Reason != "" && waiting.Reason != "PodInitializing":
			c.reason = "Init:" + waiting.Reason
		default:
			c.reason = fmt.Sprintf("Init:%d/%d", i, len(pod.Spec.InitContainers))
		}
		return true
	}
	return false
}

// main looks at the containers proper, the last first.
func (c *containers) main(pod *corev1.Pod) {
	c.restarts, c.restarted = c.sidecarRestarts, c.sidecarRestarted
	running, failure := false, ""
	for i := len(pod.Status.ContainerStatuses) - 1; i >= 0; i-- {
		s := &pod.Status.ContainerStatuses[i]
		c.restarts += int(s.RestartCount)
		c.restarted = later(c.restarted, s)
		switch ended := s.State.Terminated; {
		case s.State.Waiting != nil && s.State.Waiting.Reason != "":
			c.reason = s.State.Waiting.Reason
		case ended != nil:
			c.reason = endReason(ended)
			if ended.ExitCode != 0 {
				failure = c.reason
			}
		case s.Ready && s.State.Running != nil:
			running = true
			c.ready++
		}
	}
	if c.reason != "Completed" {
		return
	}
	ready := podCondition(pod, corev1.PodReady)
	switch {
	case running && ready != nil && ready.Status == corev1.ConditionTrue:
		c.reason = "Running"
	case failure != "":
		c.reason = failure
	case running:
		c.reason = "NotReady"
	}
}

func endReason(s *corev1.ContainerStateTerminated) string {
	switch {
	case s.Reason != "":
		return s.Reason
	case s.Signal != 0:
		return fmt.Sprintf("Signal:%d", s.Signal)
	}
	return fmt.Sprintf("ExitCode:%d", s.ExitCode)
}

// later is the later of an instant and a container's last end.
func later(at metav1.Time, s *corev1.ContainerStatus) metav1.Time {
	if last := s.LastTerminationState.Terminated; last != nil && at.Before(&last.FinishedAt) {
		return last.FinishedAt
	}
	return at
}

func readinessGates(pod *corev1.Pod) string {
	if len(pod.Spec.ReadinessGates) == 0 {
		return "<none>"
	}
	open := 0
	for _, gate := range pod.Spec.ReadinessGates {
		if c := podCondition(pod, gate.ConditionType); c != nil && c.Status == corev1.ConditionTrue {
			open++
		}
	}
	return fmt.Sprintf("%d/%d", open, len(pod.Spec.ReadinessGates))
}

// sidecar is an init container that runs on.
func sidecar(c *corev1.Container) bool {
	return c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
}

func podCondition(pod *corev1.Pod, typ corev1.PodConditionType) *corev1.PodCondition {
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == typ {
			return &pod.Status.Conditions[i]
		}
	}
	return nil
}
