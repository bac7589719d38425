package main

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/holter-sim/holter/scenario"
	"github.com/holter-sim/holter/traces"
)

func TestARunIsToldInFull(t *testing.T) {
	c := holter("run", nodeDeath)
	require.Equal(t, exitFine, c.code, c.err)
	golden(t, "run.golden", timeless(c.out))
}

func TestAFailedRunEndsInAForm(t *testing.T) {
	c := holter("run", broken, "--seed", "7", "--set", "network.latency={p50: 2ms, p99: 10ms}")
	require.Equal(t, exitFailed, c.code)
	golden(t, "run-failed.golden", timeless(c.out))

	again := (&call{args: shellWords(t, lineWith(t, c.out, "Reproduce"))[2:]}).run()
	require.Equal(t, c.code, again.code, "the command of the form does the same")
	require.Equal(t, timeless(c.out), timeless(again.out))
}

func TestTheFormOfAFailureGoesToStandardErrorWhereObjectsArePrinted(t *testing.T) {
	c := holter("run", broken, "-o", "json")
	require.Equal(t, exitFailed, c.code)
	require.Equal(t, "broken", c.object(t)["scenario"])
	require.Contains(t, c.err, "Reproduce   holter run "+broken+" --seed 1\n")
}

func TestLinesFitATerminal(t *testing.T) {
	for line := range strings.Lines(holter("run", broken).out) {
		if !strings.HasPrefix(line, "Reproduce") && !strings.HasPrefix(line, "hash") {
			require.LessOrEqual(t, len([]rune(strings.TrimSuffix(line, "\n"))), pageWidth, line)
		}
	}
}

func TestTheJSONOfARunHasTheDocumentedFields(t *testing.T) {
	o := holter("run", nodeDeath, "-o", "json").object(t)
	require.ElementsMatch(t, []string{"scenario", "seed", "kubernetesVersion", "traceHash", "simulated", "events", "ties", "nodes",
		"settings", "drawn", "faults",
		"transitions", "taints", "evictions", "expectations", "violations", "requests", "wallSeconds", "cpuSeconds", "peakRSSBytes"},
		slices.Collect(maps.Keys(o)))
	require.Equal(t, "000180.000000s", o["simulated"])
	require.Equal(t, "1.36", o["kubernetesVersion"])
	require.IsType(t, []any{}, o["evictions"], "an empty list is a list")
	require.Positive(t, o["wallSeconds"])
	require.Positive(t, o["peakRSSBytes"])

	require.ElementsMatch(t, []string{"at", "node", "type", "from", "to", "reason", "by"}, keysOfFirst(t, o["transitions"]))
	require.ElementsMatch(t, []string{"at", "node", "key", "effect", "op"}, keysOfFirst(t, o["taints"]))
	require.ElementsMatch(t, []string{"name", "ok", "want", "got"}, keysOfFirst(t, o["expectations"]))
	require.ElementsMatch(t, []string{"path", "value", "source"}, keysOfFirst(t, o["settings"]))
	require.Equal(t, []any{"kubelets start from 913.644ms to 7.138334s"}, o["drawn"])
	require.Len(t, o["faults"], 1)
	fault := o["faults"].([]any)[0].(map[string]any)
	require.Equal(t, map[string]any{"at": "000060.000000s", "name": "death", "verb": "kill", "node": "node-1", "what": "begins", "detail": ""}, fault)
	transitions := o["transitions"].([]any)
	for i, transition := range transitions {
		why := transition.(map[string]any)["why"]
		if last := i == len(transitions)-1; last || transition.(map[string]any)["to"] == "Unknown" {
			require.Contains(t, why, "no heartbeat seen for 50.012s, grace period 50s; last news at ")
		} else {
			require.Nil(t, why)
		}
	}
	for _, transition := range transitions {
		require.Regexp(t, `^\d{6}\.\d{6}s$`, transition.(map[string]any)["at"])
	}
}

