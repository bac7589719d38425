package workloads

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"
)

// syncStatefulSet brings one pod after the other to where it is to be: each has
// a name of its own, so it cannot be replaced before it is gone, and none is
// created before those in front of it are ready (OrderedReady). Upstream:
// updateStatefulSet, processReplica.
func (s *set) syncStatefulSet() error {
	existing := map[string]*corev1.Pod{}
	for _, pod := range s.pods() {
		existing[pod.Name] = pod
	}
	for i := range s.workload.Replicas {
		name := s.workload.OrdinalName(i)
		goOn, err := s.processReplica(name, existing[name])
		if err != nil || !goOn {
			return err
		}
	}
	return nil
}

// OrdinalName is the name of a StatefulSet's pod, from 0.
func (w *Workload) OrdinalName(i int) string { return w.Name + "-" + strconv.Itoa(i) }

// processReplica does what one pod needs, nil if it is not there, and tells
// whether the next may have its turn.
func (s *set) processReplica(name string, pod *corev1.Pod) (goOn bool, err error) {
	switch {
	case pod == nil:
		return false, s.create(s.workload.newPod(name))
	case pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded:
		if pod.DeletionTimestamp == nil {
			err = s.delete(pod)
		}
		return false, err // another is created once it is gone
	case pod.DeletionTimestamp != nil:
		return false, nil // and here it stays, as long as no kubelet ends the pod
	}
	return pod.Status.Phase == corev1.PodRunning && ready(pod), nil
}
