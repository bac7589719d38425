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
	Missed  []changeView `json:"missed"`
	Phantom []changeView `json:"phantom"`
}

type alternativeView struct {
	*scenario.Alternative
	Transitions []transitionView `json:"transitions"`
	Avoided     []changeView     `json:"avoided"`
	Added       []changeView     `json:"added"`
}

func newWhatIfView(i *incident) whatIfView {
	r := i.recording
	v := whatIfView{
		Recording: recordingView{
			Files: i.paths, KubernetesVersion: i.recordedWith.KubernetesVersion, Start: r.Start.UTC(), Span: fixed(r.End), Nodes: r.Nodes,
			Writes: len(r.Writes), Failed: r.Failed, Bodiless: r.Bodiless, Changes: len(r.Changes),
			ControllerStart: fixed(r.ControllerStart), ControllerSeen: r.ControllerSeen, ControllerLatency: fixed(r.ControllerLatency),
		},
		Fit: fitView{
			Phase: i.fit.Phase.String(), CostPerNode: i.fit.CostPerNode.String(), FirstPass: i.fit.First.String(), Pinned: i.pinned,
		},
		Baseline: baselineView{i.baseline, each(i.baseline.Missed, viewChange), each(i.baseline.Phantom, viewChange)},
		Alternatives: each(i.alternatives, func(a *scenario.Alternative) alternativeView {
			return alternativeView{a, each(a.Transitions, viewTransition), each(a.Avoided, viewChange), each(a.Added, viewChange)}
		}),
		Warnings: i.warnings,
	}
	if i.fit.On != nil {
		on := viewChange(*i.fit.On)
		v.Fit.On = &on
	}
	return v
}
