package scenario

import (
	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/podgc"
	"github.com/holter-sim/holter/heartbeat/tainteviction"
	"github.com/holter-sim/holter/heartbeat/workloads"
)

// podControllers makes the controllers that delete and create pods, on the informers of
// the node lifecycle controller, as all controllers of the process share them.
// It returns what runs them. Where there are no pods they have nothing to do,
// and are left out.
func (m *ControllerManagerHost) podControllers() (run func()) {
	if !m.cluster.seesToPods {
		return func() {}
	}
	flags := &m.cluster.effective.ControllerManager
	behaviors := flags.Behaviors
	nodes, pods := m.controller.NodeInformer(), m.controller.PodInformer()
	tracer := m.cluster.observer.tracer(managerName)

	// Up to 1.28 taint eviction is part of the node lifecycle controller, and
	// tells of itself as "taint-controller", by its client; later it has one of
	// its own.
	evictor := m.client
	if behaviors.TaintEviction.Separate {
		evictor = m.newClient()
	}
	eviction := tainteviction.New(m.host, tainteviction.Clients{
		Pods:   func(ns string) heartbeat.PodDeleter { return evictor.Pods(ns) },
		Events: func(ns string) heartbeat.EventClient { return evictor.Events(ns) },
	}, tainteviction.Informers{Nodes: nodes, Pods: pods, PodsAssignedTo: m.controller.PodsAssignedTo}, behaviors.TaintEviction, tracer)

	collector := m.newClient()
	gc := podgc.New(m.host, podgc.Clients{
		Nodes:     collector.Nodes(),
		Pods:      func(ns string) heartbeat.PodDeleter { return collector.Pods(ns) },
		ListNodes: listFunc(collector.Nodes().List),
	}, podgc.Informers{Nodes: nodes, Pods: pods}, int(flags.TerminatedPodGCThreshold), behaviors.PodGC, tracer)

	creator := m.newClient()
	m.creators = workloads.New(m.host, workloads.Clients{
		Pods: func(ns string) workloads.PodClient { return creator.Pods(ns) },
	}, workloads.Informers{Nodes: nodes, Pods: pods}, m.cluster.workloads)
	return func() {
		if flags.runsTaintEviction() {
			eviction.Run()
		}
		if flags.PodGCController {
			gc.Run()
		}
		m.creators.Run()
	}
}
