package sim

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWakeResumesAfterWhatIsDue(t *testing.T) {
	r := newRun(t, Options{})
	var w *Waiter
	r.host.Go("process", func() {
		w = r.host.NewWaiter()
		w.Wait()
		r.say("awake")
	})
	r.At(at(1), func() {
		r.host.Go("queued before", func() { r.say("queued before") })
		w.Wake()
		w.Wake() // a second time: nothing
		r.say("Wake has returned")
	})
	r.to(9, "1s Wake has returned", "1s queued before", "1s awake")
}

func TestWaitReturnsAtOnceIfWakeCameFirst(t *testing.T) {
	r := newRun(t, Options{})
	r.host.Go("process", func() {
		w := r.host.NewWaiter()
		w.Wake()
		r.host.Go("queued", func() { r.say("queued") })
		w.Wait()
		r.say("awake")
	})
	r.to(0, "0s awake", "0s queued")
}

func TestWakingTheDeadDoesNothing(t *testing.T) {
	r := newRun(t, Options{})
	var waiting, woken *Waiter
	r.host.Go("process", func() {
		woken = r.host.NewWaiter()
		waiting = r.host.NewWaiter()
		waiting.Wait()
		r.say("awake")
	})
	r.At(at(1), func() {
		r.host.Kill()
		r.host.Restart()
		// The next process gets the coroutine that the dead one had.
		r.host.Go("heir", func() { r.host.Sleep(secs(5)); r.say("heir") })
	})
	r.At(at(2), func() { waiting.Wake(); woken.Wake() })
	r.to(9, "6s heir")
}

func TestWaitersAreForOneProcess(t *testing.T) {
	r := newRun(t, Options{})
	require.PanicsWithValue(t, "sim: NewWaiter outside a process: an event cannot block", func() { r.host.NewWaiter() })
	var w *Waiter
	r.host.Go("owner", func() { w = r.host.NewWaiter(); r.host.Sleep(secs(9)) })
	r.host.Go("thief", func() { w.Wait() })
	require.ErrorContains(t, r.RunUntil(at(1)), "not made for")
}
