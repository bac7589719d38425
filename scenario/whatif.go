package scenario

import (
	"time"

	"github.com/holter-sim/holter/sim"
)

// Tolerance is how far apart in time a recorded change and the model's may be
// and still be the same.
const Tolerance = 500 * time.Millisecond

// WhatIf is a recorded incident: what the kubelets of an audit log asked of
// the API server, ready to be put to a model of the control plane again.
type WhatIf struct {
	recording    *Recording
	manager      ControllerManager
	cost         time.Duration
	statusPeriod time.Duration
	fit          Fit
	before       *simulated // under the recorded settings
	matched      *Baseline  // that, beside what was recorded
}

// Change is something the controller did to a node: its Ready condition was
// written, or a node-health taint was added or removed.
type Change struct {
	At   sim.Time `json:"at"`
	Node string   `json:"node"`
	What string   `json:"what"` // "Ready=Unknown", "+node.kubernetes.io/unreachable:NoExecute", "-..."
}

// Baseline lays the model's changes, under the settings that the log was
// recorded with, beside the recorded ones.
type Baseline struct {
	Recorded int `json:"recorded"`
	// Reproduced is Predicted and Fitted together. The change that the passes
	// were fitted on, at most one, is no prediction.
	Reproduced int `json:"reproduced"`
	Predicted  int `json:"predicted"`
	Fitted     int `json:"fitted"`
	// Missed are the recorded changes that the model does not make, Phantom
	// those that it makes and the record has not got.
	Missed          []Change `json:"missed"`
	Phantom         []Change `json:"phantom"`
	MaxErrorSeconds float64  `json:"maxErrorSeconds"`

	Pairs []Pair `json:"-"`
}

// Pair is a recorded change and the model's. Fitted is true of the one that the
// model's passes were fitted on.
type Pair struct {
	Recorded, Model Change
	Fitted          bool
}

// Alternative is the same incident under other settings, against the model
// under the recorded ones, so that an error of the model does not count as an
// effect of the setting. Nor does what the model misses: whether another setting
// would have avoided a recorded change that the model does not make, nobody
// knows. What it makes and the record has not got is a phantom, and says nothing
// of the cluster.
type Alternative struct {
	Set string `json:"set"`
	// Transitions are those of Ready conditions: the controller's, and the
	// kubelets' that follow them.
	Transitions []Transition `json:"transitions"`
	// Avoided are the changes that would not have been, Added those that would
	// have been instead or besides. A change that comes at another time is
	// neither: it is among Moved.
	Avoided []Change `json:"avoided"`
	Added   []Change `json:"added"`
	Moved   []Move   `json:"-"`
	// Undecided are the changes that have not come when the log ends, of nodes
	// that were not heard of again: they may only be late.
	Undecided []Change `json:"-"`
	// Missed is how many recorded changes the model does not make under the
	// recorded settings, so that nothing can be said of them.
	Missed int `json:"missed"`

	phantoms map[Change]bool // those of Avoided, Added and Undecided
}

// Phantom tells whether a change of Avoided or Undecided is one that the model
// makes under the recorded settings and the record has not got; and of one in
// Added, whether it comes in a silence that the model answers with such changes.
func (a *Alternative) Phantom(c Change) bool { return a.phantoms[c] }

// RecordedAvoided counts the changes of Avoided that were recorded, and are
// reproduced under the recorded settings.
func (a *Alternative) RecordedAvoided() int {
	n := 0
	for _, c := range a.Avoided {
		if !a.Phantom(c) {
			n++
		}
	}
	return n
}

// Move is a change that comes at another time: at To, and not at From.
type Move struct {
	Node, What string
	From, To   sim.Time
}

// NewWhatIf prepares a recording. settings are those it was recorded with
// (WhatIfSettings); a fit that is not given is made. The error is a panic in the
// model (*sim.ProcessPanic).
func NewWhatIf(r *Recording, settings Effective, fit *Fit) (*WhatIf, error) {
	w := &WhatIf{
		recording:    r,
		manager:      settings.ControllerManager,
		cost:         settings.Model.MonitorPassCostPerNode,
		statusPeriod: jittered(settings.Kubelet.NodeStatusUpdateFrequency),
	}
	if fit != nil {
		w.fit = *fit
	} else if err := w.fitPasses(); err != nil {
		return nil, err
	}
	before, err := w.simulate(w.manager, w.fit, r.End)
	if err != nil {
		return nil, err
	}
	w.before = before
	w.fit.First = before.firstPass
	w.matched = match(r.Changes, before.changes)
	w.matched.markFitted(w.fit.On)
	return w, nil
}

// Fit is how the monitor's passes were laid.
func (w *WhatIf) Fit() Fit { return w.fit }

// Baseline asks whether the model reproduces what happened.
func (w *WhatIf) Baseline() (*Baseline, error) {
	return w.matched, nil
}

// Alternative asks what other settings of the controller would have done; set
// is what they are called.
func (w *WhatIf) Alternative(set string, manager ControllerManager) (*Alternative, error) {
	after, err := w.simulate(manager, w.fit, w.recording.End)
	if err != nil {
		return nil, err
	}
	phantoms := map[Change]bool{}
	for _, c := range w.matched.Phantom {
		phantoms[c] = true
	}
	a := compareRuns(w.before, after, phantoms)
	a.Set, a.Missed = set, len(w.matched.Missed)
	return a, nil
}
