package scenario

import "fmt"

// The scenario as it is written: plain structs that mirror the YAML, field for field. What a field means to a reader of
// YAML (type, default, bounds) is in the table behind Reference; here stands what Go code needs to know.

const (
	// APIVersion and Kind head every scenario file.
	APIVersion = "holter/v1alpha1"
	Kind       = "Scenario"
)

// Scenario is one simulated cluster and its story: settings, nodes, network, faults and what is expected to come of them.
// Decode and Load give it with its defaults filled in; New does the same for Go code. Validate must have passed before
// it is run.
type Scenario struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Metadata   Metadata `json:"metadata"`
	Spec       Spec     `json:"spec"`

	origin *inputOrigin // where each field was written; nil for a scenario built in Go
}

// New gives a scenario with the defaults of everything that has one; it lacks a duration and nodes.
func New(name string) *Scenario {
	return &Scenario{
		APIVersion: APIVersion,
		Kind:       Kind,
		Metadata:   Metadata{Name: name},
		Spec:       Spec{KubernetesVersion: defaultVersion, Seed: 1},
	}
}

// Metadata names the scenario and tells its story.
type Metadata struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// Spec is everything that has a bearing on the run.
type Spec struct {
	// KubernetesVersion is a series or a release that package version knows: what every component runs that is given no
	// version of its own.
	KubernetesVersion string `json:"kubernetesVersion"`
	// Requires are the behaviours that the scenario is about, by their paths in version.Behaviors: it is refused under a
	// version that has not got them.
	Requires []string `json:"requires,omitempty"`
	Seed     uint64   `json:"seed"`
	Duration Duration `json:"duration,omitzero"`

	// Kubelet, KubeletConfigFile and KubeletFlags are merged by Effective as the kubelet merges them.
	Kubelet           KubeletSpec `json:"kubelet,omitzero"`
	KubeletConfigFile string      `json:"kubeletConfigFile,omitempty"`
	// KubeletConfig is the text of KubeletConfigFile. Load fills it, so that a scenario that was loaded can be written
	// out (YAML) and run elsewhere without the file.
	KubeletConfig string   `json:"kubeletConfig,omitempty"`
	KubeletFlags  []string `json:"kubeletFlags,omitempty"`

	ControllerManager      ControllerManagerSpec `json:"controllerManager,omitzero"`
	ControllerManagerFlags []string              `json:"controllerManagerFlags,omitempty"`

	APIServer APIServerSpec `json:"apiServer,omitzero"`

	Model ModelSpec   `json:"model,omitzero"`
	Nodes []NodeGroup `json:"nodes,omitempty"`
	Pods  []PodGroup  `json:"pods,omitempty"`
	// Workloads are what creates pods, and replaces them.
	Workloads []WorkloadGroup `json:"workloads,omitempty"`
	Network   NetworkSpec     `json:"network,omitzero"`
	Faults    []Fault         `json:"faults,omitempty"`
	Expect    []Expectation   `json:"expect,omitempty"`
}

// KubeletSpec holds the fields of KubeletConfiguration v1beta1 that are modelled; nil is "not set", which is not the
// same as set to its default (see Effective).
type KubeletSpec struct {
	NodeStatusUpdateFrequency *Duration `json:"nodeStatusUpdateFrequency,omitempty"`
	NodeStatusReportFrequency *Duration `json:"nodeStatusReportFrequency,omitempty"`
	NodeLeaseDurationSeconds  *int32    `json:"nodeLeaseDurationSeconds,omitempty"`
	RegisterNode              *bool     `json:"registerNode,omitempty"`
	NodeStatusMaxImages       *int32    `json:"nodeStatusMaxImages,omitempty"`
	KubeAPIQPS                *int32    `json:"kubeAPIQPS,omitempty"`
	KubeAPIBurst              *int32    `json:"kubeAPIBurst,omitempty"`
	EventRecordQPS            *int32    `json:"eventRecordQPS,omitempty"`
	EventBurst                *int32    `json:"eventBurst,omitempty"`
	RotateCertificates        *bool     `json:"rotateCertificates,omitempty"`

	FeatureGates *KubeletFeatureGates `json:"featureGates,omitempty"`
}

// KubeletFeatureGates are the gates that are modelled; the others have their defaults.
type KubeletFeatureGates struct {
	NodeLease *bool `json:"NodeLease,omitempty"`
}

// ControllerManagerSpec holds kube-controller-manager flags by their own names; nil is "not set".
type ControllerManagerSpec struct {
	// Version is that of the kube-controller-manager; "" is kubernetesVersion.
	Version string `json:"version,omitempty"`

	NodeMonitorGracePeriod    *Duration `json:"node-monitor-grace-period,omitempty"`
	NodeMonitorPeriod         *Duration `json:"node-monitor-period,omitempty"`
	NodeStartupGracePeriod    *Duration `json:"node-startup-grace-period,omitempty"`
	NodeEvictionRate          *float32  `json:"node-eviction-rate,omitempty"`
	SecondaryNodeEvictionRate *float32  `json:"secondary-node-eviction-rate,omitempty"`
	UnhealthyZoneThreshold    *float32  `json:"unhealthy-zone-threshold,omitempty"`
	LargeClusterSizeThreshold *int32    `json:"large-cluster-size-threshold,omitempty"`
	KubeAPIQPS                *float32  `json:"kube-api-qps,omitempty"`
	KubeAPIBurst              *int32    `json:"kube-api-burst,omitempty"`
	// TerminatedPodGCThreshold is how many pods that have ended are left; all if it is not over 0.
	TerminatedPodGCThreshold *int32 `json:"terminated-pod-gc-threshold,omitempty"`
	// EnableTaintManager and PodEvictionTimeout are refused from 1.27 on.
	EnableTaintManager *bool     `json:"enable-taint-manager,omitempty"`
	PodEvictionTimeout *Duration `json:"pod-eviction-timeout,omitempty"`
	// Controllers are names with commas between them, each with a - before it that is off; * is all others.
	Controllers *string `json:"controllers,omitempty"`
	// FeatureGates are NAME=BOOL with commas between them.
	FeatureGates *string `json:"feature-gates,omitempty"`
}

