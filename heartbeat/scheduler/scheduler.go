// Package scheduler binds pods that wait to nodes that take them: as little of
// kube-scheduler (v1.36.3) as shows where pods go when a node fails. Of its
// plugins there are TaintToleration, NodeUnschedulable, SchedulingGates, node
// selectors and the node affinity of a DaemonSet's pods; of the rest only that pods are spread: a node with fewer
// of the same owner, then with fewer in all, then the first by name is taken.
// Nothing has a size, so a node is never full; nothing is preempted.
package scheduler

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/informer"
	"github.com/holter-sim/holter/heartbeat/taints"
	"github.com/holter-sim/holter/heartbeat/workloads"
)

const (
	// firstBackoff and lastBackoff bound the pause after a binding that failed,
	// which doubles. Upstream: podInitialBackoffSeconds, podMaxBackoffSeconds.
	firstBackoff = time.Second
	lastBackoff  = 10 * time.Second
)

// Informers are what the scheduler knows. Who made them runs them, after New.
type Informers struct {
	Nodes *informer.Informer[*corev1.Node]
	Pods  *informer.Informer[*corev1.Pod]
}

// Scheduler is one running kube-scheduler.
type Scheduler struct {
	host      heartbeat.Host
	pods      func(namespace string) heartbeat.PodBinder
	informers Informers
	unbound   map[types.UID]*corev1.Pod // pods without a node
	assumed   map[types.UID]string      // of these, those on their way to one
	failures  map[types.UID]int
	resting   map[types.UID]bool // until their backoff is over
	load      ledger
	due       bool
}

// New returns a scheduler that works when its informers do.
func New(host heartbeat.Host, pods func(namespace string) heartbeat.PodBinder, informers Informers) *Scheduler {
	s := &Scheduler{host: host, pods: pods, informers: informers, load: ledger{},
		unbound: map[types.UID]*corev1.Pod{}, assumed: map[types.UID]string{}, failures: map[types.UID]int{}, resting: map[types.UID]bool{}}
	informers.Nodes.AddHandler(informer.Handler[*corev1.Node]{
		Added: func(*corev1.Node) { s.activate() }, Updated: s.updateNode,
	})
	informers.Pods.AddHandler(informer.Handler[*corev1.Pod]{
		Added: s.see, Updated: s.changed,
		Deleted: func(pod *corev1.Pod) { s.leave(pod); s.forget(pod) },
	})
	return s
}

// updateNode is a node that changed: pods may fit on it now, though not for a
// heartbeat. Upstream: updateNodeInCache, NodeSchedulingPropertiesChange.
func (s *Scheduler) updateNode(old, node *corev1.Node) {
	if old.Spec.Unschedulable != node.Spec.Unschedulable || !maps.Equal(old.Labels, node.Labels) || !equality.Semantic.DeepEqual(old.Spec.Taints, node.Spec.Taints) {
		s.activate()
	}
}

// see is a pod as it is now: it waits for a node, or is on one.
func (s *Scheduler) see(pod *corev1.Pod) {
	if pod.Spec.NodeName == "" {
		if !responsibleForPod(pod) {
			return
		}
		s.unbound[pod.UID] = pod
		s.activate()
		return
	}
	s.forget(pod)
	if !ended(pod) {
		s.load.add(pod, pod.Spec.NodeName, 1)
	}
}

// changed is a pod that was old. An informer that lists anew may take one pod
// for another of its name.
func (s *Scheduler) changed(old, pod *corev1.Pod) {
	s.leave(old)
	if old.UID != pod.UID {
		s.forget(old)
	}
	s.see(pod)
}

// leave is a pod as it was.
func (s *Scheduler) leave(pod *corev1.Pod) {
	if pod.Spec.NodeName != "" && !ended(pod) {
		s.load.add(pod, pod.Spec.NodeName, -1)
	}
}

// forget is a pod that waits no more.
func (s *Scheduler) forget(pod *corev1.Pod) {
	s.unassume(pod)
	delete(s.unbound, pod.UID)
	delete(s.failures, pod.UID)
	delete(s.resting, pod.UID)
}

