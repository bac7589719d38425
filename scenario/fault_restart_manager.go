package scenario

// restartManagerAction kills the kube-controller-manager; where the fault
// ends, it starts again and knows nothing of what it knew: every node gets a
// new grace period.
type restartManagerAction struct{}

func (a restartManagerAction) verb() string     { return "restartControllerManager" }
func (a restartManagerAction) nodes() []string  { return nil }
func (a restartManagerAction) describe() string { return "" }

func (a restartManagerAction) begin(c *Cluster) func() {
	c.manager.kill()
	return c.manager.restart
}
