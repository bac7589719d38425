package scenario

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/kubelet"
	"github.com/holter-sim/holter/heartbeat/lease"
	"github.com/holter-sim/holter/heartbeat/podworkers"
	"github.com/holter-sim/holter/heartbeat/version"
	"github.com/holter-sim/holter/sim"
	"github.com/holter-sim/holter/traces"
)

// Node is one machine with its kubelet.
type Node struct {
	cluster *Cluster
	name    string
	host    *sim.Host
	startAt time.Duration
	labels  map[string]string
	machine kubelet.Machine
	address string // of the machine

	behaviors version.Behaviors
	release   string // what the kubelet says of itself, without its v
	kubelet   *kubelet.Kubelet
	workers   *podworkers.Workers // nil without pods, and while no kubelet runs
	runtime   *podworkers.Runtime // nil without pods
	kube      *fakeapi.Client     // the kubelet's, for all but heartbeats and events

	// Faults that hold now, which may overlap: what the first of a kind does,
	// the end of the last undoes.
	kills, pauses, cut int
	restarts           int // a kill from before one of them has nothing left to undo

	ailments *ailments // nil as long as the machine is healthy
	boots    int       // after the first
	setters  []func(*corev1.Node)
}

func newNode(c *Cluster, group *NodeGroup, name string, index int) *Node {
	n := &Node{
		cluster: c,
		name:    name,
		host:    c.engine.NewHost(kubeletClient(name)),
	}
	n.behaviors, n.release = c.effective.Behaviors, c.effective.KubernetesVersion
	if group.Version != "" {
		v, err := version.Parse(group.Version)
		if err != nil {
			panic(err) // Effective has parsed it before
		}
		served := n.behaviors.APIServer.WatchList
		n.behaviors, n.release = version.Lookup(v), v.String()
		n.behaviors.Informer.WatchListInKubelet = n.behaviors.Informer.WatchListInKubelet && served
	}
	n.labels = nodeLabels(group, n.behaviors.Kubelet.StableTopologyLabels)
	if gate := c.effective.Kubelet.NodeLease; gate != nil && n.behaviors.Lease.NodeLeaseGate {
		n.behaviors.Lease.NodeLease = *gate
	}
	n.address = nodeAddress(index)
	n.machine = kubelet.DefaultMachine(name, n.address, "v"+n.release)
	n.machine.NodeInfo.BootID = bootID(0)
	n.startAt = group.Start.At.Duration
	if spread := group.Start.Spread.Duration; spread > 0 {
		n.startAt += time.Duration(n.host.Rand("start").Int64N(int64(spread)))
	}
	n.host.Clock().SetOffset(group.Clock.Offset.Duration)
	n.host.Clock().SetDrift(group.Clock.DriftPPB)
	return n
}

// Name is the node's name.
func (n *Node) Name() string { return n.name }

// Host is the node's machine: its clock, and whether it runs.
func (n *Node) Host() *sim.Host { return n.host }

// Silent tells whether the node cannot be heard now: killed, paused or cut off.
func (n *Node) Silent() bool { return !n.host.Alive() || n.host.Paused() || n.cut > 0 }

// firstStart is the start that the scenario sets a time for, unless a fault
// has started the kubelet before, or has killed what would be started.
func (n *Node) firstStart() {
	if n.host.Alive() && n.host.Incarnation() == 0 {
		n.start()
	}
}

// start runs a kubelet on the machine, which must be up and without one.
func (n *Node) start() {
	n.cluster.record(traces.Event{Actor: n.host.Name(), Kind: traces.KindStart, Node: n.name, To: "started"})
	n.kubelet = kubelet.New(n.host, n.clients(), n.config(), n.cluster.observer.tracer(n.host.Name()))
	n.kubelet.Run()
	n.startPodWorkers()
}

// kill ends the kubelet at once, in the middle of whatever it does.
func (n *Node) kill() {
	n.host.Kill()
	n.workers = nil
	n.kubelet = nil
}

// restart starts a new kubelet, killing the old one if it still runs. On a
// machine that is paused it comes to nothing before that ends.
func (n *Node) restart() {
	n.kill()
	n.host.Restart()
	if n.pauses > 0 {
		n.host.Pause()
	}
	n.start()
}

// holdKilled kills the kubelet, and returns what starts it again if nothing
// else keeps it dead, and nobody has started it meanwhile.
func (n *Node) holdKilled() func() {
	n.kills++
	n.kill()
	restarts := n.restarts
	return func() {
		if n.restarts != restarts {
			return
		}
		if n.kills--; n.kills == 0 {
			n.restart()
		}
	}
}

// forceRestart starts a new kubelet whatever keeps the old one dead.
func (n *Node) forceRestart() func() {
	n.kills = 0
	n.restarts++
	n.restart()
	return nil
}

// holdPaused stops the machine, and returns what lets it go on.
func (n *Node) holdPaused() func() {
	n.pauses++
	n.host.Pause()
	return func() {
		if n.pauses--; n.pauses == 0 {
			n.host.Resume()
		}
	}
}

