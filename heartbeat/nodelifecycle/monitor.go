package nodelifecycle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/heartbeat"
)

// monitorNodeHealth is one pass over all nodes that the informer knows.
// Upstream: Controller.monitorNodeHealth.
func (nc *Controller) monitorNodeHealth() {
	if nc.passes++; nc.passes == 1 {
		heartbeat.Decide(nc.tracer, heartbeat.DecisionControllerPass, "", "")
	}
	// A pass may take time; it goes by what was known at its start.
	nodes := slices.Clone(nc.nodes.Store().List())
	added, deleted, newZoneRepresentatives := nc.classifyNodes(nodes)

	for _, node := range newZoneRepresentatives {
		nc.addPodEvictorForNewZone(node)
	}
	for _, node := range added {
		nc.recordNodeEvent(node, "RegisteredNode", fmt.Sprintf("Node %s event: Registered Node %s in Controller", node.Name, node.Name))
		nc.knownNodeSet[node.Name] = node
		nc.addPodEvictorForNewZone(node)
		nc.cancelEviction(node)
	}
	for _, node := range deleted {
		nc.recordNodeEvent(node, "RemovingNode", fmt.Sprintf("Node %s event: Removing Node %s from Controller", node.Name, node.Name))
		delete(nc.knownNodeSet, node.Name)
	}

	conditions := zoneConditions{}
	parallelize(nc.host, nc.cfg.Behaviors.NodeLifecycle.MonitorWorkers, len(nodes), func(piece int) {
		nc.updateNodeHealth(nodes[piece], conditions)
	})
	nc.handleDisruption(conditions, nodes)

	if cost := nc.cfg.PassCostPerNode * time.Duration(len(nodes)); cost > 0 {
		nc.host.Sleep(cost)
	}
}

// updateNodeHealth looks at one node: is it to be called Unknown, tainted, its
// pods marked? A node whose update fails to the end is skipped and does not
// count in its zone. Upstream: updateNodeFunc in monitorNodeHealth.
func (nc *Controller) updateNodeHealth(node *corev1.Node, conditions zoneConditions) {
	var observed corev1.NodeCondition
	var current *corev1.NodeCondition
	err := pollImmediate(nc.host, retrySleepTime, retrySleepTime*nodeHealthUpdateRetry, func() (bool, error) {
		updated, o, c, err := nc.tryUpdateNodeHealth(node)
		if err == nil {
			node, observed, current = updated, o, c
			return true, nil
		}
		if nc.skipped(node, err) {
			return false, err
		}
		fresh, err := nc.clients.Nodes.Get(context.Background(), node.Name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		node = fresh
		return false, nil
	})
	var short shortCircuitError
	if errors.As(err, &short) {
		return
	}
	if err != nil {
		heartbeat.Decide(nc.tracer, heartbeat.DecisionUpdateFailed, node.Name, err.Error())
		return
	}

	if !nc.isNodeExcludedFromDisruptionChecks(node) {
		conditions.add(nc.zoneKey(node), current)
	}
	if current != nil && nc.reactToCondition(node, observed.Status, current) != nil && nc.cfg.Behaviors.NodeLifecycle.RetriesPods {
		nc.nodesToRetry[node.Name] = true
		return
	}
	delete(nc.nodesToRetry, node.Name)
}

// reactToCondition sees to the node's NoExecute taint, or has its pods evicted.
// If the node was ready and is no more, it records that and marks the node's
// pods; a failure to mark them is an error, and since 1.17 retried in later
// passes.
func (nc *Controller) reactToCondition(node *corev1.Node, observed corev1.ConditionStatus, current *corev1.NodeCondition) error {
	changed := current.Status != corev1.ConditionTrue && observed == corev1.ConditionTrue
	mark := changed || nc.nodesToRetry[node.Name] && observed != corev1.ConditionTrue
	var pods []*corev1.Pod
	if mark || !nc.cfg.usesTaintBasedEvictions() { // upstream reads them for every node, and before the taints too
		pods = nc.pods.on(node.Name)
	}
	tainted := current.Status
	if !nc.cfg.Behaviors.NodeLifecycle.TaintsByCurrent {
		tainted = observed
	}
	if nc.cfg.usesTaintBasedEvictions() {
		nc.processTaintBaseEviction(node, tainted)
	} else if err := nc.processNoTaintBaseEviction(node, tainted, pods); err != nil {
		heartbeat.Decide(nc.tracer, heartbeat.DecisionPodsNotEvicted, node.Name, err.Error())
	}
	if changed {
		nc.recordNodeEvent(node, "NodeNotReady", fmt.Sprintf("Node %s status is now: NodeNotReady", node.Name))
	}
	switch {
	case !mark:
		return nil
	case nc.cfg.Behaviors.NodeLifecycle.PodsFromInformer:
		return nc.markPodsNotReady(pods)
	}
	return nc.markAllPodsNotReady(node.Name)
}

// classifyNodes tells new nodes, nodes that are gone, and known nodes whose
// zone is new. Upstream: Controller.classifyNodes.
func (nc *Controller) classifyNodes(all []*corev1.Node) (added, deleted, newZoneRepresentatives []*corev1.Node) {
	for _, node := range all {
		if _, known := nc.knownNodeSet[node.Name]; !known {
			added = append(added, node)
		} else if _, found := nc.zoneStates[nc.zoneKey(node)]; !found {
			newZoneRepresentatives = append(newZoneRepresentatives, node)
		}
	}
	if len(nc.knownNodeSet)+len(added) == len(all) {
		return added, nil, newZoneRepresentatives
	}
	present := make(map[string]bool, len(all))
	for _, node := range all {
		present[node.Name] = true
	}
	for name, node := range nc.knownNodeSet { // order: sorted below
		if !present[name] {
			deleted = append(deleted, node)
		}
	}
	sort.Slice(deleted, func(i, j int) bool { return deleted[i].Name < deleted[j].Name })
	return added, deleted, newZoneRepresentatives
}

// recordNodeEvent. Upstream: controllerutil.RecordNodeEvent and
// RecordNodeStatusChange.
func (nc *Controller) recordNodeEvent(node *corev1.Node, reason, message string) {
	apiVersion := "v1"
	if !nc.cfg.Behaviors.NodeLifecycle.EventAPIVersion {
		apiVersion = ""
	}
	ref := corev1.ObjectReference{APIVersion: apiVersion, Kind: "Node", Name: node.Name, UID: node.UID}
	nc.recorder.Event(ref, corev1.EventTypeNormal, reason, message)
}
