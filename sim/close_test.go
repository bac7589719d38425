package sim

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestCloseUnwindsEverythingAndLeavesNoGoroutine(t *testing.T) {
	ignore := goleak.IgnoreCurrent()
	r := newRun(t, Options{})
	for i := range 3 {
		h := r.NewHost(fmt.Sprint("host-", i))
		h.Go("sleeper", func() { defer r.say("host-%d unwinds", i); h.Sleep(secs(99)) })
		h.Go("waiter", func() { h.NewWaiter().Wait() })
		h.Go("short", func() {})
		h.Every("loop", secs(1), 0, true, func() { h.Sleep(secs(1)) })
	}
	r.to(10)
	r.Close()
	r.Close()
	require.Equal(t, []string{"10s host-0 unwinds", "10s host-1 unwinds", "10s host-2 unwinds"}, r.log)
	stats := r.Stats()
	require.Zero(t, stats.Coroutines)
	require.Zero(t, stats.Processes)
	require.Zero(t, stats.Pending)
	goleak.VerifyNone(t, ignore)
}

func TestAClosedEngineDropsWhatIsScheduledAndRefusesToRun(t *testing.T) {
	r := newRun(t, Options{})
	timer := r.After(secs(1), func() {})
	r.host.Go("process", func() {
		defer func() { r.After(secs(1), func() {}); r.host.Go("late", func() {}) }()
		r.host.Sleep(secs(9))
	})
	r.to(0)
	r.Close()
	require.False(t, timer.Cancel())
	require.Equal(t, Timer{}, r.After(secs(1), func() {}))
	require.ErrorIs(t, r.RunUntil(at(5)), errClosed)
	_, err := r.Step()
	require.ErrorIs(t, err, errClosed)
	r.host.Kill()
	r.host.Restart()
	require.False(t, r.host.Alive())
}

func TestCloseFromInside(t *testing.T) {
	for _, from := range []string{"callback", "process", "deferred call of a process that is killed"} {
		t.Run(from, func(t *testing.T) {
			ignore := goleak.IgnoreCurrent()
			r := newRun(t, Options{})
			h := r.host
			h.Go("bystander", func() { defer r.say("bystander unwinds"); h.Sleep(secs(99)) })
			switch from {
			case "callback":
				r.At(at(1), func() { r.Close(); r.say("to its end") })
			case "process":
				h.Go("closer", func() {
					defer r.say("to its end")
					h.Sleep(secs(1))
					r.Close()
					r.say("after Close")
				})
			default:
				other := r.NewHost("other")
				other.Go("closer", func() {
					defer func() { r.Close(); r.say("to its end") }()
					other.Sleep(secs(9))
				})
				r.At(at(1), other.Kill)
			}
			r.At(at(2), func() { r.say("not reached") })
			require.NoError(t, r.RunUntil(at(5)))
			require.Equal(t, []string{"1s bystander unwinds", "1s to its end"}, r.log)
			require.Equal(t, at(1), r.Now())
			goleak.VerifyNone(t, ignore)
		})
	}
}

func TestABurstOfProcessesDoesNotKeepItsStacks(t *testing.T) {
	r := newRun(t, Options{})
	const burst = 10 * spareCoroutines
	for i := range burst {
		r.host.Go("request", func() { r.host.Sleep(secs(1 + i%10)) })
	}
	r.to(0)
	require.Equal(t, burst, r.Stats().Coroutines)
	r.to(20)
	require.Zero(t, r.Stats().Processes)
	require.Equal(t, burst, r.Stats().PeakProcesses)
	require.Greater(t, r.Stats().Coroutines, burst*9/10, "the next burst may come soon")
	r.host.Every("calm", 1, 0, true, func() {})
	require.NoError(t, r.RunUntil(r.Now()+shrinkEvery*burst))
	require.LessOrEqual(t, r.Stats().Coroutines, spareCoroutines+1)
}
