package scenario

import (
	"strings"

	"github.com/holter-sim/holter/fakeapi"
)

// holdWatchAction stops a client's watches from delivering, without an error:
// the client does not know that what it knows grows old. What was held comes
// at the end, in its order.
type holdWatchAction struct{ *HoldWatchFault }

func (a holdWatchAction) verb() string { return "holdWatch" }

func (a holdWatchAction) nodes() []string {
	if a.Client == ClientControllerManager {
		return nil
	}
	return []string{a.Client}
}

func (a holdWatchAction) describe() string {
	what := "every resource"
	if len(a.Resources) > 0 {
		what = strings.Join(a.Resources, ", ")
	}
	return what + " of " + a.Client
}

func (a holdWatchAction) begin(c *Cluster) func() {
	client := managerName
	if a.Client != ClientControllerManager {
		client = kubeletClient(a.Client)
	}
	return c.server.Network().Add(fakeapi.Rule{
		Name:      a.verb(),
		Match:     fakeapi.Match{Clients: []string{client}, Resources: a.Resources},
		HoldWatch: true,
	})
}
