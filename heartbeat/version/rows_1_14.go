package version

// from1_14 is 1.14 to 1.16: Leases on by default, and renewed without a GET.
func from1_14() []row {
	return []row{
		since(14, 0,
			read("features/kube_features.go NodeLease", "v1.13.12", "v1.14.0", func(b *Behaviors) { b.Lease.NodeLease = true }),
			read("kubelet_node_status.go initialNode", "v1.13.12", "v1.14.0", func(b *Behaviors) { b.Kubelet.StableOSLabels = true }),
			read(csiPlugin, "v1.13.12", "v1.14.0", func(b *Behaviors) { b.Kubelet.CSINode = true }),
			read(csiPlugin, "v1.13.12", "v1.14.0", func(b *Behaviors) { b.Kubelet.CSINodeBackoff = csiBackoffOf1_14 }),
			read(csiPlugin, "v1.13.12", "v1.14.0", func(b *Behaviors) { b.Kubelet.CSINodeBackoffFactor = 6 }),
			read("nodestatus/setters.go ReadyCondition", "v1.13.12", "v1.14.0", func(b *Behaviors) { b.Kubelet.StorageErrors = true }),
			read(csiPlugin, "v1.13.12", "v1.14.0", func(b *Behaviors) { b.Kubelet.CSINodePending = "CSINodeInfo is not yet initialized" }),
			read(csiPlugin, "v1.13.12", "v1.14.0", func(b *Behaviors) { b.Kubelet.CSINodeError = "Failed to initialize CSINodeInfo" }),
			read("nodestatus/setters.go ReadyCondition", "v1.13.12", "v1.14.0", func(b *Behaviors) { b.Kubelet.AggregatesErrors = true }),
			read("runtime.go runtimeErrors", "v1.13.12", "v1.14.0", func(b *Behaviors) { b.Kubelet.RuntimeErrorsEndInPeriod = true }),
			read("cmd/kubelet/app/server.go buildKubeletClientConfig", "v1.13.12", "v1.14.0", func(b *Behaviors) { b.Kubelet.OnHeartbeatFailure = NoConnections }),
			read("node_lifecycle_controller.go tryUpdateNodeHealth", "v1.13.12", "v1.14.0", func(b *Behaviors) { b.NodeLifecycle.OutOfDiskUnknown = false }),
			read("node_lifecycle_controller.go reconcileNodeLabels", "v1.13.12", "v1.14.0", func(b *Behaviors) { b.NodeLifecycle.ReconcilesLabels = true }),
		),
		since(14, 3,
			read("cmd/kubelet/app/server.go buildKubeletClientConfig", "v1.14.2", "v1.14.3", func(b *Behaviors) { b.Kubelet.OnHeartbeatFailure = AllConnections }),
		),
		since(14, 6,
			read("kubelet/nodelease/controller.go NewController", "v1.14.5", "v1.14.6", func(b *Behaviors) { b.Lease.RenewInterval = RenewWithStatusUpdate }),
		),
		since(14, 9,
			read("kubelet_node_status.go reconcileExtendedResource", "v1.14.8", "v1.14.9", func(b *Behaviors) { b.Kubelet.ZeroesExtendedResources = false }),
		),
		since(15, 0,
			read("kubelet/nodelease/controller.go NewController", "v1.14.10", "v1.15.0", func(b *Behaviors) { b.Lease.RenewInterval = RenewEvery10s }),
			read("runtime.go runtimeErrors", "v1.14.10", "v1.15.0", func(b *Behaviors) { b.Kubelet.RuntimeErrorsEndInPeriod = false }),
			read("controller/util/node/controller_utils.go MarkAllPodsNotReady", "v1.14.10", "v1.15.0", func(b *Behaviors) { b.NodeLifecycle.UpdatesPodCondition = true }),
		),
		since(15, 3,
			read("kubelet/nodelease/controller.go NewController", "v1.15.2", "v1.15.3", func(b *Behaviors) { b.Lease.RenewInterval = RenewWithStatusUpdate }),
		),
		since(15, 11, append(podsOf1_17("v1.15.10", "v1.15.11", true),
			read("node_lifecycle_controller.go tryUpdateNodeHealth", "v1.15.10", "v1.15.11", func(b *Behaviors) { b.NodeLifecycle.ReturnsNeverUpdated = true }),
		)...),
		rowOf1_16(),
		since(16, 8, podsOf1_17("v1.16.7", "v1.16.8", true)...),
		since(16, 15,
			logged("scheduler/taint_manager.go processPodOnNode", "v1.16.8", "v1.16.15", "1.16.15 by the changelog (#93722)",
				func(b *Behaviors) { b.TaintEviction.ForeverCancels = true }),
		),
	}
}

