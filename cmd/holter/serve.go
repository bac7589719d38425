package main

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/holter-sim/holter/scenario"
	"github.com/holter-sim/holter/serve"
	"github.com/holter-sim/holter/traces"
)

// serveFlags are the flags of serve.
type serveFlags struct {
	speed, listen, kubeconfig string
	trace                     string
	seed                      string
	sets                      []string
	format                    *format
}

func (c *cli) serveCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve SCENARIO",
		Short: "Put a simulation behind HTTP, for kubectl and a browser",
		Long: `Serve runs one scenario on the clock of the wall, at any speed, behind an HTTP server that kubectl, a browser
and client-go can use as they use an API server. It writes a kubeconfig, prints the line that puts it to use,
and goes on after the scenario's duration until Ctrl-C; then it prints what holter run prints.

At speed 1x all ages are right. At others the columns of kubectl get are right by virtual time; what kubectl
computes by its own clock, as in describe, is not, and may be <invalid>. With max the run goes to the scenario's
duration at once, and its clock stands there; requests are answered all the same.

Pods that kubectl creates are scheduled, run and deleted as in a cluster, whatever the scenario has: who sees to
them starts with the first of them. Nothing replaces them; --set 'workloads=[{kind: Deployment, name: web}]' has
pods that a controller creates again.

While it runs, holter fault lets things go wrong, and the run is seen and steered below /holter/v1/, by curl or:

  kubectl get --raw /holter/v1/status
  echo | kubectl create --raw /holter/v1/pause -f -
  echo '{"duration": "30s"}' | kubectl create --raw /holter/v1/step -f -
  echo '{"speed": "60x"}' | kubectl create --raw /holter/v1/speed -f -
  echo | kubectl create --raw /holter/v1/resume -f -

With --trace what happened is kept, as holter run --trace does. Holter replay finds the same again as far as
nobody took part: by kubectl, say, or a fault. As it runs for the scenario's duration, it tells of more where
serve was ended before, and of less where it went on for longer.

On an address that other machines can reach it speaks TLS, and every request needs a bearer token. The
kubeconfig has the certificate and the token, which are new each time.`,
		Example: `  holter serve testdata/scenarios/node-death.yaml
  holter serve testdata/scenarios/node-death.yaml --speed 60x --kubeconfig sim.kubeconfig`,
		Args: exactlyOne("scenario"),
		RunE: func(cmd *cobra.Command, args []string) error { return c.serveScenario(cmd, args[0], f) },
	}
	cmd.Flags().StringVar(&f.speed, "speed", "1x", "how many virtual seconds pass in one of the wall's: `SPEED` is 1x, 60x, 0.5x or the like, or max")
	cmd.Flags().StringVar(&f.listen, "listen", "127.0.0.1:0", "the `ADDRESS` to listen on, host:port; port 0 is any that is free")
	cmd.Flags().StringVar(&f.kubeconfig, "kubeconfig", "", "write the kubeconfig to `FILE`, and remove it in the end; a new temporary file otherwise")
	cmd.Flags().StringVar(&f.seed, "seed", "", "run with seed `N` instead of the scenario's")
	cmd.Flags().StringArrayVar(&f.sets, "set", nil, "another value for a field, by its path below the scenario's spec: `PATH=VALUE`; may be repeated")
	cmd.Flags().StringVar(&f.trace, "trace", "", "write the trace to `FILE`; packed if it ends in .zst or .gz")
	f.format = formatFlag(cmd)
	return cmd
}

