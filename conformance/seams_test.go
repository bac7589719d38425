package conformance

import (
	"cmp"
	"slices"
	"sync"
	"time"
	_ "unsafe" // for go:linkname

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	appsinformers "k8s.io/client-go/informers/apps/v1"
	coordinationinformers "k8s.io/client-go/informers/coordination/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	appslisters "k8s.io/client-go/listers/apps/v1"
	coordinationlisters "k8s.io/client-go/listers/coordination/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	_ "k8s.io/kubernetes/pkg/controller/nodelifecycle/scheduler" // for its clock
)

// Upstream's controller leaves a few things to chance. Here they are settled,
// each in one of the ways in which it may fall out, through what the controller
// is given and through the seams that its own tests use.

// listers settles the order of a monitor pass, and when it begins. Upstream
// goes over nodes in the order of a map, with eight workers; here it is that of
// their names, each worker in its turn.
type listers struct {
	line  Line
	first time.Duration // from the start to the first pass, so that none falls on a tick of the queues
	cost  time.Duration // of a pass, for each node; paid before the next
	last  int           // nodes in the last pass
	open  bool          // the order is left to chance
}

type nodeInformer struct {
	coreinformers.NodeInformer
	*listers
}

func (i nodeInformer) Lister() corelisters.NodeLister {
	return nodeLister{i.NodeInformer.Lister(), i.listers}
}

type nodeLister struct {
	corelisters.NodeLister
	*listers
}

// List is called at the beginning of a pass, and by nothing else.
func (l nodeLister) List(selector labels.Selector) ([]*corev1.Node, error) {
	time.Sleep(l.first + l.cost*time.Duration(l.last))
	l.first = 0
	l.line.Turn("pass")
	nodes, err := l.NodeLister.List(selector)
	l.last = len(nodes)
	if l.open {
		return nodes, err
	}
	slices.SortFunc(nodes, func(x, y *corev1.Node) int { return cmp.Compare(x.Name, y.Name) })
	return nodes, err
}

type leaseInformer struct {
	coordinationinformers.LeaseInformer
	*listers
}

func (i leaseInformer) Lister() coordinationlisters.LeaseLister {
	return leaseLister{i.LeaseInformer.Lister(), i.listers}
}

type leaseLister struct {
	coordinationlisters.LeaseLister
	*listers
}

func (l leaseLister) Leases(ns string) coordinationlisters.LeaseNamespaceLister {
	return leaseNamespaceLister{l.LeaseLister.Leases(ns), l.listers}
}

type leaseNamespaceLister struct {
	coordinationlisters.LeaseNamespaceLister
	*listers
}

// Get is called for each node of a pass, before anything is decided.
func (l leaseNamespaceLister) Get(name string) (*coordinationv1.Lease, error) {
	if !l.open {
		l.line.Turn("pass/" + name)
	}
	return l.LeaseNamespaceLister.Get(name)
}

// podInformer lists the pods of a node by name; upstream's order is a map's.
type podInformer struct{ coreinformers.PodInformer }

func (i podInformer) Informer() cache.SharedIndexInformer {
	return sortedInformer{i.PodInformer.Informer()}
}

type sortedInformer struct{ cache.SharedIndexInformer }

func (i sortedInformer) GetIndexer() cache.Indexer {
	return sortedIndexer{i.SharedIndexInformer.GetIndexer()}
}

type sortedIndexer struct{ cache.Indexer }

func (x sortedIndexer) ByIndex(index, value string) ([]any, error) {
	objects, err := x.Indexer.ByIndex(index, value)
	slices.SortFunc(objects, func(a, b any) int { return cmp.Compare(a.(*corev1.Pod).Name, b.(*corev1.Pod).Name) })
	return objects, err
}

// daemonSets is an informer of nothing. The controller waits for it, and reads
// it in its pod eviction path only, which has been dead since 1.27.
type daemonSets struct {
	appsinformers.DaemonSetInformer
}

func (daemonSets) Informer() cache.SharedIndexInformer {
	return syncedInformer{cache.NewSharedIndexInformer(&cache.ListWatch{}, &appsv1.DaemonSet{}, 0, nil)}
}

func (daemonSets) Lister() appslisters.DaemonSetLister { return nil }

type syncedInformer struct{ cache.SharedIndexInformer }

func (syncedInformer) HasSynced() bool { return true }

// schedulerNow is the clock of the queues of tainted nodes, which upstream's
// tests replace as well. Nodes queued at one instant stand in a heap, in no
// order; with a clock that never shows one instant twice it is the order in
// which they were queued, which is what it would be on a machine.
//
//go:linkname schedulerNow k8s.io/kubernetes/pkg/controller/nodelifecycle/scheduler.now
var schedulerNow func() time.Time

// tellApart makes the clock of the queues a new one.
func tellApart(open bool) {
	if open {
		schedulerNow = time.Now
		return
	}
	var lock sync.Mutex
	var last time.Time
	var ahead time.Duration
	schedulerNow = func() time.Time {
		lock.Lock()
		defer lock.Unlock()
		if now := time.Now(); !now.Equal(last) {
			last, ahead = now, 0
		}
		ahead++
		return last.Add(ahead)
	}
}
