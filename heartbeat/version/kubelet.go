package version

import "time"

// Kubelet is how a kubelet behaves beside its Lease: pkg/kubelet and cmd/kubelet/app.
type Kubelet struct {
	KubeletStatus
	KubeletStart
	KubeletSetters

	// KubeAPIQPS is the default of requests a second of the kubelet's client, and of its client for events. The heartbeat
	// client has no limit in any version. Upstream: SetDefaults_KubeletConfiguration.
	KubeAPIQPS int
	// KubeAPIBurst is the default of requests at once beyond KubeAPIQPS. Upstream: SetDefaults_KubeletConfiguration.
	KubeAPIBurst int
	// OnHeartbeatFailure is what a kubelet without certificate rotation does to its connections when a try but the first of a
	// heartbeat fails. Upstream: buildKubeletClientConfig (run up to 1.13).
	OnHeartbeatFailure Connections
	// OnHeartbeatFailureRotating is the same for a kubelet that rotates its client certificate (the default of kubeadm).
	OnHeartbeatFailureRotating Connections
}

// Connections are those that a kubelet closes.
type Connections string

// The connections that are closed after repeated failures of heartbeats. A request that hangs on a dead connection is freed by
// AllConnections alone; else the HTTP/2 health check has to find out, see Client.HTTP2HealthCheck.
const (
	NoConnections   Connections = "none"
	IdleConnections Connections = "idle"
	AllConnections  Connections = "all"
)

// Addresses are those that a kubelet reports where it has an external cloud.
type Addresses string

// The addresses that a kubelet with an external cloud gives to a node without any.
const (
	NoAddresses         Addresses = "never any"
	OwnAddresses        Addresses = "its own"
	NodeIPAddresses     Addresses = "those of node-ip, or none"
	NodeIPOrHostAddress Addresses = "those of node-ip, or the host name"
)

// KubeletStatus is the status loop, its report gate and its patch.
type KubeletStatus struct {
	// NodeStatusReportFrequency is the default of how often an unchanged status is sent, where neither it nor
	// nodeStatusUpdateFrequency is set. Upstream: SetDefaults_KubeletConfiguration.
	NodeStatusReportFrequency time.Duration
	// NodeStatusJitterFactor spreads the status loop: each pause is longer by a draw from [0, factor) of it. Upstream:
	// Kubelet.Run.
	NodeStatusJitterFactor float64
	// ReadsNodeFromLister: the first try of a status update reads the informer's cache; before, it is a GET with
	// resourceVersion 0 by the heartbeat client. Upstream: Kubelet.tryUpdateNodeStatus.
	ReadsNodeFromLister bool
	// DelayAfterNodeStatusChange: a change of the status, and a start, put the next periodic report off by a draw from
	// [-0.5, 0.5) of the report frequency. Upstream: Kubelet.tryUpdateNodeStatus, calculateDelay.
	DelayAfterNodeStatusChange bool
	// NeverReportedIsExpired: a kubelet that has sent no status since its start sends one although nothing changed. Without
	// it, a kubelet that restarts fast never reports until something changes. Upstream: isUpdateStatusPeriodExpired.
	NeverReportedIsExpired bool
	// ReportTimeAfterPatch: the report frequency counts from when the PATCH was answered; before, from when the status was
	// computed. Upstream: Kubelet.patchNodeStatus.
	ReportTimeAfterPatch bool
	// RestoresOSLabels: missing labels kubernetes.io/os and kubernetes.io/arch are a change of the status. Upstream:
	// Kubelet.updateNode.
	RestoresOSLabels bool
	// PodCIDRs: spec.podCIDRs are what the kubelet looks at; before, spec.podCIDR. Upstream: Kubelet.updateNode.
	PodCIDRs bool
	// ReplacesAddresses: a patch that changes the addresses replaces their list; before, it merges by type, and stale ones can
	// stay. Upstream: nodeutil.PatchNodeStatus, fixupPatchForNodeStatusAddresses.
	ReplacesAddresses bool
	// NodeEventUID is the involvedObject.uid of events about the kubelet's own node. Upstream: NewMainKubelet, nodeRef.
	NodeEventUID EventUID
	// NodeEventAPIVersion: the involvedObject of these events has its apiVersion "v1". Upstream: NewMainKubelet, nodeRef.
	NodeEventAPIVersion bool
}

// EventUID is what stands in involvedObject.uid.
type EventUID string

// What a kubelet calls its node's uid in events.
const (
	UIDIsName EventUID = "node name"
	UIDIsNone EventUID = "none"
	UIDIsReal EventUID = "uid"
)

