package version

import "time"

// TaintEviction is how pods are deleted that do not tolerate a NoExecute taint: scheduler.NoExecuteTaintManager up to 1.28,
// pkg/controller/tainteviction after.
type TaintEviction struct {
	// EventSource is the component in its events. Upstream: NewNoExecuteTaintManager, tainteviction.New.
	EventSource string
	// Separate: it is a controller of its own, which is switched off and on by its name. Upstream: gate
	// SeparateTaintEvictionController.
	Separate bool
	// ForeverCancels: a pod that comes to tolerate all taints for ever is taken off the list; before, a deletion that is due
	// stays due. Upstream: processPodOnNode.
	ForeverCancels bool
	// KeepsDeleted: a pod that was deleted stays on the list until it is gone or its node has no taint, so that another taint
	// which it tolerates for a time does not have it deleted again. Upstream: getWrappedWorkerFunc.
	KeepsDeleted bool
	// DisruptionTarget is how a pod is told why, before it is deleted. Upstream: addConditionAndDeletePod.
	DisruptionTarget PodCondition
}

// PodGC is how pods without a node are deleted: pkg/controller/podgc.
type PodGC struct {
	// Quarantine is how long a node has to be gone before a live GET and, if it still is, the deletion of its pods; with 0 the
	// nodes are listed by the API server at each turn, and there is no waiting. Upstream: gcOrphaned.
	Quarantine time.Duration
	// DisruptionTarget is how a pod is told why, and called Failed, before it is deleted. Upstream:
	// markFailedAndDeletePodWithCondition.
	DisruptionTarget PodCondition
	// EvictedFirst: of what has ended, or ends, pods that a kubelet evicted are deleted first, and then the oldest; before, the
	// oldest. Upstream: byEvictionAndCreationTimestamp.
	EvictedFirst bool
	// OutOfService: pods that end on a node that is not ready and has the taint node.kubernetes.io/out-of-service are deleted.
	// Upstream: gcTerminating, gate NodeOutOfServiceVolumeDetach.
	OutOfService bool
}

// PodCondition is how the condition DisruptionTarget is written.
type PodCondition string

// How a pod is given the condition DisruptionTarget. Each way but the first is a GET and a write before the DELETE in taint
// eviction, and a write in PodGC.
const (
	NoCondition      PodCondition = "not at all"
	AppliedCondition PodCondition = "server-side apply"
	PatchedCondition PodCondition = "patch"
)
