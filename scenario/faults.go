package scenario

import (
	"strconv"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/sim"
	"github.com/holter-sim/holter/traces"
)

// What a fault event says of its fault.
const (
	faultBegins = "begins"
	faultEnds   = "ends"
)

// faultAction is one verb at work. Each has a file of its own.
type faultAction interface {
	// verb is the field of Fault, in the scenario's spelling.
	verb() string
	// nodes are the nodes that it is about; none for the whole cluster.
	nodes() []string
	// describe tells people what is done, "" if the verb and nodes say it.
	describe() string
	// begin does it and returns what undoes it, nil if nothing does.
	begin(c *Cluster) (end func())
}

// action returns the fault's verb, or nil if it has none.
func (f *Fault) action() faultAction {
	switch {
	case f.Kill != nil:
		return killAction{f.Kill.Node}
	case f.Restart != nil:
		return restartAction{f.Restart.Node}
	case f.Pause != nil:
		return pauseAction{f.Pause.Node}
	case f.Partition != nil:
		return partitionAction{f.Partition}
	case f.Outage != nil:
		return outageAction{f.Outage.Mode}
	case f.Latency != nil:
		return latencyAction{f.Latency}
	case f.Respond != nil:
		return respondAction{f.Respond}
	case f.LoseReply != nil:
		return lossAction{"loseReply", f.LoseReply}
	case f.LoseRequest != nil:
		return lossAction{"loseRequest", f.LoseRequest}
	case f.WriteLease != nil:
		return writeLeaseAction{f.WriteLease}
	case f.ClockStep != nil:
		return clockStepAction{f.ClockStep}
	case f.DeleteNode != nil:
		return deleteNodeAction{f.DeleteNode.Node}
	case f.RestartControllerManager != nil:
		return restartManagerAction{}
	case f.HoldWatch != nil:
		return holdWatchAction{f.HoldWatch}
	case f.PullImages != nil:
		return pullImagesAction{f.PullImages}
	case f.DeadConnection != nil:
		return deadConnectionAction{f.DeadConnection.Node}
	case f.RuntimeDown != nil:
		return runtimeDownAction{f.RuntimeDown.Node}
	case f.NetworkNotReady != nil:
		return networkNotReadyAction{f.NetworkNotReady.Node}
	case f.PLEGStalled != nil:
		return plegStalledAction{f.PLEGStalled.Node}
	case f.Pressure != nil:
		return pressureAction{f.Pressure}
	case f.Reboot != nil:
		return rebootAction{f.Reboot.Node}
	case f.Shutdown != nil:
		return shutdownAction{f.Shutdown.Node}
	case f.StorageError != nil:
		return storageErrorAction{f.StorageError.Node}
	case f.OutOfService != nil:
		return outOfServiceAction{f.OutOfService.Node}
	case f.Cordon != nil:
		return cordonAction{f.Cordon.Node}
	case f.DeletePod != nil:
		return deletePodAction{f.DeletePod}
	case f.Webhook != nil:
		return webhookAction{f.Webhook}
	case f.EtcdReadOnly != nil:
		return etcdReadOnlyAction{f.EtcdReadOnly}
	case f.Flood != nil:
		return floodAction{f.Flood}
	}
	return nil
}

// scheduleFaults draws the moments that are to be drawn and lets the faults
// come.
func (c *Cluster) scheduleFaults() {
	for i := range c.scenario.Spec.Faults {
		f := &c.scenario.Spec.Faults[i]
		at := f.At.Draw(c.engine.Rand(faultStream(i)))
		c.drawn = append(c.drawn, at)
		c.engine.At(sim.Time(at), func() { c.Inject(*f) })
	}
}

// faultStream is where the moment of a fault is drawn from.
func faultStream(i int) string { return "fault/" + strconv.Itoa(i) }

// Inject lets a fault strike now; its At is ignored. It ends by itself after
// its For.
func (c *Cluster) Inject(f Fault) {
	action := f.action()
	c.recordFault(&f, action, faultBegins)
	cause := c.engine.Cause()
	end := action.begin(c)
	if end == nil || f.For.Duration <= 0 {
		return
	}
	c.engine.SetCause(cause)
	c.engine.After(f.For.Duration, func() {
		c.recordFault(&f, action, faultEnds)
		end()
	})
}

// recordFault records one event, or one for each node that it is about.
func (c *Cluster) recordFault(f *Fault, action faultAction, what string) {
	ev := traces.Event{Actor: "fault", Kind: traces.KindFault, Name: f.Name, Reason: action.verb(), To: what, Detail: action.describe()}
	if what == faultBegins && f.For.Duration > 0 {
		ev.Detail = joinNonEmpty(ev.Detail, "for "+f.For.String())
	}
	cause := c.engine.Cause()
	nodes := c.expand(action.nodes()...)
	if len(nodes) == 0 {
		c.record(ev)
	}
	for _, node := range nodes {
		ev.Node, ev.Cause = node, cause
		c.record(ev)
	}
}

// eachNode does begin to a node, or to all of them, and returns what undoes it.
func (c *Cluster) eachNode(name string, begin func(*Node) (end func())) (end func()) {
	var ends []func()
	for _, name := range c.expand(name) {
		ends = append(ends, begin(c.Node(name)))
	}
	return func() {
		for _, end := range ends {
			end()
		}
	}
}

func joinNonEmpty(a, b string) string {
	if a == "" {
		return b
	}
	return a + ", " + b
}

// match turns a target into what the network matches calls by.
func (t *RequestTarget) match(c *Cluster) fakeapi.Match {
	return fakeapi.Match{Clients: kubeletClients(c.expand(t.Nodes...)), Verbs: t.Verbs, Resources: t.Resources}
}

func kubeletClients(nodes []string) []string {
	clients := make([]string, len(nodes))
	for i, node := range nodes {
		clients[i] = kubeletClient(node)
	}
	return clients
}
