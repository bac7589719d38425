package scenario

// restartManagerAction kills the kube-controller-manager; where the fault
// ends, it starts again and knows nothing of what it knew: every node gets a
// new grace period.
type restartManagerAction struct{}

func (a restartManagerAction) verb() string     { return "restartControllerManager" }
func (a restartManagerAction) nodes() []string  { return nil }
func (a restartManagerAction) describe() string { return "" }

func (a restartManagerAction) begin(c *Cluster) func() {
	m := c.manager
	m.kills++
	m.kill()
	return func() {
		if m.kills--; m.kills == 0 {
			m.restart()
		}
	}
}
