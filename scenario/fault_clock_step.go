package scenario

// clockStepAction steps the clock of a node's machine, as a bad NTP server
// does. Timers run on; renewTime and heartbeat times are what jumps. Where the
// fault ends, the clock steps back.
type clockStepAction struct{ *ClockStepFault }

func (a clockStepAction) verb() string     { return "clockStep" }
func (a clockStepAction) nodes() []string  { return []string{a.Node} }
func (a clockStepAction) describe() string { return "by " + a.By.String() }

func (a clockStepAction) begin(c *Cluster) func() {
	clock := c.Node(a.Node).host.Clock()
	clock.Step(a.By.Duration)
	return func() { clock.Step(-a.By.Duration) }
}
