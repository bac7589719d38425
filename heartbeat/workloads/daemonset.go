package workloads

import (
	"cmp"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/heartbeat/taints"
)

// syncDaemonSet has one pod on each node that takes it. A pod of a node that
// fails stays: it tolerates the taints of such nodes for ever. Upstream looks at
// all nodes each time; here those are left out that are as they were when there
// was nothing to do on them. Upstream: DaemonSetsController.manage, syncNodes.
func (s *set) syncDaemonSet() error {
	if !s.expectations.satisfied() {
		return nil
	}
	var needing []string
	var excess, lost []*corev1.Pod
	for _, name := range slices.Sorted(maps.Keys(s.changed)) {
		before := len(needing) + len(excess) + len(lost)
		if node, ok := s.informers.Nodes.Store().Get(name); !ok {
			lost = append(lost, unscheduled(s.onNodes[name])...)
		} else if s.podsShouldBeOnNode(node, s.onNodes[name], &excess) {
			needing = append(needing, name)
		}
		if len(needing)+len(excess)+len(lost) == before {
			delete(s.changed, name)
		}
	}
	return s.syncNodes(needing, append(excess, lost...))
}

// podsShouldBeOnNode tells whether a node lacks its pod, and adds to excess
// what is not to be on it.
func (s *set) podsShouldBeOnNode(node *corev1.Node, pods []*corev1.Pod, excess *[]*corev1.Pod) (needed bool) {
	shouldRun, shouldContinueRunning := s.nodeShouldRunDaemonPod(node)
	if len(pods) == 0 {
		return shouldRun
	}
	var running []*corev1.Pod
	for _, pod := range pods {
		switch {
		case pod.DeletionTimestamp != nil:
		case shouldContinueRunning && active(pod):
			running = append(running, pod)
		default:
			*excess = append(*excess, pod)
		}
	}
	if len(running) > 1 { // all but the oldest
		slices.SortStableFunc(running, func(a, b *corev1.Pod) int { return a.CreationTimestamp.Compare(b.CreationTimestamp.Time) })
		*excess = append(*excess, running[1:]...)
	}
	return false
}

// nodeShouldRunDaemonPod tells whether a pod of the set may begin on a node,
// and whether one that is there may stay: for that only NoExecute counts.
// Upstream: NodeShouldRunDaemonPod.
func (s *set) nodeShouldRunDaemonPod(node *corev1.Node) (shouldRun, shouldContinueRunning bool) {
	tolerations := s.workload.Template.Tolerations
	noExecute := taints.Untolerated(node.Spec.Taints, tolerations, corev1.TaintEffectNoExecute)
	return !noExecute && !taints.Untolerated(node.Spec.Taints, tolerations, corev1.TaintEffectNoSchedule), !noExecute
}

// unscheduled are those that have no node yet. Where theirs is gone nobody else
// would find them. Upstream: getUnscheduledPodsWithoutNode.
func unscheduled(pods []*corev1.Pod) []*corev1.Pod {
	return slices.DeleteFunc(slices.Clone(pods), func(pod *corev1.Pod) bool {
		return pod.Spec.NodeName != "" || pod.DeletionTimestamp != nil
	})
}

func (s *set) syncNodes(needing []string, excess []*corev1.Pod) error {
	needing, excess = needing[:min(len(needing), burstReplicas)], excess[:min(len(excess), burstReplicas)]
	s.expectations.expect(len(needing), keys(excess))
	tried, err := s.slowStartBatch(len(needing), func(i int) error {
		pod := s.workload.newPod(s.workload.DaemonName(needing[i]))
		pod.Spec.Affinity = affinityTo(needing[i])
		err := s.create(pod)
		if err != nil {
			s.expectations.creationObserved()
		}
		return err
	})
	for range len(needing) - tried {
		s.expectations.creationObserved()
	}
	deletions := s.deleteAll(excess)
	if err != nil {
		return err
	}
	return deletions
}

// DaemonName is the name of a DaemonSet's pod on a node. Upstream the API
// server draws five letters.
func (w *Workload) DaemonName(node string) string { return w.Name + "-" + node }

// AddDaemonTolerations adds what every pod of a DaemonSet tolerates. Upstream:
// AddOrUpdateDaemonPodTolerations, of pods without the host's network.
func AddDaemonTolerations(tolerations []corev1.Toleration) []corev1.Toleration {
	for _, t := range []struct {
		key    string
		effect corev1.TaintEffect
	}{
		{corev1.TaintNodeNotReady, corev1.TaintEffectNoExecute},
		{corev1.TaintNodeUnreachable, corev1.TaintEffectNoExecute},
		{corev1.TaintNodeDiskPressure, corev1.TaintEffectNoSchedule},
		{corev1.TaintNodeMemoryPressure, corev1.TaintEffectNoSchedule},
		{corev1.TaintNodePIDPressure, corev1.TaintEffectNoSchedule},
		{corev1.TaintNodeUnschedulable, corev1.TaintEffectNoSchedule},
	} {
		tolerations = append(tolerations, corev1.Toleration{Key: t.key, Operator: corev1.TolerationOpExists, Effect: t.effect})
	}
	return tolerations
}

// byNode has the pods of a DaemonSet by their node, those of one node by name.
// Upstream: getNodesToDaemonPods, which makes it anew each time.
type byNode map[string][]*corev1.Pod

func (x byNode) add(pod *corev1.Pod) {
	pods := x[nodeOf(pod)]
	at, _ := slices.BinarySearchFunc(pods, pod.Name, func(p *corev1.Pod, name string) int { return cmp.Compare(p.Name, name) })
	x[nodeOf(pod)] = slices.Insert(pods, at, pod)
}

func (x byNode) remove(pod *corev1.Pod) {
	node := nodeOf(pod)
	if left := slices.DeleteFunc(x[node], func(p *corev1.Pod) bool { return p.Name == pod.Name }); len(left) > 0 {
		x[node] = left
	} else {
		delete(x, node)
	}
}

// nodeOf is the node that a pod of a DaemonSet is on, or for. Upstream:
// GetTargetNodeName.
func nodeOf(pod *corev1.Pod) string {
	if pod.Spec.NodeName != "" {
		return pod.Spec.NodeName
	}
	return AffinityNode(pod)
}

// affinityTo has the scheduler bind a pod to one node. Upstream:
// ReplaceDaemonSetPodNodeNameNodeAffinity.
func affinityTo(node string) *corev1.Affinity {
	return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{{
			Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{node},
		}}}},
	}}}
}

// AffinityNode is the one node that a pod wants, "" if it wants none.
func AffinityNode(pod *corev1.Pod) string {
	a := pod.Spec.Affinity
	if a == nil || a.NodeAffinity == nil || a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return ""
	}
	for _, term := range a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
		for _, field := range term.MatchFields {
			if field.Key == metav1.ObjectNameField && len(field.Values) == 1 {
				return field.Values[0]
			}
		}
	}
	return ""
}
