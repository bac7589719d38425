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
	r.line("%s   Kubernetes %s", strings.Join(each(r.paths, scenario.DisplayName), ", "), r.recordedWith.KubernetesVersion)
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
	for i, o := range rec.Outages[:min(len(rec.Outages), mostNames)] {
		label := ""
		if i == 0 {
			label = "server away"
		}
		how := "it hung"
		if o.Restart {
			how = "it started anew"
		}
		t.add(label, "from "+r.moment(sim.Time(o.From))+" to "+r.moment(sim.Time(o.To))+": "+how)
	}
	if more := len(rec.Outages) - mostNames; more > 0 {
		t.add("", "and "+number(more)+" times more")
	}
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
	r.section("Baseline   " + reproduction(b))
	if set := r.recordedWith; len(set.Settings) > 0 {
		m := set.ControllerManager
		r.line("  node-monitor-grace-period %s, node-monitor-period %s, node-startup-grace-period %s",
			m.NodeMonitorGracePeriod, m.NodeMonitorPeriod, m.NodeStartupGracePeriod)
	}
	if len(b.Pairs) > 0 {
		t := &table{}
		t.add("recorded", "wall", "model", "error", "", "node", "change")
		for _, p := range b.Pairs {
			mark := ""
			if p.Fitted {
				mark = "fitted"
			}
			t.add(p.Recorded.At.String(), r.wall(p.Recorded.At), p.Model.At.String(), signed(p.Model.At.Sub(p.Recorded.At)), mark, p.Recorded.Node, p.Recorded.What)
		}
		r.line("")
		t.print(r.printer, "  ")
	}
	r.changes("missed: recorded, and not done by the model", b.Missed)
	r.changes("phantom: done by the model, and not recorded", b.Phantom)
}

// reproduction says how much of what was recorded the model does.
func reproduction(b *scenario.Baseline) string {
	if b.Recorded == 0 {
		return "the log has no change of a node's health by the controller: nothing to compare with"
	}
	text := number(b.Predicted) + " predicted"
	if b.Fitted > 0 {
		text += " + " + number(b.Fitted) + " fitted"
	}
	text += " of " + plural(b.Recorded, "recorded change") + ", within " + scenario.Tolerance.String()
	if b.Predicted > 0 {
		text += "; the largest error is " + milliseconds(time.Duration(b.MaxErrorSeconds*float64(time.Second)))
	}
	return text
}

// answer says what the alternative would have spared of what was recorded.
func (r *whatIfReport) answer(a *scenario.Alternative) {
	if r.baseline.Recorded == 0 {
		r.line("  nothing was recorded that it could have avoided")
		return
	}
	r.hanging("  ", fmt.Sprintf("it avoids %s of the %s that the model reproduces", number(a.RecordedAvoided()), plural(r.baseline.Reproduced, "recorded change")))
	if a.Missed > 0 {
		r.hanging("  ", fmt.Sprintf("of the %s that the model misses, nothing can be said", plural(a.Missed, "recorded change")))
	}
}

// alternative is what other settings would have done.
func (r *whatIfReport) alternative(a *scenario.Alternative) {
	r.section("Alternative   " + a.Set)
	r.answer(a)
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
	avoided, phantoms := split(a, a.Avoided)
	added, doubtful := split(a, a.Added)
	r.changes("avoided: recorded, and not done under these settings", avoided)
	r.changes("added: done under these settings, and not under those of the recording", added)
	for _, list := range []struct {
		title   string
		changes []scenario.Change
	}{
		{"phantoms avoided: done by the model under the recorded settings, and not recorded", phantoms},
		{"added to phantoms: in a silence that the model answers with what was not recorded", doubtful},
		{"undecided: not done when the log ends, and perhaps only late", a.Undecided},
	} {
		if len(list.changes) > 0 {
			r.changes(list.title, list.changes)
		}
	}
}

// split takes the phantoms out of a list of changes.
func split(a *scenario.Alternative, changes []scenario.Change) (recorded, phantoms []scenario.Change) {
	for _, c := range changes {
		if a.Phantom(c) {
			phantoms = append(phantoms, c)
		} else {
			recorded = append(recorded, c)
		}
	}
	return recorded, phantoms
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
