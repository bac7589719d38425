package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/holter-sim/holter/scenario"
	"github.com/holter-sim/holter/traces"
)

// What the command exits with.
const (
	exitFine    = 0
	exitFailed  = 1 // an expectation or invariant failed, a replay differed, or a run did not come to its end
	exitRefused = 2 // the input, a flag or an argument is not what it has to be
)

// cli is one call of the command, with all that it may read and write.
type cli struct {
	in          io.Reader
	out, errOut io.Writer
	getenv      func(string) string
	// watchers take the events of every run, before anything else does.
	watchers []traces.Sink
	// interrupt ends what is running.
	interrupt *interrupt

	printer    printer
	stdinTaken bool
}

// failure is an error of which everything has been printed.
type failure struct{ code int }

func (f failure) Error() string { return fmt.Sprintf("exit status %d", f.code) }

// usageError is a command line that is not understood.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

func usage(cmd *cobra.Command, format string, args ...any) error {
	return &usageError{fmt.Sprintf("%s: %s (see %s --help)", cmd.CommandPath(), fmt.Sprintf(format, args...), cmd.CommandPath())}
}

// run does what the arguments say and returns the exit code.
func (c *cli) run(args []string) int {
	c.printer = newPrinter(c.out, c.getenv)
	if c.interrupt == nil {
		c.interrupt = &interrupt{}
	}
	root := c.root()
	root.SetArgs(append([]string{}, args...)) // nil would have it read those of the process
	err := checkVerb(root, args)
	if err == nil {
		err = root.Execute()
	}
	code := c.exitCode(err)
	if err := c.printer.err; err != nil {
		c.complain(fmt.Errorf("standard output: %w", err))
		return max(code, exitFailed)
	}
	return code
}

// exitCode prints an error that has not been printed yet.
func (c *cli) exitCode(err error) int {
	var done failure
	var refused *scenario.InputError
	var misused *usageError
	switch {
	case err == nil:
		return exitFine
	case errors.As(err, &done):
		return done.code
	case errors.As(err, &refused):
		for _, problem := range refused.All() {
			c.complain(problem)
		}
		return exitRefused
	case errors.As(err, &misused):
		c.complain(err)
		return exitRefused
	}
	c.complain(err)
	return exitFailed
}

// complain prints an error in one line.
func (c *cli) complain(err error) {
	fmt.Fprintln(c.errOut, "error: "+oneLine(err.Error()))
}

// warn prints something that is not what was meant, perhaps.
func (c *cli) warn(text string) {
	fmt.Fprintln(c.errOut, "warning: "+oneLine(text))
}

func oneLine(text string) string { return strings.ReplaceAll(strings.TrimSpace(text), "\n", " ") }

func (c *cli) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "holter",
		Short: "Simulate the heartbeats of Kubernetes nodes, and who listens to them",
		Long: `Holter runs the kubelet's heartbeats, and the control plane that listens to them, on a virtual clock, against
an in-memory API server with any latency, loss and conflict you like, and says why a node went NotReady.

It exits with 0 if all is well; with 1 if an expectation or an invariant failed, a replay differed, or a run
did not come to its end; with 2 if the input is not what it has to be, with a line for each thing that is wrong.
NO_COLOR switches colours off.`,
		Example: `  holter run testdata/scenarios/node-death.yaml`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownVerb(cmd, args[0])
			}
			return nil
		},
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(c.in)
	root.SetOut(&c.printer)
	root.SetErr(c.errOut)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage(cmd, "%v%s", err, nearFlag(cmd, err))
	})
	root.AddCommand(c.runCommand(), c.replayCommand(), c.whatIfCommand(), c.validateCommand(), c.versionCommand(), c.versionsCommand(),
		c.serveCommand(), c.faultCommand())
	return root
}

// nearFlag names the flag that was probably meant, or the flags that are equally near.
func nearFlag(cmd *cobra.Command, err error) string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return ""
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := scenario.NearestNames(unknown.GetSpecifiedName(), names); len(near) > 0 {
		return ", did you mean --" + strings.Join(near, " or --") + "?"
	}
	return ""
}

// checkVerb refuses a first word that is no verb, which cobra would answer with the general help if --help or help stands
// beside it.
func checkVerb(root *cobra.Command, args []string) error {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd(args...)
	if len(args) > 1 && args[0] == "help" {
		args = args[1:]
	}
	if len(args) == 0 || args[0] == "" || strings.HasPrefix(args[0], "-") || strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		return nil
	}
	if verb, _, _ := root.Find(args[:1]); verb != root {
		return nil
	}
	return unknownVerb(root, args[0])
}

// unknownVerb names the verb that was probably meant.
func unknownVerb(root *cobra.Command, word string) error {
	root.SuggestionsMinimumDistance = 2
	near := ""
	if found := root.SuggestionsFor(word); len(found) > 0 {
		near = ", did you mean " + strings.Join(found, " or ") + "?"
	}
	var verbs []string
	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() {
			verbs = append(verbs, cmd.Name())
		}
	}
	return &usageError{fmt.Sprintf("%s: %q is no verb%s; accepted: %s", root.Name(), word, near, strings.Join(verbs, ", "))}
}

// atLeastOne wants an argument.
func atLeastOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usage(cmd, "%s is missing", what)
		}
		return nil
	}
}

// exactlyOne wants one argument.
func exactlyOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return usage(cmd, "one %s at a time, not %d", what, len(args))
		}
		return atLeastOne("the "+what)(cmd, args)
	}
}

// atMostOne wants one argument or none.
func atMostOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return usage(cmd, "one %s at a time, not %d", what, len(args))
		}
		return nil
	}
}

// none wants no arguments.
func none(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage(cmd, "%q is an argument too many", args[0])
	}
	return nil
}
