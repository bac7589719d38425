package version

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheTableInDocsIsThatOfTheCode holds the part of docs/versions.md below its mark; what stands above is written by hand.
// HOLTER_GOLDEN=rewrite go test ./heartbeat/version brings it up to date.
func TestTheTableInDocsIsThatOfTheCode(t *testing.T) {
	const path, mark = "../../docs/versions.md", "<!-- below: version.Markdown -->\n\n"
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	intro, table, found := strings.Cut(string(text), mark)
	require.True(t, found, "%s has no line %q", path, strings.TrimSpace(mark))
	if os.Getenv("HOLTER_GOLDEN") == "rewrite" {
		require.NoError(t, os.WriteFile(path, []byte(intro+mark+Markdown()), 0o644))
		return
	}
	require.Equal(t, Markdown(), table, "run HOLTER_GOLDEN=rewrite go test ./heartbeat/version, and read the difference")
}

func TestTheTableHasARowForEachChangeAndEachFlag(t *testing.T) {
	text := Markdown()
	changes := 0
	for _, row := range Rows() {
		require.Contains(t, text, "\n### "+row.From.String()+"\n")
		changes += len(row.Changes)
	}
	flags := len(flatten(Behaviors{}))
	require.Equal(t, changes+flags, strings.Count(text, "\n| `"))
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "|") {
			require.Contains(t, []int{4, 5}, strings.Count(line, "|")-strings.Count(line, `\|`), line)
		}
	}
}

func TestValuesArePrintedForPeople(t *testing.T) {
	text := Markdown()
	for _, want := range []string{
		"| `Lease.JitterFactor` | 0 | 0.04 from 1.20.8; 0 from 1.21.0; 0.04 from 1.21.2 |",
		"| `NodeLifecycle.NodeMonitorGracePeriod` | 40s | 50s from 1.32.0 |",
		"| `Kubelet.NodeStatusReportFrequency` | 1m | 5m from 1.17.0 |",
		"| `Kubelet.RuntimeError` | none | Container runtime not ready from 1.16.0; container runtime not ready from 1.21.0 |",
		"30ms from 1.33.8 [U]; 15ms from 1.34.0",
	} {
		require.Contains(t, text, want)
	}
}