// KubeletStart is registration and the way to the first report.
type KubeletStart struct {
	// RuntimeUpFirst: the runtime is looked at once before the first status, so that a restart does not report NotReady.
	// Upstream: Kubelet.Run.
	RuntimeUpFirst bool
	// FastNodeStatusUpdate: a starting kubelet looks every 100 ms, for 120 s at most, whether its node has become ready, and
	// reports that at once. Before, it looks for the node's pod CIDR every 100 ms, for ever, and then runs the status loop
	// once out of turn. Upstream: Kubelet.fastStatusUpdateOnce.
	FastNodeStatusUpdate bool
	// RegistersDespiteForbidden: a CREATE of the node that is answered 403 is followed by the GET, as after 409. Upstream:
	// Kubelet.tryRegisterWithAPIServer, unless gate KubeletRegistrationGetOnExistsOnly.
	RegistersDespiteForbidden bool
	// StableOSLabels: a node is registered with kubernetes.io/os and kubernetes.io/arch. Upstream: Kubelet.initialNode,
	// updateDefaultLabels.
	StableOSLabels bool
	// BetaOSLabels: a node is registered with beta.kubernetes.io/os and beta.kubernetes.io/arch. Upstream:
	// Kubelet.initialNode, updateDefaultLabels.
	BetaOSLabels bool
	// StableTopologyLabels: topology.kubernetes.io/zone and region, and node.kubernetes.io/instance-type, are among the labels
	// that a registration sets on a node that is there already. Upstream: Kubelet.updateDefaultLabels.
	StableTopologyLabels bool
	// RegisterSchedulable: --register-schedulable=false registers the node unschedulable; after, the flag does nothing.
	// Upstream: Kubelet.initialNode.
	RegisterSchedulable bool
	// ZeroesExtendedResources: each registration of a node that is there already sets its extended resources to 0; after, only
	// where the device manager says that the machine was made anew. Upstream: Kubelet.reconcileExtendedResource.
	ZeroesExtendedResources bool
	// UpdatesDefaultResources: registration gives capacity and allocatable to a node that is there without; where the kubelet
	// only ReconcilesHugePages it panics on such a node. Upstream: updateDefaultResources.
	UpdatesDefaultResources bool
	// ReconcilesHugePages: registration updates the huge pages of a node that is there already. Upstream:
	// Kubelet.reconcileHugePageResource.
	ReconcilesHugePages bool
	// CSINode: the node is not ready until its CSINode object is there. Upstream: initializeCSINode (pkg/volume/csi).
	CSINode bool
	// CSINodeWaits: before it makes the CSINode, the kubelet asks every second until the API server answers. Upstream:
	// waitForAPIServerForever.
	CSINodeWaits bool
	// CSINodeFirstGetsNode: each try for the CSINode begins with a GET of the Node; before, only a try that has to create it
	// does so. Upstream: nodeInfoManager.tryInitializeCSINodeWithAnnotation.
	CSINodeFirstGetsNode bool
	// CSINodeBackoff is the first of the five outer waits between tries for the CSINode. Upstream: initializeCSINode.
	CSINodeBackoff time.Duration
	// CSINodeBackoffFactor is what each of these waits is times the one before. Upstream: initializeCSINode.
	CSINodeBackoffFactor int
}

// KubeletSetters is what a status is made of: pkg/kubelet/nodestatus and the runtime's state.
type KubeletSetters struct {
	// ExternalAddresses are what a kubelet with an external cloud gives to a node without addresses; once there are any it
	// leaves them to the cloud. Upstream: nodestatus.NodeAddress.
	ExternalAddresses Addresses
	// ForgetsNodeIP: the annotation with --node-ip is removed from a node whose kubelet has none any more. Upstream:
	// nodestatus.NodeAddress.
	ForgetsNodeIP bool
	// StorageErrors: what goes wrong with the CSINode makes the node not ready. Upstream: nodestatus.ReadyCondition.
	StorageErrors bool
	// CSINodePending is the reason of a node whose CSINode has not been tried; "" where there is none. Upstream:
	// initializeCSINode.
	CSINodePending string
	// CSINodeError is the reason, but for its end, of a node whose CSINode could not be made; "" where there is none. Upstream:
	// initializeCSINode.
	CSINodeError string
	// AggregatesErrors: several reasons for not ready are "[a, b]" without repeats; before, "a,b". Upstream:
	// nodestatus.ReadyCondition.
	AggregatesErrors bool
	// RuntimeErrorsEndInPeriod: each reason from the runtime's state ends in a full stop. Upstream: runtimeState.runtimeErrors.
	RuntimeErrorsEndInPeriod bool
	// RuntimeError is the reason, but for its end, of a runtime that calls itself not ready; "" where it is none, and the
	// node only turns NotReady when that has lasted 30 s. Upstream: Kubelet.updateRuntimeUp.
	RuntimeError string
	// NetworkError is the reason, but for its end, of a runtime whose network is not ready. Upstream: Kubelet.updateRuntimeUp.
	NetworkError string
	// MissingCapacity is the reason, but for its end, of a node without cpu, memory, pods or ephemeral storage. Upstream:
	// nodestatus.ReadyCondition.
	MissingCapacity string
	// GracefulNodeShutdown: a machine that shuts down is NotReady ("node is shutting down"), which is reported at once.
	// Upstream: nodestatus.ReadyCondition, nodeshutdown.Manager.
	GracefulNodeShutdown bool
	// AppArmorInReady: the message of a ready node ends in ". AppArmor enabled" where it is. Upstream:
	// nodestatus.ReadyCondition.
	AppArmorInReady bool
	// RemovesOutOfDisk: a condition OutOfDisk from an older kubelet is removed. Upstream: nodestatus.RemoveOutOfDiskCondition.
	RemovesOutOfDisk bool
	// VolumeLimits: capacity and allocatable have attachable-volumes-* of the in-tree plugins. Upstream:
	// nodestatus.VolumeLimits.
	VolumeLimits bool
	// RuntimeHandlers: the status lists the runtime's handlers. Upstream: nodestatus.RuntimeHandlers.
	RuntimeHandlers bool
	// NodeFeatures: the status has the runtime's features. Upstream: nodestatus.NodeFeatures.
	NodeFeatures bool
	// DeclaredFeatures: the status lists the kubelet's declared features. Upstream: Kubelet.setNodeStatus.
	DeclaredFeatures bool
	// RunningInUserNamespace: nodeInfo says whether the kubelet runs in a user namespace. Upstream: nodestatus.MachineInfo.
	RunningInUserNamespace bool
	// ClearsKubeProxyVersion: nodeInfo.kubeProxyVersion is empty; else it is the kubelet's own. Upstream:
	// nodestatus.VersionInfo, gate DisableNodeKubeProxyVersion.
	ClearsKubeProxyVersion bool
}
