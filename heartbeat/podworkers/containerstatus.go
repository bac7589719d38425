package podworkers

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// exitUnknown is the exit code of a container that nobody saw end.
const exitUnknown = 137

// convertToAPIContainerStatuses says what became of a pod's containers, which all
// are what the model's one is. old are the statuses that these follow upon. A
// runtime's IDs, of containers and images, are not modelled. Upstream:
// Kubelet.convertToAPIContainerStatuses, and for Ready and Started, as there is no
// probe, prober.manager.UpdatePodStatus (v1.37.1).
func convertToAPIContainerStatuses(c *container, pod *corev1.Pod, old []corev1.ContainerStatus, phase corev1.PodPhase) []corev1.ContainerStatus {
	containers := pod.Spec.Containers
	statuses := make([]corev1.ContainerStatus, 0, len(containers))
	for i := range containers {
		was := findContainer(old, containers[i].Name)
		status := corev1.ContainerStatus{
			Name: containers[i].Name, Image: containers[i].Image,
			RestartCount: was.RestartCount, LastTerminationState: was.LastTerminationState,
			Ready: c.state == containerRunning, Started: ptr.To(c.state == containerRunning),
		}
		switch c.state {
		case containerRunning:
			status.State.Running = &corev1.ContainerStateRunning{StartedAt: c.startedAt}
			if was.State.Terminated != nil { // it has started again
				status.RestartCount++
				status.LastTerminationState = was.State
			}
		case containerExited:
			status.State.Terminated = c.terminated()
		default:
			setMissing(&status, was, phase, pod.DeletionTimestamp != nil)
		}
		statuses = append(statuses, status)
	}
	return statuses
}

// setMissing is for a container that the runtime does not know: it was never
// started, or is lost, as by a reboot. A pod that has ended has none that waits,
// and the containers of one that is being deleted do not start again. Where the
// last termination is known already, upstream counts the restart only once it has
// taken place. Upstream: there, and status.manager.TerminatePod.
func setMissing(status, was *corev1.ContainerStatus, phase corev1.PodPhase, deleting bool) {
	if was.State.Terminated != nil {
		status.State = was.State
		return
	}
	if was.State.Running != nil {
		if status.LastTerminationState.Terminated == nil {
			status.LastTerminationState.Terminated = lost("The container could not be located when the pod was deleted.  The container used to be Running")
		}
		if !deleting {
			status.RestartCount++
		}
	}
	if terminal(phase) {
		status.State.Terminated = lostAtTermination()
		return
	}
	status.State.Waiting = &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}
}

// lost is the end of a container that nobody saw.
func lost(message string) *corev1.ContainerStateTerminated {
	return &corev1.ContainerStateTerminated{Reason: "ContainerStatusUnknown", ExitCode: exitUnknown, Message: message}
}

func lostAtTermination() *corev1.ContainerStateTerminated {
	return lost("The container could not be located when the pod was terminated")
}

// findContainer is the status of that name, an empty one if there is none.
func findContainer(statuses []corev1.ContainerStatus, name string) *corev1.ContainerStatus {
	for i := range statuses {
		if statuses[i].Name == name {
			return &statuses[i]
		}
	}
	return &corev1.ContainerStatus{}
}

// unready is what a condition says of a pod whose containers do not run.
func unready(containers []corev1.Container) string {
	names := make([]string, len(containers))
	for i := range containers {
		names[i] = containers[i].Name
	}
	return "containers with unready status: [" + strings.Join(names, " ") + "]"
}
