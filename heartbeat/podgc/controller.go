// Package podgc is the controller that deletes pods at once which no kubelet
// will end: those of a node that is gone, those that are ending on a node taken
// out of service, and those that are ending unscheduled; and those that have
// ended where there are too many. pkg/controller/podgc (v1.36.3).
package podgc

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/informer"
	"github.com/holter-sim/holter/heartbeat/version"
)

const (
	// gcCheckPeriod is how often the pods are looked at.
	gcCheckPeriod = 20 * time.Second
	// syncedPollPeriod is how often a starting controller looks whether its caches are filled.
	syncedPollPeriod = 100 * time.Millisecond
)

// Clients are the controller's connections to the API server.
type Clients struct {
	Nodes heartbeat.NodeClient
	Pods  func(namespace string) heartbeat.PodDeleter
	// ListNodes is for versions without a quarantine.
	ListNodes heartbeat.ListFunc
}

// Informers are those of the kube-controller-manager, which its controllers
// share. Who made them runs them.
type Informers struct {
	Nodes *informer.Informer[*corev1.Node]
	Pods  *informer.Informer[*corev1.Pod]
}

// Controller is one running controller. Its fields carry upstream's names.
type Controller struct {
	host      heartbeat.Host
	clients   Clients
	informers Informers
	behaviors version.PodGC
	tracer    heartbeat.Tracer

	terminatedPodThreshold int

	nodeQueue quarantine
}

// New returns a controller that does nothing until Run. Of pods that have ended
// it leaves terminatedPodThreshold, all if that is not over 0
// (--terminated-pod-gc-threshold). tracer may be nil.
func New(host heartbeat.Host, clients Clients, informers Informers, terminatedPodThreshold int, behaviors version.PodGC, tracer heartbeat.Tracer) *Controller {
	return &Controller{
		host: host, clients: clients, informers: informers, behaviors: behaviors, tracer: tracer,
		terminatedPodThreshold: terminatedPodThreshold,
		nodeQueue:              quarantine{readyAt: map[string]time.Time{}},
	}
}

// Run starts the controller's loop once the informers' caches are filled; it
// returns at once.
func (gcc *Controller) Run() {
	gcc.host.Go("pod-garbage-collector", func() {
		for !gcc.informers.Nodes.HasSynced() || !gcc.informers.Pods.HasSynced() {
			gcc.host.Sleep(syncedPollPeriod)
		}
		gcc.host.Every("pod-gc", gcCheckPeriod, 0, true, gcc.gc)
	})
}

// gc is one look at all pods, as they are known when it begins.
func (gcc *Controller) gc() {
	pods := gcc.informers.Pods.Store().List()
	nodes := gcc.informers.Nodes.Store().List()
	if gcc.terminatedPodThreshold > 0 {
		gcc.gcTerminated(pods)
	}
	if gcc.behaviors.OutOfService {
		gcc.gcTerminating(pods)
	}
	gcc.gcOrphaned(pods, nodes)
	gcc.gcUnscheduledTerminating(pods)
}

// gcUnscheduledTerminating deletes pods that are ending and have no node.
func (gcc *Controller) gcUnscheduledTerminating(pods []*corev1.Pod) {
	for _, pod := range pods {
		if pod.DeletionTimestamp != nil && pod.Spec.NodeName == "" {
			gcc.markFailedAndDeletePod(pod, "ending and not scheduled", nil)
		}
	}
}
