package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/holter-sim/holter/scenario"
	"github.com/holter-sim/holter/sim"
	"github.com/holter-sim/holter/traces"
)

// runFlags are the flags of run.
type runFlags struct {
	seed, seeds string
	sets        []string
	trace       string
	nodes       []string
	quiet       bool
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
	cmd.Flags().StringArrayVar(&f.nodes, "node", nil, "tell the story of node `NAME` alone, and of the cluster; may be repeated")
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "print the expectations and the last lines only")
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
	if err := f.checkSeedSets(cmd, sets); err != nil {
		return err
	}
	if err := f.checkTrace(cmd, paths); err != nil {
		return err
	}
	defer c.interrupt.listen()()
	worst := exitFine
	var inputs []*input
	for _, path := range paths {
		in, err := c.load(path, sets, seed)
		if err == nil {
			err = f.checkInput(in)
		}
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
			err = c.runOnce(in, f)
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

// checkSeedSets refuses two seeds for one run.
func (f *runFlags) checkSeedSets(cmd *cobra.Command, sets []assignment) error {
	for _, set := range sets {
		if strings.TrimPrefix(set.path, "spec.") != "seed" {
			continue
		}
		for _, flag := range []string{"seed", "seeds"} {
			if cmd.Flags().Changed(flag) {
				return usage(cmd, "--%s and %s both say the seed: give one of the two", flag, set)
			}
		}
	}
	return nil
}

// checkInput refuses a trace in the place of a file that the scenario was read from, and nodes that it has not got.
func (f *runFlags) checkInput(in *input) error {
	for _, path := range in.scenario.Files() {
		if f.trace != "" && sameFile(f.trace, path) {
			return f.refuseTrace("is a file that the scenario is read from")
		}
	}
	var names []string
	for _, group := range in.scenario.NodeNames() {
		names = append(names, group...)
	}
	for _, name := range f.nodes {
		if !slices.Contains(names, name) {
			return &scenario.InputError{Field: "--node", Value: name, Message: quoted(name) + " is no node of " + in.name(),
				Accepted: firstNames(names)}
		}
	}
	return nil
}

func (f *runFlags) refuseTrace(problem string) error {
	return &scenario.InputError{Field: "--trace", Value: f.trace, Message: quoted(f.trace) + " " + problem,
		Accepted: "the path of a file of its own, for one scenario and one seed"}
}

// checkTrace refuses what cannot be put into one file.
func (f *runFlags) checkTrace(cmd *cobra.Command, paths []string) error {
	switch {
	case !cmd.Flags().Changed("trace"):
		return nil
	case f.trace == "" || f.trace == stdinName:
		return f.refuseTrace("is no file")
	case len(paths) > 1 || cmd.Flags().Changed("seeds"):
		return f.refuseTrace("is one file, and there is more than one run")
	case sameFile(f.trace, paths[0]):
		return f.refuseTrace("is the scenario itself")
	}
	return nil
}

// runOnce runs one scenario with one seed.
func (c *cli) runOnce(in *input, f runFlags) error {
	last, account := &lastEvent{}, scenario.NewAccount(f.nodes...)
	sinks := slices.Concat(c.watchers, []traces.Sink{last}, c.interrupt.sinks())
	if *f.format != asText || len(f.nodes) > 0 {
		sinks = append(sinks, account)
	}
	var trace *traces.Writer
	if f.trace != "" {
		var err error
		if trace, err = createTrace(f.trace, in.scenario, sim.New(sim.Options{}).Start()); err != nil {
			return err
		}
		defer trace.Abort()
		sinks = append(sinks, trace)
	}
	c.warnOf(in)
	progress := c.newProgress(in.label())
	watch := startStopwatch()
	result, err := scenario.Run(in.scenario, scenario.Options{Sinks: sinks}, progress.run)
	spent := watch.stop()
	progress.end()
	switch {
	case errors.Is(err, scenario.ErrStopped):
		return c.interrupted(in, last, trace != nil)
	case err != nil:
		return c.crashed(err, in.runCommandLine)
	}
	if trace != nil {
		if err := trace.Close(); err != nil {
			return c.crashed(err, in.runCommandLine)
		}
	}
	result.WallSeconds, result.CPUSeconds, result.PeakRSSBytes = spent.wall.Seconds(), spent.cpu.Seconds(), spent.peakRSS
	return c.report(in, result, account, spent, f)
}

// report prints a result; the error is that it is not OK.
func (c *cli) report(in *input, r *scenario.Result, account *scenario.Account, spent cost, f runFlags) error {
	var broken *form
	if !r.OK() {
		broken = &form{whatBroke(r.Expectations, r.Violations), r.Seed, in.runCommandLine(r.Seed)}
	}
	if *f.format == asText {
		c.printer.paragraph()
		report := &runReport{printer: &c.printer, input: in, result: r, story: r.Story(), cost: spent, broken: broken}
		if len(f.nodes) > 0 {
			report.story = account.Story()
		}
		report.print(f.quiet)
	} else {
		if err := c.printer.object(*f.format, newResultView(r, account)); err != nil {
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
	if !errors.As(err, &crash) {
		return err
	}
	p := &printer{out: c.errOut}
	crashForm(crash, reproduce(crash.Seed)).print(p)
	if len(crash.Stack) > 0 {
		p.line("\n%s", crash.Stack)
	}
	return failure{exitFailed}
}
