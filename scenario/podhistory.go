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
	// PodScheduled is a pod that has got a node, and was without one.
	PodScheduled = "scheduled"
	// PodRunning is a pod of which its kubelet says so.
	PodRunning = "running"
	// PodReady and PodNotReady are what the condition Ready says.
	PodReady    = "ready"
	PodNotReady = "notReady"
	// PodSucceeded and PodFailed are pods that have ended by themselves.
	PodSucceeded = "succeeded"
	PodFailed    = "failed"
	// PodTerminating is a pod whose deletion has begun: its kubelet is to end it.
	PodTerminating = "terminating"
	// PodDeleted is a pod that is gone from the API server.
	PodDeleted = "deleted"
)

// podChanges are what can become of a pod.
func podChanges() []string {
	return []string{PodPresent, PodScheduled, PodRunning, PodReady, PodNotReady, PodSucceeded, PodFailed, PodTerminating, PodDeleted}
}

// changedPod records what became of a pod. What is said of one that is being
// deleted is left to the requests.
func (o *observer) changedPod(actor string, old, new runtime.Object) {
	before, _ := old.(*corev1.Pod)
	after, _ := new.(*corev1.Pod)
	record := func(pod *corev1.Pod, to, detail string) {
		cause := o.cluster.engine.Cause()
		o.cluster.record(traces.Event{Actor: actor, Kind: kindPod, Resource: "pods", Cause: cause, To: to, Detail: detail,
			Node: pod.Spec.NodeName, Namespace: pod.Namespace, Name: pod.Name})
		o.cluster.engine.SetCause(cause)
	}
	switch {
	case after == nil:
		record(before, PodDeleted, "")
	case before == nil:
		record(after, PodPresent, "")
		o.cluster.podCame(after)
	case before.DeletionTimestamp == nil && after.DeletionTimestamp != nil:
		record(after, PodTerminating, fmt.Sprintf("grace period %ds", *after.DeletionGracePeriodSeconds))
	case after.DeletionTimestamp == nil:
		for _, to := range podTransitions(before, after) {
			record(after, to, "")
		}
	}
}

// podTransitions is what a change of a pod's node and status comes to.
func podTransitions(before, after *corev1.Pod) []string {
	var out []string
	if before.Spec.NodeName == "" && after.Spec.NodeName != "" {
		out = append(out, PodScheduled)
	}
	phases := map[corev1.PodPhase]string{corev1.PodRunning: PodRunning, corev1.PodSucceeded: PodSucceeded, corev1.PodFailed: PodFailed}
	if to := phases[after.Status.Phase]; before.Status.Phase != after.Status.Phase && to != "" {
		out = append(out, to)
	}
	switch was, is := podReady(before), podReady(after); {
	case !was && is:
		out = append(out, PodReady)
	case was && !is && after.Status.Phase == corev1.PodRunning:
		out = append(out, PodNotReady)
	}
	return out
}

func podReady(pod *corev1.Pod) bool {
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
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
