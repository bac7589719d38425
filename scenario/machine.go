package scenario

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/holter-sim/holter/heartbeat/kubelet"
)

// ailments is what a node's kubelet finds on its machine, and how many faults
// hold each part of it: what the first does, the end of the last undoes.
type ailments struct {
	inputs kubelet.Inputs

	imagesPulled int // so far, for their names

	runtimeDown, networkNotReady, plegStalled int
	storageError                              int
	memoryPressure, diskPressure, pidPressure int
}

// Inputs is what the kubelet finds on its machine now.
func (n *Node) Inputs() kubelet.Inputs {
	if n.ailments == nil {
		return kubelet.Inputs{}
	}
	return n.ailments.inputs
}

// SetInputs changes what the kubelet finds on its machine, now and after its
// next start. A fault of the scenario that begins or ends later sets its own
// part again.
func (n *Node) SetInputs(in kubelet.Inputs) {
	n.ailing().inputs = in
	if n.kubelet != nil {
		n.kubelet.SetInputs(in)
	}
}

// AddSetter has the node's kubelets, the one that runs and those to come, put
// something of the user's own into each status: see kubelet.Config.Setters.
func (n *Node) AddSetter(set func(*corev1.Node)) {
	n.setters = append(n.setters, set)
	if n.kubelet != nil {
		n.kubelet.AddSetter(set)
	}
}

func (n *Node) ailing() *ailments {
	if n.ailments == nil {
		n.ailments = &ailments{}
	}
	return n.ailments
}

// holdInput lets one more fault hold a part of the inputs, and returns what
// lets go of it. set gives the part its value.
func (n *Node) holdInput(count *int, set func(in *kubelet.Inputs, held bool)) func() {
	apply := func() {
		in := n.Inputs()
		set(&in, *count > 0)
		n.SetInputs(in)
	}
	*count++
	apply()
	return func() {
		*count--
		apply()
	}
}

// boot gives the machine the state of one that has just come up.
func (n *Node) boot() {
	n.boots++
	n.machine.NodeInfo.BootID = bootID(n.boots)
	n.runtime = nil // what ran is gone
	if n.ailments != nil {
		n.ailments.inputs.ShuttingDown = false
	}
}

// bootID is a machine's boot ID after so many reboots. Nobody compares those of
// two machines, so all have the same ones.
func bootID(boots int) string {
	if boots == 0 {
		return firstBootID
	}
	return fmt.Sprintf("00000000-0000-4000-8000-%012d", boots+1)
}

const firstBootID = "00000000-0000-4000-8000-000000000001"
