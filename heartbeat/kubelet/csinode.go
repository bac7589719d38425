package kubelet

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/heartbeat"
)

// The waits of the CSI plugin's start: until the API server answers, then two
// nested backoffs. Upstream: pkg/volume/csi/csi_plugin.go initializeCSINode,
// and nodeinfomanager.InitializeCSINodeWithAnnotation (v1.36.3).
const (
	csiServerPeriod               = time.Second
	csiOuterSteps                 = 6
	csiInnerWait                  = 10 * time.Millisecond
	csiInnerSteps, csiInnerFactor = 4, 5
	csiJitterPercent              = 10
)

// initializeCSINode creates the node's CSINode, which needs the Node to be
// there. Until it has succeeded the node is not ready, which is why a new node
// registers NotReady and turns Ready some hundred milliseconds later. Only the
// GET of the Node is modelled of its requests. After about 140 s without
// success upstream's kubelet exits; here it goes on trying, as the restarted
// kubelet would.
func (kl *Kubelet) initializeCSINode() {
	errCSINode := errors.New(kl.cfg.Behaviors.Kubelet.CSINodePending)
	kl.runtimeState.storageError = errCSINode
	rand := kl.host.Rand("csi-node")
	err, first := errCSINode, false
	if kl.cfg.Behaviors.Kubelet.CSINodeWaits {
		err, first = kl.waitForAPIServer(), true
	}
	try := func() bool {
		if !first {
			err = kl.tryCSINode()
		}
		first = false
		return err == nil
	}
	initialize := func() bool {
		if backoff(kl.host, rand, csiInnerWait, csiInnerFactor, csiInnerSteps, try) {
			return true
		}
		kl.runtimeState.storageError = fmt.Errorf("%s: error updating CSINode annotation: timed out waiting for the condition; caused by: %w", kl.cfg.Behaviors.Kubelet.CSINodeError, err)
		return false
	}
	for !backoff(kl.host, rand, kl.cfg.Behaviors.Kubelet.CSINodeBackoff, kl.cfg.Behaviors.Kubelet.CSINodeBackoffFactor, csiOuterSteps, initialize) {
	}
	kl.runtimeState.storageError = nil
}

// waitForAPIServer asks every second until there is an answer, be it 404, and
// returns that. Upstream: waitForAPIServerForever, which gets the CSINode; the
// Node stands in for it, and its answer for that to the first GET of the Node.
func (kl *Kubelet) waitForAPIServer() error {
	err := kl.tryCSINode()
	if err == nil || apierrors.IsNotFound(err) {
		return err
	}
	for start := heartbeat.Monotonic(kl.host); ; {
		elapsed := heartbeat.Monotonic(kl.host).Sub(start)
		kl.host.Sleep(csiServerPeriod - elapsed%csiServerPeriod) // a tick during the request is dropped
		if err = kl.tryCSINode(); err == nil || apierrors.IsNotFound(err) {
			return err
		}
	}
}

func (kl *Kubelet) tryCSINode() error {
	_, err := kl.clients.Kube.Get(context.Background(), kl.cfg.NodeName, metav1.GetOptions{})
	return err
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
