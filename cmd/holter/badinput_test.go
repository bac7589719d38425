package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// badInput is a command line that is refused; edit changes the node death, which is standard input.
type badInput struct {
	claim string
	args  []string
	edit  []string // old, new
}

func badInputs() []badInput {
	run := func(args ...string) []string { return append([]string{"run", "-"}, args...) }
	whatIf := func(args ...string) []string { return append([]string{"whatif", "-"}, args...) }
	return []badInput{
		{"an unknown field is told its neighbour", run(), []string{"duration:", "duraton:"}},
		{"a negative duration", run(), []string{"duration: 3m", "duration: -3m"}},
		{"a fault on a node that is not there", run(), []string{"kill: {node: node-1}", "kill: {node: node-7}"}},
		{"a version that is not modelled", run(), []string{`"1.36"`, `"1.12"`}},
		{"a seed in the file that is no number", run(), []string{"seed: 1", "seed: one"}},
		{"a KubeletConfiguration that is not there", run(), []string{"kubelet: {", "kubeletConfigFile: absent.yaml\n  kubelet: {"}},
		{"nothing at all", run(), []string{"*", ""}},
		{"a file that is not there", []string{"run", "testdata/absent.yaml"}, nil},
		{"a folder", []string{"run", "testdata"}, nil},
		{"no scenario", []string{"run"}, nil},
		{"a seed that is no number", run("--seed", "one"), nil},
		{"a negative seed", run("--seed=-1"), nil},
		{"seeds that end before they begin", run("--seeds", "9-1"), nil},
		{"seeds that are no list", run("--seeds", "1..9"), nil},
		{"a seed and seeds", run("--seed", "1", "--seeds", "1-9"), nil},
		{"a setting without a value", run("--set", "duration"), nil},
		{"a setting without a path", run("--set", "=5m"), nil},
		{"a setting that is none is told its neighbour", run("--set", "kubelet.nodeStatusUpdateFreqency=5s"), nil},
		{"a setting that is given without its place", run("--set", "node-monitor-grace-period=5s"), nil},
		{"a setting with a value that it does not take", run("--set", "controllerManager.node-monitor-grace-period=-5s"), nil},
		{"a trace that cannot be put anywhere", run("--trace", "testdata/absent/trace.jsonl"), nil},
		{"a trace that is no file", run("--trace", "-"), nil},
		{"a trace of many seeds", run("--seeds", "1-9", "--trace", "trace.jsonl"), nil},
		{"a trace in place of its scenario", []string{"run", nodeDeath, "--trace", nodeDeath}, nil},
		{"a format that is none", run("-o", "xml"), nil},
		{"a flag that is none", run("--sead", "1"), nil},
		{"a flag that is as near to one as to another", run("--sed", "1"), nil},
		{"a flag with a letter left out", run("--quie"), nil},
		{"a seed that is said twice", run("--set", "seed=4", "--seed", "7"), nil},
		{"seeds beside a seed that is set", run("--set", "spec.seed=4", "--seeds", "1-7"), nil},
		{"a story of a node that is not there", run("--node", "node-7"), nil},
		{"a setting that is not modelled", run("--set", "kubelet.maxPods=5"), nil},
		{"a flag of a component that is not modelled", run("--set", "controllerManager.leader-elect=true"), nil},
		{"half a distribution", run("--set", "network.latency.p50=5ms"), nil},
		{"no nodes", run("--set", "nodes=[]"), nil},
		{"a period of nanoseconds", run("--set", "controllerManager.node-monitor-period=1ns"), nil},
		{"a flag without its value", run("--seed"), nil},
		{"a verb that is none is told its neighbour", []string{"reply", "trace.jsonl"}, nil},
		{"help of a verb that is none", []string{"reply", "--help"}, nil},
		{"help about a verb that is none", []string{"help", "sweep"}, nil},
		{"a trace that is not there", []string{"replay", "testdata/absent.jsonl"}, nil},
		{"a trace that is a scenario", []string{"replay", nodeDeath}, nil},
		{"two traces", []string{"replay", "a", "b"}, nil},
		{"an audit log that is a scenario", []string{"whatif", nodeDeath}, nil},
		{"an audit log that is not there", []string{"whatif", "testdata/absent.jsonl"}, nil},
		{"a kubelet's setting asked of a recording", whatIf("--set", "kubelet.nodeStatusUpdateFrequency=5s"), nil},
		{"a network asked of a recording", whatIf("--set", "network.latency.fixed=5ms"), nil},
		{"a cost asked of a recording", whatIf("--baseline", "model.monitorPassCostPerNode=1ms"), nil},
		{"another version as an alternative", whatIf("--set", "kubernetesVersion=1.36"), nil},
		{"a recording of another version", whatIf("--baseline", "kubernetesVersion=1.12"), nil},
		{"an alternative with a value that it does not take", whatIf("--set", "controllerManager.node-monitor-period=0s"), nil},
		{"an alternative with half a setting", whatIf("--set", "controllerManager.node-monitor-period=1s,controllerManager.node-eviction-rate"), nil},
		{"an alternative that is no field is told its neighbour", whatIf("--set", "controlerManager.node-monitor-period=2s"), nil},
		{"an alternative without its place", whatIf("--set", "node-monitor-grace-period=100s"), nil},
		{"an alternative that is no flag is told its neighbour", whatIf("--set", "controllerManager.node-monitor-grace-perod=2s"), nil},
		{"an alternative that is not modelled", whatIf("--set", "controllerManager.leader-elect=true"), nil},
		{"an alternative with a flag that is none", whatIf("--set", "controllerManagerFlags=[--node-monitor-grace=2s]"), nil},
		{"an alternative that is set twice", whatIf("--set", "controllerManager.node-monitor-period=1s,controllerManager.node-monitor-period=2s"), nil},
		{"a setting of the recording that is set twice", whatIf("--baseline", "controllerManager.node-monitor-period=1s", "--baseline", "spec.controllerManager.node-monitor-period=2s"), nil},
		{"a log that is a folder", []string{"whatif", "testdata"}, nil},
		{"a log that is empty", whatIf(), []string{"*", ""}},
		{"a fit that is a word", whatIf("--fit-cost", "x"), nil},
		{"a fit that is too long", whatIf("--fit-phase", "25h"), nil},
		{"a fit that is negative", whatIf("--fit-cost=-1ms"), nil},
		{"a fit that is no duration", whatIf("--fit-phase", "1"), nil},
		{"two versions", []string{"versions", "1.20", "1.21"}, nil},
		{"an argument too many", []string{"version", "1.36"}, nil},
	}
}

