package scenario

import (
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/informer"
	"github.com/holter-sim/holter/heartbeat/scheduler"
	"github.com/holter-sim/holter/heartbeat/workloads"
	"github.com/holter-sim/holter/sim"
)

// schedulerName is the scheduler among hosts, clients and actors.
const schedulerName = "kube-scheduler"

// The scheduler's client makes so many requests a second, and so many at once,
// in every version: so many pods get a node. Upstream: ClientConnection of
// SetDefaults_KubeSchedulerConfiguration.
const (
	schedulerQPS   = 50
	schedulerBurst = 100
)

// WorkloadGroup is a Deployment, StatefulSet or DaemonSet, whose controller
// creates its pods.
type WorkloadGroup struct {
	Kind      string `json:"kind"`
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	// Replicas is how many pods there are to be; a DaemonSet has one a node.
	Replicas int `json:"replicas"`
	// At is when it is created.
	At       Duration `json:"at,omitzero"`
	PodTimes `json:",inline"`
}

// setDefaults fills in what a workload has before it is read.
func (w *WorkloadGroup) setDefaults() { *w = WorkloadGroup{Namespace: "default", Replicas: 1} }

// workload is what its controller sees to.
func (w *WorkloadGroup) workload() *workloads.Workload {
	out := &workloads.Workload{Kind: workloads.Kind(w.Kind), Namespace: w.Namespace, Name: w.Name, Replicas: w.Replicas}
	times := w.PodTimes
	out.Template = times.template()
	if out.Kind == workloads.DaemonSet {
		// Its controller's tolerations come before admission's, which then adds none.
		out.Template.Tolerations = workloads.AddDaemonTolerations(times.tolerations())
	}
	return out
}

// createWorkloads has each workload created when it is to be.
func (c *Cluster) createWorkloads() {
	for i, w := range c.workloads {
		c.engine.At(sim.Time(c.scenario.Spec.Workloads[i].At.Duration), func() {
			w.Created = true
			if creators := c.manager.creators; creators != nil {
				creators.Enqueue(w)
			}
		})
	}
}

// startScheduler runs a scheduler.
func (c *Cluster) startScheduler() {
	c.schedules = true
	host := c.engine.NewHost(schedulerName)
	client := c.server.NewClient(fakeapi.ClientOptions{Host: host, Name: schedulerName, User: "system:" + schedulerName, UserAgent: schedulerName,
		Limit: &fakeapi.Limit{QPS: schedulerQPS, Burst: schedulerBurst}})
	behaviors, tracer := c.effective.ControllerManager.Behaviors, c.observer.tracer(schedulerName)
	config := informer.Config{Tracer: tracer, ListFirst: !behaviors.Informer.WatchListInManager, Behaviors: behaviors.Informer}
	nodesConfig, podsConfig := config, config
	nodesConfig.Name, nodesConfig.Watch, nodesConfig.List = "nodes", watchFunc(client.Nodes().Watch), listFunc(client.Nodes().List)
	podsConfig.Name, podsConfig.Watch, podsConfig.List = "pods", watchFunc(client.Pods("").Watch), listFunc(client.Pods("").List)
	nodes, pods := informer.New[*corev1.Node](host, nodesConfig), informer.New[*corev1.Pod](host, podsConfig)
	scheduler.New(host, func(ns string) heartbeat.PodBinder { return client.Pods(ns) }, scheduler.Informers{Nodes: nodes, Pods: pods})
	nodes.Run()
	pods.Run()
}

// workload judges one entry of spec.workloads.
func (v *scenarioValidator) workload(i int) {
	w, at := &v.scenario.Spec.Workloads[i], fmt.Sprintf("spec.workloads[%d]", i)
	kinds := []string{string(workloads.Deployment), string(workloads.StatefulSet), string(workloads.DaemonSet)}
	v.checkOneOf(at+".kind", w.Kind, "kind of a workload", kinds)
	v.checkName(at+".name", w.Name)
	if errs := validation.IsDNS1123Label(w.Namespace); len(errs) > 0 {
		v.add(badValue(at+".namespace", w.Namespace, "is no namespace", acceptedNamespace))
	}
	v.checkCount(at+".replicas", w.Replicas, 0, mostPodsPerNode)
	if w.Kind == string(workloads.DaemonSet) && w.Replicas != 1 {
		v.add(badValue(at+".replicas", strconv.Itoa(w.Replicas), "does not go with a DaemonSet, which has one pod a node", "no field replicas"))
	}
	v.checkDuration(at+".at", w.At, 0)
	v.podTimes(&w.PodTimes, at)
	for j, other := range v.scenario.Spec.Workloads[:i] {
		if w.Name == other.Name && w.Namespace == other.Namespace {
			v.add(badValue(at+".name", w.Name, fmt.Sprintf("is the name of spec.workloads[%d] in that namespace too", j), "another name"))
			return
		}
	}
	v.podsOfItsOwn(i)
}
