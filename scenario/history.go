package scenario

import (
	"cmp"

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
	Faults      []FaultMoment
	Evictions   []Eviction

	evicting evicting
	story    story
	silences silences
}

// Detections are the nodes that turned Unknown, in order.
func (h *History) Detections() []Detection { return h.silences.detections }

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

// FaultMoment is when a fault struck or ended.
type FaultMoment struct {
	At   sim.Time
	Name string // "" if it has none
	Verb string
	Node string // "" if it is about none or many
	What string // "begins" or "ends"
}

func newHistory() *History {
	return &History{
		Transitions: []Transition{},
		Taints:      []TaintChange{},
		Requests:    map[string]int{},
		Evictions:   []Eviction{},
		evicting:    newEvicting(),
		story:       newStory(),
		silences:    newSilences(),
	}
}

// Event takes one event of the trace; it never fails.
func (h *History) Event(ev *traces.Event) error {
	switch ev.Kind {
	case traces.KindRequest:
		h.Requests[ev.Verb+" "+cmp.Or(ev.Resource, "paths")]++ // of a path that is no resource's
	case traces.KindTransition:
		h.transition(ev)
	case traces.KindTaint:
		h.Taints = append(h.Taints, TaintChange{At: sim.Time(ev.At), Node: ev.Node, Key: ev.Name, Effect: ev.Reason, Op: ev.To})
	case traces.KindFault:
		h.Faults = append(h.Faults, FaultMoment{At: sim.Time(ev.At), Name: ev.Name, Verb: ev.Reason, Node: ev.Node, What: ev.To})
	}
	h.evict(ev)
	h.silences.take(ev)
	h.story.take(ev)
	return nil
}

func (h *History) transition(ev *traces.Event) {
	h.Transitions = append(h.Transitions, Transition{
		At: sim.Time(ev.At), Node: ev.Node, Type: ev.Name, From: ev.From, To: ev.To, Reason: ev.Reason, By: ev.Actor,
	})
}