// badInputsOfServe are of serve, and of fault.
func badInputsOfServe() []badInput {
	return []badInput{
		{"a speed that is none", []string{"serve", nodeDeath, "--speed", "fast"}, nil},
		{"a speed without its x", []string{"serve", nodeDeath, "--speed", "60"}, nil},
		{"a speed that is negative", []string{"serve", nodeDeath, "--speed=-1x"}, nil},
		{"an address that is none", []string{"serve", nodeDeath, "--listen", "127.0.0.1"}, nil},
		{"an address of another machine", []string{"serve", nodeDeath, "--listen", "192.0.2.1:0"}, nil},
		{"a kubeconfig in place of another", []string{"serve", nodeDeath, "--kubeconfig", nodeDeath}, nil},
		{"a kubeconfig that cannot be put anywhere", []string{"serve", nodeDeath, "--kubeconfig", "testdata/absent/config"}, nil},
		{"two scenarios to serve", []string{"serve", nodeDeath, broken}, nil},
		{"a scenario to serve that is none", []string{"serve", "-"}, []string{"duration:", "duraton:"}},
		{"no fault", []string{"fault"}, nil},
		{"a fault and a file", []string{"fault", "kill: {node: node-1}", "-f", nodeDeath}, nil},
		{"a fault in two words", []string{"fault", "kill:", "{node: node-1}"}, nil},
		{"a fault without a kubeconfig", []string{"fault", "kill: {node: node-1}"}, nil},
		{"a fault with a kubeconfig that is not there", []string{"fault", "kill: {node: node-1}", "--kubeconfig", "testdata/absent"}, nil},
		{"a fault with a kubeconfig that is none", []string{"fault", "kill: {node: node-1}", "--kubeconfig", nodeDeath}, nil},
		{"a fault in a file that is not there", []string{"fault", "--filename", "testdata/absent.yaml"}, nil},
	}
}

