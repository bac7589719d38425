package main

import (
	"time"

	"github.com/holter-sim/holter/scenario"
)

// whatIfView is what -o json prints of an incident.
type whatIfView struct {
	Recording    recordingView     `json:"recording"`
	Fit          fitView           `json:"fit"`
	Baseline     baselineView      `json:"baseline"`
	Alternatives []alternativeView `json:"alternatives"`
	Warnings     []string          `json:"warnings"`
}

// recordingView is what the log holds. Virtual times count from Start.
type recordingView struct {
	Files             []string  `json:"files"`
	KubernetesVersion string    `json:"kubernetesVersion"`
	Start             time.Time `json:"start"`
	Span              string    `json:"span"`
	Nodes             []string  `json:"nodes"`
	Writes            int       `json:"writes"`   // put to the model
	Failed            int       `json:"failed"`   // that the server refused
	Bodiless          int       `json:"bodiless"` // of which the log has no object
	Changes           int       `json:"changes"`  // of the recorded controller
	ControllerStart   string    `json:"controllerStart"`
	ControllerSeen    bool      `json:"controllerSeen"` // the log has that moment
	ControllerLatency string    `json:"controllerLatency"`
	// Outages are the times in which the recorded API server answered nobody.
	Outages []outageView `json:"outages"`
}

type outageView struct {
	From    string `json:"from"`
	To      string `json:"to"`
	Restart bool   `json:"restart"` // the server was gone and started anew; otherwise it hung
}

func viewOutage(o scenario.Outage) outageView {
	return outageView{fixed(o.From), fixed(o.To), o.Restart}
}

// fitView is how the controller's passes are laid in time; its durations are what --fit-phase and --fit-cost take.
type fitView struct {
	Phase       string      `json:"phase"`
	CostPerNode string      `json:"costPerNode"`
	On          *changeView `json:"on"`
	FirstPass   string      `json:"firstPass"`
	Pinned      bool        `json:"pinned"`
}

type baselineView struct {
	*scenario.Baseline
	Pairs   []pairView   `json:"pairs"`
	Missed  []changeView `json:"missed"`
	Phantom []changeView `json:"phantom"`
}

// pairView is a recorded change, and when the model does it.
type pairView struct {
	changeView
	Model        string  `json:"model"`
	ErrorSeconds float64 `json:"errorSeconds"` // the model is late, or early (negative)
	Fitted       bool    `json:"fitted"`       // the model's passes were fitted on it: it is no prediction
}

func viewPair(p scenario.Pair) pairView {
	return pairView{viewChange(p.Recorded), p.Model.At.String(), p.Model.At.Sub(p.Recorded.At).Seconds(), p.Fitted}
}

type alternativeView struct {
	*scenario.Alternative
	Transitions     []transitionView `json:"transitions"`
	RecordedAvoided int              `json:"recordedAvoided"` // of Avoided, those that are no phantoms
	Avoided         []effectView     `json:"avoided"`
	Added           []effectView     `json:"added"`
	Undecided       []effectView     `json:"undecided"`
}

// effectView is a change that other settings avoid or add. Phantom says that it was not recorded, or answers a silence
// that the model answers with what was not recorded.
type effectView struct {
	changeView
	Phantom bool `json:"phantom"`
}

func viewAlternative(a *scenario.Alternative) alternativeView {
	effect := func(c scenario.Change) effectView { return effectView{viewChange(c), a.Phantom(c)} }
	return alternativeView{a, each(a.Transitions, viewTransition), a.RecordedAvoided(), each(a.Avoided, effect), each(a.Added, effect),
		each(a.Undecided, effect)}
}

func newWhatIfView(i *incident) whatIfView {
	r := i.recording
	v := whatIfView{
		Recording: recordingView{
			Files: i.paths, KubernetesVersion: i.recordedWith.KubernetesVersion, Start: r.Start.UTC(), Span: fixed(r.End), Nodes: r.Nodes,
			Writes: len(r.Writes), Failed: r.Failed, Bodiless: r.Bodiless, Changes: len(r.Changes),
			ControllerStart: fixed(r.ControllerStart), ControllerSeen: r.ControllerSeen, ControllerLatency: fixed(r.ControllerLatency),
			Outages: each(r.Outages, viewOutage),
		},
		Fit: fitView{
			Phase: i.fit.Phase.String(), CostPerNode: i.fit.CostPerNode.String(), FirstPass: i.fit.First.String(), Pinned: i.pinned,
		},
		Baseline:     baselineView{i.baseline, each(i.baseline.Pairs, viewPair), each(i.baseline.Missed, viewChange), each(i.baseline.Phantom, viewChange)},
		Alternatives: each(i.alternatives, viewAlternative),
		Warnings:     i.warnings,
	}
	if i.fit.On != nil {
		on := viewChange(*i.fit.On)
		v.Fit.On = &on
	}
	return v
}
