package scenario

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/sim"
)

// distributionOf runs a scenario of a story, which is a list of faults, with the seeds.
func distributionOf(t *testing.T, faults string, workers int, seeds ...uint64) *Distribution {
	t.Helper()
	s, _, err := Decode([]byte(`
apiVersion: holter/v1alpha1
kind: Scenario
metadata: {name: distribution}
spec:
  duration: 4m
  nodes: [{count: 3, start: {spread: 10s}}]
  network: {latency: {p50: 2ms, p99: 10ms}}
  expect: [{node: node-0, condition: Ready, becomes: Unknown, within: [100s, 105s]}]
  faults: `+faults), "")
	require.NoError(t, err)
	d, err := RunSeeds(s, seeds, workers, nil)
	require.NoError(t, err)
	return d
}

func seedsUpTo(n uint64) []uint64 {
	seeds := make([]uint64, n)
	for i := range seeds {
		seeds[i] = uint64(i) + 1
	}
	return seeds
}

func TestADistributionDoesNotDependOnTheNumberOfWorkers(t *testing.T) {
	const faults = `[{at: 60s, kill: {node: node-0}}]`
	one := distributionOf(t, faults, 1, seedsUpTo(30)...)
	require.Equal(t, one, distributionOf(t, faults, 2, seedsUpTo(30)...))
	require.Equal(t, one, distributionOf(t, faults, 64, seedsUpTo(30)...))
	require.Equal(t, 30, one.Runs)
	require.InDelta(t, 30*3*4.0/60, one.NodeHours, 1e-9)
	require.NotEmpty(t, one.Failed, "some seeds find the node later")
	require.Less(t, len(one.Failed), 30)

	backwards := seedsUpTo(30)
	slices.Reverse(backwards)
	other := distributionOf(t, faults, 2, backwards...)
	require.Equal(t, one.Detection.P90, other.Detection.P90)
	require.Equal(t, one.Failed[0].Seed, other.Failed[len(other.Failed)-1].Seed, "in the order of the list")
}

func TestEachSeedOfADistributionIsTheRunOfThatSeed(t *testing.T) {
	d := distributionOf(t, `[{at: 60s, kill: {node: node-0}}]`, 2, seedsUpTo(20)...)
	require.Equal(t, 20, d.Silences)
	require.Equal(t, 20, d.Detection.Count)
	for seed, want := range map[uint64]time.Duration{d.Detection.SeedOfMin: d.Detection.Min, d.Detection.SeedOfMax: d.Detection.Max} {
		alone := distributionOf(t, `[{at: 60s, kill: {node: node-0}}]`, 1, seed)
		require.Equal(t, want, alone.Detection.P50)
	}
	require.LessOrEqual(t, d.Detection.P99, d.Detection.Max)
	require.Less(t, d.Detection.Max, 55500*time.Millisecond)
}

func TestASilenceThatPassesUnnoticedIsNotDetected(t *testing.T) {
	d := distributionOf(t, `[{at: 60s, pause: {node: node-1}, for: 15s}]`, 1, 4, 5)
	require.Equal(t, 2, d.Silences)
	require.Zero(t, d.Detection.Count)
	require.Equal(t, []uint64{4, 5}, d.NotDetected)
	require.Zero(t, d.FalseNotReady.Count)
}

func TestAStalledWatchIsAFalseAlarm(t *testing.T) {
	d := distributionOf(t, `[{at: 60s, holdWatch: {client: controller-manager, resources: [leases]}, for: 60s}]`, 2, 1, 2)
	require.Zero(t, d.Silences)
	require.Positive(t, d.FalseNotReady.Count)
	require.Equal(t, []uint64{1, 2}, d.FalseNotReady.Seeds)
	require.InDelta(t, float64(d.FalseNotReady.Count)/d.NodeHours, d.FalseNotReady.PerNodeHour, 1e-9)
}

func TestADistributionTellsItsProgress(t *testing.T) {
	s, _, err := Decode([]byte(`{apiVersion: holter/v1alpha1, kind: Scenario, metadata: {name: a}, spec: {duration: 10s, nodes: [{count: 1}]}}`), "")
	require.NoError(t, err)
	var told []int
	_, err = RunSeeds(s, seedsUpTo(5), 2, func(done, total int) {
		require.Equal(t, 5, total)
		told = append(told, done)
	})
	require.NoError(t, err)
	require.Equal(t, []int{1, 2, 3, 4, 5}, told)

	s.Spec.Duration.Duration = -1
	_, err = RunSeeds(s, seedsUpTo(5), 2, nil)
	var refused *InputError
	require.ErrorAs(t, err, &refused)
}

func TestPercentilesAreByNearestRank(t *testing.T) {
	list := []time.Duration{10, 20, 30, 40, 50}
	require.EqualValues(t, 30, nearestRank(list, 50))
	require.EqualValues(t, 50, nearestRank(list, 90))
	require.EqualValues(t, 10, nearestRank(list[:1], 99))
	rapid.Check(t, func(t *rapid.T) {
		sorted := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 50), func(n int) time.Duration { return time.Duration(n) }), 1, 300).Draw(t, "list")
		percent := rapid.IntRange(1, 100).Draw(t, "percent")
		slices.Sort(sorted)
		got := nearestRank(sorted, percent)
		atMost, below := 0, 0
		for _, d := range sorted {
			if d <= got {
				atMost++
			}
			if d < got {
				below++
			}
		}
		require.GreaterOrEqual(t, atMost*100, percent*len(sorted))
		require.Less(t, below*100, percent*len(sorted), "and no shorter one has as many")
	})
}

func TestDetectionTimesAreWrittenWithFixedWidth(t *testing.T) {
	text, err := json.Marshal(DetectionStats{Count: 1, Max: 55*time.Second + 128*time.Millisecond, SeedOfMax: 1 << 63})
	require.NoError(t, err)
	require.JSONEq(t, `{"count":1,"min":"000000.000000s","p50":"000000.000000s","p90":"000000.000000s","p99":"000000.000000s",
		"max":"000055.128000s","seedOfMin":0,"seedOfMax":9223372036854775808}`, string(text))
}

func TestTheFirstSeedThatBreaksIsTheError(t *testing.T) {
	b := &seedBatch{scenario: New("a"), seeds: seedsUpTo(3), runs: make([]seedRun, 3)}
	b.failed.Store(3)
	b.work()
	require.EqualValues(t, 0, b.failed.Load(), "a scenario without nodes is refused with every seed")
	require.Error(t, b.runs[0].err)
	require.NoError(t, b.runs[1].err, "what stands behind it is not begun")
	require.False(t, errors.As(b.runs[0].err, new(*sim.ProcessPanic)))
}
