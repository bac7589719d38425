package nodelifecycle

import (
	"cmp"
	"fmt"
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"
	topology "k8s.io/component-helpers/node/topology"

	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/version"
)

// zoneState says how much of a zone is not ready.
type zoneState string

const (
	stateInitial           zoneState = "Initial"
	stateNormal            zoneState = "Normal"
	stateFullDisruption    zoneState = "FullDisruption"
	statePartialDisruption zoneState = "PartialDisruption"
)

// labelNodeDisruptionExclusion keeps a node out of the count of its zone.
const labelNodeDisruptionExclusion = "node.kubernetes.io/exclude-disruption"

// isNodeExcludedFromDisruptionChecks. Upstream: same name, with
// legacyIsMasterNode and system.IsMasterNode.
func (nc *Controller) isNodeExcludedFromDisruptionChecks(node *corev1.Node) bool {
	name := node.Name
	byName := strings.HasSuffix(name, "master") || len(name) >= 10 && strings.HasSuffix(name[:len(name)-3], "master-")
	_, byLabel := node.Labels[labelNodeDisruptionExclusion]
	switch nc.cfg.Behaviors.NodeLifecycle.DisruptionExclusion {
	case version.ExcludedByName:
		return byName
	case version.ExcludedByNameOrLabel:
		return byName || byLabel
	}
	return byLabel
}

// zoneConditions counts the nodes of each zone in one pass.
type zoneConditions map[string]*zoneCount

type zoneCount struct{ ready, notReady int }

func (z zoneConditions) add(zone string, ready *corev1.NodeCondition) {
	count := z[zone]
	if count == nil {
		count = &zoneCount{}
		z[zone] = count
	}
	if ready != nil && ready.Status == corev1.ConditionTrue {
		count.ready++
	} else {
		count.notReady++
	}
}

func (z zoneConditions) size(zone string) int {
	if count := z[zone]; count != nil {
		return count.ready + count.notReady
	}
	return 0
}

// handleDisruption compares the zones with the last pass and sets the rate of
// their queues. When every zone is fully disrupted the trouble is more likely
// the controller's: taints are removed and none are added until some node is
// ready again, which gives every node a new grace period. Upstream: same name;
// its map order is by name here.
func (nc *Controller) handleDisruption(conditions zoneConditions, nodes []*corev1.Node) {
	newStates := map[string]zoneState{}
	allAreFullyDisrupted := true
	for _, zone := range sortedKeys(conditions) {
		newStates[zone] = nc.computeZoneState(conditions[zone])
		if newStates[zone] != stateFullDisruption {
			allAreFullyDisrupted = false
		}
		if _, had := nc.zoneStates[zone]; !had {
			nc.zoneStates[zone] = stateInitial
		}
	}

	allWasFullyDisrupted := true
	for _, zone := range sortedKeys(nc.zoneStates) {
		if _, have := conditions[zone]; !have {
			delete(nc.zoneStates, zone)
			continue
		}
		if nc.zoneStates[zone] != stateFullDisruption {
			allWasFullyDisrupted = false
			break
		}
	}

	switch {
	case allAreFullyDisrupted && allWasFullyDisrupted:
	case allAreFullyDisrupted:
		nc.enterFullDisruption(nodes)
	case allWasFullyDisrupted:
		nc.leaveFullDisruption(conditions, newStates, nodes)
	default:
		nc.updateZones(conditions, newStates)
	}
}

func (nc *Controller) enterFullDisruption(nodes []*corev1.Node) {
	heartbeat.Decide(nc.tracer, heartbeat.DecisionDisruption, "", "the controller sees no node ready in any zone: entering master disruption mode")
	for _, node := range nodes {
		nc.cancelEviction(node)
	}
	for _, zone := range sortedKeys(nc.zoneStates) {
		nc.zoneQueues()[zone].swapLimiter(0)
		nc.zoneStates[zone] = stateFullDisruption
	}
}

