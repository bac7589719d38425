package scenario

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/holter-sim/holter/heartbeat/informer"
	"github.com/holter-sim/holter/heartbeat/podworkers"
)

// hasPods tells whether the scenario has pods, and so what sees to pods.
func (s *Scenario) hasPods() bool { return len(s.Spec.Pods) > 0 || len(s.Spec.Workloads) > 0 }

// startPodWorkers lets a kubelet see to its pods, if there are any. What
// ran on the machine before this kubelet goes on.
func (n *Node) startPodWorkers() {
	if !n.cluster.seesToPods {
		return
	}
	if n.runtime == nil {
		n.runtime = podworkers.NewRuntime()
	}
	client := n.kube // with its limit of requests
	pods := informer.New[*corev1.Pod](n.host, informer.Config{
		Name:          "pods",
		Watch:         watchFunc(client.Pods("").Watch),
		List:          listFunc(client.Pods("").List),
		FieldSelector: "spec.nodeName=" + n.name,
		Tracer:        n.cluster.observer.tracer(n.host.Name()),
		ListFirst:     !n.behaviors.Informer.WatchListInKubelet,
		Behaviors:     n.behaviors.Informer,
	})
	n.workers = podworkers.New(n.host, podworkers.Config{
		NodeName:  n.name,
		HostIP:    n.address,
		Pods:      func(ns string) podworkers.PodClient { return client.Pods(ns) },
		Informer:  pods,
		Runtime:   n.runtime,
		Behaviors: n.behaviors.PodWorkers,
	})
	pods.Run()
	if n.cluster.podsOn[n.name] {
		n.runStaticPods()
	}
}

// runStaticPods has the kubelet find the pods of its folder.
func (n *Node) runStaticPods() {
	if n.workers == nil || !n.host.Alive() {
		return // the next start finds them
	}
	groups := n.cluster.scenario.Spec.Pods
	for i := range groups {
		if groups[i].Static {
			n.workers.RunStatic(groups[i].staticPod())
		}
	}
}
