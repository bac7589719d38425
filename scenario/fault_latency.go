package scenario

import "github.com/holter-sim/holter/fakeapi"

// latencyAction changes the one-way latency of the requests it matches.
type latencyAction struct{ *LatencyFault }

func (a latencyAction) verb() string    { return "latency" }
func (a latencyAction) nodes() []string { return a.Nodes }

func (a latencyAction) describe() string {
	dist, err := a.Dist()
	if err != nil {
		return err.Error()
	}
	return dist.String()
}

func (a latencyAction) begin(c *Cluster) func() {
	dist, err := a.Dist()
	if err != nil {
		panic(err) // Validate has refused it
	}
	return c.server.Network().Add(fakeapi.Rule{Name: a.verb(), Match: a.match(c), Latency: &dist})
}
