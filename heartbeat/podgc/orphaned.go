package podgc

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/heartbeat"
)

// gcOrphaned deletes the pods of nodes that do not exist, one after the other.
func (gcc *Controller) gcOrphaned(pods []*corev1.Pod, nodes []*corev1.Node) {
	var deleted map[string]bool
	if gcc.behaviors.Quarantine > 0 {
		deleted = gcc.discoverDeletedNodes(pods, nodes)
	} else {
		deleted = gcc.missingFromList(pods)
	}
	for _, pod := range pods {
		if deleted[pod.Spec.NodeName] {
			gcc.markFailedAndDeletePod(pod, "node no longer exists", &corev1.PodCondition{
				Type:    corev1.DisruptionTarget,
				Status:  corev1.ConditionTrue,
				Reason:  "DeletionByPodGC",
				Message: "PodGC: node no longer exists",
			})
		}
	}
}

// discoverDeletedNodes puts the nodes that pods have and the informer has not
// into quarantine, and returns those that come out of it and, by a GET, are not
// there. An error leaves a node for another time.
func (gcc *Controller) discoverDeletedNodes(pods []*corev1.Pod, nodes []*corev1.Node) map[string]bool {
	existing := map[string]bool{}
	for _, node := range nodes {
		existing[node.Name] = true
	}
	now := heartbeat.Monotonic(gcc.host)
	gcc.nodeQueue.ripen(now)
	for _, pod := range pods {
		if pod.Spec.NodeName != "" && !existing[pod.Spec.NodeName] {
			gcc.nodeQueue.addAfter(pod.Spec.NodeName, now.Add(gcc.behaviors.Quarantine))
		}
	}
	deleted := map[string]bool{}
	for _, name := range gcc.nodeQueue.take() {
		if existing[name] {
			continue
		}
		_, err := gcc.clients.Nodes.Get(context.Background(), name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			deleted[name] = true
		}
	}
	return deleted
}

// missingFromList is how it was before the quarantine (up to 1.16): the nodes
// are listed by the API server each time.
func (gcc *Controller) missingFromList(pods []*corev1.Pod) map[string]bool {
	list, err := gcc.clients.ListNodes(context.Background(), metav1.ListOptions{})
	if err != nil {
		return nil
	}
	existing := map[string]bool{"": true} // an unscheduled pod has no node to miss
	nodes := list.(*corev1.NodeList)
	for i := range nodes.Items {
		existing[nodes.Items[i].Name] = true
	}
	missing := map[string]bool{}
	for _, pod := range pods {
		if !existing[pod.Spec.NodeName] {
			missing[pod.Spec.NodeName] = true
		}
	}
	return missing
}

// quarantine holds names until their time and then has them ready. A name that
// is ready can be put in anew, so a node whose pods were deleted is asked for
// once more 40 s later. Upstream: workqueue.TypedDelayingInterface.
type quarantine struct {
	readyAt map[string]time.Time
	ready   []string
}

// addAfter puts a name in, unless it is in.
func (q *quarantine) addAfter(name string, at time.Time) {
	if _, in := q.readyAt[name]; !in {
		q.readyAt[name] = at
	}
}

// ripen moves what has done its time.
func (q *quarantine) ripen(now time.Time) {
	for name, at := range q.readyAt { // order: sorted by take
		if !at.After(now) {
			delete(q.readyAt, name)
			q.ready = append(q.ready, name)
		}
	}
}

// take empties the queue of what is ready, by name.
func (q *quarantine) take() []string {
	ready := q.ready
	q.ready = nil
	slices.Sort(ready)
	return ready
}
