// Package podworkers is what of a kubelet sees to its pods: it starts what is
// bound to its node, tells the API server what became of it, and ends what is
// being deleted. Pod workers, status manager and mirror pods of pkg/kubelet
// (v1.36.3), as far as they show when a node fails: a pod is one container,
// which needs no image, no volume and no probe.
package podworkers

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/informer"
	"github.com/holter-sim/holter/heartbeat/version"
)

// PodClient is what a kubelet reads and writes pods by.
type PodClient interface {
	heartbeat.PodDeleter
	heartbeat.PodCreator
}

// Config is what the workers of one kubelet work with.
type Config struct {
	NodeName string
	// HostIP is the machine's address, for the statuses of its pods; "" leaves it out.
	// Pods have an address if they are on the host's network: there is no other.
	HostIP string
	// Pods is the client for the pods of a namespace.
	Pods func(namespace string) PodClient
	// Informer knows the pods of this node. Who made it runs it, after New.
	Informer *informer.Informer[*corev1.Pod]
	// Runtime is what runs on the machine, before this kubelet and after it.
	Runtime   *Runtime
	Behaviors version.PodWorkers
}

// Workers see to the pods of one kubelet. Without pods they are memory alone,
// and with pods that do not change a timer of 10 s.
type Workers struct {
	host  heartbeat.Host
	cfg   Config
	draws heartbeat.Rand
	begun time.Time // whence the turns of status manager and PLEG count

	byUID map[types.UID]*worker
	list  []*worker // as they came

	statuses statusManager
}

// worker is what the kubelet knows of one pod and does with it. Upstream:
// podSyncStatus and the goroutine that goes with it.
type worker struct {
	pod    *corev1.Pod // as last seen; of a static pod, the pod of the file
	static bool
	mirror *corev1.Pod // of a static pod, as last seen; nil if there is none

	container *container
	gone      bool // from the API server

	working     bool // a process is at work
	again       bool // and is to look once more
	resyncs     bool // and will in any case, later
	terminating bool // no way back
	terminated  bool // nothing of it runs any more
	finished    bool // nothing is left to do but to delete it

	reported reported
}

// New returns workers that do nothing until the informer runs.
func New(host heartbeat.Host, cfg Config) *Workers {
	w := &Workers{
		host: host, cfg: cfg, draws: host.Rand("pods"), begun: heartbeat.Monotonic(host),
		byUID: map[types.UID]*worker{},
	}
	w.statuses.workers = w
	cfg.Informer.AddHandler(informer.Handler[*corev1.Pod]{Added: w.added, Updated: w.updated, Deleted: w.deleted})
	return w
}

// added is a pod that is new to this kubelet. One that has ended before needs
// nothing. Upstream: HandlePodAdditions.
func (w *Workers) added(pod *corev1.Pod) {
	if isMirror(pod) {
		w.sawMirror(pod, pod)
		return
	}
	if terminal(pod.Status.Phase) && pod.DeletionTimestamp == nil {
		return
	}
	w.add(&worker{pod: pod, container: w.cfg.Runtime.container(pod.UID)})
}

func (w *Workers) add(p *worker) {
	w.byUID[p.pod.UID] = p
	w.list = append(w.list, p)
	w.updatePod(p)
}

// updated is a pod that changed. A status alone is noted, and left to the next
// turn of the status manager. Upstream: HandlePodReconcile, and the choice in
// config.checkAndUpdatePod.
func (w *Workers) updated(old, pod *corev1.Pod) {
	if old.UID != pod.UID { // an informer that lists anew takes one for the other
		w.deleted(old)
		w.added(pod)
		return
	}
	if isMirror(pod) {
		w.sawMirror(pod, pod)
		return
	}
	p := w.byUID[pod.UID]
	if p == nil {
		w.added(pod)
		return
	}
	before := p.pod
	p.pod = pod
	if !ptr.Equal(before.DeletionGracePeriodSeconds, pod.DeletionGracePeriodSeconds) || !before.DeletionTimestamp.Equal(pod.DeletionTimestamp) {
		w.updatePod(p)
	}
}

// deleted is a pod that is gone from the API server, and may still run.
// Upstream: HandlePodRemoves.
func (w *Workers) deleted(pod *corev1.Pod) {
	if isMirror(pod) {
		w.sawMirror(pod, nil)
		return
	}
	if p := w.byUID[pod.UID]; p != nil {
		p.gone = true
		w.updatePod(p)
	}
}

// updatePod lets a pod's worker look at it. Upstream: podWorkers.UpdatePod.
func (w *Workers) updatePod(p *worker) {
	if p.gone || p.pod.DeletionTimestamp != nil {
		p.terminating = true
	}
	if p.working {
		p.again = true
		return
	}
	p.working = true
	w.host.Go("pod-worker", func() { w.podWorkerLoop(p) })
}

// podWorkerLoop brings a pod to where it is to be, one stage after the other.
func (w *Workers) podWorkerLoop(p *worker) {
	for again := true; again; again = p.again {
		p.again = false
		if !p.terminating && w.syncPod(p) {
			p.terminating = true // and stays so, whatever came while it was started
		}
		if p.terminating && !p.terminated {
			w.syncTerminatingPod(p)
			p.terminated = true
		}
		if p.terminated && !p.finished && !p.gone {
			w.syncTerminatedPod(p)
		}
	}
	p.working = false
	if p.gone && p.terminated {
		w.forget(p)
	}
}

func (w *Workers) forget(p *worker) {
	delete(w.byUID, p.pod.UID)
	w.list = slices.DeleteFunc(w.list, func(q *worker) bool { return q == p })
	w.cfg.Runtime.remove(p.pod.UID)
}

func terminal(phase corev1.PodPhase) bool {
	return phase == corev1.PodSucceeded || phase == corev1.PodFailed
}
