package scenario

import "github.com/holter-sim/holter/fakeapi"

// partitionAction drops every message between clients and the API server, in
// both directions; watches stall and catch up at its end.
type partitionAction struct{ *PartitionFault }

func (a partitionAction) verb() string    { return "partition" }
func (a partitionAction) nodes() []string { return a.Nodes }

func (a partitionAction) describe() string {
	if a.ControllerManager {
		return managerName
	}
	return ""
}

func (a partitionAction) begin(c *Cluster) func() {
	clients := kubeletClients(c.expand(a.Nodes...))
	if a.ControllerManager {
		clients = append(clients, managerName)
	}
	a.cut(c, +1)
	remove := c.server.Network().Add(fakeapi.Rule{
		Name:        a.verb(),
		Match:       fakeapi.Match{Clients: clients},
		LoseRequest: true,
		LoseReply:   true,
		HoldWatch:   true,
	})
	return func() {
		a.cut(c, -1)
		remove()
	}
}

func (a partitionAction) cut(c *Cluster, by int) {
	for _, name := range c.expand(a.Nodes...) {
		c.Node(name).cut += by
	}
}