func (c *cli) serveScenario(cmd *cobra.Command, path string, f serveFlags) error {
	speed, wrong, accepted := serve.ParseSpeed(f.speed)
	if wrong != "" {
		return &scenario.InputError{Field: "--speed", Value: f.speed, Message: quoted(f.speed) + " " + wrong, Accepted: accepted}
	}
	as := runFlags{trace: f.trace}
	if err := as.checkTrace(cmd, []string{path}); err != nil {
		return err
	}
	in, err := c.loadOne(cmd, path, f.seed, f.sets)
	if err != nil {
		return err
	}
	if err := as.checkInput(in); err != nil {
		return err
	}
	defer c.interrupt.listen()()
	begins, account, watch := time.Now(), scenario.NewAccount(), startStopwatch()
	sinks := append(slices.Clone(c.watchers), account)
	var trace *traces.Writer
	if f.trace != "" {
		if trace, err = createTrace(f.trace, in.scenario, speed.Start(begins, in.scenario.Spec.Duration.Duration)); err != nil {
			return err
		}
		defer trace.Abort()
		sinks = append(sinks, trace)
	}
	server, err := serve.Start(serve.Options{
		Scenario: in.scenario, Speed: speed, Listen: f.listen, Begins: begins, Sinks: sinks, Log: c.warn,
	})
	if err != nil {
		return refuseListen(f.listen, err)
	}
	kubeconfig, err := server.WriteKubeconfig(f.kubeconfig)
	if err != nil {
		_, _ = server.Close()
		return refuseKubeconfig(f.kubeconfig, err)
	}
	c.warnOf(in)
	c.tellServed(kubeconfig, *f.format)
	select {
	case <-c.interrupt.raisedSignal():
	case <-server.Ended():
	}
	result, err := server.Close()
	if removed := kubeconfig.Remove(); removed != nil {
		c.warn(removed.Error())
	}
	if err != nil {
		return c.crashed(err, in.runCommandLine)
	}
	if trace != nil {
		if err := trace.Close(); err != nil {
			return c.crashed(err, in.runCommandLine)
		}
	}
	return c.reportServed(in, server, result, account, watch.stop(), *f.format)
}

// loadOne reads the scenario as the flags --seed and --set want it.
func (c *cli) loadOne(cmd *cobra.Command, path, seed string, sets []string) (*input, error) {
	flags := runFlags{seed: seed}
	assignments, err := parseAssignments("--set", sets)
	if err != nil {
		return nil, err
	}
	if cmd.Flags().Changed("seed") {
		if err := flags.checkSeedSets(cmd, assignments); err != nil {
			return nil, err
		}
		n, err := scenario.ParseSeed(seed)
		if err != nil {
			return nil, err
		}
		return c.load(path, assignments, &n)
	}
	return c.load(path, assignments, nil)
}

// tellServed prints what to do next. The line stands alone where it is, so that a
// program that started this one can read it.
func (c *cli) tellServed(k *serve.KubeconfigFile, f format) {
	line := "export KUBECONFIG=" + shellQuote(k.Path) + "; kubectl get nodes -w"
	if f == asText {
		c.printer.line("%s", line)
	} else {
		fmt.Fprintln(c.errOut, line)
	}
}

// reportServed prints the run as far as it went.
func (c *cli) reportServed(in *input, s *serve.Server, r *scenario.Result, account *scenario.Account, spent cost, f format) error {
	r.WallSeconds, r.CPUSeconds, r.PeakRSSBytes = spent.wall.Seconds(), spent.cpu.Seconds(), spent.peakRSS
	if duration, now := in.scenario.Spec.Duration.Duration, s.Now(); now < duration {
		r.Expectations = []scenario.Verdict{}
		fmt.Fprintf(c.errOut, "ended at %s of %s: no expectation was judged\n", traces.FormatTime(now), in.scenario.Spec.Duration)
	}
	told, as := *in, *in.scenario
	told.scenario, as.Spec.Duration.Duration = &as, s.Now()
	if s.Meddled() {
		told.reproduce = "no command does: somebody took part in the run"
	}
	if f == asText {
		c.printer.line("")
	}
	return c.report(&told, r, account, spent, runFlags{format: &f})
}

func refuseListen(address string, err error) error {
	var refused *net.OpError
	if errors.As(err, &refused) {
		return &scenario.InputError{Field: "--listen", Value: address, Message: fmt.Sprintf("cannot listen on %s: %v", quoted(address), refused.Err),
			Accepted: "host:port of this machine that is free, as in 127.0.0.1:0"}
	}
	return err
}

func refuseKubeconfig(path string, err error) error {
	if path == "" {
		return err
	}
	return &scenario.InputError{Field: "--kubeconfig", Value: path, Message: quoted(path) + " " + reason(err),
		Accepted: "the path of a file that is not there yet, in a folder that is"}
}

func reason(err error) string {
	if errors.Is(err, serve.ErrNotOurs) {
		return err.Error()
	}
	return "cannot be written: " + pathProblem(err)
}
