package main

import (
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/holter-sim/holter/scenario"
)

// whatIfFlags are the flags of whatif.
type whatIfFlags struct {
	baseline, sets    []string
	phase, cost       string
	fitPhase, fitCost time.Duration
	phaseSet, costSet bool
	strict            bool
	format            *format
}

func (c *cli) whatIfCommand() *cobra.Command {
	f := &whatIfFlags{}
	cmd := &cobra.Command{
		Use:   "whatif AUDIT...",
		Short: "Put a real audit log to the model: does it do the same, and what would other settings have done",
		Long: `Whatif takes the kubelets' requests from audit logs of a kube-apiserver (JSON lines; plain, gzip or zstd; - for
standard input) and puts them to the model of the node lifecycle controller. First it asks whether the model
does what the recorded controller did, under the settings that it was recorded with (--baseline; the defaults of
Kubernetes otherwise). Then it asks, for each --set, what the controller would have done under other settings.

The kubelets' requests come as they were recorded, so only settings of the controller can be changed. How the
controller's passes lay in time is fitted on its first transition to Unknown, or given by --fit-phase and
--fit-cost. It exits with 0 however much is reproduced: that is what it reports.`,
		Example: `  holter whatif testdata/recordings/v1.36.3-three-nodes/audit.jsonl.gz --set controllerManager.node-monitor-grace-period=2m`,
		Args:    atLeastOne("the path of an audit log, or - for standard input,"),
		RunE: func(cmd *cobra.Command, paths []string) error {
			f.phaseSet, f.costSet = cmd.Flags().Changed("fit-phase"), cmd.Flags().Changed("fit-cost")
			return c.whatIf(paths, f)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.baseline, "baseline", nil, "a setting that the log was recorded with: `PATH=VALUE`; may be repeated")
	flags.StringArrayVar(&f.sets, "set", nil, "settings to ask about: `PATH=VALUE[,PATH=VALUE]`; each --set is an alternative of its own")
	flags.StringVar(&f.phase, "fit-phase", "", "do not fit: the controller starts this `DURATION` later than in the log")
	flags.StringVar(&f.cost, "fit-cost", "", "do not fit: a pass takes `DURATION` a node, beside its period")
	flags.BoolVar(&f.strict, "strict", false, "refuse a log that is damaged anywhere")
	f.format = formatFlag(cmd)
	return cmd
}

// incident is a log that has been put to the model.
type incident struct {
	paths        []string
	recording    *scenario.Recording
	recordedWith scenario.Effective
	fit          scenario.Fit
	pinned       bool
	baseline     *scenario.Baseline
	alternatives []*scenario.Alternative
	warnings     []string
}

func (c *cli) whatIf(paths []string, f *whatIfFlags) error {
	settings, alternatives, err := f.parse()
	if err != nil {
		return err
	}
	progress := c.newProgress("whatif")
	defer progress.end()
	progress.step("reading " + strings.Join(each(paths, scenario.DisplayName), ", "))
	recording, err := c.readRecording(paths, f.strict)
	if err != nil {
		return err
	}
	i := &incident{paths: paths, recording: recording, recordedWith: settings, warnings: recordingWarnings(recording)}
	if err := i.simulate(f, alternatives, progress); err != nil {
		progress.end()
		return c.crashed(err, func(uint64) string { return f.commandLine(paths) })
	}
	progress.end()
	for _, w := range i.warnings {
		c.warn(w)
	}
	if *f.format == asText {
		(&whatIfReport{printer: &c.printer, incident: i}).print()
		return nil
	}
	return c.printer.object(*f.format, newWhatIfView(i))
}

// alternative is a --set with the settings that it comes to.
type alternative struct {
	text     string
	settings scenario.Effective
}

// parse works out all settings before anything is read, so that a mistake is told at once.
func (f *whatIfFlags) parse() (scenario.Effective, []alternative, error) {
	none := scenario.Effective{}
	baseline, err := parseAssignments("--baseline", f.baseline)
	if err != nil {
		return none, nil, err
	}
	if err := refuseTwice(baseline); err != nil {
		return none, nil, err
	}
	settings, err := recordedSettings(baseline)
	if err != nil {
		return none, nil, err
	}
	var alternatives []alternative
	for _, text := range f.sets {
		sets, err := parseAssignments("--set", splitList(text))
		if err != nil {
			return none, nil, err
		}
		if err := refuseTwice(sets); err != nil {
			return none, nil, err
		}
		changed, err := recordedSettings(append(baseline[:len(baseline):len(baseline)], sets...))
		if err != nil {
			return none, nil, err
		}
		alternatives = append(alternatives, alternative{text, changed})
	}
	if err := f.parsePins(); err != nil {
		return none, nil, err
	}
	return settings, alternatives, nil
}

// parsePins reads the fit that is given.
func (f *whatIfFlags) parsePins() error {
	for _, pin := range []struct {
		flag, text string
		set        bool
		value      *time.Duration
		example    string
	}{{"--fit-phase", f.phase, f.phaseSet, &f.fitPhase, "1.5s"}, {"--fit-cost", f.cost, f.costSet, &f.fitCost, "400us"}} {
		if !pin.set {
			continue
		}
		d, problem := scenario.ParseDuration(pin.text)
		switch {
		case problem != "":
		case d < 0:
			problem = "is negative"
		case d > longestPin:
			problem = "is too long"
		}
		if problem != "" {
			return &scenario.InputError{Field: pin.flag, Value: pin.text, Message: quoted(pin.text) + " " + problem,
				Accepted: "a duration with its unit, from 0s to " + scenario.Duration{Duration: longestPin}.String() + ", as in " + pin.example}
		}
		*pin.value = d
	}
	return nil
}

// longestPin keeps what is given of a fit within what a log can hold.
const longestPin = 24 * time.Hour

// splitList takes a list apart at its commas, but not within brackets.
func splitList(text string) []string {
	var parts []string
	depth, start := 0, 0
	for i, r := range text {
		switch {
		case r == '{' || r == '[':
			depth++
		case r == '}' || r == ']':
			depth--
		case r == ',' && depth <= 0:
			parts, start = append(parts, text[start:i]), i+1
		}
	}
	return append(parts, text[start:])
}

// refuseTwice refuses assignments of which one undoes another.
func refuseTwice(sets []assignment) error {
	seen := map[string]bool{}
	for _, set := range sets {
		path := strings.TrimPrefix(set.path, "spec.")
		if seen[path] {
			return &scenario.InputError{File: set.String(), Field: path, Value: set.value, Message: "is set a second time",
				Accepted: "each path once; for another alternative, another --set"}
		}
		seen[path] = true
	}
	return nil
}

// recordedSettings are the defaults with the assignments made, which may be about the controller-manager alone.
func recordedSettings(sets []assignment) (scenario.Effective, error) {
	s := scenario.New("whatif")
	for _, set := range sets {
		if err := set.checkRecorded(); err != nil {
			return scenario.Effective{}, err
		}
	}
	if err := setAll(s, sets); err != nil {
		return scenario.Effective{}, err
	}
	effective, err := s.Effective()
	var refused *scenario.InputError
	if errors.As(err, &refused) {
		err = blamed(refused, sets, nil)
	}
	return effective, err
}

// checkRecorded refuses what cannot be asked of a recording, with the reason.
func (a assignment) checkRecorded() error {
	path := strings.TrimPrefix(a.path, "spec.")
	const manager = "controllerManager."
	top := path
	if i := strings.IndexAny(path, ".["); i >= 0 {
		top = path[:i]
	}
	reason := "is about the cluster, and that is as it was recorded"
	accepted := manager + "FLAG, as in " + manager + "node-monitor-grace-period=40s"
	switch {
	case strings.HasPrefix(top, "controllerManager"), path == "kubernetesVersion" && a.flag == "--baseline":
		return nil
	case !scenario.IsField(top):
		return nil // which Set refuses, with its nearest neighbour
	case path == "kubernetesVersion":
		reason, accepted = "is that of the recording", accepted+"; the recording's version is given with --baseline"
	case strings.HasPrefix(top, "kubelet"):
		reason = "is about the kubelets, and their requests are as recorded: only the controller is simulated"
		accepted += "; other kubelet settings are simulated with holter run"
	case top == "model":
		reason, accepted = "is fitted to the recording", accepted+"; the fit is given with --fit-phase and --fit-cost"
	}
	return &scenario.InputError{File: a.String(), Field: path, Value: a.value, Message: reason, Accepted: accepted}
}

func (c *cli) readRecording(paths []string, strict bool) (*scenario.Recording, error) {
	in := c.in
	for _, path := range paths {
		if stdin, err := c.stdin(path); err != nil {
			return nil, err
		} else if stdin != nil {
			in = stdin
		}
	}
	return scenario.ReadRecording(paths, in, strict)
}

// simulate asks all questions of the model.
func (i *incident) simulate(f *whatIfFlags, alternatives []alternative, progress *progress) error {
	fit, err := f.pinnedFit(i.recording, i.recordedWith)
	if err != nil {
		return err
	}
	i.pinned = fit != nil
	progress.step("fitting " + plural(len(i.recording.Writes), "write"))
	w, err := scenario.NewWhatIf(i.recording, i.recordedWith, fit)
	if err != nil {
		return err
	}
	i.fit = w.Fit()
	progress.step("the settings of the recording")
	if i.baseline, err = w.Baseline(); err != nil {
		return err
	}
	for n, a := range alternatives {
		progress.step("alternative " + number(n+1) + " of " + number(len(alternatives)))
		answer, err := w.Alternative(a.text, a.settings.ControllerManager)
		if err != nil {
			return err
		}
		i.alternatives = append(i.alternatives, answer)
	}
	return nil
}

// pinnedFit is the fit that is given; nil if none is. What only half is given is the model's default in the other half.
func (f *whatIfFlags) pinnedFit(r *scenario.Recording, settings scenario.Effective) (*scenario.Fit, error) {
	if !f.phaseSet && !f.costSet {
		return nil, nil
	}
	fit := &scenario.Fit{Phase: f.fitPhase, CostPerNode: settings.Model.MonitorPassCostPerNode}
	if f.costSet {
		fit.CostPerNode = f.fitCost
	}
	if fit.Phase > r.End-r.ControllerStart {
		return nil, &scenario.InputError{Field: "--fit-phase", Value: f.fitPhase.String(), Message: quoted(f.fitPhase.String()) + " is after the end of the log",
			Accepted: "a duration up to " + (r.End - r.ControllerStart).String()}
	}
	return fit, nil
}

// commandLine is the command again.
func (f *whatIfFlags) commandLine(paths []string) string {
	words := append([]string{"holter", "whatif"}, paths...)
	for _, text := range f.baseline {
		words = append(words, "--baseline", text)
	}
	for _, text := range f.sets {
		words = append(words, "--set", text)
	}
	if f.phaseSet {
		words = append(words, "--fit-phase", f.fitPhase.String())
	}
	if f.costSet {
		words = append(words, "--fit-cost", f.fitCost.String())
	}
	return shellLine(words)
}

// recordingWarnings are those of the log itself, and what it lacks that the model would use.
func recordingWarnings(r *scenario.Recording) []string {
	warnings := append([]string{}, r.Warnings...)
	if r.Bodiless > 0 {
		warnings = append(warnings, plural(r.Bodiless, "write")+" without a body (audit level Metadata): the time of its arrival stands for a Lease's renewTime, "+
			"and a heartbeat of a ready node for what a status said")
	}
	return warnings
}
