package scenario

import "github.com/holter-sim/holter/heartbeat/kubelet"

// plegStalledAction lets the lists of containers fail, from which the kubelet
// learns what became of its pods, while the runtime goes on answering.
type plegStalledAction struct{ node string }

func (a plegStalledAction) verb() string     { return "plegStalled" }
func (a plegStalledAction) nodes() []string  { return []string{a.node} }
func (a plegStalledAction) describe() string { return "" }

func (a plegStalledAction) begin(c *Cluster) func() {
	return c.eachNode(a.node, func(n *Node) func() {
		return n.holdInput(&n.ailing().plegStalled, func(in *kubelet.Inputs, held bool) { in.PLEGStalled = held })
	})
}
