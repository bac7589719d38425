package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/holter-sim/holter/scenario"
	"github.com/holter-sim/holter/sim"
)

// runFlags are the flags of run.
type runFlags struct {
	seed, seeds string
	sets        []string
	trace       string
	format      *format
}

func (c *cli) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run SCENARIO...",
		Short: "Simulate scenarios, judge them, tell the story",
		Long: `Run simulates each scenario (a file, or - for standard input) and prints the settings that it ran with, what
the seed decided, what happened and why, and what came of each expectation. With --seeds it runs the scenario
once for each seed, on all cores, and prints how long it took until a silent node turned Unknown (percentiles
by nearest rank), false alarms, and the seeds of the extremes.

It exits with 1 if an expectation or an invariant failed, with what broke, the seed, and the command that shows
it again.`,
		Example: `  holter run testdata/scenarios/node-death.yaml
  holter run testdata/scenarios/node-death.yaml --seed 7 --set duration=5m --trace death.jsonl.zst
  holter run testdata/scenarios/node-death.yaml --seeds 1-20 -o json`,
		Args: atLeastOne("the path of a scenario, or - for standard input,"),
		RunE: func(cmd *cobra.Command, args []string) error { return c.runScenarios(cmd, args, f) },
	}
	cmd.Flags().StringVar(&f.seed, "seed", "", "run with seed `N` instead of the scenario's")
	cmd.Flags().StringVar(&f.seeds, "seeds", "", "run with each seed of `LIST`, as in 1-1000 or 3,7,9-12, and sum up")
	cmd.Flags().StringArrayVar(&f.sets, "set", nil, "another value for a field, by its path below the scenario's spec: `PATH=VALUE`; may be repeated")
	cmd.Flags().StringVar(&f.trace, "trace", "", "write the trace to `FILE`; packed if it ends in .zst or .gz")
	f.format = formatFlag(cmd)
	return cmd
}

// runScenarios runs one after the other; the exit code is the worst.
func (c *cli) runScenarios(cmd *cobra.Command, paths []string, f runFlags) error {
	if cmd.Flags().Changed("seed") && cmd.Flags().Changed("seeds") {
		return usage(cmd, "--seed is one run and --seeds are many: give one of the two")
	}
	seed, seeds, err := f.parseSeeds(cmd)
	if err != nil {
		return err
	}
	sets, err := parseAssignments("--set", f.sets)
	if err != nil {
		return err
	}
	if err := f.checkTrace(cmd, paths); err != nil {
		return err
	}
	worst := exitFine
	var inputs []*input
	for _, path := range paths {
		in, err := c.load(path, sets, seed)
		if err != nil {
			worst = max(worst, c.exitCode(err))
			continue
		}
		inputs = append(inputs, in)
	}
	for _, in := range inputs {
		var err error
		if seeds != nil {
			err = c.runSeeds(in, f.seeds, seeds, *f.format)
		} else {
			err = c.runOnce(in, f.trace, *f.format)
		}
		code := c.exitCode(err)
		if code == exitInterrupted {
			return failure{code}
		}
		worst = max(worst, code)
	}
	if worst != exitFine {
		return failure{worst}
	}
	return nil
}

func (f *runFlags) parseSeeds(cmd *cobra.Command) (seed *uint64, seeds []uint64, err error) {
	if cmd.Flags().Changed("seed") {
		n, err := scenario.ParseSeed(f.seed)
		if err != nil {
			return nil, nil, err
		}
		seed = &n
	}
	if cmd.Flags().Changed("seeds") {
		seeds, err = scenario.ParseSeeds(f.seeds)
	}
	return seed, seeds, err
}

// checkTrace refuses what cannot be put into one file.
func (f *runFlags) checkTrace(cmd *cobra.Command, paths []string) error {
	refuse := func(problem string) error {
		return &scenario.InputError{Field: "--trace", Value: f.trace, Message: quoted(f.trace) + " " + problem,
			Accepted: "the path of a file of its own, for one scenario and one seed"}
	}
	switch {
	case !cmd.Flags().Changed("trace"):
		return nil
	case f.trace == "" || f.trace == stdinName:
		return refuse("is no file")
	case len(paths) > 1 || cmd.Flags().Changed("seeds"):
		return refuse("is one file, and there is more than one run")
	case sameFile(f.trace, paths[0]):
		return refuse("is the scenario itself")
	}
	return nil
}

// runOnce runs one scenario with one seed.
func (c *cli) runOnce(in *input, tracePath string, f format) error {
	sinks := c.watchers
	var trace *traceFile
	if tracePath != "" {
		var err error
		if trace, err = createTrace(tracePath, in.scenario); err != nil {
			return err
		}
		defer trace.abort()
		sinks = slices.Concat(sinks, trace.sinks())
	}
	c.warnOf(in)
	progress := c.newProgress(in.label())
	watch := startStopwatch()
	result, err := scenario.Run(in.scenario, scenario.Options{Sinks: sinks}, progress.run)
	spent := watch.stop()
	progress.end()
	if err != nil {
		return c.crashed(err, in.runCommandLine)
	}
	if trace != nil {
		if err := trace.close(); err != nil {
			return c.crashed(err, in.runCommandLine)
		}
	}
	result.WallSeconds, result.CPUSeconds, result.PeakRSSBytes = spent.wall.Seconds(), spent.cpu.Seconds(), spent.peakRSS
	return c.report(in, result, spent, f)
}

// report prints a result; the error is that it is not OK.
func (c *cli) report(in *input, r *scenario.Result, spent cost, f format) error {
	var broken *form
	if !r.OK() {
		broken = &form{whatBroke(r.Expectations, r.Violations), r.Seed, in.runCommandLine(r.Seed)}
	}
	if f == asText {
		c.printer.paragraph()
		(&runReport{printer: &c.printer, input: in, result: r, cost: spent, broken: broken}).print()
	} else {
		if err := c.printer.object(f, newResultView(r)); err != nil {
			return err
		}
		if broken != nil {
			broken.print(&printer{out: c.errOut})
		}
	}
	if broken != nil {
		return failure{exitFailed}
	}
	return nil
}

// crashed tells of a run that did not come to its end, and how to see it again.
func (c *cli) crashed(err error, reproduce func(seed uint64) string) error {
	var crash *sim.ProcessPanic
	switch {
	case errors.Is(err, errInterrupted):
		return c.interrupted()
	case !errors.As(err, &crash):
		return err
	}
	p := &printer{out: c.errOut}
	crashForm(crash, reproduce(crash.Seed)).print(p)
	if len(crash.Stack) > 0 {
		p.line("\n%s", crash.Stack)
	}
	return failure{exitFailed}
}

// interrupted tells that somebody stopped the run.
func (c *cli) interrupted() error {
	fmt.Fprintln(c.errOut, "interrupted: the trace was not written")
	return failure{exitInterrupted}
}
