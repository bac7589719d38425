package holtertest

import (
	"time"

	"github.com/holter-sim/holter/scenario"
)

// Inject lets a fault strike now, any that a scenario can have; its At is not
// looked at. It ends after its For, or with the test if that is 0. Times of
// later assertions count from here. A fault that cannot be, on a node that is
// not there for one, fails the test.
func (c *Cluster) Inject(f scenario.Fault) {
	c.tb.Helper()
	if err := c.Cluster.Scenario().CheckFault(f); err != nil {
		c.tb.Fatalf("holtertest: %v", err)
		return
	}
	c.mark = c.Now()
	c.Cluster.Inject(f)
}

// Kill kills a node's kubelet; Restart starts it again.
func (c *Cluster) Kill(node string) {
	c.tb.Helper()
	c.Inject(scenario.Fault{Kill: &scenario.NodeFault{Node: node}})
}

// Restart starts a node's kubelet anew.
func (c *Cluster) Restart(node string) {
	c.tb.Helper()
	c.Inject(scenario.Fault{Restart: &scenario.NodeFault{Node: node}})
}

// Pause stops a node's kubelet for so long, as SIGSTOP and SIGCONT do.
func (c *Cluster) Pause(node string, d time.Duration) {
	c.tb.Helper()
	c.Inject(scenario.Fault{Pause: &scenario.NodeFault{Node: node}, For: scenario.Duration{Duration: d}})
}

// Partition cuts nodes off from the API server for so long.
func (c *Cluster) Partition(d time.Duration, nodes ...string) {
	c.tb.Helper()
	c.Inject(scenario.Fault{Partition: &scenario.PartitionFault{Nodes: nodes}, For: scenario.Duration{Duration: d}})
}

// Outage takes the API server away for so long; mode is scenario.OutageStop or
// scenario.OutageRefuse.
func (c *Cluster) Outage(mode string, d time.Duration) {
	c.tb.Helper()
	c.Inject(scenario.Fault{Outage: &scenario.OutageFault{Mode: mode}, For: scenario.Duration{Duration: d}})
}
