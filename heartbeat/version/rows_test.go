package version

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestRowsAreInOrderOfVersion(t *testing.T) {
	rows := Rows()
	require.Equal(t, Version{13, 0}, rows[0].From)
	for i := range rows[1:] {
		require.Negative(t, rows[i].From.Compare(rows[i+1].From), "%s before %s", rows[i].From, rows[i+1].From)
	}
}

func TestEveryRowChangesSomething(t *testing.T) {
	for _, row := range Rows() {
		require.NotEmpty(t, row.Changes, row.From)
	}
}

func TestEveryChangeSetsOneFlagToAnotherValue(t *testing.T) {
	printed := Rows()
	for i, row := range table() {
		require.Len(t, printed[i].Changes, len(row.changes), row.from)
		seen := map[string]bool{}
		for _, c := range printed[i].Changes {
			require.NotEqual(t, c.Before, c.After, "%s: %s", row.from, c.Flag)
			require.False(t, seen[c.Flag], "%s sets %s twice", row.from, c.Flag)
			seen[c.Flag] = true
		}
	}
}

func TestEveryFlagIsSetBySomeRow(t *testing.T) {
	set := map[string]bool{}
	for _, row := range Rows() {
		for _, c := range row.Changes {
			set[c.Flag] = true
		}
	}
	for _, f := range flatten(Behaviors{}) {
		require.True(t, set[f.path], "no row sets %s", f.path)
	}
}

func TestEveryVersionThatScenariosNameHasARow(t *testing.T) {
	var have []string
	for _, row := range Rows() {
		have = append(have, row.From.String())
	}
	for _, want := range strings.Fields("1.13.0 1.14.0 1.16.0 1.17.0 1.20.0 1.21.0 1.22.0 1.23.0 1.26.0 1.27.0 1.29.0 1.30.0 1.31.0 1.32.0 1.32.3 1.33.0 1.34.0 1.36.0 1.37.0") {
		require.Contains(t, have, want)
	}
}

// Where a change is said to be read, the release that has it is the row's, and the one before it is of the series before, or
// the patch before. Staging modules count from v0 where Kubernetes counts from v1.
func TestWhatIsReadPinsTheReleaseDown(t *testing.T) {
	for _, row := range Rows() {
		for _, c := range row.Changes {
			e := c.Evidence
			with := release(t, e.With)
			if row.From == (Version{13, 0}) {
				require.Empty(t, e.Without, c.Flag)
				require.Equal(t, row.From, with, c.Flag)
				continue
			}
			without := release(t, e.Without)
			require.Negative(t, without.Compare(row.From), "%s: %s", row.From, c.Flag)
			require.LessOrEqual(t, row.From.Compare(with), 0, "%s: %s", row.From, c.Flag)
			require.Equal(t, row.From.Minor, with.Minor, "%s: %s", row.From, c.Flag)
			if e.Proof != Read {
				require.NotEmpty(t, e.Note, "%s: %s", row.From, c.Flag)
				continue
			}
			if row.From.Patch == 0 {
				require.Equal(t, row.From.Minor-1, without.Minor, "%s: %s", row.From, c.Flag)
			} else {
				require.Equal(t, Version{row.From.Minor, row.From.Patch - 1}, without, "%s: %s", row.From, c.Flag)
			}
			if with != row.From {
				require.Contains(t, e.Note, "first tag", "%s: %s", row.From, c.Flag)
			}
		}
	}
}

// release reads the last word of "client-go v0.36.3", "v1.36.3".
func release(t *testing.T, text string) Version {
	words := strings.Fields(text)
	require.NotEmpty(t, words)
	parts := strings.Split(words[len(words)-1], ".")
	require.Len(t, parts, 3, text)
	minor, err := strconv.Atoi(parts[1])
	require.NoError(t, err, text)
	patch, err := strconv.Atoi(parts[2])
	require.NoError(t, err, text)
	return Version{minor, patch}
}

func TestAVersionBehavesLikeTheLastRowUpToIt(t *testing.T) {
	rows := Rows()
	rapid.Check(t, func(t *rapid.T) {
		v := Version{rapid.IntRange(OldestSeries, NewestSeries).Draw(t, "minor"), rapid.IntRange(0, 20).Draw(t, "patch")}
		at := 0
		for i, row := range rows {
			if row.From.Compare(v) <= 0 {
				at = i
			}
		}
		require.Equal(t, Lookup(rows[at].From), Lookup(v))
	})
}

func TestABareSeriesIsItsNewestRelease(t *testing.T) {
	for minor := OldestSeries; minor <= NewestSeries; minor++ {
		require.Equal(t, Lookup(Version{minor, 99}), Lookup(Version{minor, Newest}))
	}
	require.True(t, Lookup(parsed(t, "1.32")).Kubelet.NeverReportedIsExpired)
	require.False(t, Lookup(parsed(t, "1.32.0")).Kubelet.NeverReportedIsExpired)
}

func TestWhatIsUnverifiedIsMarked(t *testing.T) {
	var marked []string
	for _, row := range Rows() {
		for _, c := range row.Changes {
			require.Equal(t, c.Evidence.Proof == Unverified, strings.HasSuffix(c.Evidence.String(), "[U]"))
			if c.Evidence.Proof == Unverified {
				marked = append(marked, row.From.String()+" "+c.Flag)
			}
		}
	}
	slices.Sort(marked)
	require.Equal(t, []string{"1.33.8 Kubelet.CSINodeBackoff", "1.33.8 Kubelet.CSINodeBackoffFactor"}, marked)
}
