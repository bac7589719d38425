package lint

import (
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

const testModule = "github.com/holter-sim/holter"

// TestLintItself holds each rule against sources that break it, at the lines that say "want", and against some that do not.
func TestLintItself(t *testing.T) {
	exports := exportsOfSamples(t)
	for _, rule := range Rules() {
		t.Run(rule.Name, func(t *testing.T) {
			var broken, kept bool
			for _, s := range samples {
				if s.rule != rule.Name {
					continue
				}
				broken, kept = broken || s.breaks(), kept || !s.breaks()
				if diff := cmp.Diff(s.wanted(), linesOf(s.check(rule, exports))); diff != "" {
					t.Errorf("lines with findings (-want +got):\n%s\nin %s:\n%s", diff, s.path, s.text)
				}
			}
			require.True(t, broken, "no sample breaks this rule")
			require.True(t, kept, "no sample keeps this rule")
		})
	}
}

func TestLintItselfHasNoSampleOfAnUnknownRule(t *testing.T) {
	for _, s := range samples {
		known := slices.ContainsFunc(Rules(), func(r Rule) bool { return r.Name == s.rule })
		require.True(t, known, "sample of %q", s.rule)
	}
}

// TestLintItselfBansNamesThatExist finds a ban that is spelled wrong, or that a new version of its package made idle.
func TestLintItselfBansNamesThatExist(t *testing.T) {
	exports := exportsOfSamples(t)
	gc := importer.ForCompiler(token.NewFileSet(), "gc", func(name string) (io.ReadCloser, error) { return os.Open(exports[name]) })
	for _, rule := range Rules() {
		for _, b := range rule.Bans {
			for name := range strings.FieldsSeq(b.Names) {
				name = strings.TrimPrefix(name, "-")
				if name == "*" || name == "func" {
					continue
				}
				require.NotEmpty(t, exports[b.Path], "go list cannot build %s", b.Path)
				pkg, err := gc.Import(b.Path)
				require.NoError(t, err, b.Path)
				first, method, isMethod := strings.Cut(name, ".")
				obj := pkg.Scope().Lookup(first)
				require.NotNil(t, obj, "%s.%s", b.Path, name)
				if isMethod {
					found, _, _ := types.LookupFieldOrMethod(obj.Type(), true, pkg, method)
					require.NotNil(t, found, "%s.%s", b.Path, name)
				}
			}
		}
	}
}

func TestLintItselfReportsFileLineAndReplacement(t *testing.T) {
	s := sample{path: "sim/clock.go", text: "package sim\n\nimport \"time\"\n\nvar started = time.Now()\n"}
	found := s.checkAll(exportsOfSamples(t))
	require.Contains(t, fmt.Sprint(found), "sim/clock.go:5: time.Now: use Host.Now (no wall clock)")
	require.True(t, slices.IsSortedFunc(found, func(a, b Finding) int { return a.Line - b.Line }), "findings are not by line: %v", found)
}

// sample is a tiny source in memory. The lines of it that break the rule, and no others, say "want".
type sample struct{ rule, path, text string }

func (s sample) breaks() bool { return len(s.wanted()) > 0 }

func (s sample) wanted() []int {
	var lines []int
	number := 0
	for line := range strings.Lines(s.text) {
		number++
		if strings.Contains(line, "want") {
			lines = append(lines, number)
		}
	}
	return lines
}

func (s sample) tree() *Tree {
	return newTree(testModule, map[string][]byte{s.path: []byte(s.text)})
}

func (s sample) check(rule Rule, exports map[string]string) []Finding {
	tree := s.tree()
	tree.TypeCheck(exports)
	return Check(tree, []Rule{rule})
}

func (s sample) checkAll(exports map[string]string) []Finding {
	tree := s.tree()
	tree.TypeCheck(exports)
	return Check(tree, Rules())
}

func linesOf(found []Finding) []int {
	var lines []int
	for _, f := range found {
		lines = append(lines, f.Line)
	}
	return slices.Compact(lines)
}

// exportsOfSamples has the export data of what the samples import and of what the bans name.
func exportsOfSamples(t *testing.T) map[string]string {
	t.Helper()
	paths := map[string]bool{}
	for _, s := range samples {
		for _, name := range s.tree().Outside() {
			paths[name] = true
		}
	}
	for _, rule := range Rules() {
		for _, b := range rule.Bans {
			paths[b.Path] = paths[b.Path] || b.Names != ""
		}
	}
	maps.DeleteFunc(paths, func(_ string, needed bool) bool { return !needed })
	exports, err := Exports(root, slices.Sorted(maps.Keys(paths)))
	require.NoError(t, err)
	return exports
}
