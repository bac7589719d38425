package scenario

import (
	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/podgc"
	"github.com/holter-sim/holter/heartbeat/tainteviction"
)

// podControllers makes the controllers that delete pods, on the informers of
// the node lifecycle controller, as all controllers of the process share them.
// It returns what runs them. Where there are no pods they have nothing to do,
// and are left out.
func (m *ControllerManagerHost) podControllers() (run func()) {
	if len(m.cluster.scenario.Spec.Pods) == 0 {
		return func() {}
	}
	behaviors := m.cluster.effective.ControllerManager.Behaviors
	nodes, pods := m.controller.NodeInformer(), m.controller.PodInformer()
	tracer := m.cluster.observer.tracer(managerName)

	// Up to 1.28 taint eviction is part of the node lifecycle controller, and
	// tells of itself as "taint-controller".
	evictor := m.cluster.server.NewClient(m.clientOptions())
	eviction := tainteviction.New(m.host, tainteviction.Clients{
		Pods:   func(ns string) heartbeat.PodDeleter { return evictor.Pods(ns) },
		Events: func(ns string) heartbeat.EventClient { return evictor.Events(ns) },
	}, tainteviction.Informers{Nodes: nodes, Pods: pods, PodsAssignedTo: m.controller.PodsAssignedTo}, behaviors.TaintEviction, tracer)

	collector := m.cluster.server.NewClient(m.clientOptions())
	gc := podgc.New(m.host, podgc.Clients{
		Nodes:     collector.Nodes(),
		Pods:      func(ns string) heartbeat.PodDeleter { return collector.Pods(ns) },
		ListNodes: listFunc(collector.Nodes().List),
	}, podgc.Informers{Nodes: nodes, Pods: pods}, behaviors.PodGC, tracer)

	return func() {
		eviction.Run()
		gc.Run()
	}
}
