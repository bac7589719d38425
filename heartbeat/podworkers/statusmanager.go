package podworkers

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/podstatus"
)

// syncPeriod is how often all statuses are held against what the API server
// has: what failed is sent again, and what others wrote is put right.
const syncPeriod = 10 * time.Second

// statusManager sends the statuses of pods, one request at a time. Upstream:
// pkg/kubelet/status.
type statusManager struct {
	workers *Workers
	ticking bool
	stop    func()
	busy    bool // a process sends
	changed bool // a status waits to be sent
	all     bool // and all are to be looked at
}

// reported is what the status manager knows of one pod.
type reported struct {
	cached  bool
	status  corev1.PodStatus
	version int
	// The last version that was sent, and the uid in the API server that it was
	// sent for.
	sent    int
	sentUID types.UID
}

// known is the status that the next one follows upon.
func (p *worker) known() *corev1.PodStatus {
	switch {
	case p.reported.cached:
		return &p.reported.status
	case p.mirror != nil:
		return &p.mirror.Status
	}
	return &p.pod.Status
}

// inAPI is the pod as the API server has it, nil for a static one without a
// mirror.
func (p *worker) inAPI() *corev1.Pod {
	if p.static {
		return p.mirror
	}
	return p.pod
}

// setPodStatus notes a status, and has it sent if it is new. Upstream:
// SetPodStatus, updateStatusInternal.
func (m *statusManager) setPodStatus(p *worker, status corev1.PodStatus, forceUpdate bool) {
	if p.gone {
		return
	}
	now := metav1.Time{Time: m.workers.host.Now()}.Rfc3339Copy()
	setTransitionTimes(&status, p.known(), now)
	if status.StartTime == nil {
		status.StartTime = &now
	}
	if p.reported.cached && isPodStatusByKubeletEqual(&p.reported.status, &status) && !forceUpdate {
		return
	}
	p.reported.cached, p.reported.status = true, status
	p.reported.version++
	m.tick()
	m.changed = true
	m.start()
}

// terminatePod has the end of a pod sent, though its status is not new. None of its
// containers waits any more. Upstream: TerminatePod.
func (m *statusManager) terminatePod(p *worker) {
	status := p.known().DeepCopy()
	for i := range status.ContainerStatuses {
		if c := &status.ContainerStatuses[i]; c.State.Terminated == nil {
			c.State = corev1.ContainerState{Terminated: lostAtTermination()}
		}
	}
	m.setPodStatus(p, *status, true)
}

// tick has the turns come every 10 s from the kubelet's start, for as long as
// there are pods.
func (m *statusManager) tick() {
	if m.ticking {
		return
	}
	m.ticking = true
	w := m.workers
	left := syncPeriod - w.now().Sub(w.begun)%syncPeriod
	heartbeat.After(w.host, "status-manager", left, func() {
		m.stop = w.host.Every("status-manager", syncPeriod, 0, false, func() {
			if len(w.list) == 0 {
				m.ticking = false
				m.stop()
				return
			}
			m.all = true
			m.start()
		})
	})
}

// start begins to send, unless it is being done. Upstream: the loop of Start.
func (m *statusManager) start() {
	if m.busy {
		return
	}
	m.busy = true
	m.workers.host.Go("status-manager", func() {
		for m.changed || m.all {
			all := m.all
			m.changed, m.all = false, false
			m.syncBatch(all)
		}
		m.busy = false
	})
}

// syncBatch sends the statuses that are new; with all, those too that the API
// server has otherwise, and the deletions that are due.
func (m *statusManager) syncBatch(all bool) {
	var updated []*worker
	for _, p := range m.workers.list {
		pod := p.inAPI()
		if pod == nil || !p.reported.cached {
			continue
		}
		isNew := p.reported.sentUID != pod.UID || p.reported.sent < p.reported.version
		if isNew || all && (m.canBeDeleted(p, pod) || m.needsReconcile(p, pod)) {
			updated = append(updated, p)
		}
	}
	for _, p := range updated {
		m.syncPod(p)
	}
}

// needsReconcile tells whether somebody else has changed what is the kubelet's
// to say: the node lifecycle controller, that a pod is not ready.
func (m *statusManager) needsReconcile(p *worker, pod *corev1.Pod) bool {
	return !isPodStatusByKubeletEqual(&pod.Status, &p.reported.status)
}

// syncPod sends the status of one pod, and deletes the pod if nothing is left
// of it. What fails is left to the next turn.
func (m *statusManager) syncPod(p *worker) {
	if p.inAPI() == nil {
		return // the mirror went while others were sent
	}
	ctx, behaviors, version := context.Background(), m.workers.cfg.Behaviors, p.reported.version
	namespace, name, uid := p.inAPI().Namespace, p.inAPI().Name, p.inAPI().UID
	client := m.workers.cfg.Pods(namespace)
	pod, err := client.Get(ctx, name, metav1.GetOptions{})
	if err != nil || !p.reported.cached {
		return
	}
	if pod.UID != uid {
		p.reported.cached = p.static // another pod of that name
		return
	}
	merged := mergePodStatus(pod, &p.reported.status, !p.terminated)
	if pod, err = podstatus.Send(ctx, client, pod, merged, !behaviors.SkipsEqualStatus); err != nil {
		return
	}
	p.reported.sent, p.reported.sentUID = version, uid
	if !m.canBeDeleted(p, pod) {
		return
	}
	options := *metav1.NewDeleteOptions(0)
	options.Preconditions = metav1.NewUIDPreconditions(string(uid))
	if err := client.Delete(ctx, name, options); err == nil || apierrors.IsNotFound(err) {
		p.reported.cached = false
	}
}

// canBeDeleted tells whether the kubelet has done all that a pod's deletion
// waits for. The API server has to say, from 1.27, that the pod has ended.
func (m *statusManager) canBeDeleted(p *worker, pod *corev1.Pod) bool {
	if pod.DeletionTimestamp == nil || p.static {
		return false
	}
	if m.workers.cfg.Behaviors.TerminalBeforeDeleted && !terminal(pod.Status.Phase) {
		return false
	}
	return p.finished
}

// mergePodStatus puts the kubelet's status over that of the API server, whose
// conditions by others stay. A pod of which something may run has not ended.
func mergePodStatus(pod *corev1.Pod, status *corev1.PodStatus, couldHaveRunningContainers bool) *corev1.PodStatus {
	merged := pod.Status.DeepCopy()
	merged.Phase, merged.Reason, merged.Message = status.Phase, status.Reason, status.Message
	merged.StartTime, merged.Conditions = status.StartTime, nil
	merged.HostIP, merged.HostIPs, merged.PodIP, merged.PodIPs = status.HostIP, status.HostIPs, status.PodIP, status.PodIPs
	merged.ContainerStatuses = status.ContainerStatuses
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; !byKubelet(c.Type) {
			merged.Conditions = append(merged.Conditions, *c)
		}
	}
	for i := range status.Conditions {
		if c := &status.Conditions[i]; byKubelet(c.Type) {
			merged.Conditions = append(merged.Conditions, *c)
		}
	}
	if terminal(merged.Phase) && !terminal(pod.Status.Phase) && couldHaveRunningContainers {
		merged.Phase, merged.Reason, merged.Message = pod.Status.Phase, pod.Status.Reason, pod.Status.Message
	}
	return merged
}
