package scenario

import (
	"bytes"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
)

const (
	badInputs = "testdata/input/bad.golden"
	fullInput = "testdata/input/full.yaml"
)

// inputCase is a claim about a bad input: the input, and the one line it is answered with.
type inputCase struct {
	claim, input, answer string
}

// document gives the whole file: a case may be one, or the part of a spec that it is about.
func (c inputCase) document() string {
	if full, ok := strings.CutPrefix(c.input, "%full\n"); ok {
		return full
	}
	text := "apiVersion: holter/v1alpha1\nkind: Scenario\nmetadata: {name: bad}\nspec:\n"
	for _, line := range strings.SplitAfter(c.input, "\n") {
		if line != "" {
			text += "  " + line
		}
	}
	for field, value := range map[string]string{"duration": "5m", "nodes": "[{count: 3}]"} {
		if !strings.HasPrefix(c.input, field+":") {
			text += "  " + field + ": " + value + "\n"
		}
	}
	return text
}

func readInputCases(t testing.TB) []inputCase {
	t.Helper()
	data, err := os.ReadFile(badInputs)
	require.NoError(t, err)
	var cases []inputCase
	for _, block := range strings.Split("\n"+string(data), "\n### ")[1:] {
		claim, rest, _ := strings.Cut(block+"\n", "\n")
		input, answer, _ := strings.Cut(rest, "=> ")
		cases = append(cases, inputCase{claim: claim, input: strings.TrimRight(input, "\n") + "\n", answer: strings.TrimSpace(answer)})
	}
	require.NotEmpty(t, cases)
	return cases
}

// answers gives what the input is answered with.
func answers(t testing.TB, document string) []string {
	t.Helper()
	s, _, err := Decode([]byte(document), "bad.yaml")
	if err != nil {
		requireInputError(t, err)
		return []string{err.Error()}
	}
	var lines []string
	for _, problem := range s.Problems() {
		requireInputError(t, problem)
		lines = append(lines, problem.Error())
	}
	return lines
}

func requireInputError(t testing.TB, err error) {
	t.Helper()
	var inputError *InputError
	require.ErrorAs(t, err, &inputError)
	require.NotContains(t, err.Error(), "\n", "an error is one line")
}

func TestBadInputIsAnsweredWithOneClearLineAsInGolden(t *testing.T) {
	cases := readInputCases(t)
	if os.Getenv("HOLTER_GOLDEN") == "rewrite" {
		rewriteInputCases(t, cases)
		return
	}
	for _, c := range cases {
		t.Run(c.claim, func(t *testing.T) {
			require.Equal(t, []string{c.answer}, answers(t, c.document()))
		})
	}
}

func rewriteInputCases(t *testing.T, cases []inputCase) {
	var out bytes.Buffer
	for _, c := range cases {
		lines := answers(t, c.document())
		require.Len(t, lines, 1, c.claim)
		out.WriteString("### " + c.claim + "\n" + c.input + "=> " + lines[0] + "\n")
	}
	require.NoError(t, os.WriteFile(badInputs, out.Bytes(), 0o644))
}

func TestEveryAnswerNamesFileAndWhatIsAccepted(t *testing.T) {
	for _, c := range readInputCases(t) {
		require.Truef(t, strings.HasPrefix(c.answer, "bad.yaml:") || strings.HasPrefix(c.answer, "kubelet.yaml:") ||
			strings.HasPrefix(c.answer, "spec.kubeletConfig:"), "%s: names no file: %s", c.claim, c.answer)
		if !strings.Contains(c.answer, "is empty") && !strings.Contains(c.answer, "is not YAML") && !strings.Contains(c.answer, "a second time") {
			require.Contains(t, c.answer, "; accepted: ", c.claim)
		}
	}
}

func loadFull(t testing.TB) *Scenario {
	t.Helper()
	s, _, err := Load(fullInput, nil)
	require.NoError(t, err)
	return s
}

func requireSameScenario(t require.TestingT, want, got *Scenario, args ...any) {
	options := cmp.Options{cmpopts.IgnoreUnexported(Scenario{}), cmpopts.EquateEmpty()}
	if difference := cmp.Diff(want, got, options); difference != "" {
		require.Fail(t, difference, args...)
	}
}

