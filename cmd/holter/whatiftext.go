package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/holter-sim/holter/scenario"
	"github.com/holter-sim/holter/sim"
)

// whatIfReport is an incident, told for people.
type whatIfReport struct {
	*printer
	*incident
}

func (r *whatIfReport) print() {
	r.recorded()
	r.fitted()
	r.reproduced()
	for _, a := range r.alternatives {
		r.alternative(a)
	}
}

// recorded is what the log holds.
func (r *whatIfReport) recorded() {
	rec := r.recording
	r.line("%s   Kubernetes %s", strings.Join(r.paths, ", "), r.recordedWith.KubernetesVersion)
	t := &table{}
	t.add("span", fmt.Sprintf("%s, from %s to %s", threeDigits(rec.End), rec.Start.Format(time.RFC3339), rec.Start.Add(rec.End).Format(time.RFC3339)))
	t.add("nodes", fmt.Sprintf("%d: %s", len(rec.Nodes), firstNames(rec.Nodes)))
	writes := number(len(rec.Writes)) + " by others than the node lifecycle controller, put to the model"
	if rec.Failed > 0 {
		writes += "; " + number(rec.Failed) + " that the server refused are left out"
	}
	t.add("writes", writes)
	t.add("changes", number(len(rec.Changes))+" by the node lifecycle controller, which takes "+threeDigits(rec.ControllerLatency).String()+" a request (median)")
	start := "not in the log"
	if rec.ControllerSeen {
		start = r.moment(sim.Time(rec.ControllerStart))
	}
	t.add("controller starts", start)
	t.print(r.printer, "  ")
	for i, w := range r.warnings {
		if i == 0 {
			r.line("")
		}
		r.hanging("warning: ", w)
	}
}

// mostNames is how many names are listed.
const mostNames = 8

func firstNames(names []string) string {
	text := strings.Join(names[:min(len(names), mostNames)], ", ")
	if more := len(names) - mostNames; more > 0 {
		text += " and " + number(more) + " more"
	}
	return text
}

// fitted is how the controller's passes are laid in time.
func (r *whatIfReport) fitted() {
	r.section("Fit")
	how := "no transition to Unknown to fit on: the model's defaults"
	switch {
	case r.pinned:
		how = "given on the command line"
	case r.fit.On != nil:
		how = r.fit.On.Node + " " + r.fit.On.What + " at " + r.moment(r.fit.On.At)
	}
	t := &table{}
	t.add("phase", r.fit.Phase.String()+", which puts the first pass at "+r.moment(r.fit.First))
	t.add("cost", r.fit.CostPerNode.String()+" a node and pass, beside the period")
	t.add("on", how)
	t.print(r.printer, "  ")
}

// reproduced lays the model beside the log.
func (r *whatIfReport) reproduced() {
	b := r.baseline
	r.section(fmt.Sprintf("Baseline   %d of %d recorded changes reproduced within %s, the largest error %s",
		b.Reproduced, b.Recorded, scenario.Tolerance, milliseconds(time.Duration(b.MaxErrorSeconds*float64(time.Second)))))
	if set := r.recordedWith; len(set.Settings) > 0 {
		m := set.ControllerManager
		r.line("  node-monitor-grace-period %s, node-monitor-period %s, node-startup-grace-period %s",
			m.NodeMonitorGracePeriod, m.NodeMonitorPeriod, m.NodeStartupGracePeriod)
	}
	if len(b.Pairs) > 0 {
		t := &table{}
		t.add("recorded", "wall", "model", "error", "node", "change")
		for _, p := range b.Pairs {
			t.add(p.Recorded.At.String(), r.wall(p.Recorded.At), p.Model.At.String(), signed(p.Model.At.Sub(p.Recorded.At)), p.Recorded.Node, p.Recorded.What)
		}
		r.line("")
		t.print(r.printer, "  ")
	}
	r.changes("missed: recorded, and not done by the model", b.Missed)
	r.changes("phantom: done by the model, and not recorded", b.Phantom)
}

// alternative is what other settings would have done.
func (r *whatIfReport) alternative(a *scenario.Alternative) {
	r.section("Alternative   " + a.Set)
	r.line("  against the model under the recorded settings: %d changes avoided, %d added", len(a.Avoided), len(a.Added))
	if len(a.Transitions) > 0 {
		t := &table{}
		for _, tr := range a.Transitions {
			t.add(tr.At.String(), r.wall(tr.At), tr.Node, fmt.Sprintf("%s %s -> %s (%s)", tr.Type, tr.From, tr.To, tr.Reason))
		}
		r.line("\n  transitions (%d)", len(a.Transitions))
		t.print(r.printer, "    ")
	} else {
		r.line("\n  transitions: none")
	}
	r.changes("avoided", a.Avoided)
	r.changes("added", a.Added)
}

// changes lists changes under a title, with their times as offset and on the wall.
func (r *whatIfReport) changes(title string, changes []scenario.Change) {
	if len(changes) == 0 {
		r.line("\n  %s: none", title)
		return
	}
	r.line("\n  %s (%d)", title, len(changes))
	t := &table{}
	for _, c := range changes {
		t.add(c.At.String(), r.wall(c.At), c.Node, c.What)
	}
	t.print(r.printer, "    ")
}

// moment is a time as offset and on the wall.
func (r *whatIfReport) moment(t sim.Time) string { return t.String() + " (" + r.wall(t) + ")" }

// wall is a time on the wall, in UTC: of day if the log is of one day.
func (r *whatIfReport) wall(t sim.Time) string {
	const clock = "15:04:05.000Z"
	start := r.recording.Start.UTC()
	layout := clock
	if end := start.Add(r.recording.End); start.YearDay() != end.YearDay() || start.Year() != end.Year() {
		layout = "2006-01-02T" + clock
	}
	return start.Add(t.Duration()).Format(layout)
}

// signed is an error in milliseconds with its sign: the model is late (+) or early (-).
func signed(d time.Duration) string {
	if text := milliseconds(d); text[0] == '-' {
		return text
	}
	return "+" + milliseconds(d)
}

func milliseconds(d time.Duration) string {
	d = d.Round(100 * time.Microsecond) // so that nothing is -0.0
	return strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', 1, 64) + "ms"
}
