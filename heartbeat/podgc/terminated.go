package podgc

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// gcTerminated deletes pods that have ended by themselves, all at once, where
// there are more than the threshold.
func (gcc *Controller) gcTerminated(pods []*corev1.Pod) {
	var terminated []*corev1.Pod
	for _, pod := range pods {
		if isPodTerminated(pod) {
			terminated = append(terminated, pod)
		}
	}
	deleteCount := len(terminated) - gcc.terminatedPodThreshold
	if deleteCount <= 0 {
		return
	}
	slices.SortStableFunc(terminated, gcc.byEvictionAndCreationTimestamp)
	together(gcc.host, deleteCount, func(i int) {
		gcc.markFailedAndDeletePod(terminated[i], "too many have ended", nil)
	})
}

func isPodTerminated(pod *corev1.Pod) bool {
	switch pod.Status.Phase {
	case corev1.PodPending, corev1.PodRunning, corev1.PodUnknown:
		return false
	}
	return true
}
