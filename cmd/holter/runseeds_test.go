package main

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestManySeedsAreSummedUp(t *testing.T) {
	c := holter("run", nodeDeath, "--seeds", "1-40")
	require.Equal(t, exitFine, c.code, c.err)
	golden(t, "seeds.golden", timeless(c.out))
}

func TestTheSeedsThatFailedAreNamedWithACommandForOne(t *testing.T) {
	c := holter("run", broken, "--seeds", "3,20-39")
	require.Equal(t, exitFailed, c.code)
	golden(t, "seeds-failed.golden", timeless(c.out))

	again := (&call{args: shellWords(t, lineWith(t, c.out, "Reproduce"))[2:]}).run()
	require.Equal(t, exitFailed, again.code)
	require.Contains(t, again.out, "seed 3 ")
}

func TestManySeedsAsJSON(t *testing.T) {
	c := holter("run", broken, "--seeds", "1-4", "-o", "json")
	require.Equal(t, exitFailed, c.code)
	require.Contains(t, c.err, "Reproduce   holter run "+broken+" --seed 1\n")
	o := c.object(t)
	require.ElementsMatch(t, []string{"scenario", "kubernetesVersion", "seeds", "runs", "nodes", "simulated", "nodeHours", "silences",
		"settings", "detection", "notDetected", "falseNotReady", "failed", "wallSeconds", "cpuSeconds", "peakRSSBytes"}, slices.Collect(maps.Keys(o)))
	require.Equal(t, "1-4", o["seeds"])
	require.EqualValues(t, 4, o["runs"])
	require.EqualValues(t, 4, o["silences"])
	require.Regexp(t, `^\d{6}\.\d{6}s$`, o["detection"].(map[string]any)["p99"])
	require.EqualValues(t, 4, o["detection"].(map[string]any)["count"])
	require.ElementsMatch(t, []string{"seed", "expectations", "violations"}, keysOfFirst(t, o["failed"]))
	require.Len(t, o["failed"], 4)
}

func TestTheSameSeedsGiveTheSameTwice(t *testing.T) {
	run := func() string { return timeless(holter("run", nodeDeath, "--seeds", "1-25", "-o", "json").out) }
	require.Equal(t, run(), run())
}

func TestFewSeedsAreNamedAndManyCounted(t *testing.T) {
	require.Equal(t, "seed 7", seedNames([]uint64{7}))
	require.Equal(t, "seeds 7, 9", seedNames([]uint64{7, 9}))
	require.Equal(t, "seeds 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 and 1,990 more", seedNames(slices.Repeat([]uint64{1}, 2000)))
}
