package scenario

// deadConnectionAction has the connection between a kubelet and the API server
// carry nothing any more, though both ends are well, as when a load balancer or
// a firewall between them has forgotten it. New connections work. It ends when
// the kubelet finds out, or closes it.
type deadConnectionAction struct{ node string }

func (a deadConnectionAction) verb() string     { return "deadConnection" }
func (a deadConnectionAction) nodes() []string  { return []string{a.node} }
func (a deadConnectionAction) describe() string { return "" }

func (a deadConnectionAction) begin(c *Cluster) func() {
	c.eachNode(a.node, func(n *Node) func() {
		if n.kube != nil {
			n.kube.LoseConnections()
		}
		return nil
	})
	return nil
}
