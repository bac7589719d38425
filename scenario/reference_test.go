package scenario

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReferenceCoversEveryFieldAndNoOther(t *testing.T) {
	described := map[string]bool{}
	for _, section := range referenceSections() {
		for _, row := range section.rows {
			require.False(t, described[row.path], "%s is described twice", row.path)
			described[row.path] = true
			require.NotEmpty(t, row.fallback, row.path)
		}
	}
	types := referenceTypes()
	require.Equal(t, sortedNames(types), sortedNames(described))
}

func TestReferenceNamesTheDefaultsThatAreUsed(t *testing.T) {
	e := effectiveOf(t)
	for _, section := range referenceSections() {
		for _, row := range section.rows {
			for _, setting := range e.Settings {
				if row.path == "spec."+setting.Path {
					want := strings.ReplaceAll(setting.Value, "µ", "u")
					require.True(t, strings.HasPrefix(row.fallback, want) || row.fallback == "60s" && want == "1m", row.path)
				}
			}
		}
	}
	s := New("defaults")
	require.Equal(t, uint64(1), s.Spec.Seed)
	require.Equal(t, "1.36", s.Spec.KubernetesVersion)
}

func TestReferenceIsMarkdownWithARowForEachField(t *testing.T) {
	text := Reference()
	for path := range referenceTypes() {
		require.Equal(t, 1, strings.Count(text, "| `"+path+"` |"), path)
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "| ") {
			require.Equal(t, 5, strings.Count(line, "|"), line)
		}
	}
}
