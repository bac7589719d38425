package main

import (
	"time"

	"github.com/holter-sim/holter/scenario"
	"github.com/holter-sim/holter/traces"
)

// What -o json prints where it is not a value of package scenario as it stands: virtual times are text of fixed width, so
// that it sorts. A view has the fields of what it stands for, with those in place of its own that hold times.

// resultView is a run.
type resultView struct {
	*scenario.Result
	Settings    []settingView    `json:"settings"`
	Drawn       []string         `json:"drawn"`
	Faults      []faultView      `json:"faults"`
	Transitions []transitionView `json:"transitions"`
	Taints      []taintView      `json:"taints"`
	Evictions   []evictionView   `json:"evictions"`
	Violations  []violationView  `json:"violations"`
}

func newResultView(r *scenario.Result, account *scenario.Account) resultView {
	transitions := each(r.Transitions, viewTransition)
	for i := range transitions {
		transitions[i].Why = account.Why(i)
	}
	return resultView{
		Result:      r,
		Settings:    viewSettings(r.Effective()),
		Drawn:       append([]string{}, r.Draws()...),
		Faults:      each(account.Faults, func(f scenario.FaultEvent) faultView { return faultView{f.At.String(), f} }),
		Transitions: transitions,
		Taints:      each(r.Taints, func(t scenario.TaintChange) taintView { return taintView{t.At.String(), t} }),
		Evictions:   each(r.Evictions, viewEviction),
		Violations:  each(r.Violations, viewViolation),
	}
}

// settingView is an effective setting, and where its value comes from.
type settingView struct {
	Path    string `json:"path"`
	Value   string `json:"value"`
	Source  string `json:"source"`
	Note    string `json:"note,omitempty"`
	Derived bool   `json:"derived,omitempty"` // it follows from others, and cannot be set
}

func viewSettings(e scenario.Effective) []settingView {
	return each(e.Settings, func(s scenario.Setting) settingView { return settingView(s) })
}

type transitionView struct {
	At string `json:"at"`
	scenario.Transition
	Why string `json:"why,omitempty"` // where the reason does not say it
}

func viewTransition(t scenario.Transition) transitionView {
	return transitionView{At: t.At.String(), Transition: t}
}

// faultView is a fault that began or ended.
type faultView struct {
	At string `json:"at"`
	scenario.FaultEvent
}

type taintView struct {
	At string `json:"at"`
	scenario.TaintChange
}

type evictionView struct {
	At   string `json:"at"`
	Gone string `json:"gone,omitempty"`
	scenario.Eviction
}

func viewEviction(e scenario.Eviction) evictionView {
	view := evictionView{At: e.At.String(), Eviction: e}
	if e.Gone != nil {
		view.Gone = e.Gone.String()
	}
	return view
}

type violationView struct {
	At string `json:"at"`
	scenario.Violation
}

func viewViolation(v scenario.Violation) violationView { return violationView{v.At.String(), v} }

// changeView is a change of a recording, or of the model beside it.
type changeView struct {
	At string `json:"at"`
	scenario.Change
}

func viewChange(c scenario.Change) changeView { return changeView{c.At.String(), c} }

// distributionView is a scenario over many seeds.
type distributionView struct {
	Seeds       string `json:"seeds"`
	Interrupted bool   `json:"interrupted,omitempty"` // so that not all of the seeds were run
	*scenario.Distribution
	Settings []settingView     `json:"settings"`
	Failed   []seedFailureView `json:"failed"`

	WallSeconds  float64 `json:"wallSeconds"`
	CPUSeconds   float64 `json:"cpuSeconds"`
	PeakRSSBytes int64   `json:"peakRSSBytes"`
}

type seedFailureView struct {
	scenario.SeedFailure
	Violations []violationView `json:"violations"`
}

func newDistributionView(seeds string, d *scenario.Distribution, settings scenario.Effective, spent cost) distributionView {
	return distributionView{
		Seeds:        seeds,
		Distribution: d,
		Settings:     viewSettings(settings),
		Failed: each(d.Failed, func(f scenario.SeedFailure) seedFailureView {
			return seedFailureView{f, each(f.Violations, viewViolation)}
		}),
		WallSeconds: spent.wall.Seconds(), CPUSeconds: spent.cpu.Seconds(), PeakRSSBytes: spent.peakRSS,
	}
}

// each views every element of a list; the view of nil is an empty list.
func each[T, V any](list []T, view func(T) V) []V {
	views := make([]V, len(list))
	for i, element := range list {
		views[i] = view(element)
	}
	return views
}

// fixed is a duration in the form of a virtual time.
func fixed(d time.Duration) string { return traces.FormatTime(d) }
