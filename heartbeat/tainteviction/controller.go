// Package tainteviction is the controller that deletes the pods of a node with
// NoExecute taints, at once or as late as they tolerate: pkg/controller/tainteviction
// (v1.36.3), up to 1.28 the taint manager of the node lifecycle controller. A
// taint's timeAdded means nothing to it: time counts from when it learns of one.
package tainteviction

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/events"
	"github.com/holter-sim/holter/heartbeat/informer"
	"github.com/holter-sim/holter/heartbeat/version"
)

const (
	// updateWorkerSize is how many workers handle changes of nodes and pods.
	updateWorkerSize = 8
	// retries and retryPause bound the tries to delete one pod.
	retries    = 5
	retryPause = 10 * time.Millisecond
	// syncedPollPeriod is how often a starting controller looks whether its caches are filled.
	syncedPollPeriod = 100 * time.Millisecond
)

// Clients are what the controller writes by.
type Clients struct {
	Pods func(namespace string) heartbeat.PodDeleter
	// Events may be nil: no events are recorded.
	Events func(namespace string) heartbeat.EventClient
}

// Informers are those of the kube-controller-manager, which its controllers
// share. Who made them runs them.
type Informers struct {
	Nodes *informer.Informer[*corev1.Node]
	Pods  *informer.Informer[*corev1.Pod]
	// PodsAssignedTo lists the pods of a node as Pods knows them.
	PodsAssignedTo func(node string) []*corev1.Pod
}

// Controller is one running controller. Its fields carry upstream's names.
type Controller struct {
	host      heartbeat.Host
	clients   Clients
	informers Informers
	behaviors version.TaintEviction
	tracer    heartbeat.Tracer

	recorder *events.Recorder
	// taintEvictionQueue has the pods that are to be deleted, and when.
	taintEvictionQueue *timedWorkerQueue
	// taintedNodes has the NoExecute taints of the nodes that have any.
	taintedNodes map[string][]corev1.Taint
	updates      *updateWorkers
}

// New returns a controller that does nothing until Run, and enters its handlers
// with the informers. tracer may be nil.
func New(host heartbeat.Host, clients Clients, informers Informers, behaviors version.TaintEviction, tracer heartbeat.Tracer) *Controller {
	tc := &Controller{
		host:         host,
		clients:      clients,
		informers:    informers,
		behaviors:    behaviors,
		tracer:       tracer,
		recorder:     events.New(host, clients.Events, corev1.EventSource{Component: behaviors.EventSource}),
		taintedNodes: map[string][]corev1.Taint{},
	}
	tc.taintEvictionQueue = newTimedWorkerQueue(host, behaviors.KeepsDeleted, tc.deletePod)
	tc.updates = newUpdateWorkers(host, tc.handleNodeUpdate, tc.handlePodUpdate)
	informers.Pods.AddHandler(informer.Handler[*corev1.Pod]{
		Added:   tc.podChanged,
		Updated: tc.podUpdated,
		Deleted: tc.podChanged,
	})
	informers.Nodes.AddHandler(informer.Handler[*corev1.Node]{
		Added:   func(node *corev1.Node) { tc.updates.addNode(node.Name) },
		Updated: tc.nodeUpdated,
		Deleted: func(node *corev1.Node) { tc.updates.addNode(node.Name) },
	})
	return tc
}

// Run starts the controller once the informers' caches are filled; it returns
// at once. With nothing to delete it then holds no process.
func (tc *Controller) Run() {
	tc.host.Go("taint-eviction-controller", func() {
		for !tc.informers.Nodes.HasSynced() || !tc.informers.Pods.HasSynced() {
			tc.host.Sleep(syncedPollPeriod)
		}
		tc.updates.start()
	})
}

// podChanged and podUpdated take what has a bearing on a pod's eviction: where
// it is, and what it tolerates. Upstream: PodUpdated.
func (tc *Controller) podChanged(pod *corev1.Pod) {
	tc.updates.addPod(podUpdateItem{name: pod.Name, namespace: pod.Namespace, node: pod.Spec.NodeName})
}

func (tc *Controller) podUpdated(old, pod *corev1.Pod) {
	if old.Spec.NodeName == pod.Spec.NodeName && equality.Semantic.DeepEqual(old.Spec.Tolerations, pod.Spec.Tolerations) {
		return
	}
	tc.podChanged(pod)
}

// nodeUpdated takes changes of the NoExecute taints. Upstream: NodeUpdated.
func (tc *Controller) nodeUpdated(old, node *corev1.Node) {
	if equality.Semantic.DeepEqual(getNoExecuteTaints(old.Spec.Taints), getNoExecuteTaints(node.Spec.Taints)) {
		return
	}
	tc.updates.addNode(node.Name)
}

// now is the instant that is measured with.
func (tc *Controller) now() time.Time { return heartbeat.Monotonic(tc.host) }
