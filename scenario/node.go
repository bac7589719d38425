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

	behaviors version.Behaviors
	release   string // what the kubelet says of itself, without its v
	kubelet   *kubelet.Kubelet

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
		labels:  nodeLabels(group),
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
	n.machine = kubelet.DefaultMachine(name, nodeAddress(index), "v"+n.release)
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
		NodeStatusReportFrequency: settings.NodeStatusReportFrequency,
		NodeLeaseDuration:         settings.NodeLeaseDuration,
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

// clients are the two connections of a kubelet: one without a timeout, one
// that gives up in time for the next heartbeat.
func (n *Node) clients() kubelet.Clients {
	options := n.clientOptions()
	kube := n.cluster.server.NewClient(options)
	options.Timeout = n.cluster.effective.Kubelet.HeartbeatTimeout
	beat := n.cluster.server.NewClient(options)
	return kubelet.Clients{
		Kube:       kube.Nodes(),
		Heartbeat:  beat.Nodes(),
		Leases:     beat.Leases(lease.Namespace),
		Events:     func(ns string) heartbeat.EventClient { return kube.Events(ns) },
		WatchNodes: watchFunc(kube.Nodes().Watch),
		ListNodes:  listFunc(kube.Nodes().List),
	}
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

func nodeLabels(group *NodeGroup) map[string]string {
	labels := map[string]string{}
	for key, value := range group.Labels {
		labels[key] = value
	}
	if group.Zone != "" {
		labels[corev1.LabelTopologyZone] = group.Zone
	}
	if group.Region != "" {
		labels[corev1.LabelTopologyRegion] = group.Region
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