func rowOf1_16() row {
	lease := []change{
		read("kubelet/nodelease/controller.go", "v1.15.12", "v1.16.0", func(b *Behaviors) { b.Lease.API = "v1" }),
		read("kubelet/nodelease/controller.go NewController", "v1.15.12", "v1.16.0", func(b *Behaviors) { b.Lease.RenewInterval = RenewFourTimes }),
		read("kubelet/nodelease/controller.go sync", "v1.15.12", "v1.16.0", func(b *Behaviors) { b.Lease.GetsBeforeUpdate = false }),
		read("kubelet/nodelease/controller.go retryUpdateLease", "v1.15.12", "v1.16.0", func(b *Behaviors) { b.Lease.GetsAfterConflict = true }),
		read("kubelet/nodelease/controller.go sync", "v1.15.12", "v1.16.0", func(b *Behaviors) { b.Lease.PreparesTwice = true }),
	}
	kubelet := []change{
		read("kubelet_node_status.go tryUpdateNodeStatus", "v1.15.12", "v1.16.0", func(b *Behaviors) { b.Kubelet.PodCIDRs = true }),
		read("util/node/node.go PatchNodeStatus", "v1.15.12", "v1.16.0", func(b *Behaviors) { b.Kubelet.ReplacesAddresses = true }),
		read("nodestatus/setters.go NodeAddress", "v1.15.12", "v1.16.0", func(b *Behaviors) { b.Kubelet.ExternalAddresses = OwnAddresses }),
		read("kubelet.go updateRuntimeUp", "v1.15.12", "v1.16.0", func(b *Behaviors) { b.Kubelet.RuntimeError = "Container runtime not ready" }),
		read("nodestatus/setters.go ReadyCondition", "v1.15.12", "v1.16.0", func(b *Behaviors) { b.Kubelet.MissingCapacity = "missing node capacity for resources" }),
		read("kubelet_node_status.go defaultNodeStatusFuncs", "v1.15.12", "v1.16.0", func(b *Behaviors) { b.Kubelet.RemovesOutOfDisk = false }),
	}
	others := []change{
		noted(read("client-go tools/cache/reflector.go ListAndWatch", "client-go v0.15.12", "v0.16.4", func(b *Behaviors) { b.Informer.Bookmarks = true }),
			"the first tag of the series"),
		noted(read("client-go tools/cache/reflector.go ListAndWatch", "client-go v0.15.12", "v0.16.4", func(b *Behaviors) { b.Informer.RefusedConnection = PauseOf1s }),
			"the first tag of the series; an os.SyscallError is seen through"),
		noted(read("apiserver features/kube_features.go WatchBookmark", "apiserver v0.15.12", "v0.16.4", func(b *Behaviors) { b.APIServer.Bookmarks = true }),
			"the first tag of the series"),
	}
	return since(16, 0, append(append(append(lease, kubelet...), others...), podsOf1_17("v1.15.12", "v1.16.0", false)...)...)
}

// podsOf1_17 is how the controller handles pods since 1.17, which was backported to late releases of 1.15 and 1.16.
func podsOf1_17(without, with string, on bool) []change {
	workers := 0
	if on {
		workers = 4
	}
	return []change{
		read("node_lifecycle_controller.go processPod", without, with, func(b *Behaviors) { b.NodeLifecycle.PodUpdateWorkers = workers }),
		read("node_lifecycle_controller.go evictPods", without, with, func(b *Behaviors) { b.NodeLifecycle.EvictsOnce = on }),
		read("controller/util/node/controller_utils.go MarkPodsNotReady", without, with, func(b *Behaviors) { b.NodeLifecycle.PodsFromInformer = on }),
		read("controller/util/node/controller_utils.go MarkPodsNotReady", without, with, func(b *Behaviors) { b.NodeLifecycle.IgnoresGonePods = on }),
		read("node_lifecycle_controller.go monitorNodeHealth", without, with, func(b *Behaviors) { b.NodeLifecycle.RetriesPods = on }),
	}
}
