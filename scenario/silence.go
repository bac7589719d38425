package scenario

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/holter-sim/holter/sim"
	"github.com/holter-sim/holter/traces"
)

// Detection is a node whose Ready condition turned Unknown: After so long in
// silence, or False, while no kill, pause or partition kept the node from being
// heard. Of one silence only the first is listed.
type Detection struct {
	At    sim.Time
	Node  string
	After time.Duration
	False bool
}

// silences follows through a trace which nodes are kept from being heard, and
// which of them are found out. It reads nothing but the trace.
//
// A silence begins when a kill, pause or partition strikes and ends with the
// first heartbeat that the API server takes after the last of them has ended. A
// node that is Unknown already is silent, and there is nothing to find out.
type silences struct {
	nodes      map[string]*nodeSilence
	count      int // silences that could be found out
	detections []Detection
}

// nodeSilence is one node's.
type nodeSilence struct {
	kills, others int  // faults that are at work
	silent        bool // a fault struck, and no heartbeat has come since the last one ended
	counted       bool // the node was not Unknown when it did, nor has been since
	since         time.Duration
	unknown       bool
}

func newSilences() silences { return silences{nodes: map[string]*nodeSilence{}} }

func (s *silences) take(ev *traces.Event) {
	if ev.Node == "" {
		return
	}
	switch ev.Kind {
	case traces.KindFault:
		s.node(ev.Node).fault(ev, s)
	case traces.KindRequest:
		if n := s.nodes[ev.Node]; n != nil && n.silent && n.kills+n.others == 0 && isHeartbeat(ev) {
			n.silent = false
		}
	case traces.KindTransition:
		if ev.Name == string(corev1.NodeReady) {
			s.node(ev.Node).ready(ev, s)
		}
	}
}

func (s *silences) node(name string) *nodeSilence {
	n := s.nodes[name]
	if n == nil {
		n = &nodeSilence{}
		s.nodes[name] = n
	}
	return n
}

// fault begins a silence, or takes away one of its reasons.
func (n *nodeSilence) fault(ev *traces.Event, s *silences) {
	reasons := &n.others
	switch ev.Reason {
	case "restart":
		n.kills = 0
		return
	case "kill", "reboot":
		reasons = &n.kills
	case "shutdown":
		if ev.To == faultBegins {
			return
		}
		n.kills++ // its end turns the machine off
		n.begin(ev, s)
		return
	case "pause", "partition":
	default:
		return
	}
	if ev.To == faultEnds {
		*reasons = max(0, *reasons-1)
		return
	}
	*reasons++
	n.begin(ev, s)
}

// begin begins a silence, unless there is one.
func (n *nodeSilence) begin(ev *traces.Event, s *silences) {
	if n.silent {
		return
	}
	n.silent, n.since, n.counted = true, ev.At, !n.unknown
	if n.counted {
		s.count++
	}
}

// ready follows the Ready condition.
func (n *nodeSilence) ready(ev *traces.Event, s *silences) {
	n.unknown = ev.To == string(corev1.ConditionUnknown)
	d := Detection{At: sim.Time(ev.At), Node: ev.Node}
	switch {
	case !n.unknown:
		return
	case !n.silent:
		d.False = true
	case n.counted:
		d.After = ev.At - n.since
		n.counted = false
	default:
		return
	}
	s.detections = append(s.detections, d)
}

// isHeartbeat tells a heartbeat that the API server took from the node's own kubelet.
func isHeartbeat(ev *traces.Event) bool {
	if ev.Code < 200 || ev.Code > 299 || nodeOfClient(ev.Actor) != ev.Node {
		return false
	}
	return ev.Resource == "leases" && (ev.Verb == "update" || ev.Verb == "create") ||
		ev.Resource == "nodes/status" && ev.Verb == "patch"
}
