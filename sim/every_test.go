package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestSlidingLoopsWaitFromTheReturn(t *testing.T) {
	r := newRun(t, Options{})
	r.host.Every("loop", secs(10), 0, true, func() { r.say("tick"); r.host.Sleep(secs(3)) })
	r.to(30, "0s tick", "13s tick", "26s tick")
}

func TestOtherLoopsWaitFromTheStart(t *testing.T) {
	r := newRun(t, Options{})
	r.host.Every("loop", secs(10), 0, false, func() { r.say("tick"); r.host.Sleep(secs(3)) })
	r.to(30, "0s tick", "10s tick", "20s tick", "30s tick")
}

// As with a timer channel of one element: what falls due in the meantime is one
// tick, and the timer of the next starts with it.
func TestATickThatFallsDueWhileAnotherRunsComesRightAfterIt(t *testing.T) {
	r := newRun(t, Options{})
	long := secs(25)
	r.host.Every("loop", secs(10), 0, false, func() { r.say("tick"); r.host.Sleep(long); long = 0 })
	r.to(50, "0s tick", "25s tick", "35s tick", "45s tick")
}

func TestTheFirstTickIsNowAfterWhatIsDue(t *testing.T) {
	r := newRun(t, Options{})
	r.At(at(1), func() {
		r.host.Go("before", func() { r.say("before") })
		r.host.Every("loop", secs(10), 0, true, func() { r.say("tick") })
		r.say("Every has returned")
	})
	r.to(1, "1s Every has returned", "1s before", "1s tick")
}

func TestAStoppedLoopLetsItsTickReturn(t *testing.T) {
	r := newRun(t, Options{})
	r.host.Every("unstarted", secs(1), 0, true, func() { r.say("unstarted") })()
	var stop func()
	stop = r.host.Every("loop", secs(10), 0, true, func() {
		r.host.Sleep(secs(3))
		r.say("still here")
	})
	r.At(at(2), func() { stop() })
	r.to(60, "3s still here")
	require.Zero(t, r.Stats().Pending)
}

func TestALoopMayStopItself(t *testing.T) {
	for _, sliding := range []bool{true, false} {
		r := newRun(t, Options{})
		var stop func()
		stop = r.host.Every("loop", secs(10), 0, sliding, func() { r.say("once"); stop() })
		r.to(60, "0s once")
		require.Zero(t, r.Stats().Pending)
	}
}

func TestBetweenTicksThereIsATimerAndNoCoroutine(t *testing.T) {
	r := newRun(t, Options{})
	for range 1000 {
		r.host.Every("loop", secs(10), 0.04, true, func() {})
	}
	r.to(60)
	stats := r.Stats()
	require.Equal(t, 1, stats.Coroutines)
	require.Equal(t, 1, stats.PeakProcesses)
	require.Equal(t, 0, stats.Processes)
	require.Equal(t, 1000, stats.Pending)
}

func TestJitterStaysInItsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		period := time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "period"))
		factor := rapid.SampledFrom([]float64{0, 0.04, 0.5, 1, 3}).Draw(t, "factor")
		sliding := rapid.Bool().Draw(t, "sliding")
		e := New(Options{Seed: rapid.Uint64().Draw(t, "seed")})
		defer e.Close()
		var ticks []Time
		e.NewHost("h").Every("loop", period, factor, sliding, func() { ticks = append(ticks, e.Now()) })
		require.NoError(t, e.RunWhile(func() bool { return len(ticks) < 20 }, Never))
		for i := 1; i < len(ticks); i++ {
			gap := ticks[i].Sub(ticks[i-1])
			require.GreaterOrEqual(t, gap, period)
			if extra := time.Duration(float64(period) * factor); extra > 0 {
				require.Less(t, gap, period+extra)
			} else {
				require.Equal(t, period, gap)
			}
		}
	})
}

func TestJitterIsUniform(t *testing.T) {
	r := newRun(t, Options{Seed: 5})
	var quarters [4]int
	last := Never
	r.host.Every("lease", secs(10), 0.04, true, func() {
		if last != Never {
			quarters[(r.Now().Sub(last)-secs(10))/(100*time.Millisecond)]++
		}
		last = r.Now()
	})
	require.NoError(t, r.RunWhile(func() bool { return r.Stats().Events <= 40_000 }, Never))
	for _, n := range quarters {
		require.InDelta(t, 10_000, n, 350) // four standard deviations
	}
}

func TestJitterComesFromTheStreamOfTheLoop(t *testing.T) {
	r := newRun(t, Options{Seed: 5})
	twin := newRun(t, Options{Seed: 5}).host.Rand("every/lease")
	var want, got []Time
	due := Time(0)
	for range 5 {
		want = append(want, due)
		due = due.Add(secs(10) + time.Duration(twin.Int64N(int64(400*time.Millisecond))))
	}
	r.host.Every("lease", secs(10), 0.04, true, func() { got = append(got, r.Now()) })
	require.NoError(t, r.RunWhile(func() bool { return len(got) < len(want) }, Never))
	require.Equal(t, want, got)
}

func TestALoopOfPeriodZeroRunsAsOftenAsItSleeps(t *testing.T) {
	r := newRun(t, Options{})
	r.host.Every("loop", -secs(1), 0, true, func() { r.say("tick"); r.host.Sleep(secs(2)) })
	r.to(5, "0s tick", "2s tick", "4s tick")
}
