package podworkers

import (
	"time"

	"github.com/holter-sim/holter/heartbeat"
)

const (
	// A container starts within fastestStart to slowestStart, its sandbox
	// included: its image is there.
	fastestStart = 500 * time.Millisecond
	slowestStart = 1500 * time.Millisecond
	// slowestStop is the longest that a container takes to end by itself: most
	// end soon after SIGTERM.
	slowestStop = 2 * time.Second
	// relistPeriod is how often containers are listed: what happens to one by
	// itself is found then. Upstream: plegRelistPeriod.
	relistPeriod = time.Second
	// unmountPeriod is how often it is looked whether a pod's volumes are
	// unmounted; every pod has one, its token, and the first look comes too
	// soon. Upstream: podAttachAndMountRetryInterval.
	unmountPeriod = 300 * time.Millisecond
	// resyncInterval is how long after a look a worker looks again at the
	// earliest, half of that later at the latest. Upstream: --sync-frequency,
	// workerResyncIntervalJitterFactor.
	resyncInterval = time.Minute
)

// syncPod starts a pod's container if it does not run, and tells whether the
// pod has ended by itself. Upstream: Kubelet.SyncPod.
func (w *Workers) syncPod(p *worker) (isTerminal bool) {
	p.container.look(w.now(), w.host.Now())
	status := w.generateAPIPodStatus(p, false)
	w.statuses.setPodStatus(p, status, false)
	if terminal(status.Phase) {
		return true
	}
	w.tryReconcileMirrorPods(p)
	if p.container.state == containerRunning {
		w.relistAtEnd(p)
		return false
	}
	w.host.Sleep(fastestStart + time.Duration(w.draws.Int64N(int64(slowestStart-fastestStart))))
	p.container.start(w.now(), w.host.Now(), p.pod)
	w.relistAfter(p, 0)
	return false
}

// relistAtEnd has the PLEG find a container that ends by itself.
func (w *Workers) relistAtEnd(p *worker) {
	if ends := p.container.ends; !ends.IsZero() {
		w.relistAfter(p, ends.Sub(w.now()))
	}
}

// relistAfter has the worker look again at the first list of containers that
// comes after d from now. Upstream: pleg.Relist and HandlePodSyncs.
func (w *Workers) relistAfter(p *worker, d time.Duration) {
	d = max(d, 0)
	left := relistPeriod - (w.now().Sub(w.begun)+d)%relistPeriod
	heartbeat.After(w.host, "pleg", d+left, func() {
		if !p.terminating {
			w.updatePod(p)
		}
	})
}

// resync has the worker look again though nothing changes. Upstream every look
// is followed by one; here those that failed, since others find nothing to do.
func (w *Workers) resync(p *worker) {
	if p.resyncs {
		return
	}
	p.resyncs = true
	d := resyncInterval + time.Duration(w.draws.Int64N(int64(resyncInterval/2)))
	heartbeat.After(w.host, "pod-resync", d, func() {
		p.resyncs = false
		w.updatePod(p)
	})
}

// syncTerminatingPod ends a pod's container, and says so. Upstream:
// Kubelet.SyncTerminatingPod.
func (w *Workers) syncTerminatingPod(p *worker) {
	p.container.look(w.now(), w.host.Now())
	w.statuses.setPodStatus(p, w.generateAPIPodStatus(p, false), false)
	if p.container.state == containerRunning {
		w.host.Sleep(w.stopTime(p))
		p.container.exit(0, w.host.Now())
	}
	if !p.gone && w.cfg.Behaviors.TerminalBeforeDeleted {
		w.statuses.setPodStatus(p, w.generateAPIPodStatus(p, true), false)
	}
}

// stopTime is how long a container takes to end when it is asked to: no longer
// than its grace period, when it is killed.
func (w *Workers) stopTime(p *worker) time.Duration {
	stop := time.Duration(w.draws.Int64N(int64(slowestStop)))
	grace := p.pod.DeletionGracePeriodSeconds
	if grace == nil {
		grace = p.pod.Spec.TerminationGracePeriodSeconds
	}
	if grace != nil {
		stop = min(stop, time.Duration(*grace)*time.Second)
	}
	return stop
}

// syncTerminatedPod waits until nothing is left of a pod, and lets the status
// manager delete it. Upstream: Kubelet.SyncTerminatedPod; up to 1.21 the
// removal of its containers, which the next turn of the status manager finds.
func (w *Workers) syncTerminatedPod(p *worker) {
	w.statuses.setPodStatus(p, w.generateAPIPodStatus(p, true), false)
	w.host.Sleep(unmountPeriod)
	p.finished = true
	if w.cfg.Behaviors.DeletesWhenTerminated {
		w.statuses.terminatePod(p)
	}
}

func (w *Workers) now() time.Time { return heartbeat.Monotonic(w.host) }
