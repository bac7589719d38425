package sim

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCancelTellsWhetherTheEventWasToHappen(t *testing.T) {
	r := newRun(t, Options{})
	require.False(t, Timer{}.Cancel())
	timer := r.After(secs(1), func() { r.say("cancelled") })
	require.True(t, timer.Cancel())
	require.False(t, timer.Cancel())
	var self Timer
	self = r.After(secs(2), func() { r.say("running %t", self.Cancel()) })
	other := r.After(secs(3), func() { r.say("other") })
	r.to(3, "2s running false", "3s other")
	require.False(t, self.Cancel())
	require.False(t, other.Cancel())
}

// A slot is taken again by the next event: an old Timer must not reach it.
func TestAStaleTimerCancelsNobodyElse(t *testing.T) {
	r := newRun(t, Options{})
	stale := r.After(secs(1), func() {})
	require.True(t, stale.Cancel())
	fresh := r.After(secs(1), func() { r.say("fresh") })
	require.Equal(t, stale.r.slot, fresh.r.slot)
	require.False(t, stale.Cancel())
	r.to(1, "1s fresh")
}

func TestWhatIsOverIsNotHeldInMemory(t *testing.T) {
	r := newRun(t, Options{})
	r.host.After(secs(1), func() {}).Cancel()
	r.After(secs(2), func() {})
	r.to(3)
	for _, s := range r.slab.slots {
		require.Nil(t, s.f)
		require.Nil(t, s.life)
	}
}

func TestCancelledTimersDoNotPileUp(t *testing.T) {
	r := newRun(t, Options{})
	for range 100 {
		r.At(at(1000), func() {})
	}
	for range 100_000 {
		r.At(at(500), func() {}).Cancel()
		r.host.At(at(500), func() {}).Cancel()
	}
	require.Equal(t, 100, r.Stats().Pending)
	require.Less(t, r.queue.len(), 300)
	require.Less(t, len(r.slab.slots), 300)
}

func TestTimersOfKilledHostsDoNotPileUp(t *testing.T) {
	r := newRun(t, Options{})
	for range 10_000 {
		for range 10 {
			r.host.After(secs(100), func() {})
		}
		r.host.Kill()
		r.host.Restart()
	}
	require.Equal(t, 0, r.Stats().Pending)
	require.Less(t, r.queue.len(), 200)
	require.Less(t, len(r.slab.slots), 200)
}

func TestTimersCancelledUnderPauseDoNotPileUp(t *testing.T) {
	r := newRun(t, Options{})
	r.host.Pause()
	for i := range 10_000 {
		timer := r.host.At(at(i), func() {})
		r.to(i)
		require.True(t, timer.Cancel())
	}
	require.Less(t, r.host.life.held.len(), 200)
	require.Less(t, len(r.slab.slots), 200)
}
