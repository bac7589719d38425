package version

import "time"

// oldest is the row that the others change: what 1.13.0 does. Flags that it does not name are off.
func oldest() []row {
	const v = "v1.13.0"
	kubelet := []change{
		read("kubelet/apis/config/v1beta1/defaults.go", "", v, func(b *Behaviors) { b.Kubelet.NodeStatusReportFrequency = time.Minute }),
		read("kubelet_node_status.go tryUpdateNodeStatus", "", v, func(b *Behaviors) { b.Kubelet.NeverReportedIsExpired = true }),
		read("kubelet.go NewMainKubelet", "", v, func(b *Behaviors) { b.Kubelet.NodeEventUID = UIDIsName }),
		read("kubelet_node_status.go initialNode", "", v, func(b *Behaviors) { b.Kubelet.BetaOSLabels = true }),
		read("kubelet_node_status.go initialNode", "", v, func(b *Behaviors) { b.Kubelet.RegisterSchedulable = true }),
		read("kubelet_node_status.go reconcileExtendedResource", "", v, func(b *Behaviors) { b.Kubelet.ZeroesExtendedResources = true }),
		read("kubelet.go updateRuntimeUp", "", v, func(b *Behaviors) { b.Kubelet.NetworkError = "runtime network not ready" }),
		read("nodestatus/setters.go ReadyCondition", "", v, func(b *Behaviors) { b.Kubelet.MissingCapacity = "Missing node capacity for resources" }),
		read("nodestatus/setters.go ReadyCondition", "", v, func(b *Behaviors) { b.Kubelet.AppArmorInReady = true }),
		read("kubelet_node_status.go defaultNodeStatusFuncs", "", v, func(b *Behaviors) { b.Kubelet.VolumeLimits = true }),
		read("nodestatus/setters.go NodeAddress", "", v, func(b *Behaviors) { b.Kubelet.ExternalAddresses = NoAddresses }),
		read("kubelet/apis/config/v1beta1/defaults.go", "", v, func(b *Behaviors) { b.Kubelet.KubeAPIQPS = 5 }),
		read("kubelet/apis/config/v1beta1/defaults.go", "", v, func(b *Behaviors) { b.Kubelet.KubeAPIBurst = 10 }),
		read("cmd/kubelet/app/server.go run", "", v, func(b *Behaviors) { b.Kubelet.OnHeartbeatFailure = AllConnections }),
		read("cmd/kubelet/app/server.go run", "", v, func(b *Behaviors) { b.Kubelet.OnHeartbeatFailureRotating = AllConnections }),
	}
	return []row{since(13, 0, append(kubelet, oldestOfOthers(v)...)...),
		since(13, 3,
			read("admission/nodetaint/admission.go Admit", "v1.13.2", "v1.13.3", func(b *Behaviors) { b.APIServer.TaintsNewNodes = true }),
		),
		since(13, 4,
			read("kubelet_node_status.go defaultNodeStatusFuncs", "v1.13.3", "v1.13.4", func(b *Behaviors) { b.Kubelet.RemovesOutOfDisk = true }),
		),
	}
}

func oldestOfOthers(v string) []change {
	return []change{
		read("features/kube_features.go", "", v, func(b *Behaviors) { b.Lease.NodeLeaseGate = true }),
		read("kubelet/nodelease/controller.go", "", v, func(b *Behaviors) { b.Lease.API = "v1beta1" }),
		read("kubelet/nodelease/controller.go NewController", "", v, func(b *Behaviors) { b.Lease.RenewInterval = RenewEvery10s }),
		read("kubelet/nodelease/controller.go sync", "", v, func(b *Behaviors) { b.Lease.GetsBeforeUpdate = true }),
		read("kubelet/nodelease/controller.go ensureLease", "", v, func(b *Behaviors) { b.Lease.CreatesOwnerless = true }),
		read("kubelet/nodelease/controller.go newLease", "", v, func(b *Behaviors) { b.Lease.UpdatesOwnerless = true }),

		read("controller/apis/config/v1alpha1/defaults.go", "", v, func(b *Behaviors) { b.NodeLifecycle.NodeMonitorGracePeriod = 40 * time.Second }),
		read("controller/apis/config/v1alpha1/defaults.go", "", v, func(b *Behaviors) { b.NodeLifecycle.KubeAPIQPS = 20 }),
		read("controller/apis/config/v1alpha1/defaults.go", "", v, func(b *Behaviors) { b.NodeLifecycle.KubeAPIBurst = 30 }),
		read("node_lifecycle_controller.go monitorNodeHealth", "", v, func(b *Behaviors) { b.NodeLifecycle.MonitorWorkers = 1 }),
		read("node_lifecycle_controller.go tryUpdateNodeHealth", "", v, func(b *Behaviors) { b.NodeLifecycle.OutOfDiskUnknown = true }),
		read("util/system/system_utils.go IsMasterNode", "", v, func(b *Behaviors) { b.NodeLifecycle.DisruptionExclusion = ExcludedByName }),
		read("node_lifecycle_controller.go markNodeForTainting", "", v, func(b *Behaviors) { b.NodeLifecycle.TaintRequeue = KeepsPlace }),
		read("node_lifecycle_controller.go doNoExecuteTaintingPass", "", v, func(b *Behaviors) { b.NodeLifecycle.LocksOverTaints = true }),
		read("features/kube_features.go", "", v, func(b *Behaviors) { b.NodeLifecycle.TaintBasedEvictionsGate = true }),
		read("node_lifecycle_controller.go doEvictionPass", "", v, func(b *Behaviors) { b.NodeLifecycle.PodEviction = true }),

		read("scheduler/taint_manager.go NewNoExecuteTaintManager", "", v, func(b *Behaviors) { b.TaintEviction.EventSource = "taint-controller" }),
		read("scheduler/timed_workers.go getWrappedWorkerFunc", "", v, func(b *Behaviors) { b.TaintEviction.KeepsDeleted = true }),
		read("scheduler/taint_manager.go deletePodHandler", "", v, func(b *Behaviors) { b.TaintEviction.DisruptionTarget = NoCondition }),
		read("podgc/gc_controller.go gcOrphaned", "", v, func(b *Behaviors) { b.PodGC.DisruptionTarget = NoCondition }),
		read("client-go tools/cache/reflector.go ListAndWatch", "", v, func(b *Behaviors) { b.Informer.RefusedConnection = PauseAndList }),
	}
}
