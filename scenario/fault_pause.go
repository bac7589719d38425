package scenario

// pauseAction stops a kubelet as SIGSTOP does and lets it go on as SIGCONT
// does: what arrived in between comes first, then what fell due.
type pauseAction struct{ node string }

func (a pauseAction) verb() string     { return "pause" }
func (a pauseAction) nodes() []string  { return []string{a.node} }
func (a pauseAction) describe() string { return "" }

func (a pauseAction) begin(c *Cluster) func() {
	return c.eachNode(a.node, (*Node).holdPaused)
}
