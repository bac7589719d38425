// Package workloads is the controllers that create pods: of a ReplicaSet, a
// StatefulSet and a DaemonSet (pkg/controller/replicaset, statefulset and
// daemon, v1.36.3), as far as they decide what becomes of pods when a node
// fails. A workload is no object of the API server and never changes: there are
// no rollouts, no scaling, no revisions, no volume claims, no statuses and no
// events. A Deployment is its one ReplicaSet.
package workloads

import (
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/informer"
)

// Kind is the kind of a workload.
type Kind string

// The kinds of workloads that are modelled.
const (
	Deployment  Kind = "Deployment"
	StatefulSet Kind = "StatefulSet"
	DaemonSet   Kind = "DaemonSet"
)

// syncedPollPeriod is how often starting controllers look whether their caches
// are filled.
const syncedPollPeriod = 100 * time.Millisecond

// Workload is what is wanted. It outlives the controllers that see to it.
type Workload struct {
	Kind            Kind
	Namespace, Name string
	// Replicas is how many pods there are to be; a DaemonSet has one a node.
	Replicas int
	// Template is what the pods are made of, without name and node.
	Template corev1.PodSpec
	// Created: it is there. Who sets it later than Run calls Enqueue.
	Created bool

	// named is how many pods of a Deployment have got a name: they are called
	// NAME-1, NAME-2 and so on. Upstream the API server draws five letters.
	named int
}

// UID is what the pods know their owner by.
func (w *Workload) UID() types.UID {
	return types.UID(string(w.Kind) + "/" + w.Namespace + "/" + w.Name)
}

// PodClient is what the controllers write by.
type PodClient interface {
	heartbeat.PodCreator
	heartbeat.PodDeleter
}

// Clients are the controllers' connections to the API server.
type Clients struct {
	Pods func(namespace string) PodClient
}

// Informers are those of the kube-controller-manager, which its controllers
// share. Who made them runs them.
type Informers struct {
	Nodes *informer.Informer[*corev1.Node]
	Pods  *informer.Informer[*corev1.Pod]
}

// Controllers see to all workloads of a cluster.
type Controllers struct {
	host      heartbeat.Host
	clients   Clients
	informers Informers
	sets      []*set
	byUID     map[types.UID]*set
}

// New returns controllers that do nothing until Run.
func New(host heartbeat.Host, clients Clients, informers Informers, all []*Workload) *Controllers {
	c := &Controllers{host: host, clients: clients, informers: informers, byUID: map[types.UID]*set{}}
	for _, w := range all {
		s := newSet(c, w)
		c.sets = append(c.sets, s)
		c.byUID[w.UID()] = s
	}
	informers.Pods.AddHandler(informer.Handler[*corev1.Pod]{
		Added:   func(pod *corev1.Pod) { c.keep(pod); c.addPod(pod) },
		Updated: func(_, pod *corev1.Pod) { c.keep(pod); c.updatePod(pod) },
		Deleted: func(pod *corev1.Pod) { c.drop(pod); c.deletePod(pod) },
	})
	informers.Nodes.AddHandler(informer.Handler[*corev1.Node]{
		Added:   c.syncNodeUpdate,
		Updated: c.updateNode,
		Deleted: c.deleteNode,
	})
	return c
}

// Run lets the controllers look at every workload once the informers' caches
// are filled; it returns at once.
func (c *Controllers) Run() {
	c.host.Go("workloads", func() {
		for !c.informers.Nodes.HasSynced() || !c.informers.Pods.HasSynced() {
			c.host.Sleep(syncedPollPeriod)
		}
		for _, s := range c.sets {
			s.synced = true
			s.enqueue()
		}
	})
}

// Enqueue has a workload looked at: it was created.
func (c *Controllers) Enqueue(w *Workload) {
	if s := c.byUID[w.UID()]; s != nil {
		s.enqueue()
	}
}

// addPod is a pod that is new to the informer.
func (c *Controllers) addPod(pod *corev1.Pod) {
	s := c.ownerOf(pod)
	if s == nil {
		return
	}
	if pod.DeletionTimestamp != nil {
		c.deletePod(pod)
		return
	}
	s.expectations.creationObserved()
	s.enqueue()
}

// updatePod is a pod that changed. One that is ending counts as deleted: what
// replaces it need not wait. Upstream: ReplicaSetController.updatePod.
func (c *Controllers) updatePod(pod *corev1.Pod) {
	if s := c.ownerOf(pod); s != nil {
		if pod.DeletionTimestamp != nil {
			s.expectations.deletionObserved(informer.Key(pod))
		}
		s.enqueue()
	}
}

func (c *Controllers) deletePod(pod *corev1.Pod) {
	if s := c.ownerOf(pod); s != nil {
		s.expectations.deletionObserved(informer.Key(pod))
		s.enqueue()
	}
}

// updateNode is a node that changed. Its heartbeats mean nothing to a DaemonSet:
// they do not change where it is to run. Upstream: updateNode,
// shouldIgnoreNodeUpdate.
func (c *Controllers) updateNode(old, node *corev1.Node) {
	if !equality.Semantic.DeepEqual(old.Labels, node.Labels) || !equality.Semantic.DeepEqual(old.Spec.Taints, node.Spec.Taints) {
		c.syncNodeUpdate(node)
	}
}

// syncNodeUpdate has those DaemonSets look that are to begin on a node, or to
// end on it. Upstream: same name.
func (c *Controllers) syncNodeUpdate(node *corev1.Node) {
	for _, s := range c.sets {
		if s.workload.Kind != DaemonSet {
			continue
		}
		s.changed[node.Name] = true
		shouldRun, shouldContinueRunning := s.nodeShouldRunDaemonPod(node)
		scheduled := len(s.onNodes[node.Name]) > 0
		if shouldRun && !scheduled || !shouldContinueRunning && scheduled {
			s.enqueue()
		}
	}
}

// deleteNode is a node that is gone: what is left for it is found with the next
// look, which does not come for its sake.
func (c *Controllers) deleteNode(node *corev1.Node) {
	for _, s := range c.sets {
		if s.workload.Kind == DaemonSet {
			s.changed[node.Name] = true
		}
	}
}

// keep and drop hold the index of pods by their owner. Upstream: podIndexer.
func (c *Controllers) keep(pod *corev1.Pod) {
	if s := c.ownerOf(pod); s != nil {
		s.drop(pod.Name)
		s.own[pod.Name] = pod
		if s.workload.Kind == DaemonSet {
			s.onNodes.add(pod)
			s.changed[nodeOf(pod)] = true
		}
	}
}

func (c *Controllers) drop(pod *corev1.Pod) {
	if s := c.ownerOf(pod); s != nil {
		s.drop(pod.Name)
	}
}

func (c *Controllers) ownerOf(pod *corev1.Pod) *set {
	owner := metav1.GetControllerOfNoCopy(pod)
	if owner == nil {
		return nil
	}
	return c.byUID[owner.UID]
}

// newPod is a pod of a workload. Upstream: controller.GetPodFromTemplate.
func (w *Workload) newPod(name string) *corev1.Pod {
	isController := true
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: w.Namespace, Labels: map[string]string{"app": w.Name},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: w.ownerKind(), Name: w.Name, UID: w.UID(), Controller: &isController}},
		},
		Spec: *w.Template.DeepCopy(),
	}
}

func (w *Workload) ownerKind() string {
	if w.Kind == Deployment {
		return "ReplicaSet"
	}
	return string(w.Kind)
}

func (w *Workload) nextName() string {
	w.named++
	return w.Name + "-" + strconv.Itoa(w.named)
}
