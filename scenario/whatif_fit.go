package scenario

import (
	"fmt"
	"time"

	"github.com/holter-sim/holter/sim"
)

// Fit is how the recorded controller's monitor passes lay in time, as far as
// its first transition tells. Everything after that transition is predicted.
type Fit struct {
	// Phase moves the controller's start, and all its passes with it. Where
	// the log has the start, it is 0.
	Phase time.Duration `json:"phase"`
	// CostPerNode is what a pass takes for each node, beside the period. It is
	// fitted where the log has the controller's start, and the model's default
	// where it has not.
	CostPerNode time.Duration `json:"costPerNode"`
	// On is the transition that it was fitted on; nil if the log has none that
	// the model makes too.
	On *Change `json:"on"`
	// First is when the first pass begins, from the start of the log.
	First sim.Time `json:"firstPass"`
}

// String is the fit in a line.
func (f Fit) String() string {
	line := fmt.Sprintf("first monitor pass at %s, %s a pass and node", f.First, f.CostPerNode)
	if f.On == nil {
		return line + ", not fitted: the log has no transition to fit it on"
	}
	return line + fmt.Sprintf(", fitted on %s %s at %s", f.On.Node, f.On.What, f.On.At)
}

const (
	// fitRounds is how often the model is run to bring its transition to the
	// recorded one. The first comes within microseconds, but for passes that
	// change places with renewals.
	fitRounds = 4
	// fitCandidates is how many recorded transitions are tried: the first of a
	// log that begins in the middle of an incident is one whose silence began
	// before the log.
	fitCandidates = 10
)

// fitPasses fits on the first recorded transition of a Ready condition that the
// model makes too.
func (w *WhatIf) fitPasses() error {
	unfitted := Fit{CostPerNode: w.cost}
	w.fit = unfitted
	tried := 0
	for i := range w.recording.Changes {
		on := &w.recording.Changes[i]
		if on.What != "Ready=Unknown" {
			continue
		}
		if tried++; tried > fitCandidates {
			return nil
		}
		fitted, err := w.fitOn(on)
		if fitted || err != nil {
			return err
		}
		w.fit = unfitted
	}
	return nil
}

// fitOn tries one transition. It has to lie within a pass of the model's, since
// a fit cannot move the model's any further.
func (w *WhatIf) fitOn(on *Change) (fitted bool, err error) {
	period := w.manager.NodeMonitorPeriod
	byCost := w.costCanBeFitted(on)
	for range fitRounds {
		run, err := w.simulate(w.manager, w.fit, (on.At + sim.Time(2*period)).Duration())
		if err != nil {
			return false, err
		}
		off, found := offsetOf(run.changes, on, period+Tolerance)
		if !found {
			return false, nil
		}
		w.fit.On = on
		if off == 0 {
			break
		}
		w.adjust(off-off.Round(period), byCost)
	}
	return true, nil
}

// costCanBeFitted tells whether the log has the controller's start, and so near
// that the drift of the passes since then, half a period at most, is the cost
// of the passes and nothing else.
func (w *WhatIf) costCanBeFitted(on *Change) bool {
	drift := w.cost * time.Duration(w.passesUntil(on)) * time.Duration(len(w.recording.Nodes))
	return w.recording.ControllerSeen && w.passesUntil(on) > 0 && drift < w.manager.NodeMonitorPeriod/2
}

func (w *WhatIf) passesUntil(on *Change) int64 {
	return int64(on.At.Sub(sim.Time(w.recording.ControllerStart)) / w.manager.NodeMonitorPeriod)
}

// offsetOf is how much earlier than recorded the model makes the same change, if
// it does so within the given time.
func offsetOf(changes []Change, want *Change, within time.Duration) (off time.Duration, found bool) {
	for _, c := range changes {
		d := want.At.Sub(c.At)
		if c.Node == want.Node && c.What == want.What && d.Abs() <= within && (!found || d.Abs() < off.Abs()) {
			off, found = d, true
		}
	}
	return off, found
}

// adjust moves the passes by off, which lies within half a period: the pass
// that acts is the right one, only its moment is not.
func (w *WhatIf) adjust(off time.Duration, byCost bool) {
	if byCost {
		steps := time.Duration(w.passesUntil(w.fit.On)) * time.Duration(len(w.recording.Nodes))
		w.fit.CostPerNode = max(0, w.fit.CostPerNode+off/steps)
		return
	}
	w.fit.Phase += off
	if w.fit.Phase < 0 {
		w.fit.Phase += w.manager.NodeMonitorPeriod
	}
}
