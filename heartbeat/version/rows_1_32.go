package version

import "time"

// from1_32 is 1.32 to 1.37: the longer grace period, the random report delay and its regression, the circuit breaker.
func from1_32() []row {
	return []row{
		since(32, 0,
			read("nodestatus/setters.go NodeAddress", "v1.31.14", "v1.32.0", func(b *Behaviors) { b.Kubelet.ExternalAddresses = NodeIPOrHostAddress }),
			read("kubelet_node_status.go tryUpdateNodeStatus", "v1.31.14", "v1.32.0", func(b *Behaviors) { b.Kubelet.DelayAfterNodeStatusChange = true }),
			noted(read("kubelet_node_status.go isUpdateStatusPeriodExperid", "v1.31.14", "v1.32.0", func(b *Behaviors) { b.Kubelet.NeverReportedIsExpired = false }),
				"regression, issue 130001"),
			read("kubelet_node_status.go tryRegisterWithAPIServer", "v1.31.14", "v1.32.0", func(b *Behaviors) { b.Kubelet.RegistersDespiteForbidden = true }),
			read("nodelifecycle/config/v1alpha1/defaults.go", "v1.31.14", "v1.32.0", func(b *Behaviors) { b.NodeLifecycle.NodeMonitorGracePeriod = 50 * time.Second }),
			managerStreams("v1.31.14", "v1.32.0", true),
			serverStreams("apiserver v0.31.14", "v0.32.0", true),
		),
		since(32, 3,
			read("kubelet_node_status.go tryUpdateNodeStatus", "v1.32.2", "v1.32.3", func(b *Behaviors) { b.Kubelet.DelayAfterNodeStatusChange = false }),
			read("kubelet_node_status.go tryUpdateNodeStatus", "v1.32.2", "v1.32.3", func(b *Behaviors) { b.Kubelet.NeverReportedIsExpired = true }),
		),
		since(33, 0,
			noted(read("features/kube_features.go SupplementalGroupsPolicy", "v1.32.13", "v1.33.0", func(b *Behaviors) { b.Kubelet.NodeFeatures = true }),
				"the setter is there since 1.31.0, behind a gate that is off"),
			read("features/kube_features.go DisableNodeKubeProxyVersion", "v1.32.13", "v1.33.0", func(b *Behaviors) { b.Kubelet.ClearsKubeProxyVersion = true }),
			read("tainteviction/timed_workers.go getWrappedWorkerFunc", "v1.32.13", "v1.33.0", func(b *Behaviors) { b.TaintEviction.KeepsDeleted = false }),
			managerStreams("v1.32.13", "v1.33.0", false),
			serverStreams("apiserver v0.32.13", "v0.33.0", false),
			read("client-go tools/cache/the_real_fifo.go Replace", "client-go v0.32.13", "v0.33.0", func(b *Behaviors) { b.Informer.DeletesFirst = true }),
		),
		since(33, 8, slowCSINode(func(set func(*Behaviors)) change {
			return inferred(csiPlugin, "v1.33.7", "v1.33.9", "1.33.8 came with 1.34.4 and 1.35.1, which have it; its module cannot be had", set)
		})...),
		since(34, 0, append(fastCSINode("v1.33.13", "v1.34.0"),
			read("kubelet_node_status.go tryUpdateNodeStatus", "v1.33.13", "v1.34.0", func(b *Behaviors) { b.Kubelet.DelayAfterNodeStatusChange = true }),
			read("kubelet_node_status.go initialNode", "v1.33.13", "v1.34.0", func(b *Behaviors) { b.Kubelet.RegisterSchedulable = false }),
			read("component-helpers apimachinery/lease/controller.go newLease", "component-helpers v0.33.13", "v0.34.0", func(b *Behaviors) { b.Lease.ReassertsDuration = true }),
			read("node_lifecycle_controller.go processTaintBaseEviction", "v1.33.13", "v1.34.0", func(b *Behaviors) { b.NodeLifecycle.TaintsByCurrent = true }),
			managerStreams("v1.33.13", "v1.34.0", true),
			serverStreams("apiserver v0.33.13", "v0.34.0", true),
			seatRule("request/list_work_estimator.go", "v0.33.13", "v0.34.0", func(s *Seats) { s.BySize = true }),
		)...),
		since(34, 4, slowCSINode(func(set func(*Behaviors)) change { return read(csiPlugin, "v1.34.3", "v1.34.4", set) })...),
		since(35, 0, append(fastCSINode("v1.34.4", "v1.35.0"),
			read("nodeinfomanager.go tryInitializeCSINodeWithAnnotation", "v1.34.4", "v1.35.0", func(b *Behaviors) { b.Kubelet.CSINodeFirstGetsNode = true }),
			read("kubelet.go NewMainKubelet", "v1.34.4", "v1.35.0", func(b *Behaviors) { b.Kubelet.NodeEventUID = UIDIsNone }),
			read("kubelet.go NewMainKubelet", "v1.34.4", "v1.35.0", func(b *Behaviors) { b.Kubelet.NodeEventAPIVersion = true }),
			read("client-go features/known_features.go WatchListClient", "client-go v0.34.4", "v0.35.0", func(b *Behaviors) { b.Informer.WatchListInKubelet = true }),
			seatRule("request/list_work_estimator.go", "v0.34.4", "v0.35.0", func(s *Seats) { s.LegacyWatches = true }),
		)...),
		since(35, 1, slowCSINode(func(set func(*Behaviors)) change { return read(csiPlugin, "v1.35.0", "v1.35.1", set) })...),
		since(36, 0,
			read("features/kube_features.go NodeDeclaredFeatures", "v1.35.4", "v1.36.0", func(b *Behaviors) { b.Kubelet.DeclaredFeatures = true }),
			read("client-go tools/cache/reflector.go NewReflectorWithOptions", "client-go v0.35.4", "v0.36.0", func(b *Behaviors) { b.Informer.ResetFromFirst = true }),
		),
		since(37, 0,
			read("kubelet_node_status.go recordEvent", "v1.36.3", "v1.37.0", func(b *Behaviors) { b.Kubelet.NodeEventUID = UIDIsReal }),
			read("features/kube_features.go KubeletInUserNamespace", "v1.36.3", "v1.37.0", func(b *Behaviors) { b.Kubelet.RunningInUserNamespace = true }),
			read("node_lifecycle_controller.go tryUpdateNodeHealth", "v1.36.3", "v1.37.0", func(b *Behaviors) { b.NodeLifecycle.NodeLeaseCircuitBreaker = true }),
			noted(read("node_lifecycle_controller.go handleDisruption", "v1.36.3", "v1.37.0", func(b *Behaviors) { b.NodeLifecycle.PanicsLeavingDisruption = true }),
				"issue 141572, not mended in v1.37.1"),
		),
	}
}

// slowCSINode is the backoff that reaches to 140 s. It was backported to three series.
func slowCSINode(known func(set func(*Behaviors)) change) []change {
	return []change{
		known(func(b *Behaviors) { b.Kubelet.CSINodeBackoff = csiBackoffOf1_36 }),
		known(func(b *Behaviors) { b.Kubelet.CSINodeBackoffFactor = 8 }),
	}
}

// fastCSINode is the one before, in a new series.
func fastCSINode(without, with string) []change {
	return []change{
		read(csiPlugin, without, with, func(b *Behaviors) { b.Kubelet.CSINodeBackoff = csiBackoffOf1_14 }),
		read(csiPlugin, without, with, func(b *Behaviors) { b.Kubelet.CSINodeBackoffFactor = 6 }),
	}
}

func managerStreams(without, with string, on bool) change {
	return read("cmd/kube-controller-manager/app/options/options.go Flags", without, with, func(b *Behaviors) { b.Informer.WatchListInManager = on })
}

func serverStreams(without, with string, on bool) change {
	return read("apiserver features/kube_features.go WatchList", without, with, func(b *Behaviors) { b.APIServer.WatchList = on })
}
