// Package nodelifecycle is the controller that calls a node Unknown when its
// heartbeats stop, and taints it: pkg/controller/nodelifecycle (v1.36.3). It
// reads nothing but its informers' stores.
package nodelifecycle

import (
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/events"
	"github.com/holter-sim/holter/heartbeat/informer"
	"github.com/holter-sim/holter/heartbeat/version"
)

const (
	// retrySleepTime and nodeHealthUpdateRetry bound the retries of one
	// node's update within a pass.
	retrySleepTime        = 20 * time.Millisecond
	nodeHealthUpdateRetry = 5
	// nodeEvictionPeriod is how often the NoExecute queues are looked at.
	nodeEvictionPeriod = 100 * time.Millisecond
	// nodeUpdateWorkerSize is how many changes of nodes are handled side by side.
	nodeUpdateWorkerSize = 8
	// syncedPollPeriod is how often a starting controller looks whether its caches are filled.
	syncedPollPeriod = 100 * time.Millisecond
)

// Config is kube-controller-manager's part in node health, with every default
// filled in, under its flags' names.
type Config struct {
	NodeMonitorPeriod      time.Duration // --node-monitor-period
	NodeMonitorGracePeriod time.Duration // --node-monitor-grace-period
	NodeStartupGracePeriod time.Duration // --node-startup-grace-period

	NodeEvictionRate          float32 // --node-eviction-rate, nodes a second
	SecondaryNodeEvictionRate float32 // --secondary-node-eviction-rate
	LargeClusterSizeThreshold int     // --large-cluster-size-threshold
	UnhealthyZoneThreshold    float32 // --unhealthy-zone-threshold

	// EnableTaintManager is --enable-taint-manager, and TaintBasedEvictions the
	// feature gate of that name. Where they exist (up to 1.26, up to 1.17) and
	// one is off, the controller deletes the pods of a node that has been not
	// ready for PodEvictionTimeout; elsewhere they mean nothing.
	EnableTaintManager  bool
	TaintBasedEvictions bool
	PodEvictionTimeout  time.Duration // --pod-eviction-timeout, up to 1.26

	// Behaviors is what differs by version.
	Behaviors version.Behaviors

	// Panicked is called when the controller does what upstream panics at; it
	// must end the process. nil panics.
	Panicked func(reason string)

	// PassCostPerNode is the virtual time that a monitor pass takes for each
	// node it looks at, so that passes drift as real ones do. 0 for none.
	PassCostPerNode time.Duration
}

// Clients are the controller's connections to the API server.
type Clients struct {
	Nodes heartbeat.NodeClient
	// Leases of kube-node-lease, for the circuit breaker.
	Leases heartbeat.LeaseClient
	Pods   func(namespace string) heartbeat.PodClient
	// ListPodsAssigned lists pods by a field selector, before 1.17. It may be
	// nil after that.
	ListPodsAssigned heartbeat.ListFunc
	// Events may be nil: no events are recorded.
	Events func(namespace string) heartbeat.EventClient

	WatchNodes, WatchLeases, WatchPods heartbeat.WatchFunc
	// The lists are for when a watch cannot be opened. They may be nil.
	ListNodes, ListLeases, ListPods heartbeat.ListFunc
}

// Controller is one running controller. Its fields carry upstream's names.
type Controller struct {
	host    heartbeat.Host
	clients Clients
	cfg     Config
	tracer  heartbeat.Tracer

	recorder *events.Recorder
	nodes    *informer.Informer[*corev1.Node]
	leases   *informer.Informer[*coordinationv1.Lease]
	pods     *podIndex

	knownNodeSet         map[string]*corev1.Node
	nodeHealthMap        map[string]*nodeHealthData
	nodesToRetry         map[string]bool
	zoneStates           map[string]zoneState
	zoneNoExecuteTainter map[string]*rateLimitedTimedQueue
	zonePodEvictor       map[string]*rateLimitedTimedQueue
	nodeEvictionMap      nodeEvictionMap
	evictorLock          sync.Locker
	nodeUpdateQueue      *updateQueue
	podUpdateQueue       *podUpdateQueue
	taintBackoff         heartbeat.Rand
	breaker              leaseBreaker
	passes               int
}

