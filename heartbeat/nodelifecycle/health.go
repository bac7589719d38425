package nodelifecycle

import (
	"context"
	"fmt"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/lease"
)

// nodeHealthData is what the controller remembers of a node between passes.
// probeTimestamp is on the controller's own clock: the kubelet's is never
// compared with it.
type nodeHealthData struct {
	probeTimestamp           time.Time
	readyTransitionTimestamp time.Time
	status                   *corev1.NodeStatus
	lease                    *coordinationv1.Lease
}

// unknownConditions turn Unknown together. NetworkUnavailable is managed by
// the control plane and stays as it is.
var unknownConditions = [...]corev1.NodeConditionType{
	corev1.NodeReady, corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure,
}

// tryUpdateNodeHealth takes in what the informers know of node and, when
// nothing was heard for longer than the grace period, writes its conditions
// as Unknown. It returns the node as it is then (a copy where it was changed),
// the Ready condition as it was observed, and as it is now (nil for none).
//
// Upstream: Controller.tryUpdateNodeHealth, branch by branch, with its quirks:
// a new heartbeat in the status forgets the saved lease, so that the next pass
// takes the same lease for news (branch 4); a lease whose renewTime went back
// is ignored; a node that never was Ready but renews its lease is healthy for
// ever. What is learnt is kept even where the write fails.
func (nc *Controller) tryUpdateNodeHealth(node *corev1.Node) (_ *corev1.Node, observed corev1.NodeCondition, current *corev1.NodeCondition, _ error) {
	health := nc.savedHealth(node.Name)
	defer func() { nc.nodeHealthMap[node.Name] = health }()

	if err := nc.ensureReady(); err != nil {
		return node, observed, nil, err
	}

	gracePeriod := nc.cfg.NodeMonitorGracePeriod
	current = condition(&node.Status, corev1.NodeReady)
	if current == nil {
		// Neither kubelet nor controller ever posted a status: count from the
		// node's creation.
		observed = corev1.NodeCondition{
			Type:               corev1.NodeReady,
			Status:             corev1.ConditionUnknown,
			LastHeartbeatTime:  node.CreationTimestamp,
			LastTransitionTime: node.CreationTimestamp,
		}
		gracePeriod = nc.cfg.NodeStartupGracePeriod
		if health != nil {
			health.status = &node.Status
		} else {
			health = &nodeHealthData{
				status:                   &node.Status,
				probeTimestamp:           nc.instantOf(node.CreationTimestamp),
				readyTransitionTimestamp: nc.instantOf(node.CreationTimestamp),
			}
		}
	} else {
		observed = *current
	}

	// Read after the status was replaced above, as upstream does: a Ready
	// condition that was removed is therefore not noticed as such.
	savedReady, savedLease := savedState(health)
	health = nc.observeStatus(health, savedReady, &node.Status, current)

	known, _ := nc.leases.Store().Get(lease.Namespace + "/" + node.Name)
	if known != nil && (savedLease == nil || savedLease.Spec.RenewTime.Before(known.Spec.RenewTime)) {
		health.lease = known
		health.probeTimestamp = nc.now()
	}

	if !nc.now().After(health.probeTimestamp.Add(gracePeriod)) {
		return node, observed, current, nil
	}
	if err := nc.verifyLease(node, health); err != nil {
		return node, observed, nil, err
	}
	return nc.markUnknown(node, &health, known, observed, gracePeriod)
}

// instantOf is when the controller's clock showed t.
func (nc *Controller) instantOf(t metav1.Time) time.Time {
	return nc.now().Add(-nc.host.Now().Sub(t.Time))
}

func (nc *Controller) savedHealth(name string) *nodeHealthData {
	if saved := nc.nodeHealthMap[name]; saved != nil {
		health := *saved
		return &health
	}
	return nil
}

func savedState(health *nodeHealthData) (*corev1.NodeCondition, *coordinationv1.Lease) {
	if health == nil {
		return nil, nil
	}
	return condition(health.status, corev1.NodeReady), health.lease
}

