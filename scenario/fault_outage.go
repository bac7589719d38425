package scenario

// outageAction takes the API server away. Stopped, its connections hang and
// what waits is looked at when it goes on; refused, connections fail at once
// and every watch ends.
type outageAction struct{ mode string }

func (a outageAction) verb() string     { return "outage" }
func (a outageAction) nodes() []string  { return nil }
func (a outageAction) describe() string { return "kube-apiserver, mode " + a.mode }

func (a outageAction) begin(c *Cluster) func() {
	host := c.server.Host()
	if a.mode == OutageStop {
		host.Pause()
		return host.Resume
	}
	host.Kill()
	return host.Restart
}
