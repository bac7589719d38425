package scenario

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/kubelet"
	"github.com/holter-sim/holter/heartbeat/lease"
	"github.com/holter-sim/holter/sim"
	"github.com/holter-sim/holter/traces"
)

// kubeletVersion is what the kubelets say of themselves.
const kubeletVersion = "v1.36.3"

// Node is one machine with its kubelet.
type Node struct {
	cluster *Cluster
	name    string
	host    *sim.Host
	startAt time.Duration
	labels  map[string]string
	machine kubelet.Machine
	kubelet *kubelet.Kubelet

	cut int // partitions that hold now
}

func newNode(c *Cluster, group *NodeGroup, name string, index int) *Node {
	n := &Node{
		cluster: c,
		name:    name,
		host:    c.engine.NewHost(kubeletClient(name)),
		labels:  nodeLabels(group),
		machine: kubelet.DefaultMachine(name, nodeAddress(index), kubeletVersion),
	}
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

// start runs a kubelet on the machine, which must be up and without one.
func (n *Node) start() {
	if !n.host.Alive() {
		return // killed before its start
	}
	n.cluster.record(traces.Event{Actor: n.host.Name(), Kind: traces.KindStart, Node: n.name, To: "started"})
	n.kubelet = kubelet.New(n.host, n.clients(), n.config(), n.cluster.observer.tracer(n.host.Name()))
	n.kubelet.Run()
}

// kill ends the kubelet at once, in the middle of whatever it does.
func (n *Node) kill() {
	n.host.Kill()
	n.kubelet = nil
}

// restart starts a new kubelet, killing the old one if it still runs.
func (n *Node) restart() {
	n.kill()
	n.host.Restart()
	n.start()
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
		CheckFastCompare:          n.cluster.options.Check,
	}
}

// clients are the two connections of a kubelet: one without a timeout, one
// that gives up in time for the next heartbeat.
func (n *Node) clients() kubelet.Clients {
	options := fakeapi.ClientOptions{
		Host:      n.host,
		Name:      n.host.Name(),
		User:      "system:node:" + n.name,
		UserAgent: "kubelet/" + kubeletVersion,
	}
	kube := n.cluster.server.NewClient(options)
	options.Timeout = n.cluster.effective.Kubelet.HeartbeatTimeout
	beat := n.cluster.server.NewClient(options)
	return kubelet.Clients{
		Kube:       kube.Nodes(),
		Heartbeat:  beat.Nodes(),
		Leases:     beat.Leases(lease.Namespace),
		Events:     func(ns string) heartbeat.EventClient { return kube.Events(ns) },
		WatchNodes: watchNodes(kube),
	}
}

func watchNodes(client *fakeapi.Client) heartbeat.WatchFunc {
	nodes := client.Nodes()
	return func(ctx context.Context, o metav1.ListOptions) (heartbeat.Watch, error) {
		return asWatch(nodes.Watch(ctx, o))
	}
}

// asWatch keeps a nil *fakeapi.Watch from becoming a Watch that is not nil.
func asWatch(w *fakeapi.Watch, err error) (heartbeat.Watch, error) {
	if err != nil {
		return nil, err
	}
	return w, nil
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
