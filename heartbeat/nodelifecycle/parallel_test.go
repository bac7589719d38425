package nodelifecycle

import (
	"errors"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/sim"
)

func TestAtMostSoManyPiecesAreInFlightAndAllGetDone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := sim.New(sim.Options{})
		defer e.Close()
		h := e.NewHost("h")
		workers := rapid.IntRange(1, 10).Draw(t, "workers")
		costs := rapid.SliceOfN(rapid.IntRange(0, 3), 0, 30).Draw(t, "costs")
		var begun []int
		var flying, most int
		var last, returned sim.Time
		ended := false
		h.Go("test", func() {
			parallelize(h, workers, len(costs), func(piece int) {
				begun = append(begun, piece)
				flying++
				most = max(most, flying)
				if costs[piece] > 0 {
					h.Sleep(time.Duration(costs[piece]) * time.Second)
				}
				flying--
				last = e.Now()
			})
			ended, returned = true, e.Now()
		})
		require.NoError(t, e.RunUntil(sim.Time(time.Hour)))
		require.True(t, ended)
		require.Zero(t, flying)
		require.LessOrEqual(t, most, workers)
		require.Equal(t, last, returned, "with the last piece")
		require.True(t, slices.IsSorted(begun), "they begin in order")
		require.Len(t, begun, len(costs))
		require.Equal(t, greedy(workers, costs), returned.Duration(), "no worker idles while a piece waits")
	})
}

// greedy is how long so many workers take who always take the next piece.
func greedy(workers int, costs []int) time.Duration {
	free := make([]int, workers)
	for _, cost := range costs {
		slices.Sort(free)
		free[0] += cost
	}
	return time.Duration(slices.Max(free)) * time.Second
}

func TestNothingYieldsIfNothingBlocks(t *testing.T) {
	e := sim.New(sim.Options{})
	defer e.Close()
	h := e.NewHost("h")
	var log []string
	h.Go("test", func() {
		h.Go("other", func() { log = append(log, "other") })
		parallelize(h, 8, 100, func(int) { log = append(log, "piece") })
		log = append(log, "end")
	})
	require.NoError(t, e.RunUntil(sim.Time(time.Second)))
	require.Equal(t, append(slices.Repeat([]string{"piece"}, 100), "end", "other"), log)
}

func TestEightUpdatesAreInFlightAtMost(t *testing.T) {
	l := newLab(t)
	names := l.cluster("zone", 20)
	l.cluster("other", 1)
	l.run()
	l.to(5 * time.Second)
	l.stop(names...)
	l.rule(fakeapi.Rule{Match: fakeapi.Match{Verbs: []string{"update"}}, Latency: ptrTo(sim.Fixed(500 * time.Millisecond))})
	l.to(200 * time.Second)

	updates := l.callsOf("update nodes/status")
	require.Len(t, updates, 20)
	var most int
	for _, c := range updates {
		flying := 0
		for _, o := range updates {
			if o.Sent <= c.Sent && c.Sent < o.Received {
				flying++
			}
		}
		most = max(most, flying)
	}
	require.Equal(t, 8, most)
}

func TestPollsComeAtTicksAndOnceMoreAtTheEnd(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name string
		cost []time.Duration // of each call; the last goes on
		want []time.Duration // instants of the calls
	}{
		{"instantaneous", []time.Duration{0}, []time.Duration{0, 20 * ms, 40 * ms, 60 * ms, 80 * ms, 100 * ms}},
		{"the ticks count from the end of the first call", []time.Duration{7 * ms, 0},
			[]time.Duration{0, 27 * ms, 47 * ms, 67 * ms, 87 * ms, 107 * ms}},
		{"a tick during a call is dropped", []time.Duration{50 * ms}, []time.Duration{0, 70 * ms, 130 * ms, 180 * ms}},
		{"a call over the end is followed by the last", []time.Duration{0, 150 * ms}, []time.Duration{0, 20 * ms, 170 * ms}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := sim.New(sim.Options{})
			defer e.Close()
			h := e.NewHost("h")
			var calls []time.Duration
			var err error
			h.Go("test", func() {
				err = pollImmediate(h, 20*ms, 100*ms, func() (bool, error) {
					calls = append(calls, e.Now().Duration())
					if cost := c.cost[min(len(calls), len(c.cost))-1]; cost > 0 {
						h.Sleep(cost)
					}
					return false, nil
				})
			})
			require.NoError(t, e.RunUntil(sim.Time(time.Second)))
			require.Equal(t, c.want, calls)
			require.ErrorIs(t, err, errTimedOut)
		})
	}
}

func TestPollEndsWithSuccessOrAnError(t *testing.T) {
	broken := errors.New("broken")
	for _, end := range []error{nil, broken} {
		for at := 1; at <= 6; at++ {
			e := sim.New(sim.Options{})
			h := e.NewHost("h")
			calls, got := 0, errTimedOut
			h.Go("test", func() {
				got = pollImmediate(h, 20*time.Millisecond, 100*time.Millisecond, func() (bool, error) {
					calls++
					return calls == at && end == nil, map[bool]error{true: end}[calls == at]
				})
			})
			require.NoError(t, e.RunUntil(sim.Time(time.Second)))
			require.Equal(t, at, calls)
			require.Equal(t, end, got)
			e.Close()
		}
	}
}

func TestCostOfAPassSlidesThePasses(t *testing.T) {
	l := newLab(t, func(c *Config) { c.PassCostPerNode = 100 * time.Millisecond })
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		l.put(name, corev1.ConditionTrue)
	}
	l.run()
	var passes []time.Duration
	for seen := 0; l.now() < 20*time.Second; {
		require.NoError(t, l.engine.RunWhile(func() bool { return l.nc.Passes() == seen }, sim.Never))
		seen = l.nc.Passes()
		passes = append(passes, l.now())
	}
	cost := 500 * time.Millisecond
	require.Equal(t, []time.Duration{firstPass, firstPass + period + cost, firstPass + 2*(period+cost), firstPass + 3*(period+cost), firstPass + 4*(period+cost)}, passes)
}
