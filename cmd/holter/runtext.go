package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/holter-sim/holter/scenario"
	"github.com/holter-sim/holter/traces"
)

// runReport is a run, told for people.
type runReport struct {
	*printer
	input  *input
	result *scenario.Result
	story  []*scenario.StoryItem
	cost   cost
	broken *form // nil if all is well
}

// print tells a run; quiet leaves out what led to its end.
func (r *runReport) print(quiet bool) {
	s, result := r.input.scenario, r.result
	r.line("%s   %s   seed %d   %s   %s", result.Scenario, versionsOf(s, result.KubernetesVersion), result.Seed,
		plural(result.Nodes, "node"), s.Spec.Duration.Duration)
	if !quiet {
		r.settings(result.Effective().Settings)
		r.drawn()
		r.tell()
	}
	r.expectations()
	r.violations()
	if !quiet {
		r.requests()
	}
	if r.broken != nil {
		r.line("")
		r.broken.print(r.printer)
	}
	r.line("")
	r.line("hash %s  events %d  ties %d  %s", result.TraceHash, result.Events, result.Ties, r.cost.took(s.Spec.Duration.Duration))
}

// versionsOf names the version of Kubernetes, and those of the components that have another.
func versionsOf(s *scenario.Scenario, kubernetes string) string {
	var others []string
	if kubelets := s.KubeletVersions(); !slices.Equal(kubelets, []string{kubernetes}) {
		others = append(others, "kubelets "+strings.Join(kubelets, ", "))
	}
	if manager := s.Spec.ControllerManager.Version; manager != "" && manager != kubernetes {
		others = append(others, "controller-manager "+manager)
	}
	if len(others) == 0 {
		return "Kubernetes " + kubernetes
	}
	return fmt.Sprintf("Kubernetes %s (%s)", kubernetes, strings.Join(others, "; "))
}

// section heads a part of what is printed.
func (p *printer) section(title string) {
	p.line("")
	p.line("%s", title)
}

// alwaysShown are the settings that decide how soon a node is called Unknown; others are shown if they are not default.
var alwaysShown = []string{
	"kubelet.nodeStatusUpdateFrequency",
	"kubelet.nodeStatusReportFrequency",
	"kubelet.nodeLeaseDurationSeconds",
	"kubelet.leaseRenewInterval",
	"controllerManager.node-monitor-grace-period",
	"controllerManager.node-monitor-period",
}

// settings lists each with where it came from; a note goes below its setting.
func (p *printer) settings(settings []scenario.Setting) {
	p.section("Settings")
	t := &table{}
	notes := map[int]string{}
	for _, s := range settings {
		if !slices.Contains(alwaysShown, s.Path) && (s.Derived || strings.HasPrefix(s.Source, "default")) {
			continue
		}
		if s.Note != "" {
			notes[len(t.rows)] = s.Note
		}
		t.add(s.Path, s.Value, s.Source)
	}
	widths := t.widths()
	for i, row := range t.rows {
		p.line("  %s  %s  %s", pad(row[0], widths[0]), pad(row[1], widths[1]), row[2])
		if notes[i] != "" {
			p.hanging("    note: ", notes[i])
		}
	}
}

func (r *runReport) drawn() {
	draws := r.result.Draws()
	if len(draws) == 0 {
		return
	}
	r.section("Drawn")
	for _, draw := range draws {
		r.hanging("  ", draw)
	}
}

// tell is the story.
func (r *runReport) tell() {
	r.section("Story")
	if len(r.story) == 0 {
		r.line("  nothing happened")
	}
	for _, item := range r.story {
		r.hanging("  "+traces.FormatTime(item.From)+"  ", item.String())
	}
}

// How many expectations are listed; one for every node is one a node.
const (
	mostMet    = 20
	mostFailed = 100
)

// expectations lists the first that were not met, and the first that were, in their order.
func (r *runReport) expectations() {
	verdicts := r.result.Expectations
	if len(verdicts) == 0 {
		return
	}
	if len(verdicts) > mostMet {
		verdicts = scenario.Summarize(verdicts)
	}
	r.section("Expectations")
	met, failed, listed, width := 0, 0, []scenario.Verdict{}, 0
	for _, v := range verdicts {
		if v.OK {
			met++
		} else {
			failed++
		}
		if v.OK && met > mostMet || !v.OK && failed > mostFailed {
			continue
		}
		listed = append(listed, v)
		width = max(width, min(len(v.Want), pageWidth/2))
	}
	for _, v := range listed {
		mark := "ok    "
		if !v.OK {
			mark = "FAILED"
		}
		r.hanging("  "+mark+"  ", v.Name)
		if lead := "          want " + pad(v.Want, width) + "   got "; len(lead)+len(v.Got) <= pageWidth {
			r.line("%s", r.paint(lead+v.Got))
			continue
		}
		r.hanging("          want ", v.Want)
		r.hanging("          got  ", v.Got)
	}
	if more := met - mostMet; more > 0 {
		r.line("%s", r.paint("  ok      "+number(more)+" more"))
	}
	if more := failed - mostFailed; more > 0 {
		r.line("%s", r.paint("  FAILED  "+number(more)+" more"))
	}
}

func (r *runReport) violations() {
	if len(r.result.Violations) == 0 {
		return
	}
	r.section("Invariants broken")
	t := &table{}
	for _, v := range r.result.Violations {
		t.add(v.At.String(), v.Node, v.Invariant+": "+v.Message)
	}
	t.print(r.printer, "  FAILED  ")
}

// requests sums up on one line, the most frequent first, as far as the line reaches.
func (r *runReport) requests() {
	counts := r.result.Requests
	kinds := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	total := 0
	for _, n := range counts {
		total += n
	}
	line := fmt.Sprintf("Requests  %s in all", number(total))
	rest := total
	for i, kind := range kinds {
		next := fmt.Sprintf("   %s %s", number(counts[kind]), kind)
		if len(line)+len(next) > pageWidth-len("   000,000 of 00 other kinds") && i < len(kinds)-1 {
			line += fmt.Sprintf("   %s of %s", number(rest), plural(len(kinds)-i, "other kind"))
			break
		}
		line += next
		rest -= counts[kind]
	}
	r.line("")
	r.line("%s", line)
}
