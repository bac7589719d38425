package kubelet

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Machine is what the setters report of the computer and its runtime. Its
// maps and slices are shared between nodes and never written to.
type Machine struct {
	ProviderID string
	// Hostname is the label of that name; "" is the node's.
	Hostname string
	// Addresses are what the kubelet finds out itself, see [Addresses].
	Addresses []corev1.NodeAddress
	// NodeIPs are those of --node-ip, and ExternalCloud is
	// --cloud-provider=external: the cloud sets the addresses, and the kubelet
	// those of a node without any, so that it can be reached until then.
	NodeIPs       []string
	ExternalCloud bool

	// Capacity is what the machine has, huge pages included; it must not be nil.
	// Reserved is what of it no pod gets.
	Capacity, Reserved corev1.ResourceList
	// NoDeviceCheckpoint is a machine whose disk is new: the device manager finds
	// nothing, and what extended resources its Node has are reset.
	NoDeviceCheckpoint bool

	NodeInfo        corev1.NodeSystemInfo
	DaemonEndpoints corev1.NodeDaemonEndpoints
	Images          []corev1.ContainerImage

	// AppArmor: the kernel has it on.
	AppArmor bool
	// VolumeLimits are attachable-volumes-* of the in-tree plugins of a cloud,
	// and the next three what runtime and kubelet can do. They are reported by
	// versions that have such a field, where they are not nil.
	VolumeLimits     corev1.ResourceList
	RuntimeHandlers  []corev1.NodeRuntimeHandler
	Features         *corev1.NodeFeatures
	DeclaredFeatures []string
}

// DefaultMachine is a small Linux machine with a kubelet of that version
// ("v1.36.3") at that address.
func DefaultMachine(name, address, kubeletVersion string) Machine {
	return Machine{
		Addresses: Addresses([]string{address}, name),
		Capacity:  defaultResources,
		NodeInfo: corev1.NodeSystemInfo{
			KernelVersion:           "6.1.0",
			OSImage:                 "Debian GNU/Linux 12 (bookworm)",
			ContainerRuntimeVersion: "containerd://2.1.0",
			KubeletVersion:          kubeletVersion,
			OperatingSystem:         operatingSystem,
			Architecture:            architecture,
		},
		DaemonEndpoints: corev1.NodeDaemonEndpoints{KubeletEndpoint: corev1.DaemonEndpoint{Port: 10250}},
	}
}

// defaultResources is never written to.
var defaultResources = corev1.ResourceList{
	corev1.ResourceCPU:              resource.MustParse("4"),
	corev1.ResourceMemory:           resource.MustParse("16Gi"),
	corev1.ResourceEphemeralStorage: resource.MustParse("100Gi"),
	corev1.ResourcePods:             resource.MustParse("110"),
}

// missingCapacity lists what every node must have and this one has not.
func missingCapacity(capacity corev1.ResourceList) []string {
	var missing []string
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourcePods, corev1.ResourceEphemeralStorage} {
		if _, found := capacity[name]; !found {
			missing = append(missing, string(name))
		}
	}
	return missing
}
