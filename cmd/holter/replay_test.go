package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/traces"
)

// recorded writes a plain trace of the node death, and gives its path and its lines.
func recorded(t *testing.T) (string, []string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	c := holter("run", nodeDeath, "--seed", "4", "--trace", path)
	require.Equal(t, exitFine, c.code, c.err)
	return path, strings.SplitAfter(read(t, path), "\n")
}

// altered writes the lines to another file.
func altered(t *testing.T, lines []string) string {
	t.Helper()
	return write(t, "altered.jsonl", strings.Join(lines, ""))
}

func TestARunIsReplayedIdentically(t *testing.T) {
	for _, ending := range []string{"", ".gz", ".zst"} {
		path := filepath.Join(t.TempDir(), "trace.jsonl"+ending)
		run := holter("run", nodeDeath, "--seed", "4", "--set", "nodes[0].count=5", "--trace", path, "-o", "json").object(t)
		c := holter("replay", path, "--strict")
		require.Equal(t, exitFine, c.code, c.err)
		require.Empty(t, c.err)
		require.Regexp(t, `(?m)^identical: \d+ events, hash `+run["traceHash"].(string)+"$", c.out)
	}
}

func TestAReplayReadsStandardInput(t *testing.T) {
	_, lines := recorded(t)
	c := (&call{args: []string{"replay", "-"}, stdin: strings.Join(lines, "")}).run()
	require.Equal(t, exitFine, c.code, c.err)
	require.Contains(t, c.out, "identical: ")
}

func TestAnEventThatWasTamperedWithIsFound(t *testing.T) {
	_, lines := recorded(t)
	at := 0
	for i, line := range lines {
		if strings.Contains(line, `"code":200`) && i > 100 {
			lines[i], at = strings.Replace(line, `"code":200`, `"code":409`, 1), i
			break
		}
	}
	require.NotZero(t, at)
	path := altered(t, lines)

	c := holter("replay", path)
	require.Equal(t, exitFailed, c.code, c.err)
	require.Contains(t, c.out, "code: expected 409, got 200")

	o := holter("replay", path, "-o", "json").object(t)
	require.Equal(t, false, o["identical"])
	require.EqualValues(t, at-1, o["events"])
	divergence := o["divergence"].(map[string]any)
	require.EqualValues(t, at, divergence["index"])
	require.Equal(t, []any{map[string]any{"field": "code", "expected": "409", "got": "200"}}, divergence["fields"])
	require.Len(t, divergence["before"], 5)

	c = holter("replay", path, "--strict")
	require.Equal(t, exitRefused, c.code, "its hash is not that of its events")
}

func TestATruncatedTraceIsComparedUpToTheDamage(t *testing.T) {
	_, lines := recorded(t)
	whole := strings.Join(lines, "")
	path := write(t, "cut.jsonl", whole[:len(whole)/2])

	c := holter("replay", path)
	require.Equal(t, exitFine, c.code, c.err)
	require.Contains(t, c.out, "identical up to the damage: ")
	require.Contains(t, c.err, "warning: "+path+": line ")
	require.NotEmpty(t, holter("replay", path, "-o", "json").object(t)["damage"])

	c = holter("replay", path, "--strict")
	require.Equal(t, exitRefused, c.code)
	require.Empty(t, c.out)
	require.Equal(t, 1, strings.Count(c.err, "\n"))
}

func TestATraceThatWasAlteredDiffers(t *testing.T) {
	_, lines := recorded(t)
	last := len(lines) - 2 // the footer; an empty text follows
	for name, c := range map[string]struct {
		lines []string
		says  string
	}{
		"a missing event": {append(append([]string{}, lines[:50]...), lines[51:]...), "event 51 stands where event 50 should"},
		"another hash":    {append(append([]string{}, lines[:last]...), strings.Replace(lines[last], `"hash":"`, `"hash":"0`, 1)), "the footer's hash is "},
		"another count":   {append(append([]string{}, lines[:last]...), strings.Replace(lines[last], `"events":`, `"events":9`, 1)), "the footer counts 9"},
	} {
		path := altered(t, c.lines)
		got := holter("replay", path)
		require.Equal(t, exitFailed, got.code, name)
		require.Contains(t, got.out, "differs: the trace is not what was written: line ", name)
		require.Contains(t, got.out, c.says, name)
		require.Empty(t, got.err, name)
		require.Equal(t, false, holter("replay", path, "-o", "json").object(t)["identical"])

		strict := holter("replay", path, "--strict")
		require.Equal(t, exitRefused, strict.code, name)
		require.Equal(t, 1, strings.Count(strict.err, path), strict.err)
		require.Contains(t, strict.err, c.says)
	}
}