func (s *Scheduler) unassume(pod *corev1.Pod) {
	if node, assumed := s.assumed[pod.UID]; assumed {
		s.load.add(pod, node, -1)
		delete(s.assumed, pod.UID)
	}
}

// activate has all pods that wait considered, once for all that changes at an
// instant. Upstream: MoveAllToActiveOrBackoffQueue.
func (s *Scheduler) activate() {
	if s.due || len(s.unbound) == len(s.assumed) {
		return
	}
	s.due = true
	s.host.Go("scheduler", func() {
		s.due = false
		for _, pod := range s.waiting() {
			s.scheduleOne(pod)
		}
	})
}

// waiting are the pods that are to get a node now, by name.
func (s *Scheduler) waiting() []*corev1.Pod {
	var pods []*corev1.Pod
	for uid, pod := range s.unbound { // order: sorted below
		_, assumed := s.assumed[uid]
		if !assumed && !s.resting[uid] && pod.DeletionTimestamp == nil && len(pod.Spec.SchedulingGates) == 0 && s.informers.Nodes.HasSynced() {
			pods = append(pods, pod)
		}
	}
	slices.SortFunc(pods, func(a, b *corev1.Pod) int { return cmp.Compare(informer.Key(a), informer.Key(b)) })
	return pods
}

// scheduleOne picks a node for a pod and binds it, in a process of its own.
func (s *Scheduler) scheduleOne(pod *corev1.Pod) {
	node := s.selectNode(pod)
	if node == "" {
		return // until a node or pod changes
	}
	s.assumed[pod.UID] = node
	s.load.add(pod, node, 1)
	s.host.Go("bind", func() {
		err := s.pods(pod.Namespace).Bind(context.Background(), &corev1.Binding{
			ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: pod.Namespace, UID: pod.UID},
			Target:     corev1.ObjectReference{Kind: "Node", Name: node},
		}, metav1.CreateOptions{})
		if err != nil {
			s.failed(pod)
		}
	})
}

// failed has a pod that was not bound wait for another try. Upstream:
// handleSchedulingFailure.
func (s *Scheduler) failed(pod *corev1.Pod) {
	pause := min(firstBackoff<<min(s.failures[pod.UID], 10), lastBackoff)
	s.unassume(pod)
	s.failures[pod.UID]++
	s.resting[pod.UID] = true
	heartbeat.After(s.host, "scheduler-backoff", pause, func() {
		delete(s.resting, pod.UID)
		s.activate()
	})
}

// selectNode is the best node that takes a pod, "" if none does.
func (s *Scheduler) selectNode(pod *corev1.Pod) string {
	if wanted := workloads.AffinityNode(pod); wanted != "" { // upstream: PreFilter of NodeAffinity, which names the one node
		if node, ok := s.informers.Nodes.Store().Get(wanted); ok && fits(pod, node) {
			return wanted
		}
		return ""
	}
	best := ""
	for _, node := range s.informers.Nodes.Store().List() {
		if fits(pod, node) && (best == "" || s.load.less(pod, node.Name, best)) {
			best = node.Name
		}
	}
	return best
}

// fits is the filter: the Ready condition does not count, the taints that come
// of it do. Upstream: plugins TaintToleration, NodeUnschedulable, NodeAffinity.
func fits(pod *corev1.Pod, node *corev1.Node) bool {
	if wanted := workloads.AffinityNode(pod); wanted != "" && wanted != node.Name {
		return false
	}
	for key, value := range pod.Spec.NodeSelector { // order: all must match
		if have, ok := node.Labels[key]; !ok || have != value {
			return false
		}
	}
	cordon := []corev1.Taint{{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}}
	if node.Spec.Unschedulable && taints.Untolerated(cordon, pod.Spec.Tolerations, corev1.TaintEffectNoSchedule) {
		return false
	}
	return !taints.Untolerated(node.Spec.Taints, pod.Spec.Tolerations, corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute)
}

// responsibleForPod tells whether a pod is left to this scheduler, and not to one that
// somebody else runs. Upstream: frameworkForPod, with the one default profile.
func responsibleForPod(pod *corev1.Pod) bool {
	return pod.Spec.SchedulerName == "" || pod.Spec.SchedulerName == corev1.DefaultSchedulerName
}

func ended(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}
