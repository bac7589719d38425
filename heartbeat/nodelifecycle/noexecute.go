package nodelifecycle

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/holter-sim/holter/heartbeat/version"
)

// noExecuteRetryWait is how long a node without a Ready condition waits in
// its queue.
const noExecuteRetryWait = 50 * time.Millisecond

// doNoExecuteTaintingPass takes from each zone's queue what its limiter lets
// through. Upstream: same name.
func (nc *Controller) doNoExecuteTaintingPass() {
	defer nc.lockEvictor()()
	for _, zone := range sortedKeys(nc.zoneNoExecuteTainter) {
		nc.zoneNoExecuteTainter[zone].try(func(v timedValue) (bool, time.Duration) {
			node, ok := nc.nodes.Store().Get(v.name)
			if !ok {
				return true, 0
			}
			ready := condition(&node.Status, corev1.NodeReady)
			if ready == nil {
				if !nc.cfg.Behaviors.NodeLifecycle.RetriesWithoutReady {
					nc.panicked("a queued node has no Ready condition, in doNoExecuteTaintingPass")
				}
				return false, noExecuteRetryWait
			}
			switch ready.Status {
			case corev1.ConditionFalse:
				return nc.swapTaints([]corev1.Taint{notReadyTaint}, []corev1.Taint{unreachableTaint}, node), 0
			case corev1.ConditionUnknown:
				return nc.swapTaints([]corev1.Taint{unreachableTaint}, []corev1.Taint{notReadyTaint}, node), 0
			default: // ready again, as far as the lister knows: the token is spent
				return true, 0
			}
		})
	}
}

// processTaintBaseEviction queues a node that is not ready for its NoExecute
// taint, swaps a taint that no longer says why, and untaints a ready node.
// Upstream: same name.
func (nc *Controller) processTaintBaseEviction(node *corev1.Node, ready corev1.ConditionStatus) {
	switch ready {
	case corev1.ConditionFalse:
		if hasTaint(node.Spec.Taints, &unreachableTaint) {
			nc.swapTaints([]corev1.Taint{notReadyTaint}, []corev1.Taint{unreachableTaint}, node)
		} else {
			nc.markNodeForTainting(node, &notReadyTaint)
		}
	case corev1.ConditionUnknown:
		if hasTaint(node.Spec.Taints, &notReadyTaint) {
			nc.swapTaints([]corev1.Taint{unreachableTaint}, []corev1.Taint{notReadyTaint}, node)
		} else {
			nc.markNodeForTainting(node, &unreachableTaint)
		}
	case corev1.ConditionTrue:
		_, _ = nc.markNodeAsReachable(node)
	}
}

// markNodeForTainting queues the node; one that has not got its taint yet is
// queued anew. Upstream: same name.
func (nc *Controller) markNodeForTainting(node *corev1.Node, taint *corev1.Taint) {
	defer nc.lockEvictor()()
	queue := nc.zoneNoExecuteTainter[nc.zoneKey(node)]
	if !hasTaint(node.Spec.Taints, taint) {
		switch nc.cfg.Behaviors.NodeLifecycle.TaintRequeue {
		case version.RenewsPlace:
			queue.remove(node.Name)
		case version.AddsPlace:
			queue.setRemove(node.Name)
		case version.KeepsPlace:
		}
	}
	queue.add(node.Name, node.UID)
}

// markNodeAsReachable removes both NoExecute taints and forgets the node's
// place in the queue. Upstream: same name.
func (nc *Controller) markNodeAsReachable(node *corev1.Node) (bool, error) {
	defer nc.lockEvictor()()
	if err := nc.removeTaints(node, []corev1.Taint{unreachableTaint}); err != nil {
		return false, err
	}
	if err := nc.removeTaints(node, []corev1.Taint{notReadyTaint}); err != nil {
		return false, err
	}
	return nc.zoneNoExecuteTainter[nc.zoneKey(node)].remove(node.Name), nil
}
