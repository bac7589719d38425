package nodelifecycle

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/holter-sim/holter/heartbeat"
)

// Up to 1.26 the controller can be told to delete the pods of a node itself,
// where it else taints the node and leaves its pods to their tolerations. This
// file is that way: the same queues and rates, and pods instead of taints.

// usesTaintBasedEvictions tells which way it is. Upstream:
// Controller.runTaintManager, up to 1.17 Controller.useTaintBasedEvictions.
func (cfg *Config) usesTaintBasedEvictions() bool {
	b := &cfg.Behaviors.NodeLifecycle
	if !b.PodEviction {
		return true
	}
	return cfg.EnableTaintManager && (cfg.TaintBasedEvictions || !b.TaintBasedEvictionsGate)
}

// evictionStatus is what has become of the pods of a node. Upstream: same name.
type evictionStatus int

const (
	unmarked evictionStatus = iota
	toBeEvicted
	evicted
)

// nodeEvictionMap has the status of each node that the informer knows; of
// others nothing is kept. Upstream: same name, since v1.17.
type nodeEvictionMap map[string]evictionStatus

func (m nodeEvictionMap) setStatus(node string, status evictionStatus) {
	if _, registered := m[node]; registered {
		m[node] = status
	}
}

// processNoTaintBaseEviction queues a node whose pods are to be deleted, once
// it has been not ready for PodEvictionTimeout, or unheard of for that long: the
// grace period is part of it. Upstream: same name (v1.26); before 1.17 a part of
// monitorNodeHealth.
func (nc *Controller) processNoTaintBaseEviction(node *corev1.Node, ready corev1.ConditionStatus, pods []*corev1.Pod) error {
	health := nc.nodeHealthMap[node.Name]
	if health == nil {
		return fmt.Errorf("health data doesn't exist for node %q", node.Name)
	}
	since := health.readyTransitionTimestamp
	switch ready {
	case corev1.ConditionTrue:
		nc.cancelPodEviction(node)
		return nil
	case corev1.ConditionUnknown:
		since = health.probeTimestamp
	}
	if nc.now().After(since.Add(nc.cfg.PodEvictionTimeout)) {
		return nc.evictPods(node, pods)
	}
	return nil
}

// evictPods queues a node; of one whose pods were deleted already the pods
// that came since are deleted at once, which no rate limits. Upstream: same name.
func (nc *Controller) evictPods(node *corev1.Node, pods []*corev1.Pod) error {
	defer nc.lockEvictor()()
	if nc.cfg.Behaviors.NodeLifecycle.EvictsOnce {
		if nc.nodeEvictionMap[node.Name] == evicted {
			return nc.deletePods(pods, node.Name, node.UID, "its node's pods were evicted before")
		}
		nc.nodeEvictionMap.setStatus(node.Name, toBeEvicted)
	}
	nc.zonePodEvictor[nc.zoneKey(node)].add(node.Name, node.UID)
	return nil
}

// cancelPodEviction takes a node that is ready out of its queue. Upstream: same name.
func (nc *Controller) cancelPodEviction(node *corev1.Node) {
	defer nc.lockEvictor()()
	nc.nodeEvictionMap.setStatus(node.Name, unmarked)
	nc.zonePodEvictor[nc.zoneKey(node)].remove(node.Name)
}

// doEvictionPass takes from each zone's queue what its limiter lets through,
// and deletes the pods of these nodes, be they ready again or gone. A node whose
// pods could not all be deleted stays in its queue. Upstream: same name.
func (nc *Controller) doEvictionPass() {
	defer nc.lockEvictor()()
	for _, zone := range sortedKeys(nc.zonePodEvictor) {
		nc.zonePodEvictor[zone].try(func(v timedValue) (bool, time.Duration) {
			pods, err := nc.podsToEvict(v.name)
			if err == nil {
				err = nc.deletePods(pods, v.name, v.uid, "its node was not ready for "+nc.cfg.PodEvictionTimeout.String())
			}
			if err != nil {
				heartbeat.Decide(nc.tracer, heartbeat.DecisionPodsNotEvicted, v.name, err.Error())
				return false, 0
			}
			nc.nodeEvictionMap.setStatus(v.name, evicted)
			return true, 0
		})
	}
}

// cancelEviction takes back what was done about a node that is not ready, or
// was to be. Upstream: the choice stands wherever it is made.
func (nc *Controller) cancelEviction(node *corev1.Node) {
	if nc.cfg.usesTaintBasedEvictions() {
		_, _ = nc.markNodeAsReachable(node)
	} else {
		nc.cancelPodEviction(node)
	}
}

// zoneQueues are the queues of the way that is used, by zone.
func (nc *Controller) zoneQueues() map[string]*rateLimitedTimedQueue {
	if nc.cfg.usesTaintBasedEvictions() {
		return nc.zoneNoExecuteTainter
	}
	return nc.zonePodEvictor
}

// lockEvictor locks the queues and returns what unlocks them. Up to 1.24 it is
// held over the requests of a pass over the queues and of the removal of taints,
// so that one waits for the other; later over nothing that takes time, and needs
// no lock here. Upstream: Controller.evictorLock.
func (nc *Controller) lockEvictor() (unlock func()) {
	if !nc.cfg.Behaviors.NodeLifecycle.LocksOverTaints {
		return func() {}
	}
	nc.evictorLock.Lock()
	return nc.evictorLock.Unlock
}

// podsToEvict are the pods of a node, as the informer knows them; before 1.17
// as the API server does.
func (nc *Controller) podsToEvict(node string) ([]*corev1.Pod, error) {
	if nc.cfg.Behaviors.NodeLifecycle.PodsFromInformer {
		return nc.pods.on(node), nil
	}
	return nc.listPodsOf(node)
}
