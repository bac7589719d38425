package main

import (
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/holter-sim/holter/scenario"
	"github.com/holter-sim/holter/traces"
)

func (c *cli) replayCommand() *cobra.Command {
	var strict bool
	var f *format
	cmd := &cobra.Command{
		Use:   "replay TRACE",
		Short: "Run the scenario inside a trace again, and find the first event that differs",
		Long: `Replay takes the scenario and the seed from a trace (a file, or - for standard input; plain, gzip or zstd),
runs it again, and says that the events are the same, or shows the first one that is not, with what came before
and after it.

It exits with 1 if the run differs, and if the trace can be read and is not what was written: an event is
missing in it, or its hash is not that of its events. A trace that is cut off or corrupt is compared up to that
place, with a warning.`,
		Example: `  holter run testdata/scenarios/node-death.yaml --trace death.jsonl.zst
  holter replay death.jsonl.zst`,
		Args: exactlyOne("trace"),
		RunE: func(_ *cobra.Command, args []string) error { return c.replay(args[0], strict, *f) },
	}
	cmd.Flags().BoolVar(&strict, "strict", false, "refuse a trace that is damaged anywhere")
	f = formatFlag(cmd)
	return cmd
}

// errCompared ends a run of which no more needs to be known.
var errCompared = errors.New("compared")

// replayed is what came of a replay.
type replayed struct {
	header     traces.Header
	scenario   *scenario.Scenario
	equal      uint64 // events that were the same, from the first on
	hash       string // of the recorded events that were read
	damage     *traces.Damage
	divergence *traces.Divergence
	cost       cost
}

func (c *cli) replay(path string, strict bool, f format) error {
	recorded, err := c.openTrace(path, strict)
	if err != nil {
		return err
	}
	defer recorded.Close()
	name := scenario.DisplayName(path)
	s, err := recordedScenario(recorded.Header(), name)
	if err != nil {
		return err
	}
	if by := recorded.Header().Binary; by != "" && by != binaryVersion() {
		c.warn(name + ": was written by Holter " + by + ", and this is " + binaryVersion() + ": what differs may be the version")
	}
	result, err := c.compare(recorded, s, path)
	if err != nil {
		return err
	}
	if strict {
		if err := readToEnd(recorded); err != nil {
			return c.replayError(err, path)
		}
	}
	if result.damage != nil && !result.altered() {
		if result.equal == 0 && result.divergence == nil {
			return &scenario.InputError{File: name, Message: "no event in it can be read: " + result.damage.Error()}
		}
		c.warn(name + ": " + result.damage.Error() + "; compared up to there")
	}
	return c.reportReplay(path, result, f)
}

func (c *cli) openTrace(path string, strict bool) (*traces.Reader, error) {
	options, name := traces.ReadOptions{Strict: strict}, scenario.DisplayName(path)
	stdin, err := c.stdin(path)
	if err != nil {
		return nil, err
	}
	var r *traces.Reader
	if stdin != nil {
		r, err = traces.NewReader(stdin, name, options)
	} else {
		r, err = traces.Open(path, options)
	}
	if err != nil {
		refused := &scenario.InputError{File: name, Message: strings.TrimPrefix(err.Error(), name+": "), Accepted: "a trace that holter run --trace has written"}
		var missing *fs.PathError
		switch {
		case errors.As(err, &missing):
			refused.Message = "cannot be read: " + missing.Err.Error()
		case errors.Is(err, traces.ErrUnusable):
			refused.Accepted = "" // it may be such a trace
		}
		return nil, refused
	}
	return r, nil
}

// recordedScenario is the scenario in a trace, with the seed that it was run with.
func recordedScenario(h traces.Header, path string) (*scenario.Scenario, error) {
	if h.Scenario == "" {
		return nil, &scenario.InputError{File: path, Field: "scenario", Message: "the trace holds no scenario to run again",
			Accepted: "a trace that holter run --trace has written"}
	}
	s, _, err := scenario.Decode([]byte(h.Scenario), path+" (scenario)")
	if err != nil {
		return nil, err
	}
	s.Spec.Seed = h.Seed
	return s, s.Validate()
}

