package scenario

// killAction kills a kubelet (SIGKILL, or the power of its machine) in the
// middle of whatever it does. Where the fault ends, the kubelet starts again,
// unless another kill holds, or a restart has come before.
type killAction struct{ node string }

func (a killAction) verb() string     { return "kill" }
func (a killAction) nodes() []string  { return []string{a.node} }
func (a killAction) describe() string { return "" }

func (a killAction) begin(c *Cluster) func() {
	return c.eachNode(a.node, (*Node).holdKilled)
}
