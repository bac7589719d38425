package scenario

// outageAction takes the API server away. Stopped, its connections hang and
// what waits is looked at when it goes on; refused, connections fail at once
// and every watch ends.
type outageAction struct{ mode string }

func (a outageAction) verb() string     { return "outage" }
func (a outageAction) nodes() []string  { return nil }
func (a outageAction) describe() string { return "kube-apiserver, mode " + a.mode }

func (a outageAction) begin(c *Cluster) func() {
	count := &c.outages.refused
	if a.mode == OutageStop {
		count = &c.outages.stopped
	}
	*count++
	c.outages.apply(c)
	return func() {
		*count--
		c.outages.apply(c)
	}
}

// outages counts those that hold now, for they may overlap.
type outages struct{ stopped, refused int }

// apply makes the API server what they want it to be.
func (o *outages) apply(c *Cluster) {
	host := c.server.Host()
	switch {
	case o.refused > 0:
		if host.Alive() {
			host.Kill()
		}
		return
	case !host.Alive():
		host.Restart()
	}
	if o.stopped > 0 {
		host.Pause()
	} else {
		host.Resume()
	}
}
