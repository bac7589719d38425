package scenario

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/sim"
	"github.com/holter-sim/holter/traces"
)

// What a pod is, in the events of the trace and in expectations.
const (
	// PodPresent is a pod that is there and is not being deleted.
	PodPresent = "present"
	// PodTerminating is a pod whose deletion has begun: its kubelet is to end it.
	PodTerminating = "terminating"
	// PodDeleted is a pod that is gone from the API server.
	PodDeleted = "deleted"
)

// changedPod records that a pod came, began to end, or went.
func (o *observer) changedPod(actor string, old, new runtime.Object) {
	before, _ := old.(*corev1.Pod)
	after, _ := new.(*corev1.Pod)
	ev := traces.Event{Actor: actor, Kind: kindPod, Resource: "pods"}
	pod := after
	switch {
	case after == nil:
		pod, ev.To = before, PodDeleted
	case before == nil:
		ev.To = PodPresent
	case before.DeletionTimestamp == nil && after.DeletionTimestamp != nil:
		ev.To, ev.Detail = PodTerminating, fmt.Sprintf("grace period %ds", *after.DeletionGracePeriodSeconds)
	default:
		return
	}
	ev.Node, ev.Namespace, ev.Name = pod.Spec.NodeName, pod.Namespace, pod.Name
	cause := o.cluster.engine.Cause()
	ev.Cause = cause
	o.cluster.record(ev)
	o.cluster.engine.SetCause(cause)
}

// evicting knows why pods are being deleted, and where in the evictions each is.
type evicting struct {
	why map[string]string
	at  map[string]int
}

func newEvicting() evicting { return evicting{map[string]string{}, map[string]int{}} }

// evict takes note of a pod that a controller deletes, and of its end.
func (h *History) evict(ev *traces.Event) {
	switch ev.Kind {
	case heartbeat.DecisionEvicting, heartbeat.DecisionCollecting:
		pod, why, _ := strings.Cut(ev.Detail, ": ")
		h.evicting.why[pod] = why
	case kindPod:
		pod := ev.Namespace + "/" + ev.Name
		why, evicted := h.evicting.why[pod]
		at, begun := h.evicting.at[pod]
		switch {
		case ev.To == PodTerminating && evicted:
			h.evicting.at[pod] = len(h.Evictions)
			h.Evictions = append(h.Evictions, Eviction{At: sim.Time(ev.At), Pod: pod, Node: ev.Node, Why: why})
		case ev.To == PodDeleted && begun:
			gone := sim.Time(ev.At)
			h.Evictions[at].Gone = &gone
			delete(h.evicting.at, pod)
			delete(h.evicting.why, pod)
		}
	}
}
