package version

import "time"

// NodeLifecycle is how the controller behaves that calls nodes Unknown and taints them: pkg/controller/nodelifecycle.
type NodeLifecycle struct {
	// NodeMonitorGracePeriod is the default of --node-monitor-grace-period. Upstream:
	// RecommendedDefaultNodeLifecycleControllerConfiguration.
	NodeMonitorGracePeriod time.Duration
	// KubeAPIQPS is the default of requests a second of each of the kube-controller-manager's clients. Upstream:
	// SetDefaults_KubeControllerManagerConfiguration.
	KubeAPIQPS int
	// KubeAPIBurst is the default of requests at once beyond KubeAPIQPS. Upstream: as KubeAPIQPS.
	KubeAPIBurst int

	// MonitorWorkers is how many nodes a pass looks at side by side. Upstream: Controller.monitorNodeHealth.
	MonitorWorkers int
	// PodUpdateWorkers mark pods not ready that are bound to a node when it is not ready already. Upstream:
	// Controller.processPod.
	PodUpdateWorkers int
	// NodeLeaseCircuitBreaker: a node whose time is up is called Unknown only after a live GET of its Lease has said the same,
	// and no node is looked at while the informer is known to be behind. Upstream: Controller.tryUpdateNodeHealth, gate
	// NodeControllerLeaseCircuitBreaker.
	NodeLeaseCircuitBreaker bool
	// PanicsLeavingDisruption: a node that was never looked at, which the circuit breaker allows, stops the
	// controller-manager when it leaves full disruption. Upstream: Controller.handleDisruption; its code is older, and could
	// not meet such a node.
	PanicsLeavingDisruption bool
	// ReturnsNeverUpdated: the pass that gives a node without a Ready condition one that is Unknown goes on with it; before,
	// the next pass does. Upstream: Controller.tryUpdateNodeHealth.
	ReturnsNeverUpdated bool
	// OutOfDiskUnknown: the condition OutOfDisk turns Unknown with Ready. Upstream: Controller.tryUpdateNodeHealth.
	OutOfDiskUnknown bool
	// DisruptionExclusion is what keeps a node out of the count of its zone. Upstream: isNodeExcludedFromDisruptionChecks.
	DisruptionExclusion Exclusion
	// StableZoneLabels: a node's zone is that of topology.kubernetes.io, where it has no label of
	// failure-domain.beta.kubernetes.io; before, the latter counts alone. Upstream: GetZoneKey.
	StableZoneLabels bool

	// TaintsByCurrent: the NoExecute taint follows from the Ready condition as the pass has left it; before, as it found it, so
	// that a node takes the taint one pass after it turned Unknown. Upstream: Controller.processTaintBaseEviction.
	TaintsByCurrent bool
	// TaintPatchHasVersion: a patch of taints carries the resourceVersion that was read, so that a race is a conflict; before,
	// the last one wins. Upstream: controller.PatchNodeTaints.
	TaintPatchHasVersion bool
	// TaintRequeue is what becomes of the place in the queue of a node that still waits for its NoExecute taint. Upstream:
	// Controller.markNodeForTainting.
	TaintRequeue Requeue
	// RetriesWithoutReady: a queued node without a Ready condition is looked at again 50 ms later; before, it stops the
	// controller-manager. Upstream: Controller.doNoExecuteTaintingPass.
	RetriesWithoutReady bool
	// LocksOverTaints: a pass over the queues and the removal of a node's taints wait for one another, requests included.
	// Upstream: Controller.evictorLock.
	LocksOverTaints bool
	// TaintBasedEvictionsGate: the gate of that name can be switched off; it is on by default. Upstream: pkg/features.
	TaintBasedEvictionsGate bool
	// PodEviction: with --enable-taint-manager=false, or without TaintBasedEvictions, the controller deletes the pods of a node
	// that has been not ready for --pod-eviction-timeout, and calls them NodeLost. Upstream:
	// Controller.processNoTaintBaseEviction, doEvictionPass.
	PodEviction bool
	// EvictsOnce: of a node whose pods were deleted, new pods are deleted at once. Upstream: Controller.evictPods,
	// nodeEvictionMap.
	EvictsOnce bool

	// ReconcilesLabels: beta.kubernetes.io/os and arch follow the stable labels. Upstream: Controller.reconcileNodeLabels.
	ReconcilesLabels bool
	// UpdatesPodCondition: of the pods to be marked those are written that were ready, with the time of the transition; before,
	// all of them are, with the time that they had. Upstream: MarkAllPodsNotReady.
	UpdatesPodCondition bool
	// PodsFromInformer: the pods to be marked or deleted are the informer's; before, they are asked of the API server. Upstream:
	// MarkPodsNotReady, before MarkAllPodsNotReady; DeletePods.
	PodsFromInformer bool
	// RetriesPods: pods that could not be marked are tried again in each pass. Upstream: Controller.nodesToRetry.
	RetriesPods bool
	// IgnoresGonePods: a pod that is gone when it is to be marked or deleted is no error. Upstream: MarkPodsNotReady,
	// DeletePods.
	IgnoresGonePods bool
	// PodEvents: each pod that is marked gets an event NodeNotReady. Upstream: MarkPodsNotReady.
	PodEvents bool
	// EventAPIVersion: the involvedObject of events about nodes has its apiVersion "v1". Upstream: RecordNodeEvent,
	// RecordNodeStatusChange.
	EventAPIVersion bool
}

// Exclusion is what keeps a node out of the count of its zone.
type Exclusion string

// What keeps nodes out of the count.
const (
	ExcludedByName        Exclusion = "name ends in master, or in master- and three characters"
	ExcludedByNameOrLabel Exclusion = "such a name, or label node.kubernetes.io/exclude-disruption"
	ExcludedByLabel       Exclusion = "label node.kubernetes.io/exclude-disruption"
)

// Requeue is what becomes of a node's place in the queue for NoExecute taints.
type Requeue string

// What becomes of the place of a node without its taint. A node that was handled in vain comes again only by the last two.
const (
	KeepsPlace  Requeue = "is kept"
	AddsPlace   Requeue = "is kept, and another added"
	RenewsPlace Requeue = "is given up for a new one"
)
