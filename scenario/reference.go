package scenario

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Reference gives the reference of the scenario file in Markdown: every field with its type, its default and its
// meaning.
func Reference() string {
	var b strings.Builder
	b.WriteString(referenceIntro)
	types := referenceTypes()
	for _, section := range referenceSections() {
		fmt.Fprintf(&b, "\n## %s\n", section.title)
		if section.text != "" {
			fmt.Fprintf(&b, "\n%s\n", section.text)
		}
		if len(section.rows) == 0 {
			continue
		}
		b.WriteString("\n| field | type | default | meaning |\n|---|---|---|---|\n")
		for _, row := range section.rows {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", row.path, typeNoun(types[row.path]), row.fallback, row.meaning)
		}
	}
	return b.String()
}

// referenceTypes gives the type of every field by its path, where the entries of a list are "[]".
func referenceTypes() map[string]reflect.Type {
	types := map[string]reflect.Type{}
	collectReferenceTypes(reflect.TypeFor[Scenario](), "", types)
	return types
}

func collectReferenceTypes(t reflect.Type, path string, types map[string]reflect.Type) {
	switch {
	case t == reflect.TypeFor[When]():
		return
	case t.Kind() == reflect.Pointer:
		collectReferenceTypes(t.Elem(), path, types)
	case t.Kind() == reflect.Slice:
		collectReferenceTypes(t.Elem(), path+"[]", types)
	}
	for _, f := range inputFields(t) {
		at := inputJoin(path, f.name)
		types[at] = f.typ
		collectReferenceTypes(f.typ, at, types)
	}
}

const referenceIntro = "# The scenario file\n\n" +
	"A scenario is one YAML (or JSON) document. Reading is strict: an unknown field is an error that names its nearest\n" +
	"neighbour, and so is a field that is written twice. A value is read as its field asks, with or without quotes.\n\n" +
	"- A *duration* has a unit: `10s`, `250ms`, `1m30s`. A bare number is refused.\n" +
	"- A *duration, or range of durations* may also be `{from: 300s, to: 900s}`, drawn uniformly with the run's seed.\n" +
	"- A *distribution* is one of `{fixed: 4ms}`, `{from: 1ms, to: 5ms}` (uniform), `{p50: 4ms, p99: 20ms}` (log-normal) and\n" +
	"  `{histogram: [{le: 5ms, count: 90}, {le: 25ms, count: 100}]}`, buckets as Prometheus has them, those of\n" +
	"  `apiserver_request_duration_seconds` for `spec.apiServer.work`, say.\n" +
	"- `--set PATH=VALUE` takes the paths below without `spec.`, with the number of an entry for `[]`: `nodes[0].count=5`.\n" +
	"  Lists and mappings are given as YAML (`expect=[]`), and one form of a distribution replaces the other.\n"

// referenceRow is one field: its path, its default ("" if it is fieldRequired, "-" if it may be left out), what it means.
type referenceRow struct{ path, fallback, meaning string }

type referenceSection struct {
	title, text string
	rows        []referenceRow
}

const fieldRequired = "required"

