package scenario

import corev1 "k8s.io/api/core/v1"

// podCame starts what the new pod needs and the scenario has had no use for, with
// Options.PodsOfOthers. It comes when the pod is stored, so that all who begin then
// find it in their first list.
func (c *Cluster) podCame(pod *corev1.Pod) {
	if !c.options.PodsOfOthers {
		return
	}
	if !c.seesToPods {
		c.seesToPods = true
		c.engine.After(0, c.startSeeingToPods)
	}
	if !c.schedules && pod.Spec.NodeName == "" {
		c.schedules = true
		c.engine.After(0, c.startScheduler)
	}
}

// startSeeingToPods is for kubelets and a controller-manager that run. Those that
// are down see to pods from their next start on.
func (c *Cluster) startSeeingToPods() {
	if c.manager.controller != nil {
		c.manager.podControllers()()
	}
	for _, n := range c.nodes {
		if n.kubelet != nil && n.workers == nil {
			n.startPodWorkers()
		}
	}
}
