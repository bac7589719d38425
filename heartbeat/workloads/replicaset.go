package workloads

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// burstReplicas is how many pods are created or deleted at a time at most.
const burstReplicas = 500

// syncReplicaSet has as many pods as are wanted. A pod that is ending does not
// count, though it may run on a node that nobody can reach, so it is replaced
// as soon as its deletion begins. Upstream: syncReplicaSet, FilterActivePods.
func (s *set) syncReplicaSet() error {
	if !s.expectations.satisfied() {
		return nil
	}
	activePods := 0
	for _, pod := range s.own { // order: a number does not depend on it
		if active(pod) {
			activePods++
		}
	}
	return s.manageReplicas(activePods)
}

func (s *set) manageReplicas(activePods int) error {
	diff := activePods - s.workload.Replicas
	switch {
	case diff < 0:
		return s.createReplicas(min(-diff, burstReplicas))
	case diff > 0:
		pods := slices.DeleteFunc(s.pods(), func(pod *corev1.Pod) bool { return !active(pod) })
		return s.deleteReplicas(getPodsToDelete(pods, min(diff, burstReplicas)))
	}
	return nil
}

func (s *set) createReplicas(n int) error {
	s.expectations.expect(n, nil)
	tried, err := s.slowStartBatch(n, func(int) error {
		err := s.create(s.workload.newPod(s.workload.nextName()))
		if err != nil {
			s.expectations.creationObserved() // nobody will see it
		}
		return err
	})
	for range n - tried {
		s.expectations.creationObserved()
	}
	return err
}

func (s *set) deleteReplicas(pods []*corev1.Pod) error {
	s.expectations.expect(0, keys(pods))
	return s.deleteAll(pods)
}

// getPodsToDelete picks those that are the least loss: without a node before
// others, then pending, then not ready, then the youngest. Upstream:
// getPodsToDelete, ActivePodsWithRanks.
func getPodsToDelete(pods []*corev1.Pod, n int) []*corev1.Pod {
	sorted := slices.Clone(pods)
	slices.SortStableFunc(sorted, func(a, b *corev1.Pod) int {
		return cmp.Or(
			first(a.Spec.NodeName == "", b.Spec.NodeName == ""),
			first(a.Status.Phase == corev1.PodPending, b.Status.Phase == corev1.PodPending),
			first(!ready(a), !ready(b)),
			b.CreationTimestamp.Compare(a.CreationTimestamp.Time),
		)
	})
	return sorted[:n]
}

// first orders those of which something is true before those of which it is not.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}