func referenceSections() []referenceSection {
	return []referenceSection{
		{"The head", "", []referenceRow{
			{"apiVersion", fieldRequired, "`" + APIVersion + "`"},
			{"kind", fieldRequired, "`" + Kind + "`"},
			{"metadata", fieldRequired, ""},
			{"metadata.name", fieldRequired, "name of the scenario, in lower-case letters, digits, `-` and `.`"},
			{"metadata.description", "-", "the story, and which real behaviour it holds"},
			{"spec", fieldRequired, ""},
		}},
		{"The run", "", []referenceRow{
			{"spec.kubernetesVersion", defaultVersion, "what every component runs that is given no version of its own: a series (`1.36` is its newest release) or a release (`1.32.0`), from 1.13 to 1.37; holter versions lists what differs"},
			{"spec.requires", "-", "behaviours that the scenario is about, as holter versions prints their paths; under a version without them it is refused, with those that have them"},
			{"spec.seed", "1", "root of every random draw; same scenario, seed and binary, same trace"},
			{"spec.duration", fieldRequired, "how long the run is in virtual time; up to 277h46m39s"},
		}},
		{"Kubelet", referenceKubelet, []referenceRow{
			{"spec.kubelet", "-", "fields of KubeletConfiguration v1beta1, as if edited into the file; those that are not modelled have no effect and are warned of in a file, and refused in `--set`"},
			{"spec.kubelet.nodeStatusUpdateFrequency", "10s", "how often the kubelet works out its status, from 1ms; also the timeout of heartbeat requests, unless the lease duration is less"},
			{"spec.kubelet.nodeStatusReportFrequency", "5m, up to 1.16 1m, or `nodeStatusUpdateFrequency` where that is set", "how often a status that has not changed is sent"},
			{"spec.kubelet.nodeLeaseDurationSeconds", "40", "duration of the Lease in seconds; it is renewed every quarter of it, in 1.14 and 1.15 every 10s"},
			{"spec.kubelet.registerNode", "true", "whether the kubelet creates its Node"},
			{"spec.kubelet.nodeStatusMaxImages", "50", "how many images a status lists; -1 is all of them"},
			{"spec.kubelet.kubeAPIQPS", "50, up to 1.26 5", "requests a second of all but heartbeats and events; 0 is 5"},
			{"spec.kubelet.kubeAPIBurst", "100, up to 1.26 10", "of these, how many at once"},
			{"spec.kubelet.eventRecordQPS", "50, up to 1.26 5", "events a second; 0 is 5"},
			{"spec.kubelet.eventBurst", "100, up to 1.26 10", "events at once"},
			{"spec.kubelet.rotateCertificates", "false", "whether the kubelet gets itself new client certificates; it decides, by version, which connections are closed after failed heartbeats"},
			{"spec.kubelet.featureGates", "-", "the gates that are modelled"},
			{"spec.kubelet.featureGates.NodeLease", "true, in 1.13 false", "whether there are Leases; it can be set up to 1.16. Without them every turn of the status loop sends the status"},
			{"spec.kubeletConfigFile", "-", "a real KubeletConfiguration file, relative to the scenario's; read as leniently as the kubelet reads it, with a warning for each unknown field"},
			{"spec.kubeletConfig", "-", "the text of that file; where it stands the file is not read (a trace carries it, so that it can be replayed alone)"},
			{"spec.kubeletFlags", "-", "flags of the kubelet, as on its command line: `--node-status-update-frequency=5s`; they win over the configuration"},
		}},
		{"Controller manager", "", []referenceRow{
			{"spec.controllerManager", "-", "flags of kube-controller-manager by name; those that are not modelled have no effect and are warned of in a file, and refused in `--set`"},
			{"spec.controllerManager.version", "kubernetesVersion", "the version of the kube-controller-manager, where it is another"},
			{"spec.controllerManager.node-monitor-grace-period", "50s, up to 1.31 40s", "how long a node may be silent before it is Unknown"},
			{"spec.controllerManager.node-monitor-period", "5s", "how long the controller waits between two looks at the nodes, from 1ms"},
			{"spec.controllerManager.node-startup-grace-period", "60s", "the same as node-monitor-grace-period for a node that has not reported a status yet"},
			{"spec.controllerManager.node-eviction-rate", "0.1", "NoExecute taints a second in a healthy zone"},
			{"spec.controllerManager.secondary-node-eviction-rate", "0.01", "NoExecute taints a second in a zone that is partially disrupted; 0 in a zone that is not large"},
			{"spec.controllerManager.unhealthy-zone-threshold", "0.55", "fraction of nodes not ready, and at least 3, from which a zone is partially disrupted"},
			{"spec.controllerManager.large-cluster-size-threshold", "50", "nodes over which a zone is large"},
			{"spec.controllerManager.kube-api-qps", "20", "requests a second of each controller's client, a number; under 0 is no limit, and 0 is 5"},
			{"spec.controllerManager.kube-api-burst", "30", "of these, how many at once"},
			{"spec.controllerManager.enable-taint-manager", "true", "up to 1.26: whether nodes that are not ready are tainted, and pods deleted by taint; without it the node lifecycle controller deletes the pods itself"},
			{"spec.controllerManager.pod-eviction-timeout", "5m", "up to 1.26: how long a node is not ready, or unheard of, before the controller deletes its pods, where it does so itself"},
			{"spec.controllerManager.controllers", "*", "names with commas, `-NAME` for one that is off; `taint-eviction-controller` (from 1.29) and the pod garbage collector (`podgc`) can be, and of any other name there is a warning"},
			{"spec.controllerManager.feature-gates", "-", "gates as NAME=true or NAME=false, with commas. Modelled are NodeLease, up to 1.16: without it the controller looks at no Lease; TaintBasedEvictions, up to 1.17: without it the controller deletes pods itself; and NodeControllerLeaseCircuitBreaker, from 1.37"},
			{"spec.controllerManager.terminated-pod-gc-threshold", "12500", "how many pods that have ended PodGC leaves, the youngest; all if it is not over 0"},
			{"spec.controllerManagerFlags", "-", "flags of kube-controller-manager, as on its command line; they win over spec.controllerManager"},
		}},
		{"Model", "What costs virtual time in the model, and is no setting of Kubernetes.", []referenceRow{
			{"spec.model", "-", ""},
			{"spec.model.monitorPassCostPerNode", "400us", "what a pass of the node lifecycle controller takes for each node, fitted from a recording; 0s has passes take no time"},
		}},
		{"API server", referenceAPIServer, referenceAPIServerRows()},
		{"Nodes", "", referenceNodeRows()},
		{"Pods", referencePods, referencePodRows()},
		{"Network", "", append([]referenceRow{
			{"spec.network", "-", "distances between every client and the API server"},
			{"spec.network.latency", "no latency", "distribution of the time one way, to the server and back"},
			{"spec.network.watchLatency", "as latency", "distribution of the time from the server to a watcher"},
		}, slices.Concat(referenceDist("spec.network.latency"), referenceDist("spec.network.watchLatency"), referenceLatencyRows())...)},
		{"Faults", referenceFaults, referenceFaultRows()},
		{"Expectations", referenceExpect, referenceExpectRows()},
	}
}

