package sim

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestAHostsClockStartsOnTime(t *testing.T) {
	start := time.Date(2025, 3, 30, 2, 59, 59, 0, time.FixedZone("CET", 3600))
	r := newRun(t, Options{Start: start})
	r.to(1)
	require.Equal(t, start.UTC().Add(time.Second), r.host.Now())
	require.Equal(t, time.UTC, r.host.Now().Location())
}

func TestAStepMovesTheClockAndNoTimer(t *testing.T) {
	r := newRun(t, Options{})
	clock := r.host.Clock()
	r.host.After(secs(10), func() { r.say("timer, %v", r.host.Now().Sub(r.Start())) })
	r.At(at(5), func() { clock.Step(-secs(60)) })
	r.to(10, "10s timer, -50s")
	require.Equal(t, -secs(60), clock.Offset())
	clock.SetOffset(secs(3))
	require.Equal(t, r.Start().Add(secs(13)), r.host.Now())
	require.Equal(t, secs(3), clock.Offset())
}

func TestAFastClockShortensDurationsFromNowOn(t *testing.T) {
	r := newRun(t, Options{})
	h := r.host
	h.After(secs(10), func() { r.say("started before the drift") })
	h.Clock().SetDrift(250_000_000) // 5 local seconds in 4 true ones
	h.After(secs(10), func() { r.say("10 local seconds, %v", h.Now().Sub(r.Start())) })
	h.Every("loop", secs(5), 0, true, func() { r.say("tick") })
	h.Go("process", func() { h.Sleep(secs(5)); r.say("process") })
	r.to(10, "0s tick", "4s tick", "4s process", "8s 10 local seconds, 10s", "8s tick", "10s started before the drift")
	require.Equal(t, 2500*time.Millisecond, h.Clock().Offset())
	h.Clock().SetDrift(0)
	require.Equal(t, 2500*time.Millisecond, h.Clock().Offset(), "no jump")
	r.to(20, "12s tick", "17s tick")
	require.Equal(t, 2500*time.Millisecond, h.Clock().Offset())
}

func TestEachClockDriftsByItself(t *testing.T) {
	r := newRun(t, Options{})
	fast, exact := r.host, r.NewHost("exact")
	fast.Clock().SetDrift(250_000_000)
	exact.Clock().SetDrift(0)
	fast.After(secs(5), func() { r.say("fast") })
	exact.After(secs(5), func() { r.say("exact") })
	r.to(9, "4s fast", "5s exact")
}

func TestTheClockGoesOnThroughKillAndRestart(t *testing.T) {
	r := newRun(t, Options{})
	r.host.Clock().Step(secs(7))
	r.host.Kill()
	r.to(5)
	r.host.Restart()
	require.Equal(t, r.Start().Add(secs(12)), r.host.Now())
}

func TestDriftBeyondReasonPanics(t *testing.T) {
	r := newRun(t, Options{})
	require.Panics(t, func() { r.host.Clock().SetDrift(-1e9) })
	require.Panics(t, func() { r.host.Clock().SetDrift(1e9) })
}

// Whoever sleeps for d finds that his own clock has moved by d, and would not
// have a nanosecond earlier.
func TestASleeperFindsHisClockMovedByWhatHeSlept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := New(Options{})
		defer e.Close()
		h := e.NewHost("h")
		require.NoError(t, e.RunUntil(Time(rapid.Int64Range(0, int64(24*time.Hour)).Draw(t, "start"))))
		h.Clock().SetDrift(rapid.Int64Range(-900_000_000, 999_999_999).Draw(t, "ppb"))
		d := time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "d"))
		before := h.Now()
		h.After(d, func() {})
		require.NoError(t, e.RunWhile(func() bool { return e.Stats().Events == 0 }, Never))
		require.GreaterOrEqual(t, h.Now().Sub(before), d)
		e.now--
		require.Less(t, h.Now().Sub(before), d)
	})
}

func TestSetDriftNeverJumps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := New(Options{})
		defer e.Close()
		h := e.NewHost("h")
		for _, ppb := range rapid.SliceOf(rapid.Int64Range(-999_999_999, 999_999_999)).Draw(t, "drifts") {
			before := h.Now()
			h.Clock().SetDrift(ppb)
			require.Equal(t, before, h.Now())
			require.NoError(t, e.RunUntil(e.Now().Add(time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "d")))))
			require.False(t, h.Now().Before(before))
		}
	})
}

func TestDurationsBeyondTheRangeOfTimeAreNever(t *testing.T) {
	r := newRun(t, Options{})
	r.to(1)
	r.host.Clock().SetDrift(-999_999_999)
	r.host.After(math.MaxInt64, func() { r.say("never") })
	r.host.After(time.Hour, func() { r.say("never") })
	require.NoError(t, r.RunUntil(Never))
	require.Empty(t, r.log)
	require.Equal(t, at(1), r.Now())
}
