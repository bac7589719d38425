package scenario

import (
	"github.com/holter-sim/holter/sim"
	"github.com/holter-sim/holter/traces"
)

// Violation is a rule that holds in every run, broken.
type Violation struct {
	Invariant string   `json:"invariant"`
	At        sim.Time `json:"at"`
	Node      string   `json:"node"`
	Message   string   `json:"message"`
}

// invariant watches one rule over the trace. Each has a file of its own.
type invariant interface {
	observe(ev *traces.Event)
	violations() []Violation
}

func newInvariants(e Effective) []invariant {
	return []invariant{
		newUnknownNeedsSilence(e.ControllerManager.NodeMonitorGracePeriod),
		newVersionsGrow(),
		newTaintNeedsCondition(e.ControllerManager.Behaviors.NodeLifecycle.TaintPatchHasVersion),
	}
}

// broken is a list that ends after the first few: one is enough to look into,
// and a million of them is no report.
type broken []Violation

const maxViolations = 20

func (b *broken) add(name string, ev *traces.Event, message string) {
	if len(*b) < maxViolations {
		*b = append(*b, Violation{Invariant: name, At: sim.Time(ev.At), Node: ev.Node, Message: message})
	}
}

func (b *broken) violations() []Violation { return *b }
