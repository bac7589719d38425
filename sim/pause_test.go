package sim

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestWhatFallsDueUnderPauseHappensAtResumeInOrder(t *testing.T) {
	r := newRun(t, Options{})
	h := r.host
	h.Go("process", func() { h.Sleep(secs(2)); r.say("process") })
	h.After(secs(3), func() { r.say("timer") })
	h.After(secs(15), func() { r.say("timer after the resume") })
	h.Every("loop", secs(4), 0, false, func() { r.say("tick") })
	r.At(at(1), func() { h.Pause(); require.True(t, h.Paused()) })
	r.At(at(2), func() { h.Go("started under pause", func() { r.say("started") }) })
	r.At(at(10), func() { h.Resume(); r.say("Resume has returned") })
	r.to(16, "0s tick", "10s Resume has returned", "10s started", "10s process", "10s timer",
		"10s tick", "14s tick", "15s timer after the resume")
}

func TestAPauseHoldsNobodyElse(t *testing.T) {
	r := newRun(t, Options{})
	other := r.NewHost("other")
	other.After(secs(2), func() { r.say("other host") })
	r.At(at(2), func() { r.say("no host") })
	r.host.After(secs(2), func() { r.say("paused host") })
	r.host.Pause()
	r.to(5, "2s other host", "2s no host")
	require.Equal(t, 1, r.Stats().Pending)
	r.host.Resume()
	r.host.Resume() // a second time: nothing
	r.to(5, "5s paused host")
}

func TestAProcessThatPausesItsOwnHostStopsInTheCall(t *testing.T) {
	r := newRun(t, Options{})
	r.host.Go("process", func() {
		r.say("before")
		r.host.Pause()
		r.say("after")
	})
	r.At(at(7), r.host.Resume)
	r.to(10, "0s before", "7s after")
}

func TestWakesWaitForResume(t *testing.T) {
	r := newRun(t, Options{})
	var w *Waiter
	r.host.Go("process", func() {
		w = r.host.NewWaiter()
		w.Wait()
		r.say("awake")
	})
	r.At(at(1), r.host.Pause)
	r.At(at(2), func() { w.Wake() })
	r.At(at(9), r.host.Resume)
	r.to(10, "9s awake")
}

func TestATimerHeldByAPauseCanBeCancelled(t *testing.T) {
	r := newRun(t, Options{})
	timer := r.host.After(secs(1), func() { r.say("cancelled") })
	r.host.After(secs(1), func() { r.say("kept") })
	r.host.Pause()
	r.At(at(5), func() { require.True(t, timer.Cancel()); r.host.Resume() })
	r.to(5, "5s kept")
}

func TestAPausedHostCanBeKilled(t *testing.T) {
	r := newRun(t, Options{})
	r.host.Go("process", func() { defer r.say("unwinds"); r.host.Sleep(secs(1)) })
	r.At(at(0), r.host.Pause)
	r.At(at(5), r.host.Kill)
	r.to(5, "5s unwinds")
	r.host.Restart()
	require.False(t, r.host.Paused())
	require.Zero(t, r.Stats().Pending)
}

func TestHeldEventsRunInTheOrderTheyFellDueHoweverOftenTheHostStops(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := New(Options{})
		defer e.Close()
		h := e.NewHost("h")
		var want, got []int
		second := rapid.IntRange(0, 10)
		for i, s := range rapid.SliceOfN(second, 1, 20).Draw(t, "timers") {
			e.At(at(s), func() { want = append(want, i) })
			h.At(at(s), func() { got = append(got, i) })
		}
		for _, s := range rapid.SliceOf(second).Draw(t, "pauses") {
			e.At(at(s), h.Pause)
		}
		for _, s := range rapid.SliceOf(second).Draw(t, "resumes") {
			e.At(at(s), h.Resume)
		}
		e.At(at(11), h.Resume)
		require.NoError(t, e.RunUntil(at(11)))
		require.Equal(t, want, got)
	})
}
