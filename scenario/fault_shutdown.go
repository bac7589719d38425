package scenario

// shutdownAction announces to a node's kubelet that its machine shuts down, as
// logind does, and turns the machine off where the fault ends. It stays off
// until a restart.
type shutdownAction struct{ node string }

func (a shutdownAction) verb() string     { return "shutdown" }
func (a shutdownAction) nodes() []string  { return []string{a.node} }
func (a shutdownAction) describe() string { return "" }

func (a shutdownAction) begin(c *Cluster) func() {
	return c.eachNode(a.node, func(n *Node) func() {
		in := n.Inputs()
		in.ShuttingDown = true
		n.SetInputs(in)
		return func() {
			n.holdKilled()
			n.boot()
		}
	})
}
