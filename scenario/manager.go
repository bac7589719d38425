package scenario

import (
	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/lease"
	"github.com/holter-sim/holter/heartbeat/nodelifecycle"
	"github.com/holter-sim/holter/sim"
	"github.com/holter-sim/holter/traces"
)

// managerName is the controller-manager among hosts, clients and actors.
const managerName = "kube-controller-manager"

// ControllerManagerHost is the machine that the kube-controller-manager runs
// on. Of its controllers the node lifecycle controller is modelled and, in a
// scenario with pods, taint eviction and the pod garbage collector.
type ControllerManagerHost struct {
	cluster    *Cluster
	host       *sim.Host
	controller *nodelifecycle.Controller
	kills      int // faults that keep it dead now
}

func newControllerManagerHost(c *Cluster) *ControllerManagerHost {
	return &ControllerManagerHost{cluster: c, host: c.engine.NewHost(managerName)}
}

// Host is the controller-manager's machine.
func (m *ControllerManagerHost) Host() *sim.Host { return m.host }

// NodeLifecycle is the running node lifecycle controller, nil while the
// controller-manager is down.
func (m *ControllerManagerHost) NodeLifecycle() *nodelifecycle.Controller { return m.controller }

func (m *ControllerManagerHost) start() {
	m.cluster.record(traces.Event{Actor: managerName, Kind: traces.KindStart, To: "started"})
	m.controller = nodelifecycle.New(m.host, m.clients(), m.config(), m.cluster.observer.tracer(managerName))
	runPodControllers := m.podControllers()
	m.controller.Run()
	runPodControllers()
}

func (m *ControllerManagerHost) kill() {
	m.host.Kill()
	m.controller = nil
}

func (m *ControllerManagerHost) restart() {
	m.kill()
	m.host.Restart()
	m.start()
}

// panicked ends the process as upstream's panic does. Nothing starts it again:
// a static pod would be, in some seconds, and lead again when its lease is free.
func (m *ControllerManagerHost) panicked(string) { m.cluster.engine.After(0, m.kill) }

func (m *ControllerManagerHost) config() nodelifecycle.Config {
	flags := m.cluster.effective.ControllerManager
	return nodelifecycle.Config{
		NodeMonitorPeriod:         flags.NodeMonitorPeriod,
		NodeMonitorGracePeriod:    flags.NodeMonitorGracePeriod,
		NodeStartupGracePeriod:    flags.NodeStartupGracePeriod,
		NodeEvictionRate:          flags.NodeEvictionRate,
		SecondaryNodeEvictionRate: flags.SecondaryNodeEvictionRate,
		LargeClusterSizeThreshold: int(flags.LargeClusterSizeThreshold),
		UnhealthyZoneThreshold:    flags.UnhealthyZoneThreshold,
		PassCostPerNode:           m.cluster.effective.Model.MonitorPassCostPerNode,
		Behaviors:                 flags.Behaviors,
		Panicked:                  m.panicked,
	}
}

func (m *ControllerManagerHost) clients() nodelifecycle.Clients {
	client := m.cluster.server.NewClient(m.clientOptions())
	return managerClients(client, client)
}

func (m *ControllerManagerHost) clientOptions() fakeapi.ClientOptions {
	options := managerClient(m.host)
	options.NoHealthCheck = !m.cluster.effective.ControllerManager.Behaviors.Client.HTTP2HealthCheck
	return options
}

func managerClient(host *sim.Host) fakeapi.ClientOptions {
	return fakeapi.ClientOptions{
		Host:           host,
		Name:           managerName,
		User:           "system:" + managerName,
		UserAgent:      managerName,
		ObserveWatches: true,
	}
}

// managerClients are what a node lifecycle controller writes by, and what its
// informers read by.
func managerClients(client, informers *fakeapi.Client) nodelifecycle.Clients {
	nodes, leases, pods := informers.Nodes(), informers.Leases(""), informers.Pods("")
	return nodelifecycle.Clients{
		Nodes:       client.Nodes(),
		Leases:      client.Leases(lease.Namespace),
		Pods:        func(ns string) heartbeat.PodClient { return client.Pods(ns) },
		Events:      func(ns string) heartbeat.EventClient { return client.Events(ns) },
		WatchNodes:  watchFunc(nodes.Watch),
		WatchLeases: watchFunc(leases.Watch),
		WatchPods:   watchFunc(pods.Watch),
		ListNodes:   listFunc(nodes.List),
		ListLeases:  listFunc(leases.List),
		ListPods:    listFunc(pods.List),
	}
}
