package scenario

// rebootAction kills a node's kubelet with its machine, which comes up again
// where the fault ends: by its new boot ID the kubelet tells the reboot.
type rebootAction struct{ node string }

func (a rebootAction) verb() string     { return "reboot" }
func (a rebootAction) nodes() []string  { return []string{a.node} }
func (a rebootAction) describe() string { return "" }

func (a rebootAction) begin(c *Cluster) func() {
	return c.eachNode(a.node, func(n *Node) func() {
		start := n.holdKilled()
		return func() {
			n.boot()
			start()
		}
	})
}
