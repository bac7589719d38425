// Package kubelet runs what one kubelet (v1.36.3) does to be seen alive:
// registration, the status loop with its setters and its report gate, the
// fast path at start-up and the lease loop. Pods are not run.
package kubelet

import (
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/events"
	"github.com/holter-sim/holter/heartbeat/informer"
	"github.com/holter-sim/holter/heartbeat/lease"
	"github.com/holter-sim/holter/heartbeat/version"
)

// Config is what a kubelet is told: the fields of KubeletConfiguration that
// heartbeats depend on, with every default filled in, and the machine.
type Config struct {
	NodeName string

	// NodeStatusUpdateFrequency is the time between the end of one status
	// computation and the start of the next, before jitter.
	NodeStatusUpdateFrequency time.Duration
	// NodeStatusReportFrequency is how often an unchanged status is sent.
	NodeStatusReportFrequency time.Duration
	// NodeLeaseDuration in whole seconds; the Lease is renewed four times in it.
	NodeLeaseDuration time.Duration

	// NodeStatusMaxImages is how many images a status lists; -1 is all. It is 50
	// where nobody sets it.
	NodeStatusMaxImages int

	// RegisterNode: create the Node object at start (default true).
	RegisterNode bool
	// NodeLabels are added to the default ones at registration.
	NodeLabels map[string]string

	// RegisterUnschedulable is --register-schedulable=false: a node that is new
	// is cordoned. Versions without that flag do not look at it.
	RegisterUnschedulable bool

	// Behaviors is what differs by version.
	Behaviors version.Behaviors

	// Machine is what the setters report.
	Machine Machine
	// Inputs is what the kubelet finds on it at its start; SetInputs changes it.
	Inputs Inputs
	// Setters are the user's own, run after upstream's for each status. They
	// replace fields of the node and write through no pointer, map or slice,
	// for these are shared; the list of conditions alone is the node's own.
	Setters []func(*corev1.Node)

	// CheckFastCompare runs upstream's reflective comparison beside the typed
	// one at every status tick, and panics where they disagree.
	CheckFastCompare bool
}

// Clients are the kubelet's connections to the API server.
type Clients struct {
	// Kube has no timeout of its own: registration.
	Kube heartbeat.NodeClient
	// Heartbeat gives up after min(status update frequency, lease duration).
	Heartbeat heartbeat.NodeClient
	// Leases is of the namespace kube-node-lease, with the heartbeat timeout.
	Leases heartbeat.LeaseClient
	// Events may be nil: no events are recorded.
	Events func(namespace string) heartbeat.EventClient
	// WatchNodes opens watches on nodes.
	WatchNodes heartbeat.WatchFunc
	// ListNodes is for when that fails. May be nil.
	ListNodes heartbeat.ListFunc
	// OnRepeatedHeartbeatFailure is called when a try but the first of a
	// heartbeat fails: upstream's closes idle connections. May be nil.
	OnRepeatedHeartbeatFailure func()
}

// fixedRenewInterval was the renew interval before v1.16. Upstream:
// nodelease.renewInterval.
const fixedRenewInterval = 10 * time.Second

// RenewInterval is the time between renewals that a version makes of its
// settings. Upstream: nodeLeaseRenewIntervalFraction (kubelet.go, since v1.16),
// before nodelease.NewController.
func RenewInterval(rule version.RenewInterval, leaseDuration, statusUpdate time.Duration) time.Duration {
	switch rule {
	case version.RenewEvery10s:
		return fixedRenewInterval
	case version.RenewWithStatusUpdate:
		return min(fixedRenewInterval, statusUpdate)
	}
	return leaseDuration / renewIntervalFraction
}

// renewIntervalFraction of the lease duration is the renew interval.
const renewIntervalFraction = 4