func TestFullScenarioIsValidAndUsesEveryField(t *testing.T) {
	s := loadFull(t)
	require.NoError(t, s.Validate())
	used := map[string]bool{}
	for path := range s.origin.lines {
		used[withoutIndexes(path)] = true
	}
	for path := range referenceTypes() {
		exempt := path == "spec.kubeletConfig" || strings.Contains(path, "atency.") || strings.HasPrefix(path, "spec.apiServer.work.")
		require.True(t, used[path] || exempt, "%s is not used in %s", path, fullInput)
	}
	verbs, forms := map[string]bool{}, map[Form]bool{}
	for _, f := range s.Spec.Faults {
		verbs[f.Verb()] = true
	}
	for _, x := range s.Spec.Expect {
		forms[x.Form()] = true
	}
	require.Len(t, verbs, len(faultVerbFields()))
	require.Len(t, forms, 7)
}

// withoutIndexes turns "a[3].b" into "a[].b".
func withoutIndexes(path string) string {
	var b strings.Builder
	inside := false
	for _, r := range path {
		inside = inside && r != ']'
		if !inside {
			b.WriteRune(r)
		}
		inside = inside || r == '['
	}
	return b.String()
}

func TestScalarsAreReadAsTheirFieldAsks(t *testing.T) {
	s := loadFull(t)
	require.Equal(t, "1.36.3", s.Spec.KubernetesVersion)
	require.Equal(t, uint64(18446744073709551615), s.Spec.Seed)
	require.Equal(t, "False", s.Spec.Expect[1].Stays)
	require.Equal(t, float32(0.2), *s.Spec.ControllerManager.NodeEvictionRate)
	require.Equal(t, "1m30s", s.Spec.Faults[1].For.String())

	d, _, err := Decode([]byte("apiVersion: holter/v1alpha1\nkind: Scenario\nmetadata: {name: x}\nspec: {kubernetesVersion: 1.30, seed: '7'}\n"), "x.yaml")
	require.NoError(t, err)
	require.Equal(t, "1.30", d.Spec.KubernetesVersion, "not the number 1.3")
	require.Equal(t, uint64(7), d.Spec.Seed)
}

func TestDefaultsOfEntriesAreFilledIn(t *testing.T) {
	s := loadFull(t)
	require.Equal(t, NodeGroup{Count: 2, Name: "node", Version: "1.36", Zone: "b"}, s.Spec.Nodes[1])
	require.Equal(t, PodGroup{Name: "db", PerNode: 1, Namespace: "default"}, s.Spec.Pods[1])
}

func TestNumberingOfNodesContinuesOverGroupsOfOneName(t *testing.T) {
	require.Equal(t, [][]string{{"node-0", "node-1", "node-2"}, {"node-3", "node-4"}, {"edge-0"}}, loadFull(t).NodeNames())
}

func TestMoreNodesThanCanBeAreRefusedWithoutTheirNames(t *testing.T) {
	for _, counts := range [][]int{{1 << 62}, {mostNodes, 1}, {1, math.MaxInt, math.MaxInt}} {
		s := loadFull(t)
		s.Spec.Nodes = nil
		for _, n := range counts {
			s.Spec.Nodes = append(s.Spec.Nodes, NodeGroup{Name: "node", Count: n})
		}
		require.Equal(t, make([][]string, len(counts)), s.NodeNames())
		s.Warnings()
		require.ErrorContains(t, s.Validate(), "accepted: ")
	}
}

func TestVerbsWithoutAnythingInThemAreThatVerb(t *testing.T) {
	for _, i := range []int{15, 16} {
		require.Equal(t, "restartControllerManager", loadFull(t).Spec.Faults[i].Verb())
	}
}

func TestScenarioSurvivesBeingWritten(t *testing.T) {
	s := loadFull(t)
	text, err := s.YAML()
	require.NoError(t, err)
	again, _, err := Decode(text, "again.yaml")
	require.NoError(t, err)
	requireSameScenario(t, s, again)
	require.NoError(t, again.Validate(), "it needs no other file")
}

func TestCloneSharesNothingThatSetChanges(t *testing.T) {
	s, untouched := loadFull(t), loadFull(t)
	clone, err := s.Clone()
	require.NoError(t, err)
	requireSameScenario(t, s, clone)
	for _, path := range leafPaths(s) {
		form := strings.Contains(path.field, ".histogram[") // gone as soon as another form of the distribution is set
		if path.field != "kubeletConfigFile" && !form {
			require.NoError(t, clone.Set(path.field, path.sample()))
		}
	}
	requireSameScenario(t, untouched, s)
}

func TestLoadReadsStandardInput(t *testing.T) {
	text, err := loadFull(t).YAML()
	require.NoError(t, err)
	s, _, err := Load("-", bytes.NewReader(text))
	require.NoError(t, err)
	requireSameScenario(t, loadFull(t), s)
}

