package version

import "time"

const csiPlugin = "volume/csi/csi_plugin.go initializeCSINode"

// The outer waits for the CSINode, which differ by patch release from 1.33 on.
const (
	csiBackoffOf1_14 = 15 * time.Millisecond
	csiBackoffOf1_36 = 30 * time.Millisecond
)

// from1_17 is 1.17 and 1.18: Leases are not optional any more.
func from1_17() []row {
	return []row{
		since(17, 0,
			read("kubelet/apis/config/v1beta1/defaults.go", "v1.16.15", "v1.17.0", func(b *Behaviors) { b.Kubelet.NodeStatusReportFrequency = 5 * time.Minute }),
			read("kubelet_node_status.go updateDefaultLabels", "v1.16.15", "v1.17.0", func(b *Behaviors) { b.Kubelet.StableTopologyLabels = true }),
			read("features/kube_features.go NodeLease", "v1.16.15", "v1.17.0", func(b *Behaviors) { b.Lease.NodeLeaseGate = false }),
			read("kubelet/nodelease/controller.go ensureLease", "v1.16.15", "v1.17.0", func(b *Behaviors) { b.Lease.CreatesOwnerless = false }),
			read("util/node/node.go GetZoneKey", "v1.16.15", "v1.17.0", func(b *Behaviors) { b.NodeLifecycle.StableZoneLabels = true }),
			read("scheduler/taint_manager.go processPodOnNode", "v1.16.15", "v1.17.0", func(b *Behaviors) { b.TaintEviction.ForeverCancels = false }),
			read("podgc/gc_controller.go gcOrphaned", "v1.16.15", "v1.17.0", func(b *Behaviors) { b.PodGC.Quarantine = 40 * time.Second }),
			read("client-go tools/cache/reflector.go ListAndWatch", "client-go v0.16.15", "v0.17.0", func(b *Behaviors) { b.Informer.RelistsAtVersion = true }),
		),
		since(17, 6, waitingCSINode(func(set func(*Behaviors)) change {
			return logged(csiPlugin, "v1.17.0", "v1.17.17", "1.17.6 by the changelog (#89589)", set)
		})...),
		since(17, 12,
			logged("scheduler/taint_manager.go processPodOnNode", "v1.17.0", "v1.17.17", "1.17.12 by the changelog (#93722)",
				func(b *Behaviors) { b.TaintEviction.ForeverCancels = true }),
		),
		since(18, 0,
			read(csiPlugin, "v1.17.17", "v1.18.0", func(b *Behaviors) { b.Kubelet.CSINodeWaits = false }),
			read(csiPlugin, "v1.17.17", "v1.18.0", func(b *Behaviors) { b.Kubelet.CSINodePending = "CSINodeInfo is not yet initialized" }),
			read(csiPlugin, "v1.17.17", "v1.18.0", func(b *Behaviors) { b.Kubelet.CSINodeError = "Failed to initialize CSINodeInfo" }),
			read("features/kube_features.go TaintBasedEvictions", "v1.17.17", "v1.18.0", func(b *Behaviors) { b.NodeLifecycle.TaintBasedEvictionsGate = false }),
			read("controller/util/node/controller_utils.go RecordNodeEvent", "v1.17.17", "v1.18.0", func(b *Behaviors) { b.NodeLifecycle.EventAPIVersion = true }),
			read("scheduler/taint_manager.go processPodOnNode", "v1.17.17", "v1.18.0", func(b *Behaviors) { b.TaintEviction.ForeverCancels = false }),
			read("util/pod/pod.go PatchPodStatus", "v1.17.17", "v1.18.0", func(b *Behaviors) { b.PodWorkers.SkipsEqualStatus = true }),
			read("client-go tools/cache/reflector.go NewReflector", "client-go v0.17.17", "v0.18.0", func(b *Behaviors) { b.Informer.Backoff = true }),
		),
		since(18, 3, waitingCSINode(func(set func(*Behaviors)) change {
			return logged(csiPlugin, "v1.18.0", "v1.18.16", "1.18.3 by the changelog (#89589)", set)
		})...),
		since(18, 9,
			logged("scheduler/taint_manager.go processPodOnNode", "v1.18.0", "v1.18.16", "1.18.9 by the changelog (#93722)",
				func(b *Behaviors) { b.TaintEviction.ForeverCancels = true }),
		),
		since(18, 17,
			read("node_lifecycle_controller.go markNodeForTainting", "v1.18.16", "v1.18.17", func(b *Behaviors) { b.NodeLifecycle.TaintRequeue = RenewsPlace }),
		),
		since(18, 18,
			read("apimachinery util/net/http.go", "apimachinery v0.18.17", "v0.18.18", func(b *Behaviors) { b.Client.HTTP2HealthCheck = true }),
		),
	}
}

// waitingCSINode is the kubelet that waits for the API server before it makes its CSINode, and says that in other words.
func waitingCSINode(known func(set func(*Behaviors)) change) []change {
	return []change{
		known(func(b *Behaviors) { b.Kubelet.CSINodeWaits = true }),
		known(func(b *Behaviors) { b.Kubelet.CSINodePending = "CSINode is not yet initialized" }),
		known(func(b *Behaviors) { b.Kubelet.CSINodeError = "Failed to initialize CSINode" }),
	}
}
