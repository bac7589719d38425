package scenario

// restartAction starts a kubelet anew: one that was killed, or one that still
// runs and is killed for it.
type restartAction struct{ node string }

func (a restartAction) verb() string     { return "restart" }
func (a restartAction) nodes() []string  { return []string{a.node} }
func (a restartAction) describe() string { return "" }

func (a restartAction) begin(c *Cluster) func() {
	c.eachNode(a.node, (*Node).forceRestart)
	return nil
}
