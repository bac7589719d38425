package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

// verbs are the verbs that are Holter's own.
func verbs() []*cobra.Command {
	var list []*cobra.Command
	for _, cmd := range (&cli{}).root().Commands() {
		if cmd.Name() != "help" && cmd.Name() != "completion" {
			list = append(list, cmd)
		}
	}
	return list
}

func TestTheExamplesOfHelpWork(t *testing.T) {
	testdata, err := filepath.Abs("../../testdata")
	require.NoError(t, err)
	for _, cmd := range append(verbs(), (&cli{}).root()) {
		t.Run(cmd.Name(), func(t *testing.T) {
			folder := t.TempDir()
			require.NoError(t, os.Symlink(testdata, filepath.Join(folder, "testdata")))
			t.Chdir(folder) // as in the root of the repository, without writing there
			require.NotEmpty(t, cmd.Example)
			mentioned := false
			for line := range strings.Lines(cmd.Example) {
				words := shellWords(t, line)[1:]
				c := &call{args: words[1:]}
				switch words[1] {
				case "serve": // it goes on until it is told to end
					c.signals = &interrupt{}
					c.signals.raise()
					c.run()
				case "fault": // there is something to strike
					served(t, "testdata/scenarios/node-death.yaml", "--kubeconfig", "sim.kubeconfig").during(func() { c.run() })
				default:
					c.run()
				}
				require.Equal(t, exitFine, c.code, "%s: %s%s", line, c.out, c.err)
				mentioned = mentioned || words[1] == cmd.Name() || !cmd.HasParent()
			}
			require.True(t, mentioned, "an example of %s", cmd.Name())
		})
	}
}

func TestEveryVerbHasHelp(t *testing.T) {
	for _, cmd := range verbs() {
		c := holter(cmd.Name(), "--help")
		require.Equal(t, exitFine, c.code)
		require.Contains(t, c.out, "Examples:")
		for line := range strings.Lines(cmd.Long) {
			require.LessOrEqual(t, len(line), pageWidth+4, line)
		}
	}
	var help strings.Builder
	for _, cmd := range verbs() {
		help.WriteString(holter(cmd.Name(), "--help").out + "\n")
	}
	golden(t, "help.golden", holter().out+"\n"+help.String())
}

func TestOnlyWhatIsThereIsOffered(t *testing.T) {
	var names []string
	for _, cmd := range verbs() {
		names = append(names, cmd.Name())
	}
	require.Equal(t, []string{"fault", "replay", "run", "serve", "validate", "version", "versions", "whatif"}, names)
}

func TestShellsCanComplete(t *testing.T) {
	c := holter("completion", "bash")
	require.Equal(t, exitFine, c.code)
	require.Contains(t, c.out, "holter")
	require.Contains(t, holter("__complete", "run", "-o", "").out, "json\n")
}
