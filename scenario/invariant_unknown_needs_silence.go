package scenario

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/holter-sim/holter/traces"
)

// unknownNeedsSilence: the controller calls no node Unknown that it has heard
// of within the grace period. Heard of means a Lease whose renewTime went
// forward, or a new heartbeat time in the node's Ready condition.
type unknownNeedsSilence struct {
	broken
	grace time.Duration
	heard map[string]*lastHeard
}

type lastHeard struct {
	at        time.Duration
	renewTime string // sorts as text
	heartbeat string
}

func newUnknownNeedsSilence(grace time.Duration) *unknownNeedsSilence {
	return &unknownNeedsSilence{grace: grace, heard: map[string]*lastHeard{}}
}

func (u *unknownNeedsSilence) observe(ev *traces.Event) {
	switch ev.Kind {
	case traces.KindWatch:
		u.hear(ev)
	case traces.KindTransition:
		if ev.Actor != managerName || ev.Name != string(corev1.NodeReady) || ev.To != string(corev1.ConditionUnknown) {
			return
		}
		last := u.heard[ev.Node]
		if last == nil {
			return
		}
		// The write was decided before it was answered, so the silence it
		// claims is no longer than this.
		if silent := ev.At - last.at; silent < u.grace {
			u.add("unknown-needs-silence", ev, fmt.Sprintf("called Unknown %s after the controller heard of it, grace period %s", silent, u.grace))
		}
	}
}

func (u *unknownNeedsSilence) hear(ev *traces.Event) {
	last := u.heard[ev.Node]
	if last == nil {
		last = &lastHeard{}
		u.heard[ev.Node] = last
	}
	switch ev.Resource {
	case "leases":
		if ev.RenewTime > last.renewTime {
			last.renewTime, last.at = ev.RenewTime, ev.At
		}
	case "nodes":
		// The controller's own write moves no heartbeat time.
		if ev.Actor == managerName && ev.Detail != last.heartbeat && heartbeatOf(ev.Detail) != heartbeatOf(last.heartbeat) {
			last.at = ev.At
		}
		last.heartbeat = ev.Detail
	}
}

// heartbeatOf cuts the status off a readyHeartbeat text.
func heartbeatOf(detail string) string {
	for i := range detail {
		if detail[i] == ' ' {
			return detail[i:]
		}
	}
	return detail
}