func TestYAMLHoldsWhatJSONHolds(t *testing.T) {
	asJSON := holter("run", nodeDeath, "-o", "json", "--seed", "18446744073709551615")
	asYAML := holter("run", nodeDeath, "-o", "yaml", "--seed", "18446744073709551615")
	require.Contains(t, asYAML.out, "seed: 18446744073709551615\n")
	converted, err := yaml.YAMLToJSON([]byte(asYAML.out))
	require.NoError(t, err)
	var fromYAML map[string]any
	require.NoError(t, json.Unmarshal(converted, &fromYAML))
	fromJSON := asJSON.object(t)
	for _, cost := range []string{"wallSeconds", "cpuSeconds", "peakRSSBytes"} {
		delete(fromYAML, cost)
		delete(fromJSON, cost)
	}
	require.Equal(t, fromJSON, fromYAML)
}

func TestSeveralScenariosAreAnObjectALineAndTheWorstExitCode(t *testing.T) {
	c := holter("run", nodeDeath, broken, nodeDeath, "-o", "json")
	require.Equal(t, exitFailed, c.code)
	objects := c.objects(t)
	require.Len(t, objects, 3)
	require.Equal(t, []any{"node-death", "broken", "node-death"}, []any{objects[0]["scenario"], objects[1]["scenario"], objects[2]["scenario"]})

	c = holter("run", nodeDeath, "testdata/absent.yaml", broken, "-o", "yaml")
	require.Equal(t, exitRefused, c.code)
	require.Len(t, strings.Split(c.out, "---\n"), 2, "the others are run all the same")

	c = holter("run", nodeDeath, broken)
	require.Contains(t, c.out, "\n\nbroken   Kubernetes 1.36   seed 1   3 nodes   3m0s\n")
}

func TestADashIsStandardInput(t *testing.T) {
	c := (&call{args: []string{"run", "-", "-o", "json"}, stdin: read(t, nodeDeath)}).run()
	require.Equal(t, exitFine, c.code, c.err)
	require.Equal(t, holter("run", nodeDeath, "-o", "json").object(t)["traceHash"], c.object(t)["traceHash"])

	c = (&call{args: []string{"run", "-", "-"}, stdin: read(t, nodeDeath)}).run()
	require.Equal(t, exitRefused, c.code)
	require.Contains(t, c.err, "read already")
}

func TestSetAndSeedChangeTheRun(t *testing.T) {
	hash := func(args ...string) any {
		return holter(append([]string{"run", nodeDeath, "-o", "json"}, args...)...).object(t)["traceHash"]
	}
	plain := hash()
	require.Equal(t, plain, hash("--seed", "1"))
	require.NotEqual(t, plain, hash("--seed", "2"))
	require.NotEqual(t, plain, hash("--set", "controllerManager.node-monitor-grace-period=60s"))
	require.Equal(t, hash("--set", "seed=5"), hash("--set", "spec.seed=5"))
}

func TestWhatASettingBringsWithItIsWarnedOf(t *testing.T) {
	c := holter("run", nodeDeath)
	require.Contains(t, c.err, "warning: "+nodeDeath+":10: spec.kubelet.nodeStatusUpdateFrequency: ")
	require.Contains(t, c.out, "note: not set, and nodeStatusUpdateFrequency is, so it is the same")
}

func TestATraceIsPutInItsPlaceWhole(t *testing.T) {
	for _, ending := range []string{"", ".gz", ".zst"} {
		path := filepath.Join(t.TempDir(), "trace.jsonl"+ending)
		require.NoError(t, os.WriteFile(path, []byte("an earlier trace"), 0o644))
		c := holter("run", nodeDeath, "--trace", path, "-o", "json", "--set", "duration=2m", "--seed", "9")
		require.Equal(t, exitFine, c.code, c.err)

		header, events, damage, err := traces.ReadFile(path, traces.ReadOptions{Strict: true})
		require.NoError(t, err)
		require.Nil(t, damage)
		require.Len(t, events, int(c.object(t)["events"].(float64)))
		require.Equal(t, uint64(9), header.Seed)
		require.Equal(t, "1.36", header.KubernetesVersion)
		require.Contains(t, header.Scenario, "duration: 2m")
		require.Contains(t, header.Scenario, "seed: 9")
		require.Equal(t, []string{path}, filesBeside(t, path))
	}
}

func TestATraceOfAFailedExpectationIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	require.Equal(t, exitFailed, holter("run", broken, "--trace", path).code)
	require.FileExists(t, path)
}

func TestARunThatBreaksOffLeavesTheEarlierTrace(t *testing.T) {
	breaks := map[string]struct {
		sink traces.SinkFunc
		code int
		says string
	}{
		"an error":     {func(ev *traces.Event) error { return at100(ev, errors.New("no more room")) }, exitFailed, "error: scenario node-death, seed 1: no more room\n"},
		"an interrupt": {func(ev *traces.Event) error { return at100(ev, scenario.ErrStopped) }, exitInterrupted, "nothing was judged, and the trace was not written\n"},
		"a panic": {func(ev *traces.Event) error {
			if ev.Seq == 100 {
				panic("out of step")
			}
			return nil
		}, exitFailed, "out of step"},
	}
	for name, b := range breaks {
		t.Run(name, func(t *testing.T) {
			path := write(t, "trace.jsonl", "an earlier trace")
			c := (&call{args: []string{"run", nodeDeath, "--trace", path}, watchers: []traces.Sink{b.sink}}).run()
			require.Equal(t, b.code, c.code)
			require.Contains(t, c.err, b.says)
			require.Empty(t, c.out)
			require.Equal(t, "an earlier trace", read(t, path))
			require.Equal(t, []string{path}, filesBeside(t, path))
		})
	}
}

func TestAPanicInTheModelEndsInAForm(t *testing.T) {
	c := (&call{args: []string{"run", nodeDeath, "--seed", "3"}, watchers: []traces.Sink{traces.SinkFunc(func(ev *traces.Event) error {
		if ev.Seq == 100 {
			panic("out of step")
		}
		return nil
	})}}).run()
	require.Equal(t, exitFailed, c.code)
	require.Contains(t, c.err, "What broke  the model itself, which is a bug in Holter\n")
	require.Contains(t, c.err, "out of step")
	require.Contains(t, c.err, "Seed        3\n")
	require.Contains(t, c.err, "Reproduce   holter run "+nodeDeath+" --seed 3\n")
}

func TestATraceDoesNotReplaceWhatTheScenarioIsReadFrom(t *testing.T) {
	folder := t.TempDir()
	config := filepath.Join(folder, "kubelet.yaml")
	const text = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
	require.NoError(t, os.WriteFile(config, []byte(text), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "s.yaml"),
		[]byte(strings.Replace(read(t, nodeDeath), "  kubelet: {", "  kubeletConfigFile: kubelet.yaml\n  kubelet: {", 1)), 0o644))
	link := filepath.Join(folder, "link")
	require.NoError(t, os.Symlink("kubelet.yaml", link))
	for _, args := range [][]string{
		{filepath.Join(folder, "s.yaml"), "--trace", config},
		{filepath.Join(folder, "s.yaml"), "--trace", link},
		{nodeDeath, "--set", "kubeletConfigFile=" + config, "--trace", config},
	} {
		c := holter(append([]string{"run"}, args...)...)
		require.Equal(t, exitRefused, c.code, c.err)
		require.Contains(t, c.err, "is a file that the scenario is read from; accepted: the path of a file of its own")
		require.Equal(t, text, read(t, config))
	}
	require.Equal(t, exitFine, holter("run", filepath.Join(folder, "s.yaml"), "--trace", filepath.Join(folder, "new.jsonl")).code)
}

func TestTheStoryOfOneNodeLeavesOutTheOthers(t *testing.T) {
	c := holter("run", nodeDeath, "--node", "node-1")
	require.Equal(t, exitFine, c.code, c.err)
	story, _, _ := strings.Cut(c.out[strings.Index(c.out, "\nStory\n"):], "\nExpectations\n")
	for _, want := range []string{"kube-controller-manager started", "node-1: fault kill", "node-1: Ready True -> Unknown"} {
		require.Contains(t, story, want)
	}
	require.NotContains(t, story, "node-0")
	require.NotContains(t, story, "node-2")
	both := holter("run", nodeDeath, "--node", "node-0", "--node", "node-2").out
	require.Contains(t, both, "node-2, node-0: registered")
	require.NotContains(t, both, "node-1: registered")
	require.Equal(t, lineWith(t, holter("run", nodeDeath).out, "hash")[:16], lineWith(t, both, "hash")[:16], "the run is the same")
}

