package main

import (
	"compress/gzip"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	recording = "../../testdata/recordings/v1.36.3-three-nodes/audit.jsonl.gz"
	longGrace = "controllerManager.node-monitor-grace-period=110s"
)

// recordedLines are the lines of the recording.
func recordedLines(t *testing.T) []string {
	t.Helper()
	file, err := os.Open(recording)
	require.NoError(t, err)
	defer file.Close()
	z, err := gzip.NewReader(file)
	require.NoError(t, err)
	text, err := io.ReadAll(z)
	require.NoError(t, err)
	return strings.SplitAfter(string(text), "\n")
}

// without hollow-2's writes by the controller: what the model does to it was not recorded.
func withoutHollow2(t *testing.T) string {
	t.Helper()
	var kept []string
	for _, line := range recordedLines(t) {
		if strings.Contains(line, `node-controller`) && strings.Contains(line, `/nodes/hollow-2`) && !strings.Contains(line, `"verb":"get"`) {
			continue
		}
		kept = append(kept, line)
	}
	return write(t, "audit.jsonl", strings.Join(kept, ""))
}

func TestTheAnswerCountsOnlyWhatWasRecordedAndReproduced(t *testing.T) {
	path := withoutHollow2(t)
	c := holter("whatif", path, "--set", longGrace)
	require.Equal(t, exitFine, c.code, c.err)
	require.Regexp(t, `(?m)^Baseline   \d+ predicted \+ 1 fitted of \d+ recorded changes, within 500ms; the largest error is \d`, c.out)
	require.Regexp(t, `(?m)^  it avoids \d+ of the \d+ recorded changes that the model reproduces$`, c.out)
	require.Regexp(t, `(?m)^  phantoms avoided: done by the model under the recorded settings, and not recorded \(\d+\)$`, c.out)
	require.Regexp(t, `ms +fitted +hollow-1 +Ready=Unknown`, c.out)
	avoided, phantoms, found := strings.Cut(c.out[strings.Index(c.out, "avoided: recorded"):], "phantoms avoided")
	require.True(t, found)
	require.NotContains(t, avoided, "hollow-2")
	require.Contains(t, phantoms, "hollow-2")

	o := holter("whatif", path, "--set", longGrace, "-o", "json").object(t)
	baseline := o["baseline"].(map[string]any)
	require.EqualValues(t, 1, baseline["fitted"])
	require.Equal(t, baseline["reproduced"].(float64), baseline["predicted"].(float64)+1)
	pairs := baseline["pairs"].([]any)
	require.Len(t, pairs, int(baseline["reproduced"].(float64)))
	fitted := 0
	for _, p := range pairs {
		if p.(map[string]any)["fitted"] == true {
			fitted++
			require.InDelta(t, 0, p.(map[string]any)["errorSeconds"], 1e-6)
		}
	}
	require.Equal(t, 1, fitted)
	require.ElementsMatch(t, []string{"at", "node", "what", "model", "errorSeconds", "fitted"}, keysOfFirst(t, baseline["pairs"]))

	alternative := o["alternatives"].([]any)[0].(map[string]any)
	require.Equal(t, baseline["missed"] == nil, alternative["missed"] == nil)
	recordedAvoided := 0
	for _, a := range alternative["avoided"].([]any) {
		change := a.(map[string]any)
		if change["phantom"] == false {
			require.NotEqual(t, "hollow-2", change["node"])
			recordedAvoided++
			continue
		}
		delete(change, "phantom")
		require.Contains(t, baseline["phantom"], change)
	}
	require.EqualValues(t, recordedAvoided, alternative["recordedAvoided"])
	require.Positive(t, recordedAvoided)
}

func TestTheOutagesOfTheRecordedServerAreTold(t *testing.T) {
	c := holter("whatif", recording)
	require.Regexp(t, `(?m)^  server away +from 00\d{4}\.\d{6}s \(09:\d\d:\d\d\.\d{3}Z\) to 00\d{4}\.\d{6}s \(09:\d\d:\d\d\.\d{3}Z\): it hung$`, c.out)
	require.Contains(t, c.out, ": it started anew\n")
	outages := holter("whatif", recording, "-o", "json").object(t)["recording"].(map[string]any)["outages"]
	require.ElementsMatch(t, []string{"from", "to", "restart"}, keysOfFirst(t, outages))
}

func TestWhatTheModelMissesIsSaidToBeUnknown(t *testing.T) {
	// Under a grace period of 9 min the model does nothing of what the recorded controller did.
	c := holter("whatif", recording, "--baseline", "controllerManager.node-monitor-grace-period=9m", "--set", longGrace)
	require.Equal(t, exitFine, c.code, c.err)
	require.Regexp(t, `(?m)^  of the \d+ recorded changes that the model misses, nothing can be said$`, c.out)
}

func TestALogWithoutChangesSaysThatThereIsNothingToCompare(t *testing.T) {
	var kept []string
	for _, line := range recordedLines(t) {
		if !strings.Contains(line, "node-controller") {
			kept = append(kept, line)
		}
	}
	c := holter("whatif", write(t, "audit.jsonl", strings.Join(kept, "")), "--set", longGrace)
	require.Equal(t, exitFine, c.code, c.err)
	require.Contains(t, c.out, "\nBaseline   the log has no change of a node's health by the controller: nothing to compare with\n")
	require.Contains(t, c.out, "  nothing was recorded that it could have avoided\n")
	require.NotContains(t, c.out, "largest error")
}

func TestABadLineInTheMiddleOfALogIsSkippedWithAWarning(t *testing.T) {
	lines := recordedLines(t)
	whole := holter("whatif", recording, "-o", "json").object(t)
	lines[500] = "kernel: out of memory\n" + lines[500]
	lines[900] = "{\"kind\":\"Event\",\"lev\n" + lines[900]
	path := write(t, "audit.jsonl", strings.Join(lines, ""))
	c := holter("whatif", path, "-o", "json")
	require.Equal(t, exitFine, c.code, c.err)
	require.Contains(t, c.err, "warning: "+path+": 2 lines were skipped that cannot be read; the first is line 501 ")
	require.Equal(t, whole["baseline"], c.object(t)["baseline"], "nothing else is lost")

	text := holter("whatif", path)
	require.Contains(t, text.err, "warning: "+path+": 2 lines were skipped")
	require.Contains(t, strings.Join(strings.Fields(text.out), " "), "2 lines were skipped that cannot be read")

	strict := holter("whatif", path, "--strict")
	require.Equal(t, exitRefused, strict.code)
	require.Contains(t, strict.err, "error: "+path+": line 501 ")
}

func TestSettingsOfAnAlternativeMayBeAMappingOrFlags(t *testing.T) {
	want := holter("whatif", recording, "--set", longGrace+",controllerManager.node-monitor-period=4s", "-o", "json").object(t)["alternatives"].([]any)[0].(map[string]any)
	for _, set := range []string{
		"controllerManager={node-monitor-grace-period: 110s, node-monitor-period: 4s}",
		"controllerManagerFlags=[--node-monitor-grace-period=110s, --node-monitor-period=4s]",
		"controllerManagerFlags=[--node-monitor-grace-period=110s],controllerManager.node-monitor-period=4s",
	} {
		c := holter("whatif", recording, "--set", set, "-o", "json")
		require.Equal(t, exitFine, c.code, c.err)
		got := c.object(t)["alternatives"].([]any)[0].(map[string]any)
		require.Equal(t, set, got["set"])
		got["set"] = want["set"]
		require.Equal(t, want, got)
	}
}