// referenceNodeRows are the fields about nodes.
func referenceNodeRows() []referenceRow {
	return []referenceRow{
		{"spec.nodes", fieldRequired, "groups of nodes that differ in nothing but their names"},
		{"spec.nodes[].count", "1", "how many; up to 1000000 in all"},
		{"spec.nodes[].name", "node", "the nodes are NAME-0, NAME-1, ...; a later group of the same name goes on counting"},
		{"spec.nodes[].version", "kubernetesVersion", "the version of the kubelets, where it is another"},
		{"spec.nodes[].zone", "-", "label topology.kubernetes.io/zone, which then cannot be among the labels"},
		{"spec.nodes[].region", "-", "label topology.kubernetes.io/region, likewise"},
		{"spec.nodes[].labels", "-", "further labels"},
		{"spec.nodes[].start", "-", "when the kubelets start"},
		{"spec.nodes[].start.at", "0s", "the earliest start"},
		{"spec.nodes[].start.spread", "0s", "each kubelet starts up to this much later, drawn uniformly"},
		{"spec.nodes[].clock", "-", "how the machines' clocks differ from true time"},
		{"spec.nodes[].clock.offset", "0s", "added to the time of day; may be negative"},
		{"spec.nodes[].clock.driftPPB", "0", "nanoseconds that the clock gains a second, from -500000000 to 500000000"},
	}
}

const referenceKubelet = "Settings come, the later over the earlier, from the KubeletConfiguration file, `spec.kubelet`, the defaults, and the\n" +
	"flags. **A trap of the kubelet itself:** setting `nodeStatusUpdateFrequency` in the configuration, even to its default,\n" +
	"sets `nodeStatusReportFrequency` to the same unless that is set as well. Setting it by flag does not."

func referenceDist(path string) []referenceRow {
	return []referenceRow{
		{path + ".fixed", "-", "always this"},
		{path + ".from", "-", "uniform from this"},
		{path + ".to", "-", "to this"},
		{path + ".p50", "-", "log-normal with this median"},
		{path + ".p99", "-", "and this 99th percentile"},
		{path + ".histogram", "-", "what was measured, as buckets of a Prometheus histogram; uniform within a bucket"},
		{path + ".histogram[].le", fieldRequired, "the upper bound of a bucket, more than that of the entry before; what is beyond the last (+Inf) is left out"},
		{path + ".histogram[].count", fieldRequired, "how many were at most that: cumulative"},
	}
}

const referenceFaults = "Each fault strikes at `at`, has exactly one verb, and lasts `for` where that makes sense: it is required unless said\n" +
	"otherwise. A `for` longer than the run lasts to its end."

func referenceTarget(path string) []referenceRow {
	return []referenceRow{
		{path + ".nodes", "any", "the kubelets of these nodes, `\"*\"` for each; without it every client, kube-controller-manager included"},
		{path + ".verbs", "any", "of " + strings.Join(requestVerbs(), ", ")},
		{path + ".resources", "any", "of " + strings.Join(requestResources(), ", ")},
	}
}

