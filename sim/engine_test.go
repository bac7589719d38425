package sim

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestStartDefaultsToTheFirstOf2026(t *testing.T) {
	r := newRun(t, Options{Seed: 3})
	require.Equal(t, uint64(3), r.Seed())
	require.Equal(t, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), r.Start())
	require.Equal(t, Time(0), r.Now())
}

func TestEventsOfOneInstantRunInTheOrderTheyWereScheduled(t *testing.T) {
	r := newRun(t, Options{})
	r.At(at(1), func() {
		r.say("first timer")
		r.At(r.Now(), func() { r.say("now, from the first timer") })
		r.After(-time.Second, func() { r.say("a negative delay is now") })
	})
	r.At(at(1), func() { r.say("second timer") })
	r.to(1, "1s first timer", "1s second timer", "1s now, from the first timer", "1s a negative delay is now")
}

func TestRunUntilIncludesItsInstantAndEndsThere(t *testing.T) {
	r := newRun(t, Options{})
	r.At(at(5), func() { r.say("due") })
	r.to(4)
	require.Equal(t, at(4), r.Now())
	r.to(5, "5s due")
	r.to(9)
	require.Equal(t, at(9), r.Now())
	r.to(3) // the past: nothing to do
	require.Equal(t, at(9), r.Now())
}

func TestRunUntilNeverRunsAllThereIs(t *testing.T) {
	r := newRun(t, Options{})
	r.At(at(5), func() { r.say("due") })
	r.At(Never, func() { r.say("never") })
	require.NoError(t, r.RunUntil(Never))
	require.Equal(t, []string{"5s due"}, r.log)
	require.Equal(t, at(5), r.Now())
	require.Equal(t, 1, r.Stats().Pending)
}

func TestStepRunsOneEvent(t *testing.T) {
	r := newRun(t, Options{})
	r.At(at(1), func() { r.say("one") })
	r.At(at(2), func() {}).Cancel()
	r.At(at(3), func() { r.say("two") })
	for _, want := range []bool{true, true, false, false} {
		more, err := r.Step()
		require.NoError(t, err)
		require.Equal(t, want, more)
	}
	require.Equal(t, []string{"1s one", "3s two"}, r.log)
	require.Equal(t, at(3), r.Now())
}

func TestRunWhileAsksBeforeEachEvent(t *testing.T) {
	r := newRun(t, Options{})
	n := 0
	for i := range 10 {
		r.At(at(i), func() { n++ })
	}
	require.NoError(t, r.RunWhile(func() bool { return n < 3 }, Never))
	require.Equal(t, at(2), r.Now())
	require.NoError(t, r.RunWhile(func() bool { return true }, at(7)+1))
	require.Equal(t, at(7), r.Now(), "the last event, not the limit")
	require.PanicsWithValue(t, "mine", func() { r.RunWhile(func() bool { panic("mine") }, Never) })
	r.to(20)
	require.Equal(t, 10, n)
}

func TestStopEndsTheRunAfterTheEvent(t *testing.T) {
	r := newRun(t, Options{})
	enough := errors.New("enough")
	r.At(at(1), func() { r.Stop(nil); r.say("pause for breath") })
	r.At(at(2), func() { r.Stop(enough); r.Stop(errors.New("later")); r.say("enough") })
	r.At(at(3), func() { r.say("never reached") })
	require.NoError(t, r.RunUntil(at(9)))
	require.Equal(t, at(1), r.Now())
	require.Equal(t, enough, r.RunUntil(at(9)))
	require.Equal(t, at(2), r.Now())
	require.Equal(t, enough, r.RunUntil(at(9)), "the run is over for good")
	_, err := r.Step()
	require.Equal(t, enough, err)
	require.Equal(t, []string{"1s pause for breath", "2s enough"}, r.log)
}

func TestThePastPanics(t *testing.T) {
	r := newRun(t, Options{})
	r.to(2)
	require.PanicsWithValue(t, "sim: event scheduled at 000001.000000s, which is before now, 000002.000000s",
		func() { r.At(at(1), func() {}) })
}

func TestRunningFromInsideAnEventIsReported(t *testing.T) {
	r := newRun(t, Options{})
	r.At(at(1), func() { r.RunUntil(at(2)) })
	require.ErrorContains(t, r.RunUntil(at(3)), "already running")
}