// Kubelet is one node's kubelet. Its fields carry upstream's names.
type Kubelet struct {
	host    heartbeat.Host
	clients Clients
	cfg     Config
	tracer  heartbeat.Tracer

	recorder        *events.Recorder
	nodes           *informer.Informer[*corev1.Node]
	leaseController *lease.Controller
	runtimeState    runtimeState
	pleg            pleg
	devices         devices
	ownAllocatable  corev1.ResourceList
	setters         []func(*corev1.Node)

	syncNodeStatusMux          sync.Locker
	registrationCompleted      bool
	lastStatusReportTime       time.Time
	delayAfterNodeStatusChange time.Duration
	reportDelay                heartbeat.Rand
	lastNodeUnschedulable      bool
	rebootRecorded             bool
}

// New returns a kubelet that does nothing until Run. tracer may be nil.
func New(host heartbeat.Host, clients Clients, cfg Config, tracer heartbeat.Tracer) *Kubelet {
	kl := &Kubelet{
		host:              host,
		clients:           clients,
		cfg:               cfg,
		tracer:            tracer,
		syncNodeStatusMux: host.NewMutex(),
		reportDelay:       host.Rand("report-delay"),
	}
	kl.runtimeState.networkError = errNetworkUnknown
	kl.pleg = newPLEG(heartbeat.Monotonic(host), cfg.Inputs.relistsFail())
	kl.devices.see(cfg.Inputs.DevicePlugins, heartbeat.Monotonic(host))
	kl.ownAllocatable = cfg.Machine.allocatable()
	kl.recorder = events.New(host, clients.Events, corev1.EventSource{Component: "kubelet", Host: cfg.NodeName})
	kl.nodes = informer.New[*corev1.Node](host, informer.Config{
		Name:          "nodes",
		Watch:         clients.WatchNodes,
		List:          clients.ListNodes,
		FieldSelector: "metadata.name=" + cfg.NodeName,
		Tracer:        tracer,
		ListFirst:     !cfg.Behaviors.Informer.WatchListInKubelet,
		Behaviors:     cfg.Behaviors.Informer,
	})
	kl.leaseController = lease.New(host, clients.Leases, lease.Config{
		Name:              cfg.NodeName,
		Duration:          cfg.NodeLeaseDuration,
		RenewInterval:     RenewInterval(cfg.Behaviors.Lease.RenewInterval, cfg.NodeLeaseDuration, cfg.NodeStatusUpdateFrequency),
		Behaviors:         cfg.Behaviors.Lease,
		SetOwner:          lease.SetNodeOwner(clients.Heartbeat, cfg.NodeName),
		OnRepeatedFailure: clients.OnRepeatedHeartbeatFailure,
	}, tracer)
	kl.setters = kl.defaultNodeStatusFuncs()
	return kl
}

// Node is what the kubelet's lister knows of its own node, or nil.
func (kl *Kubelet) Node() *corev1.Node {
	node, _ := kl.nodes.Store().Get(kl.cfg.NodeName)
	return node
}

// Run starts the kubelet's loops and returns. Upstream: Kubelet.Run.
func (kl *Kubelet) Run() {
	kl.nodes.Run()
	if kl.cfg.Behaviors.Kubelet.CSINode {
		kl.host.Go("csi-node", kl.initializeCSINode)
	}

	kl.host.Go("status", func() {
		if kl.cfg.Behaviors.Kubelet.RuntimeUpFirst {
			kl.updateRuntimeUp()
		}
		kl.host.Every("status", kl.cfg.NodeStatusUpdateFrequency, kl.cfg.Behaviors.Kubelet.NodeStatusJitterFactor, true, kl.syncNodeStatus)
	})
	if kl.cfg.Behaviors.Kubelet.FastNodeStatusUpdate {
		kl.fastStatusUpdateOnce()
	} else {
		kl.waitForPodCIDR()
	}
	if kl.cfg.Behaviors.Lease.NodeLease {
		kl.leaseController.Run()
	}
	kl.host.Every("runtime-up", runtimeUpPeriod, 0, true, kl.updateRuntimeUp)
}