func TestFilesThatCannotBeReadAreNamed(t *testing.T) {
	_, _, err := Load("testdata/input/absent.yaml", nil)
	requireInputError(t, err)
	require.EqualError(t, err, "testdata/input/absent.yaml: cannot be read: no such file or directory")

	_, _, err = Load("-", strings.NewReader("apiVersion: holter/v1alpha1\nkind: Scenario\nmetadata: {name: x}\nspec:\n  kubeletConfigFile: absent.yaml\n"))
	requireInputError(t, err)
	require.EqualError(t, err, `<stdin>:5: spec.kubeletConfigFile: "absent.yaml" cannot be read: no such file or directory; accepted: the path of a KubeletConfiguration file, relative to the scenario's`)

	_, _, err = Load("-", bytes.NewReader(make([]byte, maxInputSize+1)))
	requireInputError(t, err)
	_, _, err = Load("testdata", nil)
	requireInputError(t, err)
}

func TestAliasesAreFollowedAndBounded(t *testing.T) {
	const head = "apiVersion: holter/v1alpha1\nkind: Scenario\nmetadata: {name: x}\n"
	s, _, err := Decode([]byte(head+"spec: {duration: &d 5m, nodes: [&g {count: 2}, *g], faults: [{at: *d, kill: {node: node-3}}]}"), "x.yaml")
	require.NoError(t, err)
	require.NoError(t, s.Validate())

	bomb := head + "spec:\n  kubeletFlags: &a [" + strings.Repeat("&b x, ", 1) + strings.Repeat("*b, ", maxAliases+1) + "]\n"
	_, _, err = Decode([]byte(bomb), "x.yaml")
	requireInputError(t, err)
	require.ErrorContains(t, err, "one alias too many")
}

func FuzzDecodeNeverPanicsAndAnswersInOneLine(f *testing.F) {
	for _, c := range readInputCases(f) {
		f.Add(c.document())
	}
	full, err := os.ReadFile(fullInput)
	require.NoError(f, err)
	f.Add(string(full))
	f.Fuzz(func(t *testing.T, document string) {
		s, warnings, err := Decode([]byte(document), "fuzz.yaml")
		if err != nil {
			requireInputError(t, err)
			return
		}
		for _, w := range warnings {
			require.NotContains(t, w.String(), "\n")
		}
		problems := s.Problems()
		for _, p := range problems {
			require.NotContains(t, p.Error(), "\n")
		}
		text, err := s.YAML()
		require.NoError(t, err)
		again, _, err := Decode(text, "fuzz.yaml")
		require.NoError(t, err)
		if len(problems) == 0 {
			requireSameScenario(t, s, again)
		}
	})
}

func TestWhatPeopleWriteAndMeanIsTaken(t *testing.T) {
	for claim, spec := range map[string]string{
		"a version as kubectl prints it":    "kubernetesVersion: v1.36.2",
		"a fault that outlasts every run":   "faults: [{at: 1s, pause: {node: node-0}, for: 1000h}]",
		"a label that another field is for": "nodes: [{labels: {topology.kubernetes.io/zone: a}, region: b}]",
	} {
		require.Empty(t, answers(t, inputCase{input: spec + "\n"}.document()), claim)
	}
	for _, end := range []string{"---", "---\n", "---\n---\n# nothing\n", "...\n"} {
		require.Empty(t, answers(t, inputCase{input: "seed: 1\n"}.document()+end), end)
	}
	s := small(t, "kubernetesVersion: v1.36.2")
	e, err := s.Effective()
	require.NoError(t, err)
	require.Equal(t, "1.36.2", e.KubernetesVersion)
}

func TestEverythingThatCannotBeReadIsTold(t *testing.T) {
	_, _, err := Decode([]byte("apiVersion: holter/v1alpha1\nkind: Scenario\nmetadata: {name: x}\nspec:\n  duraton: 5m\n  seed: one\n  nodes: [{count: two}, {cuont: 3}]\n"), "bad.yaml")
	var first *InputError
	require.ErrorAs(t, err, &first)
	var lines []string
	for _, e := range first.All() {
		line, _, _ := strings.Cut(e.Error(), ";")
		lines = append(lines, line)
	}
	require.Equal(t, []string{
		`bad.yaml:5: spec: unknown field "duraton", did you mean duration?`,
		`bad.yaml:6: spec.seed: "one" is no whole number`,
		`bad.yaml:7: spec.nodes[0].count: "two" is no whole number`,
		`bad.yaml:7: spec.nodes[1]: unknown field "cuont", did you mean count?`,
	}, lines)
}