// ModelSpec sets what costs virtual time in the model and is no setting of Kubernetes; nil is "not set".
type ModelSpec struct {
	MonitorPassCostPerNode *Duration `json:"monitorPassCostPerNode,omitempty"`
}

// NodeGroup is Count nodes that differ in nothing but their names, NAME-0 to NAME-(Count-1). A later group of the same
// name goes on counting where the one before it stopped.
type NodeGroup struct {
	Count int    `json:"count"`
	Name  string `json:"name"`
	// Version is that of the kubelets; "" is kubernetesVersion.
	Version string            `json:"version,omitempty"`
	Zone    string            `json:"zone,omitempty"`
	Region  string            `json:"region,omitempty"`
	Labels  map[string]string `json:"labels,omitempty"`
	Start   NodeStart         `json:"start,omitzero"`
	Clock   NodeClock         `json:"clock,omitzero"`
}

// setDefaults fills in what a group has before it is read.
func (g *NodeGroup) setDefaults() { *g = NodeGroup{Count: 1, Name: "node"} }

// NodeStart says when the kubelets of a group start: each at At plus a draw from [0, Spread).
type NodeStart struct {
	At     Duration `json:"at,omitzero"`
	Spread Duration `json:"spread,omitzero"`
}

// NodeClock is how the clocks of a group's machines differ from true time.
type NodeClock struct {
	// Offset is added to the time of day; it may be negative.
	Offset Duration `json:"offset,omitzero"`
	// DriftPPB is how many nanoseconds a second the clock gains; it may be negative.
	DriftPPB int64 `json:"driftPPB,omitempty"`
}

// PodGroup is PerNode pods on each node, NAME-NODE-0 and so on, in Namespace.
type PodGroup struct {
	Name      string `json:"name"`
	PerNode   int    `json:"perNode"`
	Namespace string `json:"namespace"`
	// RunFor is after how long a pod has done its work, in whole seconds; 0 is never.
	RunFor Duration `json:"runFor,omitzero"`
	// Static pods are the kubelets' own, one on each node, and called NAME-NODE.
	Static   bool `json:"static,omitempty"`
	PodTimes `json:",inline"`
}

// PodTimes is how long pods stay on a node that fails, and how long they may take to end.
type PodTimes struct {
	// TolerationSeconds is how long the pods stay on a node that is not ready or not reachable, where Tolerations do not
	// say; nil is the 300 s of admission.
	TolerationSeconds *int32 `json:"tolerationSeconds,omitempty"`
	// Tolerations are the pods' own, in the API's words.
	Tolerations []PodToleration `json:"tolerations,omitempty"`
	// TerminationGracePeriodSeconds is how long a pod may take to end; nil is the API's 30 s.
	TerminationGracePeriodSeconds *int32 `json:"terminationGracePeriodSeconds,omitempty"`
}

// PodToleration is a toleration of a pod.
type PodToleration struct {
	Key      string `json:"key,omitempty"`      // "" is any, with Exists
	Operator string `json:"operator,omitempty"` // Equal, which is also "", or Exists
	Value    string `json:"value,omitempty"`
	Effect   string `json:"effect,omitempty"` // "" is any
	// TolerationSeconds bounds a toleration of NoExecute; nil is for ever.
	TolerationSeconds *int32 `json:"tolerationSeconds,omitempty"`
}

// setDefaults fills in what a group has before it is read.
func (g *PodGroup) setDefaults() { *g = PodGroup{PerNode: 1, Namespace: "default"} }

// NetworkSpec is the latency between each client and the API server. A zero WatchLatency is Latency.
type NetworkSpec struct {
	// Latency is one way, client to server or back.
	Latency DistSpec `json:"latency,omitzero"`
	// WatchLatency is from the server to a watcher.
	WatchLatency DistSpec `json:"watchLatency,omitzero"`
	// Latencies are those of some requests, and of events of such watches; the first entry that matches decides.
	Latencies []LatencySpec `json:"latencies,omitempty"`
}

// LatencySpec is the latency of requests of a verb, for a resource; "" is any.
type LatencySpec struct {
	DistSpec `json:",inline"`
	Verb     string `json:"verb,omitempty"`
	Resource string `json:"resource,omitempty"`
}

// NodeNames gives the names of the nodes of each group, in order. A scenario of more nodes than can be, which Validate
// refuses, has groups without names.
func (s *Scenario) NodeNames() [][]string {
	next := map[string]int{}
	groups := make([][]string, len(s.Spec.Nodes))
	if s.tooManyNodes() {
		return groups
	}
	for i, g := range s.Spec.Nodes {
		groups[i] = make([]string, max(0, g.Count))
		for j := range groups[i] {
			groups[i][j] = fmt.Sprintf("%s-%d", g.Name, next[g.Name]+j)
		}
		next[g.Name] += len(groups[i])
	}
	return groups
}

// tooManyNodes tells whether the groups together have more than mostNodes.
func (s *Scenario) tooManyNodes() bool {
	left := mostNodes
	for _, g := range s.Spec.Nodes {
		if left -= max(0, min(g.Count, mostNodes+1)); left < 0 {
			return true
		}
	}
	return false
}
