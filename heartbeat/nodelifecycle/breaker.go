package nodelifecycle

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/heartbeat"
)

// leaseBreaker is the circuit breaker of v1.37: before a node is called Unknown
// its Lease is read from the API server. If that is newer than what the informer
// has, the informer is stale, and no node is judged until it has caught up.
// Upstream: gate NodeControllerLeaseCircuitBreaker (Beta, on by default), with
// pkg/controller/util/consistency.
type leaseBreaker struct {
	seen uint64 // the newest version read live that the informer has not reached; 0 for none
}

// shortCircuitError skips a node for this pass: it is not tried again in it,
// and does not count in its zone. Upstream: same name.
type shortCircuitError struct{ error }

// ensureReady is an error while the Lease informer is behind what was read
// live. Upstream: RealConsistencyStore.EnsureReady.
func (nc *Controller) ensureReady() error {
	if !nc.cfg.Behaviors.NodeLifecycle.NodeLeaseCircuitBreaker || nc.breaker.seen == 0 {
		return nil
	}
	if at := nc.leases.LastSyncResourceVersion(); versionOf(at) < nc.breaker.seen {
		return shortCircuitError{staleLeases(at, strconv.FormatUint(nc.breaker.seen, 10))}
	}
	nc.breaker.seen = 0
	return nil
}

// verifyLease reads the Lease of an expired node live. Upstream: the second
// part of the gate in tryUpdateNodeHealth.
func (nc *Controller) verifyLease(node *corev1.Node, health *nodeHealthData) error {
	if !nc.cfg.Behaviors.NodeLifecycle.NodeLeaseCircuitBreaker {
		return nil
	}
	known := ""
	if health.lease != nil {
		known = health.lease.ResourceVersion
	}
	live, err := nc.clients.Leases.Get(context.Background(), node.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return shortCircuitError{fmt.Errorf("error looking up lease to verify node %s: %w", node.Name, err)}
	case live.ResourceVersion == known:
		return nil
	}
	nc.breaker.seen = max(nc.breaker.seen, versionOf(live.ResourceVersion))
	return shortCircuitError{staleLeases(known, live.ResourceVersion)}
}

// staleLeases is upstream's ConsistencyError.
func staleLeases(read, wrote string) error {
	return fmt.Errorf("read version: %s is not as new as written version: %s for group resource leases.coordination.k8s.io", read, wrote)
}

func versionOf(resourceVersion string) uint64 {
	version, _ := strconv.ParseUint(resourceVersion, 10, 64)
	return version
}

// skipped tells a node that the breaker keeps from being judged in this pass.
func (nc *Controller) skipped(node *corev1.Node, err error) bool {
	var short shortCircuitError
	if !errors.As(err, &short) {
		return false
	}
	heartbeat.Decide(nc.tracer, heartbeat.DecisionSkipped, node.Name, short.Error())
	return true
}

// errNilHealth is upstream's panic on leaving full disruption (v1.37.0 and
// v1.37.1, kubernetes#141572): the health of every node in the lister is read,
// and a node that the breaker has kept from ever being judged has none.
const errNilHealth = "invalid memory address or nil pointer dereference in handleDisruption (kubernetes#141572)"

// panicked ends the controller where upstream panics.
func (nc *Controller) panicked(reason string) {
	heartbeat.Decide(nc.tracer, heartbeat.DecisionPanicked, "", reason)
	if nc.cfg.Panicked == nil {
		panic("nodelifecycle: " + reason)
	}
	nc.cfg.Panicked(reason)
}
