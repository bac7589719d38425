package scenario

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/traces"
)

// The scenario suite: every file of testdata/scenarios tells a story whose end
// it states as expectations, and lies beside a golden that shows the run.
const suiteDir = "../testdata/scenarios"

// goldenMode is "" to compare with the goldens, "rewrite" to write them anew
// (`make golden`), "ignore" to judge by expectations alone (`make mutants`).
var goldenMode = os.Getenv("HOLTER_GOLDEN")

func TestScenarios(t *testing.T) {
	for _, path := range suiteFiles(t) {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, golden := runForGolden(t, path)
			second, _ := runForGolden(t, path)

			require.Equal(t, name, first.Scenario, "metadata.name is the file's name")
			require.Equal(t, first.TraceHash, second.TraceHash, "two runs of one seed differ")
			require.Empty(t, first.Violations)
			for _, v := range first.Expectations {
				if !v.OK {
					t.Errorf("%s\n  want %s\n  got  %s\n  holter run %s --seed %d", v.Name, v.Want, v.Got, path, first.Seed)
				}
			}
			compareGolden(t, strings.TrimSuffix(path, ".yaml")+".golden", golden)
		})
	}
}

// TestHashesDoNotDependOnTheMachine runs the suite in fresh processes under
// other conditions of scheduler and garbage collector.
func TestHashesDoNotDependOnTheMachine(t *testing.T) {
	if os.Getenv("HOLTER_PRINT_HASHES") != "" {
		for _, path := range suiteFiles(t) {
			r, _ := runForGolden(t, path)
			fmt.Printf("HASH %s %s\n", r.Scenario, r.TraceHash)
		}
		return
	}
	var want string
	for _, env := range [][]string{
		{"GOMAXPROCS=1", "GOGC=off"}, {"GOMAXPROCS=2", "GOGC=20"},
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestHashesDoNotDependOnTheMachine$", "-test.count=1")
		cmd.Env = append(append(os.Environ(), "HOLTER_PRINT_HASHES=1"), env...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		got := hashLines(out)
		require.NotEmpty(t, got)
		if want == "" {
			want = got
		}
		require.Equal(t, want, got, "under %v", env)
	}
}

func hashLines(out []byte) string {
	var lines []string
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "HASH ") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

func suiteFiles(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(suiteDir, "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	return paths
}

// runForGolden runs a scenario with every check on and renders the run.
func runForGolden(t *testing.T, path string) (*Result, []byte) {
	t.Helper()
	s, _, err := Load(path, nil)
	require.NoError(t, err)
	var lines goldenLines
	r, err := Run(s, Options{Check: true, Sinks: []traces.Sink{&lines}}, nil)
	require.NoError(t, err)
	return r, lines.render(r)
}

// goldenLines keeps what a reader of a golden wants to see: everything but the
// routine. What is left out is pinned by the hash at the end.
type goldenLines struct {
	lines []string
	more  int
}

const maxGoldenLines = 250

func (g *goldenLines) Event(ev *traces.Event) error {
	switch {
	case routine(ev):
	case len(g.lines) < maxGoldenLines:
		g.lines = append(g.lines, traces.Text(ev))
	default:
		g.more++
	}
	return nil
}

// routine tells the events of which one is like the other.
func routine(ev *traces.Event) bool {
	switch ev.Kind {
	case traces.KindWatch, heartbeat.DecisionRegistered:
		return true
	case traces.KindTransition:
		return ev.From == "" && ev.Name != "Ready"
	case traces.KindRequest:
		return ev.Code == 200 && (ev.Verb == "update" && ev.Resource == "leases" || ev.Verb == "watch") || ev.Resource == "events"
	}
	return false
}

func (g *goldenLines) render(r *Result) []byte {
	var b bytes.Buffer
	for _, line := range g.lines {
		fmt.Fprintln(&b, line)
	}
	if g.more > 0 {
		fmt.Fprintf(&b, "... and %d more\n", g.more)
	}
	fmt.Fprintln(&b)
	for _, item := range r.Story() {
		fmt.Fprintf(&b, "%s  %s\n", traces.FormatTime(item.From), item)
	}
	fmt.Fprintln(&b)
	for _, v := range Summarize(r.Expectations) {
		fmt.Fprintf(&b, "%-6s %s: want %s, got %s\n", map[bool]string{true: "ok", false: "FAILED"}[v.OK], v.Name, v.Want, v.Got)
	}
	fmt.Fprintln(&b)
	for _, key := range slices.Sorted(maps.Keys(r.Requests)) {
		fmt.Fprintf(&b, "%6d %s\n", r.Requests[key], key)
	}
	fmt.Fprintf(&b, "\nhash %s, %d events, %d ties\n", r.TraceHash, r.Events, r.Ties)
	return b.Bytes()
}

func compareGolden(t *testing.T, path string, got []byte) {
	t.Helper()
	switch goldenMode {
	case "ignore":
		return
	case "rewrite":
		require.NoError(t, os.WriteFile(path, got, 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "make golden writes it")
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("%s differs (-golden +run); if you can say what caused each line, make golden:\n%s", path, diff)
	}
}