func referenceFaultRows() []referenceRow {
	const f = "spec.faults[]."
	rows := []referenceRow{
		{"spec.faults", "-", ""},
		{f + "name", "-", "what an expectation's since refers to"},
		{f + "at", fieldRequired, "when it strikes"},
		{f + "for", "see the verb", "how long it lasts"},
		{f + "kill", "-", "the kubelet dies at once; with for it starts again after that, else it never does"},
		{f + "kill.node", fieldRequired, "the node, or `\"*\"` for each"},
		{f + "restart", "-", "the kubelet starts anew, whether it was killed or still runs; takes no for"},
		{f + "restart.node", fieldRequired, "the node, or `\"*\"` for each"},
		{f + "pause", "-", "the kubelet gets SIGSTOP, and SIGCONT after for"},
		{f + "pause.node", fieldRequired, "the node, or `\"*\"` for each"},
		{f + "partition", "-", "clients and API server do not reach each other, watches included"},
		{f + "partition.nodes", "none", "nodes that are cut off; `\"*\"` is each"},
		{f + "partition.controllerManager", "false", "whether kube-controller-manager is cut off"},
		{f + "outage", "-", "the API server is away"},
		{f + "outage.mode", fieldRequired, "`stop`: SIGSTOP, requests hang; `refuse`: killed, connections are refused and watches end"},
		{f + "latency", "-", "another latency one way, a distribution, for some requests"},
	}
	rows = append(rows, referenceDist(f+"latency")...)
	rows = append(rows, referenceTarget(f+"latency")...)
	rows = append(rows, referenceRow{f + "respond", "-", "the API server answers some requests with an error; for is not required with a count"})
	rows = append(rows, referenceTarget(f+"respond")...)
	rows = append(rows,
		referenceRow{f + "respond.code", fieldRequired, "HTTP status, 400 to 599"},
		referenceRow{f + "respond.reason", "that of the code", "reason of the Status"},
		referenceRow{f + "respond.count", "no limit", "how many requests at most"},
		referenceRow{f + "loseReply", "-", "some requests are handled and their replies lost; for is not required with a count"})
	rows = append(rows, referenceTarget(f+"loseReply")...)
	rows = append(rows,
		referenceRow{f + "loseReply.count", "no limit", "how many requests at most"},
		referenceRow{f + "loseRequest", "-", "some requests are lost before they are handled; for is not required with a count"})
	rows = append(rows, referenceTarget(f+"loseRequest")...)
	rows = append(rows, referenceLoadRows()...)
	return append(rows,
		referenceRow{f + "loseRequest.count", "no limit", "how many requests at most"},
		referenceRow{f + "writeLease", "-", "a second writer of a node's Lease"},
		referenceRow{f + "writeLease.node", fieldRequired, "the node"},
		referenceRow{f + "writeLease.every", fieldRequired, "the time between two writes, from 1ms"},
		referenceRow{f + "clockStep", "-", "a node's clock jumps, and back after for; for is not required"},
		referenceRow{f + "clockStep.node", fieldRequired, "the node"},
		referenceRow{f + "clockStep.by", fieldRequired, "how far; negative is back"},
		referenceRow{f + "deleteNode", "-", "the Node object is deleted; takes no for"},
		referenceRow{f + "deleteNode.node", fieldRequired, "the node, or `\"*\"` for each"},
		referenceRow{f + "restartControllerManager", "-", "kube-controller-manager dies and starts again after for; write {}"},
		referenceRow{f + "holdWatch", "-", "a client's watches deliver nothing; what was held arrives at the end, in order"},
		referenceRow{f + "holdWatch.client", fieldRequired, "`" + ClientControllerManager + "` or a node"},
		referenceRow{f + "holdWatch.resources", "any", "of " + strings.Join(watchResources(), ", ")},
		referenceRow{f + "deadConnection", "-", "the kubelet's open connection to the API server carries nothing any more, and neither end knows; new ones work"},
		referenceRow{f + "deadConnection.node", fieldRequired, "the node, or `\"*\"` for each"},
		referenceRow{f + "pullImages", "-", "images come to the node; with `for` they are collected after that"},
		referenceRow{f + "pullImages.node", fieldRequired, "the node, or `\"*\"` for each"},
		referenceRow{f + "pullImages.count", fieldRequired, "how many, from 1 to 10000; a status lists the largest, 50 by default"},
		referenceRow{f + "runtimeDown", "-", "the container runtime does not answer: down to the kubelet after 30s"},
		referenceRow{f + "runtimeDown.node", fieldRequired, "the node, or `\"*\"` for each"},
		referenceRow{f + "networkNotReady", "-", "the container runtime says that it has no network (no CNI plugin)"},
		referenceRow{f + "networkNotReady.node", fieldRequired, "the node, or `\"*\"` for each"},
		referenceRow{f + "plegStalled", "-", "containers cannot be listed, though the runtime answers: the PLEG is unhealthy after 3m"},
		referenceRow{f + "plegStalled.node", fieldRequired, "the node, or `\"*\"` for each"},
		referenceRow{f + "pressure", "-", "the eviction manager sees pressure; for includes its transition period (5m by default)"},
		referenceRow{f + "pressure.node", fieldRequired, "the node, or `\"*\"` for each"},
		referenceRow{f + "pressure.condition", fieldRequired, strings.Join(pressures(), ", ")},
		referenceRow{f + "reboot", "-", "the machine dies and comes up after for, with another boot ID"},
		referenceRow{f + "reboot.node", fieldRequired, "the node, or `\"*\"` for each"},
		referenceRow{f + "shutdown", "-", "the machine shuts down: the kubelet (1.21 or later, with a shutdownGracePeriod) is told and reports it; after for it is off until a restart"},
		referenceRow{f + "shutdown.node", fieldRequired, "the node, or `\"*\"` for each"},
		referenceRow{f + "storageError", "-", "the kubelet cannot see to its storage: the node is not ready (1.14 or later)"},
		referenceRow{f + "storageError.node", fieldRequired, "the node, or `\"*\"` for each"},
		referenceRow{f + "outOfService", "-", "the node gets the taint node.kubernetes.io/out-of-service:NoExecute, until for is over; for is not required"},
		referenceRow{f + "outOfService.node", fieldRequired, "the node, or `\"*\"` for each"},
		referenceRow{f + "cordon", "-", "the node is made unschedulable, until for is over; for is not required"},
		referenceRow{f + "cordon.node", fieldRequired, "the node, or `\"*\"` for each"},
		referenceRow{f + "deletePod", "-", "somebody deletes a pod; takes no for"},
		referenceRow{f + "deletePod.pod", fieldRequired, "the pod, as in an expectation"},
		referenceRow{f + "deletePod.namespace", "default", "its namespace"},
		referenceRow{f + "deletePod.force", "false", "at once, without waiting for the kubelet: --force --grace-period=0"},
	)
}

