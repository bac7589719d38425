package kubelet

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/holter-sim/holter/heartbeat"
)

// Inputs is what a kubelet finds on its machine whenever it looks: all that a
// status depends on and that may change while it runs. The zero value is a
// healthy machine. What a machine is until it boots again is in [Machine].
type Inputs struct {
	// RuntimeDown: the container runtime does not answer. Its state grows old,
	// and containers cannot be listed.
	RuntimeDown bool
	// RuntimeNotReady and NetworkNotReady are what a runtime that answers says
	// against itself and its network, as the status prints it; "" is ready.
	RuntimeNotReady, NetworkNotReady string
	// PLEGStalled: listing containers fails, though the runtime answers.
	PLEGStalled bool
	// StorageError keeps the node not ready once the CSINode is there; nil for
	// none.
	StorageError error
	// MemoryPressure, DiskPressure and PIDPressure are what the eviction
	// manager says: from the first sign to the end of its transition period.
	MemoryPressure, DiskPressure, PIDPressure bool
	// ShuttingDown: logind has announced that the machine goes down, and the
	// kubelet has a shutdownGracePeriod.
	ShuttingDown bool
	// DevicePlugins are those that run, each of another resource.
	DevicePlugins []DevicePlugin
	// VolumesInUse are the volumes that a detach controller must leave alone,
	// shared and never written to; VolumesNotSynced is a volume manager that
	// does not know them yet.
	VolumesInUse     []corev1.UniqueVolumeName
	VolumesNotSynced bool
	// Images takes the place of the machine's; nil for these. The largest
	// stand first. It is shared and never written to.
	Images []corev1.ContainerImage
}

// NoCNI is what containerd says of a network without a CNI configuration.
const NoCNI = "NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized"

// relistsFail tells whether containers cannot be listed.
func (in *Inputs) relistsFail() bool { return in.RuntimeDown || in.PLEGStalled }

// Inputs are those that hold now.
func (kl *Kubelet) Inputs() Inputs { return kl.cfg.Inputs }

// SetInputs changes them. The kubelet finds out when it looks: with the next
// check of its runtime (5 s) or status (NodeStatusUpdateFrequency). A shutdown
// alone is told to it, and reported at once. Upstream: nodeshutdown's
// managerImpl.start, whose events came with v1.23.
func (kl *Kubelet) SetInputs(in Inputs) {
	kl.pleg.fail(in.relistsFail(), heartbeat.Monotonic(kl.host))
	kl.devices.see(in.DevicePlugins, heartbeat.Monotonic(kl.host))
	was := kl.cfg.Inputs.ShuttingDown
	kl.cfg.Inputs = in
	if in.ShuttingDown == was || !kl.cfg.Behaviors.Kubelet.GracefulNodeShutdown {
		return
	}
	if !in.ShuttingDown {
		kl.recordEvent(corev1.EventTypeNormal, "Shutdown", "Shutdown manager detected shutdown cancellation")
		return
	}
	kl.recordEvent(corev1.EventTypeNormal, "Shutdown", "Shutdown manager detected shutdown event")
	kl.host.Go("shutdown", kl.syncNodeStatus)
}

// AddSetter adds one of the user's own, as Config.Setters are, for the next
// status and all after it.
func (kl *Kubelet) AddSetter(set func(*corev1.Node)) { kl.setters = append(kl.setters, set) }