// compare runs the scenario beside its trace.
func (c *cli) compare(recorded *traces.Reader, s *scenario.Scenario, path string) (*replayed, error) {
	comparer := traces.NewComparer(recorded, traces.CompareOptions{})
	sink := traces.SinkFunc(func(ev *traces.Event) error {
		if err := comparer.Event(ev); err != nil || !comparer.Done() {
			return err
		}
		return errCompared
	})
	progress := c.newProgress((&input{scenario: s}).label())
	watch := startStopwatch()
	_, err := scenario.Run(s, scenario.Options{Sinks: slices.Concat(c.watchers, []traces.Sink{sink}), Start: recorded.Header().Start}, progress.run)
	spent := watch.stop()
	progress.end()
	if err != nil && !errors.Is(err, errCompared) {
		return nil, c.replayError(err, path)
	}
	divergence, err := comparer.Finish()
	if err != nil {
		return nil, c.replayError(err, path)
	}
	return &replayed{recorded.Header(), s, comparer.Equal(), recorded.Hash(), recorded.Damage(), divergence, spent}, nil
}

// replayError tells a trace that is refused from a run that broke.
func (c *cli) replayError(err error, path string) error {
	var damage *traces.Damage
	if errors.As(err, &damage) {
		return &scenario.InputError{File: scenario.DisplayName(path), Message: damage.Error(), Accepted: "with --strict, a trace that is whole"}
	}
	return c.crashed(err, func(uint64) string { return shellLine([]string{"holter", "replay", path}) })
}

func readToEnd(r *traces.Reader) error {
	for {
		switch _, err := r.Next(); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// reportReplay prints what came of a replay; the error is that the run differs.
func (c *cli) reportReplay(path string, r *replayed, f format) error {
	if f != asText {
		if err := c.printer.object(f, newReplayView(path, r)); err != nil {
			return err
		}
	} else {
		p := &c.printer
		p.line("%s   Kubernetes %s   seed %d   %s", r.scenario.Metadata.Name, r.scenario.Spec.KubernetesVersion, r.header.Seed, r.scenario.Spec.Duration.Duration)
		switch {
		case r.divergence != nil:
			p.line("differs after %s\n\n%s", plural(int(r.equal), "event"), strings.TrimRight(r.divergence.String(), "\n"))
		case r.altered():
			p.line("differs: the trace is not what was written: %s\nidentical up to there: %s", r.damage, plural(int(r.equal), "event"))
		case r.damage != nil:
			p.line("identical up to the damage: %s", plural(int(r.equal), "event"))
		default:
			p.line("identical: %s, hash %s", plural(int(r.equal), "event"), r.hash)
		}
	}
	if r.divergence != nil || r.altered() {
		return failure{exitFailed}
	}
	return nil
}

// altered tells a trace that can be read and is not what was written.
func (r *replayed) altered() bool { return r.damage != nil && r.damage.Altered }

// replayView is what -o json prints of a replay.
type replayView struct {
	Trace             string          `json:"trace"`
	Scenario          string          `json:"scenario"`
	Seed              uint64          `json:"seed"`
	KubernetesVersion string          `json:"kubernetesVersion"`
	RecordedBy        string          `json:"recordedBy,omitempty"`
	Identical         bool            `json:"identical"` // up to the damage, if there is any
	Events            uint64          `json:"events"`    // that were the same, from the first on
	TraceHash         string          `json:"traceHash"` // of the recorded events that were read
	Damage            string          `json:"damage,omitempty"`
	Divergence        *divergenceView `json:"divergence"`
	WallSeconds       float64         `json:"wallSeconds"`
}

// divergenceView is the first difference.
type divergenceView struct {
	Index         uint64          `json:"index"`
	Expected      *traces.Event   `json:"expected"`
	Got           *traces.Event   `json:"got"`
	Fields        []fieldDiffView `json:"fields"`
	Before        []traces.Event  `json:"before"`
	ExpectedAfter []traces.Event  `json:"expectedAfter"`
	GotAfter      []traces.Event  `json:"gotAfter"`
}

type fieldDiffView struct {
	Field    string `json:"field"`
	Expected string `json:"expected"`
	Got      string `json:"got"`
}

func newReplayView(path string, r *replayed) replayView {
	v := replayView{
		Trace: path, Scenario: r.scenario.Metadata.Name, Seed: r.header.Seed, KubernetesVersion: r.scenario.Spec.KubernetesVersion,
		RecordedBy: r.header.Binary, Identical: r.divergence == nil && !r.altered(), Events: r.equal, TraceHash: r.hash, WallSeconds: r.cost.wall.Seconds(),
	}
	if r.damage != nil {
		v.Damage = r.damage.Error()
	}
	if d := r.divergence; d != nil {
		v.Divergence = &divergenceView{
			Index: d.Index, Expected: d.Expected, Got: d.Got,
			Fields: each(d.Fields, func(f traces.FieldDiff) fieldDiffView { return fieldDiffView(f) }),
			Before: d.Before, ExpectedAfter: d.ExpectedAfter, GotAfter: d.GotAfter,
		}
	}
	return v
}
