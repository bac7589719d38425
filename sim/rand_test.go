package sim

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// These numbers are a contract: whoever changes one changes every recorded run.
func TestStreamsDrawWhatTheyAlwaysDrew(t *testing.T) {
	r := newRun(t, Options{Seed: 1})
	draws := func(s interface{ Int64N(int64) int64 }) string {
		return fmt.Sprint(s.(*Rand).Uint64(), s.Int64N(math.MaxInt64), s.Int64N(1000), s.Int64N(6))
	}
	require.Equal(t, "15963696261469930346 1957517207372598037 344 3", draws(r.Rand("network")))
	require.Equal(t, "16590321858437783171 274915783482310850 841 5", draws(r.host.Rand("every/lease")))
	require.Equal(t, "14615468582069616483 7145437721447790510 281 2", draws(r.NewHost("node-2").Rand("every/lease")))
	r.host.Kill()
	r.host.Restart()
	require.Equal(t, "1315629092177501264 1937570884293194836 276 4", draws(r.host.Rand("every/lease")))
}

func TestEachPartOfAStreamsNameCounts(t *testing.T) {
	seen := map[uint64]string{}
	for _, seed := range []uint64{0, 1, 1 << 63} {
		for _, kind := range []string{"host", "engine"} {
			for _, name := range []string{"", "a", "ab"} {
				for incarnation := range 3 {
					for _, purpose := range []string{"", "b", "ab", "bb"} {
						id := fmt.Sprint(seed, kind, name, incarnation, purpose)
						var r Rand
						r.seed(seed, kind, name, incarnation, purpose)
						first := r.Uint64()
						require.Empty(t, seen[first], id)
						seen[first] = id
					}
				}
			}
		}
	}
}

func TestAStreamIsNotDisturbedByOthers(t *testing.T) {
	draw := func(crowd int) (draws []int64) {
		r := newRun(t, Options{Seed: 9})
		for i := range crowd {
			r.NewHost(fmt.Sprint("other-", i)).Rand("x").Int64N(10)
			r.host.Rand(fmt.Sprint("purpose-", i)).Int64N(10)
			r.Rand("x").Uint64()
		}
		for range 10 {
			draws = append(draws, r.host.Rand("x").Int64N(1<<40))
		}
		return draws
	}
	require.Equal(t, draw(0), draw(50))
}

func TestAStreamIsOneObject(t *testing.T) {
	r := newRun(t, Options{})
	require.Same(t, r.Rand("x"), r.Rand("x"))
	require.Same(t, r.host.Rand("x"), r.host.Rand("x"))
	for i := range 20 {
		r.host.Rand(fmt.Sprint(i * 7 % 20))
	}
	before := r.host.Rand("every/late")
	r.host.Every("late", secs(1), 1, true, func() {})
	r.host.Every("early", secs(1), 1, true, func() {})
	require.Same(t, before, r.host.Rand("every/late"))
	require.Same(t, r.host.Rand("every/early"), r.host.Rand("every/early"))
	require.Len(t, r.host.life.streams, 23)
}

func TestInt64NStaysInItsBoundsAndMissesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r Rand
		r.seed(rapid.Uint64().Draw(t, "seed"), "test", "", 0, "")
		n := rapid.Int64Range(1, math.MaxInt64).Draw(t, "n")
		for range 50 {
			x := r.Int64N(n)
			require.GreaterOrEqual(t, x, int64(0))
			require.Less(t, x, n)
		}
		small := rapid.Int64Range(1, 8).Draw(t, "small")
		seen := map[int64]bool{}
		for range 500 {
			seen[r.Int64N(small)] = true
		}
		require.Len(t, seen, int(small))
	})
	var r Rand
	require.Panics(t, func() { r.Int64N(0) })
}

// With the plain multiplication the low half of this range would come up half
// as often again as the rest.
func TestInt64NIsUnbiased(t *testing.T) {
	var r Rand
	r.seed(3, "test", "", 0, "")
	const n = math.MaxInt64/4*3 + 1
	var thirds [3]int
	for range 30_000 {
		thirds[r.Int64N(n)/(n/3+1)]++
	}
	for _, count := range thirds {
		require.InDelta(t, 10_000, count, 330) // four standard deviations
	}
}

func TestBoolHitsItsShare(t *testing.T) {
	var r Rand
	r.seed(3, "test", "", 0, "")
	hits := 0
	for range 10_000 {
		require.False(t, r.Bool(0))
		require.True(t, r.Bool(1000))
		if r.Bool(250) {
			hits++
		}
	}
	require.InDelta(t, 2500, hits, 175) // four standard deviations
}
