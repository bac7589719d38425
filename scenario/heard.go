package scenario

import (
	"time"

	"github.com/holter-sim/holter/traces"
)

// heard is when the controller last had news of each node: a Lease whose
// renewTime went forward, or a new heartbeat time in the Ready condition. What
// comes and says nothing new is no news.
type heard map[string]*lastHeard

type lastHeard struct {
	news      time.Duration
	latest    time.Duration // the last Lease or Node that came, news or not
	renewTime string        // sorts as text
	heartbeat string
}

func (h heard) of(node string) *lastHeard {
	if h[node] == nil {
		h[node] = &lastHeard{}
	}
	return h[node]
}

// take takes a watch event that reached the controller-manager. One that starts
// anew has heard of nothing.
func (h heard) take(ev *traces.Event) {
	if ev.Kind == traces.KindStart && ev.Actor == managerName {
		clear(h)
	}
	if ev.Kind != traces.KindWatch || ev.Actor != managerName {
		return
	}
	switch ev.Resource {
	case "leases":
		last := h.of(ev.Node)
		last.latest = ev.At
		if ev.RenewTime > last.renewTime {
			last.renewTime, last.news = ev.RenewTime, ev.At
		}
	case "nodes":
		// The controller's own write moves no heartbeat time.
		last := h.of(ev.Node)
		if beat := heartbeatOf(ev.Detail); beat != last.heartbeat {
			last.heartbeat, last.news, last.latest = beat, ev.At, ev.At
		}
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
