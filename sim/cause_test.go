package sim

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEventsInheritTheCauseTheyWereScheduledUnder(t *testing.T) {
	r := newRun(t, Options{})
	r.SetCause(7)
	r.At(at(1), func() {
		r.say("event %d", r.Cause())
		r.SetCause(8)
		r.After(secs(2), func() { r.say("from it %d", r.Cause()) })
		r.host.After(secs(3), func() { r.say("host event from it %d", r.Cause()) })
	})
	r.At(at(2), func() { r.say("sibling %d", r.Cause()) })
	r.to(9, "1s event 7", "2s sibling 7", "3s from it 8", "4s host event from it 8")
	require.Equal(t, uint64(7), r.Cause(), "outside the run nothing has changed")
}

func TestProcessesKeepTheirCauseOverSleepAndLock(t *testing.T) {
	r := newRun(t, Options{})
	mu := r.host.NewMutex()
	for i := range uint64(2) {
		r.SetCause(i + 1)
		r.host.Go("process", func() {
			mu.Lock()
			r.host.Sleep(secs(1))
			r.say("%d", r.Cause())
			r.SetCause(10 * r.Cause())
			mu.Unlock()
			r.host.Sleep(secs(5))
			r.say("%d", r.Cause())
		})
	}
	r.to(9, "1s 1", "2s 2", "6s 10", "7s 20")
}

func TestAWokenProcessTakesTheCauseOfTheWake(t *testing.T) {
	r := newRun(t, Options{})
	r.SetCause(1)
	r.host.Go("process", func() {
		for _, first := range []bool{true, false} {
			w := r.host.NewWaiter()
			r.SetCause(1)
			r.At(r.Now()+at(1), func() { r.SetCause(2); w.Wake() })
			if first {
				r.host.Sleep(secs(2)) // Wake comes before Wait
			}
			w.Wait()
			r.say("%d", r.Cause())
		}
	})
	r.to(9, "2s 2", "3s 2")
}

func TestTicksRunUnderTheCauseOfTheirLoop(t *testing.T) {
	r := newRun(t, Options{})
	r.SetCause(5)
	for _, sliding := range []bool{true, false} {
		r.host.Every("loop", secs(2), 0, sliding, func() {
			r.say("%d", r.Cause())
			r.SetCause(r.Cause() + 1)
			r.host.Sleep(secs(2))
		})
	}
	r.to(4, "0s 5", "0s 5", "2s 5", "4s 5", "4s 5")
}

func TestUnwindingRunsUnderTheCauseOfTheKill(t *testing.T) {
	r := newRun(t, Options{})
	for range 2 {
		r.host.Go("victim", func() {
			defer func() { r.say("%d", r.Cause()); r.SetCause(99) }()
			r.host.Sleep(secs(9))
		})
	}
	r.At(at(1), func() { r.SetCause(3); r.host.Kill(); r.say("%d after", r.Cause()) })
	r.to(1, "1s 3", "1s 3", "1s 3 after")
}

func TestHeldEventsKeepTheirCause(t *testing.T) {
	r := newRun(t, Options{})
	r.SetCause(4)
	r.host.After(secs(1), func() { r.say("%d", r.Cause()) })
	r.host.Pause()
	r.At(at(2), func() { r.SetCause(6); r.host.Resume() })
	r.to(2, "2s 4")
}
