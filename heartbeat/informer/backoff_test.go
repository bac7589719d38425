package informer

import (
	"math"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	testclock "k8s.io/utils/clock/testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/sim"
)

// requirePause holds a pause to [least, 2*least).
func requirePause(t require.TestingT, least, pause time.Duration) {
	require.GreaterOrEqual(t, pause, least)
	require.Less(t, pause, 2*least)
}

// requireBackoffs holds the pauses before the requests after first, up to
// last, to the first steps of the backoff.
func requireBackoffs(t require.TestingT, l *lab, first, last int) {
	require.Len(t, l.requests, last+1)
	for i := first; i < last; i++ {
		requirePause(t, backoffInit<<(i-first), l.requests[i+1].at-l.requests[i].at)
	}
}

func TestBackoffDoublesFromPointEightToThirtySeconds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		engine := sim.New(sim.Options{Seed: rapid.Uint64().Draw(t, "seed")})
		defer engine.Close()
		b := newBackoff(engine.NewHost("h"), "nodes", &newest)
		for _, least := range []time.Duration{800, 1600, 3200, 6400, 12800, 25600, 30000, 30000, 30000} {
			requirePause(t, least*time.Millisecond, b.next())
		}
	})
}

// Upstream's own backoff, without its jitter, is the lower bound of ours,
// whatever the time between two failures.
func TestBackoffIsUpstreamsResetIncluded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		engine := sim.New(sim.Options{Seed: rapid.Uint64().Draw(t, "seed")})
		defer engine.Close()
		b := newBackoff(engine.NewHost("h"), "nodes", &newest)
		clock := testclock.NewFakeClock(engine.Start())
		upstream := wait.Backoff{
			Duration: 800 * time.Millisecond,
			Cap:      30 * time.Second,
			Steps:    int(math.Ceil(float64(30*time.Second) / float64(800*time.Millisecond))),
			Factor:   2,
		}.DelayWithReset(clock, 2*time.Minute)

		pauses := rapid.SliceOfN(rapid.OneOf(rapid.Int64Range(0, 40), rapid.Just[int64](120), rapid.Int64Range(100, 200)), 1, 60)
		for _, seconds := range pauses.Draw(t, "pauses") {
			clock.Step(time.Duration(seconds) * time.Second)
			require.NoError(t, engine.RunUntil(engine.Now().Add(time.Duration(seconds)*time.Second)))
			requirePause(t, upstream(), b.next())
		}
	})
}

func TestBackoffBeginsAnewTwoMinutesIntoAnOutage(t *testing.T) {
	engine := sim.New(sim.Options{})
	defer engine.Close()
	b := newBackoff(engine.NewHost("h"), "nodes", &newest)
	pass := func(d time.Duration) { require.NoError(t, engine.RunUntil(engine.Now().Add(d))) }
	for range 8 {
		b.next()
		pass(15 * time.Second)
	}
	requirePause(t, 30*time.Second, b.next()) // at two minutes, not after them
	pass(time.Nanosecond)
	requirePause(t, backoffInit, b.next())
}

func TestBackoffsJitterFillsItsRange(t *testing.T) {
	for step, least := range []time.Duration{800, 1600, 3200, 6400, 12800, 25600, 30000, 30000} {
		least *= time.Millisecond
		quarters := map[time.Duration]int{}
		for seed := range uint64(200) {
			engine := sim.New(sim.Options{Seed: seed})
			b := newBackoff(engine.NewHost("h"), "nodes", &newest)
			for range step {
				b.next()
			}
			quarters[(b.next()-least)*4/least]++
			engine.Close()
		}
		require.Len(t, quarters, 4)
		for quarter, n := range quarters {
			require.Greater(t, n, 25, "of 200, wait %d, quarter %d", step+1, quarter)
		}
	}
}

func TestInformersOfOneHostBackOffEachInItsOwnWay(t *testing.T) {
	engine := sim.New(sim.Options{Seed: 1})
	defer engine.Close()
	host := engine.NewHost("h")
	nodes, leases := newBackoff(host, "nodes", &newest), newBackoff(host, "leases", &newest)
	for range 8 {
		require.NotEqual(t, nodes.next(), leases.next())
	}
}
