package kubelet

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/holter-sim/holter/heartbeat"
)

const (
	// fastStatusPeriod is how often a starting kubelet looks whether it
	// became ready.
	fastStatusPeriod = 100 * time.Millisecond
	// nodeReadyGracePeriod ends the fast path.
	nodeReadyGracePeriod = 120 * time.Second
)

// fastStatusUpdateOnce looks every 100 ms whether the node became ready and
// reports that at once, instead of at the next tick of the status loop.
// Upstream: Kubelet.fastStatusUpdateOnce (since v1.26).
func (kl *Kubelet) fastStatusUpdateOnce() {
	start := heartbeat.Monotonic(kl.host)
	var stop func()
	stop = kl.host.Every("fast-status", fastStatusPeriod, 0, true, func() {
		timeout := heartbeat.Monotonic(kl.host).Sub(start) >= nodeReadyGracePeriod
		if kl.fastNodeStatusUpdate(timeout) {
			stop()
		}
	})
}

// fastNodeStatusUpdate returns true when the loop that calls it is to end.
// Where its patch fails, what the lister knows may be old, and the status
// loop's retries read from the API server. Upstream:
// Kubelet.fastNodeStatusUpdate, which gives the lock away for that call.
func (kl *Kubelet) fastNodeStatusUpdate(timeout bool) (completed bool) {
	completed, err := kl.tryFastNodeStatusUpdate(timeout)
	if err != nil {
		kl.syncNodeStatus()
	}
	return completed
}

func (kl *Kubelet) tryFastNodeStatusUpdate(timeout bool) (completed bool, err error) {
	kl.syncNodeStatusMux.Lock()
	defer kl.syncNodeStatusMux.Unlock()

	if timeout {
		return true, nil
	}
	original := kl.Node()
	if original == nil {
		return false, nil
	}
	ready := condition(&original.Status, corev1.NodeReady)
	if ready == nil {
		return false, nil
	}
	if ready.Status == corev1.ConditionTrue {
		return true, nil
	}

	kl.updateRuntimeUp()
	node, changed := kl.updateNode(original)
	if !changed {
		return false, nil
	}
	if ready = condition(&node.Status, corev1.NodeReady); ready == nil || ready.Status == corev1.ConditionFalse {
		return false, nil
	}
	return true, kl.patchNodeStatus(original, node)
}

// waitForPodCIDR is what kubelets did before the fast path: every 100 ms, for
// ever, they look whether their node has got a pod CIDR, and then update its
// status out of turn, once. Upstream: Kubelet.fastStatusUpdateOnce (v1.13 to
// v1.26).
func (kl *Kubelet) waitForPodCIDR() {
	var stop func()
	stop = kl.host.Every("fast-status", fastStatusPeriod, 0, true, func() {
		node := kl.Node()
		if node == nil || kl.podCIDRs(node) == "" {
			return
		}
		stop()
		kl.updatePodCIDR(kl.podCIDRs(node))
		kl.updateRuntimeUp()
		kl.syncNodeStatus()
	})
}