func TestOfASmallTraceThatIsCutMostIsCompared(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.jsonl.zst")
	require.Equal(t, exitFine, holter("run", nodeDeath, "--trace", path).code)
	packed := read(t, path)
	cut := write(t, "cut.zst", packed[:len(packed)-20])
	c := holter("replay", cut)
	require.Equal(t, exitFine, c.code, c.err)
	require.Contains(t, c.err, "cut off")
	require.Regexp(t, `(?m)^identical up to the damage: [23]\d\d events$`, c.out)

	c = holter("replay", write(t, "start.zst", packed[:40]))
	require.Equal(t, exitRefused, c.code)
	require.Regexp(t, `: nothing of it can be read: cut off within the first block\n$`, c.err)

	corrupt := []byte(packed)
	for i := range 30 {
		corrupt[len(corrupt)/2+i] ^= 0x55
	}
	c = holter("replay", write(t, "corrupt.zst", string(corrupt)))
	require.Equal(t, exitFine, c.code, c.err)
	require.Contains(t, c.err, "corrupt")
	require.NotContains(t, c.err, "cut off")
}

func TestTheHeaderSaysWhatTimeTheRunBegins(t *testing.T) {
	path, _ := recorded(t)
	header, events, _, err := traces.ReadFile(path, traces.ReadOptions{})
	require.NoError(t, err)
	for _, ev := range events {
		if ev.RenewTime != "" {
			renewed, err := time.Parse(time.RFC3339Nano, ev.RenewTime)
			require.NoError(t, err)
			require.InDelta(t, ev.Sent.Seconds(), renewed.Sub(header.Start).Seconds(), 1, "so that renewTime can be laid beside at")
			return
		}
	}
	t.Fatal("no Lease is renewed")
}

func TestATraceOfWhichNothingIsUsableIsRefused(t *testing.T) {
	_, lines := recorded(t)
	for name, text := range map[string]string{
		"empty":                    "",
		"cut within the header":    lines[0][:40],
		"cut after the header":     lines[0],
		"cut within its first":     lines[0] + lines[1][:10],
		"a scenario":               read(t, nodeDeath),
		"without a scenario":       `{"holter":"trace/v1alpha1","seed":1}` + "\n" + strings.Join(lines[1:], ""),
		"of another version":       strings.Replace(strings.Join(lines, ""), `kubernetesVersion: \"1.36\"`, `kubernetesVersion: \"1.12\"`, 1),
		"with a scenario of rocks": strings.Replace(strings.Join(lines, ""), `kind: Scenario`, `kind: Rocks`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, "trace.jsonl", text)
			c := holter("replay", path)
			require.Equal(t, exitRefused, c.code, c.out)
			require.Empty(t, c.out)
			require.Regexp(t, `^error: `+path+`.*\n$`, c.err)
		})
	}
	require.Equal(t, exitRefused, holter("replay", filepath.Join(t.TempDir(), "absent")).code)
}

func TestATraceOfAnotherBinaryIsSaidToBeOne(t *testing.T) {
	_, lines := recorded(t)
	lines[0] = strings.Replace(lines[0], `"binary":"`+binaryVersion()+`"`, `"binary":"v0.0.7"`, 1)
	c := holter("replay", altered(t, lines))
	require.Equal(t, exitFine, c.code, c.err)
	require.Contains(t, c.err, "was written by Holter v0.0.7")
}

func TestAReplayWritesNothing(t *testing.T) {
	path, lines := recorded(t)
	before, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, exitFine, holter("replay", path).code)
	after, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, before.ModTime(), after.ModTime())
	require.Equal(t, strings.Join(lines, ""), read(t, path))
	require.Equal(t, []string{path}, filesBeside(t, path))
}