func TestQuietlyOnlyTheEndIsTold(t *testing.T) {
	c := holter("run", broken, "-q")
	require.Equal(t, exitFailed, c.code)
	for _, want := range []string{"broken   Kubernetes", "Expectations", "FAILED", "What broke", "Reproduce", "hash "} {
		require.Contains(t, c.out, want)
	}
	for _, left := range []string{"Settings", "Drawn", "Story", "Requests"} {
		require.NotContains(t, c.out, left)
	}
}

func TestTheSameFileReadsAlikeFromStandardInputAndWithAnEmptyEnd(t *testing.T) {
	c := (&call{args: []string{"run", "-", "-o", "json"}, stdin: read(t, nodeDeath) + "\n---\n"}).run()
	require.Equal(t, exitFine, c.code, c.err)
	require.Contains(t, c.err, "warning: <stdin>:10: ")
}

func TestTheSettingThatBreaksSomethingIsNamed(t *testing.T) {
	c := holter("run", nodeDeath, "--set", "network.latency.p99=1ms")
	require.Equal(t, exitRefused, c.code)
	require.Contains(t, c.err, "error: --set network.latency.p99=1ms: spec.network.latency.p50: missing")
	text := strings.Replace(read(t, nodeDeath), "duration: 3m", "duration: -3m", 1)
	c = (&call{args: []string{"run", "-", "--set", "seed=2"}, stdin: text}).run()
	require.Contains(t, c.err, "error: <stdin>:9: spec.duration: \"-3m\" is negative; accepted", "what was wrong before is not blamed on it")
}

func TestTheHeadNamesEveryVersionThatRuns(t *testing.T) {
	head := func(args ...string) string {
		c := holter(append([]string{"run", nodeDeath, "-q"}, args...)...)
		line, _, _ := strings.Cut(c.out, "\n")
		return line
	}
	require.Contains(t, head(), "   Kubernetes 1.36   seed 1   ")
	require.Contains(t, head("--set", "nodes[0].version=1.36", "--set", "controllerManager.version=1.36"), "   Kubernetes 1.36   seed 1   ")
	require.Contains(t, head("--set", "nodes[0].version=1.34", "--set", "controllerManager.version=1.35"), "   Kubernetes 1.36 (kubelets 1.34; controller-manager 1.35)   seed 1   ")
	require.Contains(t, head("--seeds", "1-2", "--set", "nodes[0].version=1.34"), "   Kubernetes 1.36 (kubelets 1.34)   seeds 1-2   ")
}

func TestARefusedRunTouchesNoFile(t *testing.T) {
	path := write(t, "trace.jsonl", "an earlier trace")
	require.Equal(t, exitRefused, holter("run", nodeDeath, "--trace", path, "--set", "duration=-1s").code)
	require.Equal(t, exitRefused, holter("run", path, "--trace", path).code)
	require.Equal(t, "an earlier trace", read(t, path))
}

// at100 gives the error at the hundredth event.
func at100(ev *traces.Event, err error) error {
	if ev.Seq == 100 {
		return err
	}
	return nil
}

func filesBeside(t *testing.T, path string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	require.NoError(t, err)
	return files
}

func keysOfFirst(t *testing.T, list any) []string {
	t.Helper()
	require.NotEmpty(t, list)
	return slices.Collect(maps.Keys(list.([]any)[0].(map[string]any)))
}

// lineWith is the rest of the line that begins with a label.
func lineWith(t *testing.T, text, label string) string {
	t.Helper()
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, label); ok {
			return strings.TrimSpace(rest)
		}
	}
	t.Fatalf("no line begins with %q in:\n%s", label, text)
	return ""
}

// shellWords takes a command line apart, as far as its single quotes go.
func shellWords(t *testing.T, line string) []string {
	t.Helper()
	var words []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			words = append(words, part)
		} else {
			words = append(words, strings.Fields(part)...)
		}
	}
	require.Equal(t, []string{"holter"}, words[:1])
	return slices.Concat([]string{"sh"}, words)
}
