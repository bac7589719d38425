package tainteviction

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/holter-sim/holter/heartbeat"
)

// handleNodeUpdate notes a node's taints and sees to its pods.
func (tc *Controller) handleNodeUpdate(name string) {
	node, ok := tc.informers.Nodes.Store().Get(name)
	if !ok {
		// The deletions that are due stay due: nobody but PodGC is told that the
		// node is gone.
		delete(tc.taintedNodes, name)
		return
	}
	taints := getNoExecuteTaints(node.Spec.Taints)
	if len(taints) == 0 {
		delete(tc.taintedNodes, name)
	} else {
		tc.taintedNodes[name] = taints
	}
	pods := tc.informers.PodsAssignedTo(name)
	if len(taints) == 0 {
		for _, pod := range pods {
			tc.cancelWorkWithEvent(namespacedName{pod.Namespace, pod.Name}, name, "no taint is left")
		}
		return
	}
	now := tc.now()
	for _, pod := range pods {
		tc.processPodOnNode(namespacedName{pod.Namespace, pod.Name}, name, pod.Spec.Tolerations, taints, now)
	}
}

// handlePodUpdate sees to a pod that is new, gone, or tolerates something else.
func (tc *Controller) handlePodUpdate(item podUpdateItem) {
	name := namespacedName{item.namespace, item.name}
	pod, ok := tc.informers.Pods.Store().Get(name.String())
	if !ok {
		tc.cancelWorkWithEvent(name, item.node, "it is gone")
		return
	}
	// One that has moved is its new node's worker's.
	if pod.Spec.NodeName != item.node || item.node == "" {
		return
	}
	taints, ok := tc.taintedNodes[item.node]
	if !ok {
		return
	}
	tc.processPodOnNode(name, item.node, pod.Spec.Tolerations, taints, tc.now())
}

// processPodOnNode decides when a pod is to be deleted, if ever. A pod that has
// its time keeps it, whatever taints and tolerations come later, unless it is
// to go at once or for ever to stay: upstream compares CreatedAt+min with
// now+min, and CreatedAt is always before now. So a swap of not-ready for
// unreachable starts no new 300 s, and a shorter toleration shortens nothing.
func (tc *Controller) processPodOnNode(pod namespacedName, node string, tolerations []corev1.Toleration, taints []corev1.Taint, now time.Time) {
	allTolerated, usedTolerations := getMatchingTolerations(taints, tolerations)
	if !allTolerated {
		why := taintNames(intolerable(taints, tolerations)) + " not tolerated"
		tc.cancelWorkWithEvent(pod, node, why)
		tc.taintEvictionQueue.addWork(workArgs{pod, node, why}, now, now)
		return
	}
	minTolerationTime := getMinTolerationTime(usedTolerations)
	if minTolerationTime < 0 {
		if tc.behaviors.ForeverCancels {
			tc.cancelWorkWithEvent(pod, node, taintNames(taints)+" tolerated for ever")
		}
		return
	}
	if tc.taintEvictionQueue.scheduled(pod) {
		return
	}
	why := fmt.Sprintf("%s tolerated for %s", taintNames(taints), minTolerationTime)
	if tc.taintEvictionQueue.addWork(workArgs{pod, node, why}, now, now.Add(minTolerationTime)) && minTolerationTime > 0 {
		heartbeat.Decide(tc.tracer, heartbeat.DecisionEvictionSet, node, pod.String()+": "+why)
	}
}

// cancelWorkWithEvent calls off the deletion of a pod, if one is due.
func (tc *Controller) cancelWorkWithEvent(pod namespacedName, node, why string) {
	if tc.taintEvictionQueue.cancelWork(pod) {
		heartbeat.Decide(tc.tracer, heartbeat.DecisionEvictionCancelled, node, pod.String()+": "+why)
		tc.event(pod, "Cancelling deletion of Pod "+pod.String())
	}
}

// namespacedName is a pod, whatever its uid: a new one of that name inherits
// what was due for the old.
type namespacedName struct{ namespace, name string }

// String is the pod's key in an informer's store.
func (n namespacedName) String() string { return n.namespace + "/" + n.name }
