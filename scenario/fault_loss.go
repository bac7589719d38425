package scenario

import "github.com/holter-sim/holter/fakeapi"

// lossAction loses requests before they are handled, or replies after they
// are: then the write is committed and its writer does not know.
type lossAction struct {
	name string
	*LossFault
}

func (a lossAction) verb() string     { return a.name }
func (a lossAction) nodes() []string  { return a.Nodes }
func (a lossAction) describe() string { return "" }

func (a lossAction) begin(c *Cluster) func() {
	return c.server.Network().Add(fakeapi.Rule{
		Name:        a.name,
		Match:       a.match(c),
		Count:       a.Count,
		LoseRequest: a.name == "loseRequest",
		LoseReply:   a.name == "loseReply",
	})
}
