package holtertest

import (
	"time"

	"github.com/holter-sim/holter/scenario"
)

// Inject lets a fault strike now, any that a scenario can have. Times of later
// assertions count from here.
func (c *Cluster) Inject(f scenario.Fault) {
	c.mark = c.Now()
	c.Cluster.Inject(f)
}

// Kill kills a node's kubelet; Restart starts it again.
func (c *Cluster) Kill(node string) {
	c.Inject(scenario.Fault{Kill: &scenario.NodeFault{Node: node}})
}

// Restart starts a node's kubelet anew.
func (c *Cluster) Restart(node string) {
	c.Inject(scenario.Fault{Restart: &scenario.NodeFault{Node: node}})
}

// Pause stops a node's kubelet for so long, as SIGSTOP and SIGCONT do.
func (c *Cluster) Pause(node string, d time.Duration) {
	c.Inject(scenario.Fault{Pause: &scenario.NodeFault{Node: node}, For: scenario.Duration{Duration: d}})
}

// Partition cuts nodes off from the API server for so long.
func (c *Cluster) Partition(d time.Duration, nodes ...string) {
	c.Inject(scenario.Fault{Partition: &scenario.PartitionFault{Nodes: nodes}, For: scenario.Duration{Duration: d}})
}

// Outage takes the API server away for so long; mode is scenario.OutageStop or
// scenario.OutageRefuse.
func (c *Cluster) Outage(mode string, d time.Duration) {
	c.Inject(scenario.Fault{Outage: &scenario.OutageFault{Mode: mode}, For: scenario.Duration{Duration: d}})
}