func TestBadInputIsRefusedInOneLine(t *testing.T) {
	var table strings.Builder
	for _, b := range slices.Concat(badInputs(), badInputsOfServe()) {
		text := read(t, nodeDeath)
		edited := ""
		if len(b.edit) == 2 {
			require.Contains(t, "*"+text, b.edit[0])
			edited = fmt.Sprintf("   (%q instead of %q)", b.edit[1], b.edit[0])
			if b.edit[0] == "*" {
				text, edited = "", "   (nothing on standard input)"
			} else {
				text = strings.Replace(text, b.edit[0], b.edit[1], 1)
			}
		}
		c := (&call{args: b.args, stdin: text}).run()
		require.Equal(t, exitRefused, c.code, "%s: %s", b.claim, c.err)
		require.Empty(t, c.out, b.claim)
		require.Equal(t, 1, strings.Count(c.err, "\n"), "%s: %s", b.claim, c.err)
		fmt.Fprintf(&table, "### %s\n$ %s%s\n%s\n", b.claim, shellLine(append([]string{"holter"}, b.args...)), edited, c.err)
	}
	golden(t, "bad-input.golden", table.String())
}

func TestEverythingThatIsWrongIsToldALineEach(t *testing.T) {
	for _, b := range []struct {
		claim string
		args  []string
		edits []string // old, new, old, new
		lines []string
	}{
		{"three values, of which two are set", []string{"--set", "faults[0].kill.node=node-9", "--set", "expect[0].since=birth"}, []string{"duration: 3m", "duration: -3m"}, []string{
			`error: <stdin>:9: spec.duration: "-3m" is negative; `,
			`error: --set faults[0].kill.node=node-9: spec.faults[0].kill.node: "node-9" is no node of this scenario; `,
			`error: --set expect[0].since=birth: spec.expect[0].since: "birth" is the name of no fault; `}},
		{"a setting that breaks a fault and an expectation", []string{"--set", "nodes[0].count=1"}, nil, []string{
			`error: <stdin>:15: spec.faults[0].kill.node: "node-1" is no node of this scenario, with --set nodes[0].count=1; `,
			`error: <stdin>:17: spec.expect[0].node: "node-1" is no node of this scenario, with --set nodes[0].count=1; `}},
		{"two fields that are unknown", nil, []string{"duration:", "duraton:", "kill: {node: node-1}", "kil: {node: node-1}"}, []string{
			`error: <stdin>:9: spec: unknown field "duraton", did you mean duration?; `,
			`error: <stdin>:15: spec.faults[0]: unknown field "kil", did you mean kill?; `}},
	} {
		c := (&call{args: append([]string{"run", "-"}, b.args...), stdin: strings.NewReplacer(b.edits...).Replace(read(t, nodeDeath))}).run()
		require.Equal(t, exitRefused, c.code, b.claim)
		require.Empty(t, c.out, b.claim)
		got := strings.Split(strings.TrimSuffix(c.err, "\n"), "\n")
		require.Len(t, got, len(b.lines), "%s: %s", b.claim, c.err)
		for i, line := range b.lines {
			require.True(t, strings.HasPrefix(got[i], line), "%s: %s", b.claim, got[i])
		}
	}
}
