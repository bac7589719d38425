package scenario

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/holter-sim/holter/sim"
	"github.com/holter-sim/holter/traces"
)

// History is what a trace comes to, in event order: transitions, taints,
// requests, how long the silent nodes took to be noticed. It reads nothing but
// the trace.
type History struct {
	Transitions []Transition
	Taints      []TaintChange
	Requests    map[string]int // "update leases": 17
	Detections  []Detection
	Faults      []FaultMoment

	story  story
	silent map[string]*silence
}

// Transition is one node condition that changed its status.
type Transition struct {
	At     sim.Time `json:"at"`
	Node   string   `json:"node"`
	Type   string   `json:"type"`
	From   string   `json:"from"`
	To     string   `json:"to"`
	Reason string   `json:"reason"`
	By     string   `json:"by"`
}

// TaintChange is one taint that was added or removed (Op).
type TaintChange struct {
	At     sim.Time `json:"at"`
	Node   string   `json:"node"`
	Key    string   `json:"key"`
	Effect string   `json:"effect"`
	Op     string   `json:"op"`
}

// Detection is a node whose Ready condition turned Unknown: After so long in
// silence, or False, while nothing kept it from being heard.
type Detection struct {
	At    sim.Time
	Node  string
	After time.Duration
	False bool
}

// FaultMoment is when a fault struck or ended.
type FaultMoment struct {
	At   sim.Time
	Name string // "" if it has none
	Verb string
	Node string // "" if it is about none or many
	What string // "begins" or "ends"
}

// silence is why a node cannot be heard.
type silence struct {
	reasons int
	since   time.Duration
}

func newHistory() *History {
	return &History{
		Transitions: []Transition{},
		Taints:      []TaintChange{},
		Requests:    map[string]int{},
		silent:      map[string]*silence{},
		story:       newStory(),
	}
}

// Event takes one event of the trace; it never fails.
func (h *History) Event(ev *traces.Event) error {
	switch ev.Kind {
	case traces.KindRequest:
		h.Requests[ev.Verb+" "+ev.Resource]++
	case traces.KindTransition:
		h.transition(ev)
	case traces.KindTaint:
		h.Taints = append(h.Taints, TaintChange{At: sim.Time(ev.At), Node: ev.Node, Key: ev.Name, Effect: ev.Reason, Op: ev.To})
	case traces.KindFault:
		h.Faults = append(h.Faults, FaultMoment{At: sim.Time(ev.At), Name: ev.Name, Verb: ev.Reason, Node: ev.Node, What: ev.To})
		h.silence(ev)
	}
	h.story.take(ev)
	return nil
}

func (h *History) transition(ev *traces.Event) {
	h.Transitions = append(h.Transitions, Transition{
		At: sim.Time(ev.At), Node: ev.Node, Type: ev.Name, From: ev.From, To: ev.To, Reason: ev.Reason, By: ev.Actor,
	})
	if ev.Name != string(corev1.NodeReady) || ev.To != string(corev1.ConditionUnknown) {
		return
	}
	d := Detection{At: sim.Time(ev.At), Node: ev.Node}
	if s := h.silent[ev.Node]; s != nil && s.reasons > 0 {
		d.After = ev.At - s.since
	} else {
		d.False = true
	}
	h.Detections = append(h.Detections, d)
}

// silence follows which faults keep a node from being heard.
func (h *History) silence(ev *traces.Event) {
	if ev.Node == "" {
		return
	}
	s := h.silent[ev.Node]
	if s == nil {
		s = &silence{}
		h.silent[ev.Node] = s
	}
	switch {
	case ev.Reason == "restart":
		s.reasons = 0
	case ev.Reason != "kill" && ev.Reason != "pause" && ev.Reason != "partition":
	case ev.To == faultBegins:
		if s.reasons++; s.reasons == 1 {
			s.since = ev.At
		}
	default:
		s.reasons = max(0, s.reasons-1)
	}
}
