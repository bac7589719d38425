package sim

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTiesAreTimersOnTheInstantOfTheOneBefore(t *testing.T) {
	r := newRun(t, Options{})
	for _, second := range []int{1, 2, 2, 2, 3, 4, 4} {
		r.At(at(second), func() { r.After(0, func() {}) }) // what is due now is no tie
	}
	r.At(at(3), func() {}).Cancel()
	r.to(9)
	require.Equal(t, uint64(3), r.Stats().Ties)
	require.Equal(t, uint64(14), r.Stats().Events)
}

func TestShuffledTiesAreASeededPermutation(t *testing.T) {
	order := func(seed uint64, shuffle bool) (ties, singles []int) {
		r := newRun(t, Options{Seed: seed, ShuffleTies: shuffle})
		for i := range 20 {
			r.At(at(50), func() { ties = append(ties, i) })
			r.At(at(99-i), func() { singles = append(singles, i) })
		}
		r.to(200)
		return ties, singles
	}
	sorted, singles := order(1, false)
	require.IsIncreasing(t, sorted)
	seen := map[[20]int]bool{}
	for seed := range uint64(50) {
		ties, others := order(seed, true)
		again, _ := order(seed, true)
		require.Equal(t, again, ties, "the same seed, the same order")
		require.ElementsMatch(t, sorted, ties)
		require.Equal(t, singles, others, "timers alone on their instant stay where they are")
		seen[[20]int(ties)] = true
	}
	require.Len(t, seen, 50)
}

func TestShuffledTiesFavourNobody(t *testing.T) {
	first := [4]int{}
	for seed := range uint64(4000) {
		e := New(Options{Seed: seed, ShuffleTies: true})
		done := false
		for i := range first {
			e.At(at(1), func() {
				if !done {
					first[i]++
				}
				done = true
			})
		}
		require.NoError(t, e.RunUntil(at(1)))
		e.Close()
	}
	for i := range first {
		require.InDelta(t, 1000, first[i], 120) // four standard deviations
	}
}
