package kubelet

import (
	"context"
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/heartbeat"
)

var errCSINode = errors.New("CSINode is not yet initialized")

// The two nested backoffs of the CSI plugin's start. Upstream:
// pkg/volume/csi/csi_plugin.go initializeCSINode, and
// nodeinfomanager.InitializeCSINodeWithAnnotation (v1.36.3).
const (
	csiOuterSteps, csiOuterFactor = 6, 6
	csiInnerSteps, csiInnerFactor = 4, 5
	csiOuterWait                  = 15 * time.Millisecond
	csiInnerWait                  = 10 * time.Millisecond
	csiJitterPercent              = 10
)

// initializeCSINode creates the node's CSINode, which needs the Node to be
// there. Until it has succeeded the node is not ready, which is why a new node
// registers NotReady and turns Ready some hundred milliseconds later. Only the
// GET of the Node is modelled of its requests. After about 140 s without
// success upstream's kubelet exits; here it goes on trying, as the restarted
// kubelet would.
func (kl *Kubelet) initializeCSINode() {
	kl.runtimeState.storageError = errCSINode
	rand := kl.host.Rand("csi-node")
	for !backoff(kl.host, rand, csiOuterWait, csiOuterFactor, csiOuterSteps, func() bool {
		return backoff(kl.host, rand, csiInnerWait, csiInnerFactor, csiInnerSteps, kl.tryCSINode)
	}) {
	}
	kl.runtimeState.storageError = nil
}

func (kl *Kubelet) tryCSINode() bool {
	_, err := kl.clients.Kube.Get(context.Background(), kl.cfg.NodeName, metav1.GetOptions{})
	return err == nil
}

// backoff tries up to steps times, waiting wait, wait*factor ... between the
// tries, each up to a tenth longer. Upstream: wait.ExponentialBackoff.
func backoff(host heartbeat.Host, rand heartbeat.Rand, wait time.Duration, factor, steps int, try func() bool) bool {
	for i := 0; i < steps; i++ {
		if try() {
			return true
		}
		if i == steps-1 {
			break
		}
		host.Sleep(wait + time.Duration(rand.Int64N(int64(wait)*csiJitterPercent/100)))
		wait *= time.Duration(factor)
	}
	return false
}
