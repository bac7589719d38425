//go:build mutants

package mutants

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestMutants runs the tests over each mutant, which lies in an overlay of the go command: the work tree is not touched.
// The control comes before the first mutant that tests are run over: without a change they pass.
func TestMutants(t *testing.T) {
	r := newRunner(t)
	var ran []outcome
	for i, m := range Table() {
		t.Run(m.Name, func(t *testing.T) {
			start := time.Now()
			o := outcome{mutant: m.Name, by: r.try(t, m), took: time.Since(start)}
			ran = append(ran, o)
			fmt.Printf("%3d of %d: %s\n", i+1, len(Table()), o)
			if o.by == "" {
				t.Error("nobody notices: write the test, and keep the mutant")
			}
		})
	}
	printTable(ran)
}

// outcome is what came of one mutant.
type outcome struct {
	mutant string
	by     string // the test that failed first; "" if none did
	took   time.Duration
}

func (o outcome) String() string {
	by := o.by
	if by == "" {
		by = "NOBODY"
	}
	return fmt.Sprintf("%-70s  %6.1f s  %s", o.mutant, o.took.Seconds(), by)
}

func printTable(ran []outcome) {
	fmt.Printf("\n%-70s  %8s  %s\n", "mutant", "", "caught by")
	caught := 0
	for _, o := range ran {
		fmt.Println(o)
		if o.by != "" {
			caught++
		}
	}
	fmt.Printf("\n%d of %d caught\n", caught, len(ran))
}

// runner runs go test in the repository.
type runner struct {
	root   string
	passed []Tests // which pass without a change
}

func newRunner(t *testing.T) *runner {
	abs, err := filepath.Abs(root)
	require.NoError(t, err)
	return &runner{root: abs}
}

// try returns the test that notices the mutant, "" if none does.
func (r *runner) try(t *testing.T, m Mutant) string {
	overlay := r.overlay(t, m)
	for _, tests := range m.By {
		r.control(t, tests)
		got := r.test(t, tests, overlay)
		switch {
		case got.broken != "":
			t.Fatalf("this mutant is broken, it shows nothing: %s\n%s", got.broken, got.output)
		case got.failed:
			return tests.Package + " " + got.test
		}
	}
	return ""
}

// control sees to it that the tests pass without a change.
func (r *runner) control(t *testing.T, tests Tests) {
	if slices.Contains(r.passed, tests) {
		return
	}
	if got := r.test(t, tests, ""); got.failed {
		t.Fatalf("%s fails without a change, so that it shows nothing:\n%s", tests.Package, got.output)
	}
	r.passed = append(r.passed, tests)
}

// overlay writes the mutant's file, and a list for the go command that puts it in the place of the original.
func (r *runner) overlay(t *testing.T, m Mutant) string {
	text, err := m.Apply(r.root)
	require.NoError(t, err)
	dir := t.TempDir()
	changed := filepath.Join(dir, filepath.Base(m.File))
	require.NoError(t, os.WriteFile(changed, text, 0o600))
	list, err := json.Marshal(map[string]any{
		"Replace": map[string]string{filepath.Join(r.root, filepath.FromSlash(m.File)): changed},
	})
	require.NoError(t, err)
	name := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(name, list, 0o600))
	return name
}

// result is what the tests of one package said.
type result struct {
	failed bool
	test   string // the first that failed
	broken string // why the run says nothing about the tests, "" if it does
	output string
}

// Flags of the property tests: a failure leaves no file behind and is not made small, since nobody is to look at it, and
// the draws are the same each time.
var propertyFlags = []string{"-rapid.nofailfile", "-rapid.shrinktime=1s", "-rapid.seed=1"}

// leftOut are the tests that hold what a run is against what it was: goldens by another name.
const leftOut = "Golden|AtAnyGOMAXPROCS|HashesDoNotDependOnTheMachine"

// test runs tests; overlay may be "". Goldens are left out: those that are compared by a test of their own by its name, the
// others by the environment.
func (r *runner) test(t *testing.T, tests Tests, overlay string) result {
	args := []string{"test", "-json", "-count=1", "-failfast", "-vet=off", "-timeout=5m", "-skip=" + leftOut}
	if tests.Run != "" {
		args = append(args, "-run="+tests.Run)
	}
	if overlay != "" {
		args = append(args, "-overlay="+overlay)
	}
	args = append(args, tests.Package)
	if r.hasProperties(t, tests.Package) {
		args = append(append(args, "-args"), propertyFlags...)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = r.root
	cmd.Env = append(os.Environ(), "HOLTER_GOLDEN=ignore")
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	got := readEvents(t, out)
	if exit != nil && !got.failed {
		got.failed, got.broken = true, "go test did not get as far as the tests: "+string(exit.Stderr)
	}
	return got
}

// hasProperties tells whether tests of the package use package rapid, which is to be told how.
func (r *runner) hasProperties(t *testing.T, pkg string) bool {
	files, err := filepath.Glob(filepath.Join(r.root, pkg, "*_test.go"))
	require.NoError(t, err)
	return slices.ContainsFunc(files, func(name string) bool {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		return bytes.Contains(text, []byte(`"pgregory.net/rapid"`))
	})
}

// readEvents reads the output of go test -json (go doc test2json).
func readEvents(t *testing.T, out []byte) result {
	var got result
	var said strings.Builder
	for events := json.NewDecoder(bufio.NewReader(bytes.NewReader(out))); ; {
		var ev struct{ Action, Test, Output, FailedBuild string }
		if err := events.Decode(&ev); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(t, err)
		}
		said.WriteString(ev.Output)
		switch {
		case strings.HasPrefix(ev.Output, "panic: test timed out"):
			got.broken = "it never comes to an end"
		case ev.Action == "fail" && ev.FailedBuild != "":
			got.failed, got.broken = true, "it does not compile"
		case ev.Action == "fail":
			got.failed = true
			if got.test == "" {
				got.test = ev.Test
			}
		}
	}
	if got.failed && got.test == "" && got.broken == "" {
		got.broken = "the package fails, but none of its tests"
	}
	got.output = said.String()
	return got
}
