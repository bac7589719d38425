package podgc

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/holter-sim/holter/heartbeat"
)

// gcTerminating deletes pods that are ending on a node that is not ready and
// was taken out of service by a taint of any effect; all at once.
func (gcc *Controller) gcTerminating(pods []*corev1.Pod) {
	var terminating []*corev1.Pod
	for _, pod := range pods {
		if pod.DeletionTimestamp == nil {
			continue
		}
		node, ok := gcc.informers.Nodes.Store().Get(pod.Spec.NodeName)
		if ok && !isNodeReady(node) && hasTaintKey(node, corev1.TaintNodeOutOfService) {
			terminating = append(terminating, pod)
		}
	}
	slices.SortStableFunc(terminating, gcc.byEvictionAndCreationTimestamp)
	together(gcc.host, len(terminating), func(i int) {
		gcc.markFailedAndDeletePod(terminating[i], "ending on a node out of service", nil)
	})
}

func isNodeReady(node *corev1.Node) bool {
	for i := range node.Status.Conditions {
		if c := &node.Status.Conditions[i]; c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

func hasTaintKey(node *corev1.Node, key string) bool {
	return slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == key })
}

// byEvictionAndCreationTimestamp has pods that a kubelet evicted first, by
// version, then the oldest.
func (gcc *Controller) byEvictionAndCreationTimestamp(a, b *corev1.Pod) int {
	if x, y := evicted(a), evicted(b); x != y && gcc.behaviors.EvictedFirst {
		if x {
			return -1
		}
		return 1
	}
	if c := a.CreationTimestamp.Compare(b.CreationTimestamp.Time); c != 0 {
		return c
	}
	return cmp.Compare(a.Name, b.Name)
}

func evicted(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodFailed && pod.Status.Reason == "Evicted"
}

// together calls do for 0..n-1 in processes of their own, and returns when all
// are done. Upstream: a sync.WaitGroup.
func together(host heartbeat.Host, n int, do func(i int)) {
	if n == 0 {
		return
	}
	left := n
	waiting := host.NewMutex()
	waiting.Lock()
	for i := range n {
		host.Go("pod-gc-deletion", func() {
			do(i)
			if left--; left == 0 {
				waiting.Unlock()
			}
		})
	}
	waiting.Lock() // until the last one unlocks it
	waiting.Unlock()
}
