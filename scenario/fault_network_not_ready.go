package scenario

import "github.com/holter-sim/holter/heartbeat/kubelet"

// networkNotReadyAction takes a node's network away from its runtime, as a CNI
// plugin that is not installed does. The runtime says so when it is next asked.
type networkNotReadyAction struct{ node string }

func (a networkNotReadyAction) verb() string     { return "networkNotReady" }
func (a networkNotReadyAction) nodes() []string  { return []string{a.node} }
func (a networkNotReadyAction) describe() string { return "" }

func (a networkNotReadyAction) begin(c *Cluster) func() {
	return c.eachNode(a.node, func(n *Node) func() {
		return n.holdInput(&n.ailing().networkNotReady, func(in *kubelet.Inputs, held bool) {
			in.NetworkNotReady = ""
			if held {
				in.NetworkNotReady = kubelet.NoCNI
			}
		})
	})
}
