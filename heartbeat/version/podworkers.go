package version

// PodWorkers is how a kubelet writes the status of its pods and ends them: pod workers and status manager.
type PodWorkers struct {
	// SkipsEqualStatus: a status that is what the API server has already is not sent; before, an empty patch is. Upstream:
	// PatchPodStatus.
	SkipsEqualStatus bool
	// DeletesWhenTerminated: a pod that is being deleted is deleted as soon as its worker has ended it; before, with the
	// status manager's next turn, which comes every 10 s, when its containers are removed. Upstream: syncTerminatedPod,
	// PodResourcesAreReclaimed.
	DeletesWhenTerminated bool
	// TerminalBeforeDeleted: a pod is called Succeeded or Failed before it is deleted; before, it goes as Running. Upstream:
	// generateAPIPodStatus, canBeDeleted.
	TerminalBeforeDeleted bool
	// KeepsReason: a pod whose phase stays keeps its reason and message, whoever wrote them; before, the kubelet writes none.
	// Upstream: generateAPIPodStatus.
	KeepsReason bool
}
