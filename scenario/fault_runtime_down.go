package scenario

import "github.com/holter-sim/holter/heartbeat/kubelet"

// runtimeDownAction stops a node's container runtime: it does not answer. The
// kubelet calls it down after 30 s, and its PLEG unhealthy after 3 m.
type runtimeDownAction struct{ node string }

func (a runtimeDownAction) verb() string     { return "runtimeDown" }
func (a runtimeDownAction) nodes() []string  { return []string{a.node} }
func (a runtimeDownAction) describe() string { return "" }

func (a runtimeDownAction) begin(c *Cluster) func() {
	return c.eachNode(a.node, func(n *Node) func() {
		return n.holdInput(&n.ailing().runtimeDown, func(in *kubelet.Inputs, held bool) { in.RuntimeDown = held })
	})
}
