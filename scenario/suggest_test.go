package scenario

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestNearestNameIsTheOneThatWasMeant(t *testing.T) {
	for _, c := range []struct {
		name, want string
		from       []string
	}{
		{"nodeStatusUpdateFreqency", "nodeStatusUpdateFrequency", kubeletFieldNames()},
		{"NodeLeaseDurationSeconds", "nodeLeaseDurationSeconds", kubeletFieldNames()},
		{"node-lease-duration-seconds", "nodeLeaseDurationSeconds", kubeletFieldNames()},
		{"form", "from", []string{"for", "from", "to"}},
		{"kil", "kill", []string{"restart", "kill"}},
		{"node-monitor-grace", "node-monitor-grace-period", []string{"node-monitor-period", "node-monitor-grace-period"}},
		{"node-monitor", "node-monitor-b", []string{"node-monitor-period", "node-monitor-grace-period", "node-monitor-b"}},
		{"put", "", []string{"get", "patch"}},
		{"x", "", []string{"y", "z"}},
		{"", "", []string{"a"}},
	} {
		require.Equal(t, c.want, nearestName(c.name, c.from), c.name)
	}
}

func kubeletFieldNames() []string { return sortedNames(kubeletConfigurationFields()) }

func TestEditDistanceIsAMeasure(t *testing.T) {
	word := rapid.StringOfN(rapid.RuneFrom([]rune("abc")), 0, 6, -1)
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		d := editDistance(a, b)
		require.Equal(t, d, editDistance(b, a), "the same both ways")
		require.Equal(t, a == b, d == 0)
		require.LessOrEqual(t, d, max(len(a), len(b)))
		require.GreaterOrEqual(t, d, max(len(a)-len(b), len(b)-len(a)))
	})
	require.Equal(t, 1, editDistance("from", "form"), "a swap is one edit")
}

func TestEveryFieldThatLacksALetterIsToldItsNeighbour(t *testing.T) {
	for _, names := range [][]string{inputFieldNames(reflect.TypeFor[Spec]()), inputFieldNames(reflect.TypeFor[Fault]()), kubeletFieldNames()} {
		for _, name := range names {
			if len(name) > 8 {
				require.Equal(t, name, nearestName(name[:4]+name[5:], names))
			}
		}
	}
}
