package version

// from1_22 is 1.22 to 1.26: the status loop spread, taints without lost updates, the fast path to Ready.
func from1_22() []row {
	return []row{
		since(22, 0,
			read(csiPlugin, "v1.21.14", "v1.22.0", func(b *Behaviors) { b.Kubelet.CSINodeError = "failed to initialize CSINode" }),
			read("kubelet/kubelet.go syncTerminatedPod", "v1.21.14", "v1.22.0", func(b *Behaviors) { b.PodWorkers.DeletesWhenTerminated = true }),
			read("kubelet/kubelet_pods.go generateAPIPodStatus", "v1.21.14", "v1.22.0", func(b *Behaviors) { b.PodWorkers.KeepsReason = true }),
			read("client-go tools/cache/reflector.go ListAndWatch", "client-go v0.21.14", "v0.22.0", func(b *Behaviors) { b.Informer.BusyKeepsPlace = true }),
			read("apiserver flowcontrol/bootstrap/default.go", "apiserver v0.21.14", "v0.22.0", func(b *Behaviors) { b.APIServer.NodeHigh = true }),
		),
		since(23, 0,
			read("kubelet.go Run", "v1.22.17", "v1.23.0", func(b *Behaviors) { b.Kubelet.NodeStatusJitterFactor = jitter }),
			read("kubelet_node_status.go tryUpdateNodeStatus", "v1.22.17", "v1.23.0", func(b *Behaviors) { b.Kubelet.RestoresOSLabels = true }),
			noted(read("cmd/kubelet/app/server.go buildKubeletClientConfig", "v1.22.17", "v1.23.0", func(b *Behaviors) { b.Kubelet.OnHeartbeatFailure = NoConnections }),
				"idle ones are meant, but the transport that is asked is nil; all with DISABLE_HTTP2"),
			seatRule("request/list_work_estimator.go", "v0.22.17", "v0.23.0", func(s *Seats) { s.Lists = true }),
		),
		since(23, 7,
			noted(read("cmd/kubelet/app/server.go buildKubeletClientConfig", "v1.23.6", "v1.23.7", func(b *Behaviors) { b.Kubelet.OnHeartbeatFailureRotating = IdleConnections }),
				"all with DISABLE_HTTP2"),
		),
		since(23, 13, listsByName("v0.23.12", "v0.23.13", true)),
		since(23, 14, taintPatch("v1.23.13", "v1.23.14", true)),
		since(24, 0,
			taintPatch("v1.23.17", "v1.24.0", false),
			listsByName("v0.23.17", "v0.24.0", false),
			seatRule("request/mutating_work_estimator.go", "v0.23.17", "v0.24.0", func(s *Seats) { s.Writes = true }),
		),
		since(24, 7, listsByName("v0.24.6", "v0.24.7", true)),
		since(24, 9, taintPatch("v1.24.8", "v1.24.9", true)),
		since(25, 0,
			taintPatch("v1.24.17", "v1.25.0", false),
			read("node_lifecycle_controller.go doNoExecuteTaintingPass, markNodeAsReachable", "v1.24.17", "v1.25.0", func(b *Behaviors) { b.NodeLifecycle.LocksOverTaints = false }),
			listsByName("v0.24.17", "v0.25.0", false),
		),
		since(25, 3, listsByName("v0.25.2", "v0.25.3", true)),
		since(25, 4, taintPatch("v1.25.3", "v1.25.4", true)),
		since(25, 13, seatsByLevel("v0.25.12", "v0.25.13", true)),
		since(26, 0,
			read("nodestatus/setters.go NodeAddress", "v1.25.16", "v1.26.0", func(b *Behaviors) { b.Kubelet.ForgetsNodeIP = true }),
			read("kubelet.go fastStatusUpdateOnce", "v1.25.16", "v1.26.0", func(b *Behaviors) { b.Kubelet.FastNodeStatusUpdate = true }),
			read("kubelet_node_status.go patchNodeStatus", "v1.25.16", "v1.26.0", func(b *Behaviors) { b.Kubelet.ReportTimeAfterPatch = true }),
			disruptionOfEvicted("v1.25.16", "v1.26.0", AppliedCondition),
			disruptionOfOrphans("v1.25.16", "v1.26.0", AppliedCondition),
			read("features/kube_features.go NodeOutOfServiceVolumeDetach", "v1.25.16", "v1.26.0", func(b *Behaviors) { b.PodGC.OutOfService = true }),
			seatsByLevel("v0.25.16", "v0.26.0", false),
			seatRule("apf_controller.go updateBorrowingLocked", "v0.25.16", "v0.26.0", func(s *Seats) { s.Borrowed = true }),
		),
		since(26, 8, seatsByLevel("v0.26.7", "v0.26.8", true)),
		since(26, 11, disruptionOfEvicted("v1.26.10", "v1.26.11", PatchedCondition), disruptionOfOrphans("v1.26.10", "v1.26.11", PatchedCondition)),
	}
}

func taintPatch(without, with string, on bool) change {
	return read("controller/controller_utils.go PatchNodeTaints", without, with, func(b *Behaviors) { b.NodeLifecycle.TaintPatchHasVersion = on })
}

func disruptionOfEvicted(without, with string, how PodCondition) change {
	return read("taint_manager.go addConditionAndDeletePod", without, with, func(b *Behaviors) { b.TaintEviction.DisruptionTarget = how })
}

func disruptionOfOrphans(without, with string, how PodCondition) change {
	return read("podgc/gc_controller.go markFailedAndDeletePodWithCondition", without, with, func(b *Behaviors) { b.PodGC.DisruptionTarget = how })
}
