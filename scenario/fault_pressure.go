package scenario

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/holter-sim/holter/heartbeat/kubelet"
)

// pressureAction has a node's eviction manager see pressure. The kubelet says so
// with its next status, and no more with the first after the end.
type pressureAction struct{ *PressureFault }

func (a pressureAction) verb() string     { return "pressure" }
func (a pressureAction) nodes() []string  { return []string{a.Node} }
func (a pressureAction) describe() string { return a.Condition }

func (a pressureAction) begin(c *Cluster) func() {
	return c.eachNode(a.Node, func(n *Node) func() {
		switch held := n.ailing(); corev1.NodeConditionType(a.Condition) {
		case corev1.NodeMemoryPressure:
			return n.holdInput(&held.memoryPressure, func(in *kubelet.Inputs, held bool) { in.MemoryPressure = held })
		case corev1.NodeDiskPressure:
			return n.holdInput(&held.diskPressure, func(in *kubelet.Inputs, held bool) { in.DiskPressure = held })
		default:
			return n.holdInput(&held.pidPressure, func(in *kubelet.Inputs, held bool) { in.PIDPressure = held })
		}
	})
}