func (nc *Controller) leaveFullDisruption(conditions zoneConditions, newStates map[string]zoneState, nodes []*corev1.Node) {
	heartbeat.Decide(nc.tracer, heartbeat.DecisionDisruption, "", "the controller does not see every zone without a ready node any more: leaving master disruption mode, every node gets a new grace period")
	now := nc.now()
	for _, node := range nodes {
		health := nc.savedHealth(node.Name)
		if health == nil && nc.cfg.Behaviors.NodeLifecycle.PanicsLeavingDisruption {
			nc.panicked(errNilHealth)
			return
		}
		if health != nil {
			health.probeTimestamp, health.readyTransitionTimestamp = now, now
			nc.nodeHealthMap[node.Name] = health
		}
	}
	for _, zone := range sortedKeys(nc.zoneStates) {
		nc.setLimiterInZone(zone, conditions.size(zone), newStates[zone])
		nc.zoneStates[zone] = newStates[zone]
	}
}

func (nc *Controller) updateZones(conditions zoneConditions, newStates map[string]zoneState) {
	for _, zone := range sortedKeys(nc.zoneStates) {
		state := newStates[zone]
		if nc.zoneStates[zone] == state {
			continue
		}
		if nc.zoneStates[zone] != stateInitial || state != stateNormal {
			heartbeat.Decide(nc.tracer, heartbeat.DecisionDisruption, "", fmt.Sprintf("zone %s: %s", zoneName(zone), cmp.Or(string(state), "no node could be judged")))
		}
		nc.setLimiterInZone(zone, conditions.size(zone), state)
		nc.zoneStates[zone] = state
	}
}

// zoneName is a zone for people; topology.GetZoneKey puts a zero byte between
// its region and its zone.
func zoneName(key string) string {
	region, zone, _ := strings.Cut(key, ":\x00:")
	switch {
	case region == "":
		return cmp.Or(zone, "without a name")
	case zone == "":
		return region
	}
	return region + "/" + zone
}

// setLimiterInZone. Upstream: same name, with ReducedQPSFunc and HealthyQPSFunc.
func (nc *Controller) setLimiterInZone(zone string, size int, state zoneState) {
	qps := nc.cfg.NodeEvictionRate
	switch state {
	case stateInitial:
		return
	case statePartialDisruption:
		qps = 0
		if size > nc.cfg.LargeClusterSizeThreshold {
			qps = nc.cfg.SecondaryNodeEvictionRate
		}
	}
	nc.zoneQueues()[zone].swapLimiter(qps)
}

// computeZoneState. Upstream: Controller.ComputeZoneState.
func (nc *Controller) computeZoneState(count *zoneCount) zoneState {
	switch {
	case count.ready == 0 && count.notReady > 0:
		return stateFullDisruption
	case count.notReady > 2 && float32(count.notReady)/float32(count.notReady+count.ready) >= nc.cfg.UnhealthyZoneThreshold:
		return statePartialDisruption
	default:
		return stateNormal
	}
}

// addPodEvictorForNewZone. Upstream: same name.
func (nc *Controller) addPodEvictorForNewZone(node *corev1.Node) {
	defer nc.lockEvictor()()
	zone := nc.zoneKey(node)
	if _, found := nc.zoneStates[zone]; found {
		return
	}
	nc.zoneStates[zone] = stateInitial
	nc.zoneQueues()[zone] = newRateLimitedTimedQueue(nc.host, nc.cfg.NodeEvictionRate)
}

// zoneKey names a node's zone: region and zone, or "" for neither. Up to 1.16
// labels of topology.kubernetes.io mean nothing to it. Upstream: GetZoneKey.
func (nc *Controller) zoneKey(node *corev1.Node) string {
	if nc.cfg.Behaviors.NodeLifecycle.StableZoneLabels {
		return topology.GetZoneKey(node)
	}
	region, zone := node.Labels[corev1.LabelFailureDomainBetaRegion], node.Labels[corev1.LabelFailureDomainBetaZone]
	if region == "" && zone == "" {
		return ""
	}
	return region + ":\x00:" + zone
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m { // order: sorted below
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