// New returns a controller that does nothing until Run. tracer may be nil.
func New(host heartbeat.Host, clients Clients, cfg Config, tracer heartbeat.Tracer) *Controller {
	informerConfig := func(name string, watch heartbeat.WatchFunc, list heartbeat.ListFunc) informer.Config {
		own := cfg.Behaviors.Informer
		return informer.Config{
			Name: name, Watch: watch, List: list, Tracer: tracer,
			ListFirst: !own.WatchListInManager, Behaviors: own,
		}
	}
	nc := &Controller{
		host:                 host,
		clients:              clients,
		cfg:                  cfg,
		tracer:               tracer,
		recorder:             events.New(host, clients.Events, corev1.EventSource{Component: "node-controller"}),
		nodes:                informer.New[*corev1.Node](host, informerConfig("nodes", clients.WatchNodes, clients.ListNodes)),
		leases:               informer.New[*coordinationv1.Lease](host, informerConfig("leases", clients.WatchLeases, clients.ListLeases)),
		pods:                 newPodIndex(host, informerConfig("pods", clients.WatchPods, clients.ListPods)),
		knownNodeSet:         map[string]*corev1.Node{},
		nodeHealthMap:        map[string]*nodeHealthData{},
		nodesToRetry:         map[string]bool{},
		zoneStates:           map[string]zoneState{},
		zoneNoExecuteTainter: map[string]*rateLimitedTimedQueue{},
		zonePodEvictor:       map[string]*rateLimitedTimedQueue{},
		nodeEvictionMap:      nodeEvictionMap{},
		evictorLock:          host.NewMutex(),
		taintBackoff:         host.Rand("taint-backoff"),
	}
	nc.nodeUpdateQueue = newUpdateQueue(host, "node-worker", nodeUpdateWorkerSize, nc.processNode)
	nc.nodes.AddHandler(informer.Handler[*corev1.Node]{
		Added: func(node *corev1.Node) {
			nc.nodeUpdateQueue.add(node.Name)
			nc.nodeEvictionMap[node.Name] = unmarked
		},
		Updated: func(_, node *corev1.Node) { nc.nodeUpdateQueue.add(node.Name) },
		Deleted: func(node *corev1.Node) {
			delete(nc.nodesToRetry, node.Name)
			delete(nc.nodeEvictionMap, node.Name)
		},
	})
	if workers := cfg.Behaviors.NodeLifecycle.PodUpdateWorkers; workers > 0 {
		nc.podUpdateQueue = newPodUpdateQueue(host, workers, nc.processPod)
		nc.pods.informer.AddHandler(informer.Handler[*corev1.Pod]{
			Added:   func(pod *corev1.Pod) { nc.podUpdated(nil, pod) },
			Updated: nc.podUpdated,
		})
	}
	return nc
}

// Run starts the informers and, once their caches are filled, the
// controller's loops; it returns at once. Upstream: Controller.Run.
func (nc *Controller) Run() {
	leases := nc.cfg.Behaviors.Lease.NodeLease
	if leases {
		nc.leases.Run()
	}
	nc.nodes.Run()
	nc.pods.informer.Run()
	nc.host.Go("node-lifecycle-controller", func() {
		for leases && !nc.leases.HasSynced() || !nc.nodes.HasSynced() || !nc.pods.informer.HasSynced() {
			nc.host.Sleep(syncedPollPeriod)
		}
		heartbeat.Decide(nc.tracer, heartbeat.DecisionControllerSync, "", "")
		nc.nodeUpdateQueue.start()
		if nc.podUpdateQueue != nil {
			nc.podUpdateQueue.start()
		}
		if nc.cfg.usesTaintBasedEvictions() {
			nc.host.Every("no-execute", nodeEvictionPeriod, 0, true, nc.doNoExecuteTaintingPass)
		} else {
			nc.host.Every("eviction", nodeEvictionPeriod, 0, true, nc.doEvictionPass)
		}
		nc.host.Every("monitor", nc.cfg.NodeMonitorPeriod, 0, true, nc.monitorNodeHealth)
	})
}

// now is the instant that everything but the API's times is measured with.
func (nc *Controller) now() time.Time { return heartbeat.Monotonic(nc.host) }

// processNode handles one change of a node. Upstream: doNodeProcessingPassWorker.
func (nc *Controller) processNode(name string) {
	nc.doNoScheduleTaintingPass(name)
	if nc.cfg.Behaviors.NodeLifecycle.ReconcilesLabels {
		nc.reconcileNodeLabels(name)
	}
}

// Passes is how many monitor passes have begun.
func (nc *Controller) Passes() int { return nc.passes }