func (n *Node) config() kubelet.Config {
	settings := n.cluster.effective.Kubelet
	return kubelet.Config{
		NodeName:                  n.name,
		NodeStatusUpdateFrequency: settings.NodeStatusUpdateFrequency,
		NodeStatusReportFrequency: settings.reportFrequencyOf(&n.behaviors),
		NodeLeaseDuration:         settings.NodeLeaseDuration,
		NodeStatusMaxImages:       int(settings.NodeStatusMaxImages),
		RegisterNode:              settings.RegisterNode,
		NodeLabels:                n.labels,
		Machine:                   n.machine,
		Inputs:                    n.Inputs(),
		Setters:                   n.setters,
		Behaviors:                 n.behaviors,
		CheckFastCompare:          n.cluster.options.Check,
	}
}

// clientOptions are what the kubelet's connections have in common.
func (n *Node) clientOptions() fakeapi.ClientOptions {
	return fakeapi.ClientOptions{
		Host:      n.host,
		Name:      n.host.Name(),
		User:      "system:node:" + n.name,
		UserAgent: "kubelet/v" + n.release,

		NoHealthCheck: !n.behaviors.Client.HTTP2HealthCheck,
	}
}

// clients are the three clients of a kubelet, which share a connection: one
// without a timeout, one that gives up in time for the next heartbeat and that
// nothing slows down, and one for events. Upstream: cmd/kubelet/app, run.
func (n *Node) clients() kubelet.Clients {
	settings := &n.cluster.effective.Kubelet
	limits := settings.limitsOf(&n.behaviors)

	options := n.clientOptions()
	options.LeaseAPI = n.behaviors.Lease.API
	options.Limit = &fakeapi.Limit{QPS: float32(limits.KubeAPIQPS), Burst: int(limits.KubeAPIBurst)}
	n.kube = n.cluster.server.NewClient(options)
	options.Share = n.kube
	options.Limit = &fakeapi.Limit{QPS: float32(limits.EventRecordQPS), Burst: int(limits.EventBurst)}
	events := n.cluster.server.NewClient(options)
	options.Limit, options.Timeout = nil, n.heartbeatTimeout()
	beat := n.cluster.server.NewClient(options)
	return kubelet.Clients{
		Kube:                       n.kube.Nodes(),
		Heartbeat:                  beat.Nodes(),
		Leases:                     beat.Leases(lease.Namespace),
		Events:                     func(ns string) heartbeat.EventClient { return events.Events(ns) },
		WatchNodes:                 watchFunc(n.kube.Nodes().Watch),
		ListNodes:                  listFunc(n.kube.Nodes().List),
		OnRepeatedHeartbeatFailure: n.onHeartbeatFailure(),
	}
}

// heartbeatTimeout is the client timeout of heartbeats, which without Leases
// has nothing to do with their duration. Upstream: cmd/kubelet/app, run.
func (n *Node) heartbeatTimeout() time.Duration {
	settings := &n.cluster.effective.Kubelet
	if n.behaviors.Lease.NodeLease {
		return min(settings.NodeStatusUpdateFrequency, settings.NodeLeaseDuration)
	}
	return settings.NodeStatusUpdateFrequency
}

// onHeartbeatFailure is what the kubelet does to its connection when heartbeats
// fail. The idle one is never idle, for a watch is open on it, and closing it
// comes to nothing. Upstream: buildKubeletClientConfig (v1.36.3).
func (n *Node) onHeartbeatFailure() func() {
	connections := n.behaviors.Kubelet.OnHeartbeatFailure
	if n.cluster.effective.Kubelet.RotateCertificates {
		connections = n.behaviors.Kubelet.OnHeartbeatFailureRotating
	}
	if connections != version.AllConnections {
		return nil
	}
	return n.kube.CloseConnections
}

// watchFunc makes an informer's WatchFunc of a client's Watch. A nil
// *fakeapi.Watch must not become a Watch that is not nil.
func watchFunc(watch func(context.Context, metav1.ListOptions) (*fakeapi.Watch, error)) heartbeat.WatchFunc {
	return func(ctx context.Context, o metav1.ListOptions) (heartbeat.Watch, error) {
		w, err := watch(ctx, o)
		if err != nil {
			return nil, err
		}
		return w, nil
	}
}

// listFunc makes an informer's ListFunc of a client's List.
func listFunc[L runtime.Object](list func(context.Context, metav1.ListOptions) (L, error)) heartbeat.ListFunc {
	return func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		l, err := list(ctx, o)
		if err != nil {
			return nil, err
		}
		return l, nil
	}
}

// nodeLabels are those that a group's nodes are given. Its zone and region have
// names of their own up to 1.16, which is not stable.
func nodeLabels(group *NodeGroup, stable bool) map[string]string {
	labels := map[string]string{}
	for key, value := range group.Labels {
		labels[key] = value
	}
	zone, region := corev1.LabelTopologyZone, corev1.LabelTopologyRegion
	if !stable {
		zone, region = corev1.LabelFailureDomainBetaZone, corev1.LabelFailureDomainBetaRegion
	}
	if group.Zone != "" {
		labels[zone] = group.Zone
	}
	if group.Region != "" {
		labels[region] = group.Region
	}
	return labels
}

// nodeAddress numbers the nodes through 10.0.0.0/8.
func nodeAddress(index int) string {
	return fmt.Sprintf("10.%d.%d.%d", (index+1)>>16&0xff, (index+1)>>8&0xff, (index+1)&0xff)
}

// kubeletClient is the name of a node's kubelet among hosts, clients and actors.
func kubeletClient(node string) string { return kubeletPrefix + node }

const kubeletPrefix = "kubelet/"
