package nodelifecycle

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/sim"
)

// accepted tries every 100 ms for two minutes.
func accepted(t *testing.T, rate float32) (times []time.Duration) {
	t.Helper()
	e := sim.New(sim.Options{})
	defer e.Close()
	b := newTokenBucket(e.NewHost("h"), rate)
	for at := time.Duration(0); at <= 2*time.Minute; at += 100 * time.Millisecond {
		require.NoError(t, e.RunUntil(sim.Time(at)))
		if b.tryAccept() {
			times = append(times, at)
		}
	}
	return times
}

func TestATokenBucketStartsFullAndFillsAtItsRate(t *testing.T) {
	require.Equal(t, []time.Duration{0, 10 * time.Second, 20 * time.Second}, accepted(t, 0.1)[:3])
	require.Len(t, accepted(t, 0.1), 13)
	require.Len(t, accepted(t, 1), 121)
}

func TestARateOfZeroOrNextToItGivesOneToken(t *testing.T) {
	for _, rate := range []float32{0, 1e-30, 1e-11, 1e-3} {
		require.Equal(t, []time.Duration{0}, accepted(t, rate), rate)
	}
}