const referenceExpect = "Each expectation has one form: a condition that `becomes` or `stays`, a taint that `becomes`, requests with a `count` or\n" +
	"`gaps`, a pod that `becomes` or `stays`. Times count from the start of the run or, with `since`, from the moment a fault struck."

func referenceExpectRows() []referenceRow {
	const x = "spec.expect[]."
	return []referenceRow{
		{"spec.expect", "-", ""},
		{x + "name", "made from the rest", "label in reports"},
		{x + "node", "required but for a pod", "a node, or `\"*\"` for each node"},
		{x + "pod", "-", "one of the pods of `spec.pods` or `spec.workloads`, in the place of a node"},
		{x + "condition", "-", "Ready, MemoryPressure, DiskPressure, PIDPressure or NetworkUnavailable"},
		{x + "taint", "-", "key of a taint that the model sets, as `node.kubernetes.io/unreachable`"},
		{x + "effect", "any", "NoSchedule or NoExecute, for a taint"},
		{x + "requests", "-", "requests of the node's kubelet"},
		{x + "requests.verb", "any", "of " + strings.Join(requestVerbs(), ", ")},
		{x + "requests.resource", "any", "of " + strings.Join(requestResources(), ", ")},
		{x + "requests.code", "any", "the status that was answered"},
		{x + "becomes", "-", "True, False or Unknown; of a taint added or removed; of a pod " + strings.Join(podChanges(), ", ")},
		{x + "stays", "-", "True, False or Unknown, over all of from to to; of a pod present or ready, from its start or the fault to to"},
		{x + "within", "required with becomes", "`[first, last]`, both inclusive"},
		{x + "since", "the start of the run", "name of a fault"},
		{x + "from", "the start of the run, or with since the moment of the fault; with stays, when the condition first has the status after that", "with stays and requests: where to begin; with since it counts from the fault"},
		{x + "to", "the end of the run", "with stays and requests: where to stop; with since it counts from the fault"},
		{x + "count", "-", "`[least, most]` requests, both inclusive"},
		{x + "gaps", "-", "pauses between the first requests, each from the answer of one to the sending of the next"},
		{x + "tolerance", "0s", "by how much each gap may be off, either way"},
	}
}
