package scenario

import (
	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/lease"
	"github.com/holter-sim/holter/heartbeat/nodelifecycle"
	"github.com/holter-sim/holter/heartbeat/workloads"
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
	client     *fakeapi.Client // of the node lifecycle controller
	informers  *fakeapi.Client
	creators   *workloads.Controllers // nil without pods, and while it is down
	kills      int                    // faults that keep it dead now
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
	m.newClients()
	m.controller = nodelifecycle.New(m.host, managerClients(m.client, m.informers), m.config(), m.cluster.observer.tracer(managerName))
	runPodControllers := m.podControllers()
	m.controller.Run()
	runPodControllers()
}

func (m *ControllerManagerHost) kill() {
	m.host.Kill()
	m.controller = nil
	m.creators = nil
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
	config := nodeLifecycleConfig(&m.cluster.effective.ControllerManager)
	config.PassCostPerNode = m.cluster.effective.Model.MonitorPassCostPerNode
	config.Panicked = m.panicked
	return config
}

// nodeLifecycleConfig is what of the flags the node lifecycle controller is told.
func nodeLifecycleConfig(flags *ControllerManager) nodelifecycle.Config {
	return nodelifecycle.Config{
		NodeMonitorPeriod:         flags.NodeMonitorPeriod,
		NodeMonitorGracePeriod:    flags.NodeMonitorGracePeriod,
		NodeStartupGracePeriod:    flags.NodeStartupGracePeriod,
		NodeEvictionRate:          flags.NodeEvictionRate,
		SecondaryNodeEvictionRate: flags.SecondaryNodeEvictionRate,
		LargeClusterSizeThreshold: int(flags.LargeClusterSizeThreshold),
		UnhealthyZoneThreshold:    flags.UnhealthyZoneThreshold,
		EnableTaintManager:        flags.EnableTaintManager,
		TaintBasedEvictions:       flags.TaintBasedEvictions,
		PodEvictionTimeout:        flags.PodEvictionTimeout,
		Behaviors:                 flags.Behaviors,
	}
}

// newClients makes the clients of the node lifecycle controller and of the
// informers, which all controllers share. The two have a connection in common,
// and each a limit of its own. Upstream: ClientBuilder.ClientOrDie
// ("node-controller"), CreateControllerContext ("shared-informers").
func (m *ControllerManagerHost) newClients() {
	m.client = m.newClient()
	options := m.clientOptions()
	options.Share = m.client
	m.informers = m.cluster.server.NewClient(options)
}

// newClient makes the client of one controller.
func (m *ControllerManagerHost) newClient() *fakeapi.Client {
	return m.cluster.server.NewClient(m.clientOptions())
}

func (m *ControllerManagerHost) clientOptions() fakeapi.ClientOptions {
	options := managerClient(m.host)
	options.NoHealthCheck = !m.cluster.effective.ControllerManager.Behaviors.Client.HTTP2HealthCheck
	options.Limit = managerLimit(&m.cluster.effective.ControllerManager)
	return options
}

// managerLimit is that of each client.
func managerLimit(flags *ControllerManager) *fakeapi.Limit {
	return &fakeapi.Limit{QPS: flags.KubeAPIQPS, Burst: int(flags.KubeAPIBurst)}
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
		Nodes:            client.Nodes(),
		Leases:           client.Leases(lease.Namespace),
		Pods:             func(ns string) heartbeat.PodClient { return client.Pods(ns) },
		ListPodsAssigned: listFunc(client.Pods("").List),
		Events:           func(ns string) heartbeat.EventClient { return client.Events(ns) },
		WatchNodes:       watchFunc(nodes.Watch),
		WatchLeases:      watchFunc(leases.Watch),
		WatchPods:        watchFunc(pods.Watch),
		ListNodes:        listFunc(nodes.List),
		ListLeases:       listFunc(leases.List),
		ListPods:         listFunc(pods.List),
	}
}
