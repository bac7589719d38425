package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/traces"
)

const (
	// nodeDeath is a scenario that the goldens of this package tell of.
	nodeDeath = "testdata/node-death.yaml"
	// broken is the same with an expectation that is not met.
	broken = "testdata/broken.yaml"
)

// call is one call of the command: what goes in, and what came out.
type call struct {
	args     []string
	stdin    string
	watchers []traces.Sink
	signals  *interrupt // nil: its own

	code     int
	out, err string
}

// holter calls the command.
func holter(args ...string) *call { return (&call{args: args}).run() }

func (c *call) run() *call {
	var out, errOut bytes.Buffer
	command := &cli{in: strings.NewReader(c.stdin), out: &out, errOut: &errOut, getenv: func(string) string { return "" }, watchers: c.watchers, interrupt: c.signals}
	c.code = command.run(c.args)
	c.out, c.err = out.String(), errOut.String()
	return c
}

// object decodes the one JSON object that was printed.
func (c *call) object(t *testing.T) map[string]any {
	t.Helper()
	objects := c.objects(t)
	require.Len(t, objects, 1)
	return objects[0]
}

// objects decodes what was printed, an object a line.
func (c *call) objects(t *testing.T) []map[string]any {
	t.Helper()
	var objects []map[string]any
	for line := range strings.Lines(c.out) {
		var object map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &object), line)
		objects = append(objects, object)
	}
	return objects
}

// golden compares text with a file of testdata, or writes that file if HOLTER_GOLDEN is rewrite.
func golden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("HOLTER_GOLDEN") == "rewrite" {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), text, "rewrite the goldens with make golden, and read the difference")
}

// timeless takes out of what is printed what differs from machine to machine.
func timeless(text string) string {
	for _, m := range []struct{ what, with string }{
		{`simulated in \S+ \(\S+\)`, "simulated in TIME (SPEED)"},
		{`("wallSeconds"|"cpuSeconds"|"peakRSSBytes"):[0-9.e+-]+`, `$1:0`},
	} {
		text = regexp.MustCompile(m.what).ReplaceAllString(text, m.with)
	}
	return text
}

// write puts text into a file of a temporary folder.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}
