package scenario

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/holter-sim/holter/sim"
	"github.com/holter-sim/holter/traces"
)

// Account is a Sink that keeps of a run what its Result does not hold: each fault as it struck and ended, why nodes
// turned Unknown, and the story of some nodes alone.
type Account struct {
	Faults []FaultEvent

	nodes []string
	story story
	whys  map[int]string // by the place of the transition in Result.Transitions
	seen  int
}

// FaultEvent is a fault that began or ended (What), for one node or, with Node "", for none or many.
type FaultEvent struct {
	At     sim.Time `json:"at"`
	Name   string   `json:"name"`
	Verb   string   `json:"verb"`
	Node   string   `json:"node"`
	What   string   `json:"what"`
	Detail string   `json:"detail"`
}

// NewAccount keeps the account of these nodes, and of what is about none; of all without any.
func NewAccount(nodes ...string) *Account {
	return &Account{Faults: []FaultEvent{}, nodes: nodes, story: newStory(), whys: map[int]string{}}
}

// Event takes one event of the trace; it never fails.
func (a *Account) Event(ev *traces.Event) error {
	if len(a.nodes) > 0 && ev.Node != "" && !slices.Contains(a.nodes, ev.Node) {
		if ev.Kind == traces.KindTransition {
			a.seen++
		}
		return nil
	}
	switch ev.Kind {
	case traces.KindFault:
		a.Faults = append(a.Faults, FaultEvent{sim.Time(ev.At), ev.Name, ev.Reason, ev.Node, ev.To, ev.Detail})
	case traces.KindTransition:
		if why := a.story.expired[ev.Node]; why != "" && ev.To == string(corev1.ConditionUnknown) {
			a.whys[a.seen] = why
		}
		a.seen++
	}
	a.story.take(ev)
	return nil
}

// Story is what happened, folded for people.
func (a *Account) Story() []*StoryItem { return a.story.items }

// Why says why the controller made a transition of Result.Transitions, by its place there; "" where the transition's
// reason says all.
func (a *Account) Why(transition int) string { return a.whys[transition] }
