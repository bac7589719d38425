package main

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/holter-sim/holter/scenario"
)

// runSeeds runs one scenario with many seeds, on all cores.
func (c *cli) runSeeds(in *input, list string, seeds []uint64, f format) error {
	c.warnOf(in)
	progress := c.newProgress(in.label())
	watch := startStopwatch()
	d, err := scenario.RunSeedsUntil(in.scenario, seeds, runtime.GOMAXPROCS(0), func(done, total int) {
		c.interrupt.done.Store(int64(done))
		progress.seeds(done, total)
	}, c.interrupt.raised.Load)
	spent := watch.stop()
	progress.end()
	if err != nil {
		return c.crashed(err, in.runCommandLine)
	}
	effective, err := in.scenario.Effective()
	if err != nil {
		return err
	}
	interrupted := d.Runs < len(seeds)
	if interrupted {
		c.warnInterrupted(d.Runs, len(seeds))
		if d.Runs == 0 {
			return failure{exitInterrupted}
		}
	}
	broken := seedsForm(in, d)
	if f == asText {
		c.printer.paragraph()
		(&seedsReport{printer: &c.printer, input: in, list: list, distribution: d, settings: effective, cost: spent, broken: broken}).print()
	} else {
		view := newDistributionView(list, d, effective, spent)
		view.Interrupted = interrupted
		if err := c.printer.object(f, view); err != nil {
			return err
		}
		if broken != nil {
			broken.print(&printer{out: c.errOut})
		}
	}
	switch {
	case interrupted:
		return failure{exitInterrupted}
	case broken != nil:
		return failure{exitFailed}
	}
	return nil
}

// warnInterrupted tells that somebody stopped the runs, and what the summary is of.
func (c *cli) warnInterrupted(done, asked int) {
	text := fmt.Sprintf("interrupted after %s of %s", number(done), plural(asked, "run"))
	if done > 0 {
		text += ": the summary is of those"
	}
	fmt.Fprintln(c.errOut, text)
}

// seedsForm is about the first seed that broke something; nil if none did.
func seedsForm(in *input, d *scenario.Distribution) *form {
	if d.OK() {
		return nil
	}
	first := &d.Failed[0]
	broke := append([]string{number(len(d.Failed)) + " of " + plural(d.Runs, "run") + ": " + seedNames(failedSeeds(d))},
		whatBroke(first.Verdicts, first.Violations)...)
	return &form{broke, first.Seed, in.runCommandLine(first.Seed)}
}

func failedSeeds(d *scenario.Distribution) []uint64 {
	seeds := make([]uint64, len(d.Failed))
	for i := range d.Failed {
		seeds[i] = d.Failed[i].Seed
	}
	return seeds
}

// seedsReport is a distribution, told for people.
type seedsReport struct {
	*printer
	input        *input
	list         string
	distribution *scenario.Distribution
	settings     scenario.Effective
	cost         cost
	broken       *form
}

func (r *seedsReport) print() {
	s, d := r.input.scenario, r.distribution
	r.line("%s   %s   seeds %s   %s   %s each", d.Scenario, versionsOf(s, d.KubernetesVersion), r.list, plural(d.Nodes, "node"), s.Spec.Duration.Duration)
	r.printer.settings(r.settings.Settings)
	r.detection()
	r.falseAlarms()
	r.verdict()
	if r.broken != nil {
		r.line("")
		r.broken.print(r.printer)
	}
	r.line("")
	r.line("%s  %s", plural(d.Runs, "run"), r.cost.took(time.Duration(d.Runs)*s.Spec.Duration.Duration))
}

// detection is how long nodes were silent before they were called Unknown.
func (r *seedsReport) detection() {
	d := r.distribution
	r.section("Detection   from a node's silence to Ready Unknown, percentiles by nearest rank")
	if d.Silences == 0 {
		r.line("  no node fell silent")
		return
	}
	r.line("  %s of %s found", number(d.Detection.Count), plural(d.Silences, "silence"))
	if st := d.Detection; st.Count > 0 {
		t := &table{}
		t.add("min", seconds(st.Min), "seed "+strconv.FormatUint(st.SeedOfMin, 10))
		t.add("p50", seconds(st.P50), "")
		t.add("p90", seconds(st.P90), "")
		t.add("p99", seconds(st.P99), "")
		t.add("max", seconds(st.Max), "seed "+strconv.FormatUint(st.SeedOfMax, 10))
		t.print(r.printer, "  ")
	}
	if len(d.NotDetected) > 0 {
		r.hanging("  not found in "+plural(len(d.NotDetected), "run")+": ", seedNames(d.NotDetected))
	}
}

func (r *seedsReport) falseAlarms() {
	f := r.distribution.FalseNotReady
	r.section("False NotReady   Ready Unknown outside a kill, pause or partition of the node")
	r.line("  %s in %s node-hours (%s a node-hour)", number(f.Count), strconv.FormatFloat(r.distribution.NodeHours, 'f', 1, 64),
		strconv.FormatFloat(f.PerNodeHour, 'g', 3, 64))
	if len(f.Seeds) > 0 {
		r.hanging("  in "+plural(len(f.Seeds), "run")+": ", seedNames(f.Seeds))
	}
}

func (r *seedsReport) verdict() {
	d := r.distribution
	r.section("Expectations and invariants")
	if d.OK() {
		r.line("%s", r.paint("  ok      in all runs"))
		return
	}
	r.line("%s", r.paint("  FAILED  in "+number(len(d.Failed))+" of "+plural(d.Runs, "run")))
}

// mostSeedNames is how many seeds are listed.
const mostSeedNames = 10

// seedNames lists the first few.
func seedNames(seeds []uint64) string {
	names := make([]string, 0, mostSeedNames)
	for _, seed := range seeds[:min(len(seeds), mostSeedNames)] {
		names = append(names, strconv.FormatUint(seed, 10))
	}
	text := "seeds " + strings.Join(names, ", ")
	if len(seeds) == 1 {
		text = "seed " + names[0]
	}
	if more := len(seeds) - len(names); more > 0 {
		text += " and " + number(more) + " more"
	}
	return text
}

// seconds writes a detection time to the millisecond, in a column that lines up.
func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) + "s" }