// observeStatus notes a new Ready condition or a new heartbeat in it. The
// order of the branches is upstream's.
func (nc *Controller) observeStatus(health *nodeHealthData, saved *corev1.NodeCondition, status *corev1.NodeStatus, current *corev1.NodeCondition) *nodeHealthData {
	now := nc.now()
	switch {
	case health == nil, // never seen: a restarted controller gives everybody a full grace period
		saved == nil && current != nil, // the first status of a node
		saved != nil && current == nil: // the condition was removed; never met, see the caller
		return &nodeHealthData{status: status, probeTimestamp: now, readyTransitionTimestamp: now}
	case saved != nil && current != nil && !saved.LastHeartbeatTime.Equal(&current.LastHeartbeatTime):
		transition := health.readyTransitionTimestamp
		if !saved.LastTransitionTime.Equal(&current.LastTransitionTime) {
			transition = now
		}
		return &nodeHealthData{status: status, probeTimestamp: now, readyTransitionTimestamp: transition}
	}
	return health
}

// markUnknown writes the conditions of a node that was not heard of for
// longer than its grace period.
func (nc *Controller) markUnknown(node *corev1.Node, health **nodeHealthData, known *coordinationv1.Lease, observed corev1.NodeCondition, gracePeriod time.Duration) (*corev1.Node, corev1.NodeCondition, *corev1.NodeCondition, error) {
	silent := nc.now().Sub((*health).probeTimestamp)
	marked := nc.withUnknownConditions(node, metav1.Time{Time: nc.host.Now()})
	if condition(&node.Status, corev1.NodeReady) == nil {
		// What is remembered is this very node's status then, and upstream
		// changes that in place; of another node it remembers a copy.
		(*health).status = &marked.Status
	}
	current := condition(&marked.Status, corev1.NodeReady)
	if sameCondition(current, &observed) {
		return marked, observed, current, nil
	}

	heartbeat.Decide(nc.tracer, heartbeat.DecisionExpired, node.Name,
		fmt.Sprintf("no heartbeat seen for %s, grace period %s", silent.Truncate(time.Microsecond), gracePeriod))
	if _, err := nc.clients.Nodes.UpdateStatus(context.Background(), marked, metav1.UpdateOptions{}); err != nil {
		return marked, observed, current, err
	}
	*health = &nodeHealthData{
		status:                   &marked.Status,
		probeTimestamp:           (*health).probeTimestamp,
		readyTransitionTimestamp: nc.now(),
		lease:                    known,
	}
	if !nc.cfg.Behaviors.NodeLifecycle.ReturnsNeverUpdated && condition(&node.Status, corev1.NodeReady) == nil {
		current = nil
	}
	return marked, observed, current, nil
}

// withUnknownConditions returns a copy of node with the four conditions
// Unknown. One that is Unknown already stays as it is, heartbeat times too.
func (nc *Controller) withUnknownConditions(node *corev1.Node, now metav1.Time) *corev1.Node {
	marked := *node
	marked.Status.Conditions = append([]corev1.NodeCondition(nil), node.Status.Conditions...)
	kinds := unknownConditions[:]
	if nc.cfg.Behaviors.NodeLifecycle.OutOfDiskUnknown {
		kinds = slices.Insert(slices.Clone(kinds), 1, corev1.NodeConditionType("OutOfDisk"))
	}
	for _, kind := range kinds {
		c := condition(&marked.Status, kind)
		switch {
		case c == nil:
			marked.Status.Conditions = append(marked.Status.Conditions, corev1.NodeCondition{
				Type:               kind,
				Status:             corev1.ConditionUnknown,
				Reason:             "NodeStatusNeverUpdated",
				Message:            "Kubelet never posted node status.",
				LastHeartbeatTime:  node.CreationTimestamp,
				LastTransitionTime: now,
			})
		case c.Status != corev1.ConditionUnknown:
			c.Status = corev1.ConditionUnknown
			c.Reason = "NodeStatusUnknown"
			c.Message = "Kubelet stopped posting node status."
			c.LastTransitionTime = now
		}
	}
	return &marked
}

func sameCondition(a, b *corev1.NodeCondition) bool {
	return a.Type == b.Type && a.Status == b.Status && a.Reason == b.Reason && a.Message == b.Message &&
		a.LastHeartbeatTime.Equal(&b.LastHeartbeatTime) && a.LastTransitionTime.Equal(&b.LastTransitionTime)
}

// condition returns the condition of that type, to be read or written in
// place, or nil.
func condition(status *corev1.NodeStatus, kind corev1.NodeConditionType) *corev1.NodeCondition {
	if status == nil {
		return nil
	}
	for i := range status.Conditions {
		if status.Conditions[i].Type == kind {
			return &status.Conditions[i]
		}
	}
	return nil
}
