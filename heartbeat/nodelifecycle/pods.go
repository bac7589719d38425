package nodelifecycle

import (
	"context"
	"errors"
	"sort"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/informer"
)

// podIndex is the pod informer with its index by node.
type podIndex struct {
	informer *informer.Informer[*corev1.Pod]
	byNode   map[string]map[string]*corev1.Pod
}

func newPodIndex(host heartbeat.Host, cfg informer.Config) *podIndex {
	x := &podIndex{
		informer: informer.New[*corev1.Pod](host, cfg),
		byNode:   map[string]map[string]*corev1.Pod{},
	}
	x.informer.AddHandler(informer.Handler[*corev1.Pod]{
		Added:   x.put,
		Updated: func(old, pod *corev1.Pod) { x.drop(old); x.put(pod) },
		Deleted: x.drop,
	})
	return x
}

func (x *podIndex) put(pod *corev1.Pod) {
	pods := x.byNode[pod.Spec.NodeName]
	if pods == nil {
		pods = map[string]*corev1.Pod{}
		x.byNode[pod.Spec.NodeName] = pods
	}
	pods[informer.Key(pod)] = pod
}

func (x *podIndex) drop(pod *corev1.Pod) { delete(x.byNode[pod.Spec.NodeName], informer.Key(pod)) }

// on lists the pods of a node, by name.
func (x *podIndex) on(node string) []*corev1.Pod {
	pods := make([]*corev1.Pod, 0, len(x.byNode[node]))
	for _, pod := range x.byNode[node] { // order: sorted below
		pods = append(pods, pod)
	}
	sort.Slice(pods, func(i, j int) bool { return informer.Key(pods[i]) < informer.Key(pods[j]) })
	return pods
}

// markPodsNotReady sets the Ready condition of pods to False, one PUT after
// the other. Upstream: controllerutil.MarkPodsNotReady.
func (nc *Controller) markPodsNotReady(pods []*corev1.Pod) error {
	var errs []error
	for _, pod := range pods {
		marked, changed := nc.withPodNotReady(pod)
		if !changed {
			continue
		}
		_, err := nc.clients.Pods(pod.Namespace).UpdateStatus(context.Background(), marked, metav1.UpdateOptions{})
		if apierrors.IsNotFound(err) && nc.cfg.Behaviors.NodeLifecycle.IgnoresGonePods {
			continue
		}
		if err != nil {
			errs = append(errs, err)
		}
		if nc.cfg.Behaviors.NodeLifecycle.PodEvents {
			nc.recorder.Event(podReference(pod), corev1.EventTypeWarning, "NodeNotReady", "Node is not ready")
		}
	}
	return errors.Join(errs...)
}

// markAllPodsNotReady is the same with the pods that the API server has.
// Upstream: MarkAllPodsNotReady, before 1.17.
func (nc *Controller) markAllPodsNotReady(node string) error {
	pods, err := nc.listPodsOf(node)
	if err != nil {
		return err
	}
	return nc.markPodsNotReady(pods)
}

// withPodNotReady returns a copy with the Ready condition False, and whether
// it is to be written. Up to 1.14 it is even if the pod was not ready before,
// and the time of the transition stays as it was.
func (nc *Controller) withPodNotReady(pod *corev1.Pod) (*corev1.Pod, bool) {
	updates := nc.cfg.Behaviors.NodeLifecycle.UpdatesPodCondition
	for i := range pod.Status.Conditions {
		c := &pod.Status.Conditions[i]
		if c.Type != corev1.PodReady || c.Status == corev1.ConditionFalse && updates {
			continue
		}
		marked := *pod
		marked.Status.Conditions = append([]corev1.PodCondition(nil), pod.Status.Conditions...)
		marked.Status.Conditions[i].Status = corev1.ConditionFalse
		if updates {
			marked.Status.Conditions[i].LastTransitionTime = metav1.Time{Time: nc.host.Now()}
		}
		return &marked, true
	}
	return pod, false
}
