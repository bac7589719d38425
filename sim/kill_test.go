package sim

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAKilledProcessRunsItsDefersAndNothingElse(t *testing.T) {
	blocks := map[string]func(r *run){
		"Sleep": func(r *run) { r.host.Sleep(secs(10)) },
		"Wait":  func(r *run) { r.host.NewWaiter().Wait() },
		"Lock": func(r *run) {
			mu := r.host.NewMutex()
			mu.Lock()
			mu.Lock()
		},
	}
	for name, block := range blocks {
		t.Run(name, func(t *testing.T) {
			r := newRun(t, Options{})
			r.host.Go("victim", func() {
				defer r.say("deferred")
				block(r)
				r.say("after the block")
			})
			r.At(at(5), func() { r.host.Kill(); r.say("Kill has returned") })
			r.to(20, "5s deferred", "5s Kill has returned")
			require.Zero(t, r.Stats().Processes)
		})
	}
}

func TestAKilledHostLeavesNothingBehind(t *testing.T) {
	r := newRun(t, Options{})
	h := r.host
	h.Go("process", func() { h.Sleep(secs(10)); r.say("process") })
	h.Every("loop", secs(2), 0, true, func() { h.Sleep(secs(8)); r.say("loop") })
	timer := h.After(secs(10), func() { r.say("timer") })
	r.At(at(5), func() {
		h.Go("queued behind the kill", func() { r.say("queued") })
		h.Kill()
		require.False(t, timer.Cancel())
		h.Go("dead", func() { r.say("dead") })
		h.Every("dead", secs(1), 0, true, func() { r.say("dead") })()
		require.Equal(t, Timer{}, h.After(secs(1), func() { r.say("dead") }))
		h.Kill() // a second time: nothing
		h.Pause()
		h.Resume()
	})
	r.to(60)
	require.False(t, h.Alive())
	require.False(t, h.Paused())
	stats := r.Stats()
	require.Zero(t, stats.Pending)
	require.Zero(t, stats.Processes)
}

func TestProcessesAreUnwoundInTheOrderTheyStarted(t *testing.T) {
	r := newRun(t, Options{})
	for i := range 4 {
		r.host.Go(fmt.Sprint(i), func() {
			defer r.say("%d unwinds", i)
			r.host.Sleep(secs(10 - i))
		})
	}
	r.At(at(1), r.host.Kill)
	r.to(1, "1s 0 unwinds", "1s 1 unwinds", "1s 2 unwinds", "1s 3 unwinds")
}

func TestRestartBeginsANewIncarnation(t *testing.T) {
	r := newRun(t, Options{})
	h := r.host
	draw := func() int64 { return h.Rand("x").Int64N(1 << 40) }
	first, stream := draw(), h.Rand("x")
	require.PanicsWithValue(t, `sim: restart of host "node-1", which is alive`, h.Restart)
	h.After(secs(10), func() { r.say("of the first life") })
	r.At(at(5), func() {
		h.Kill()
		h.Restart()
		h.Go("again", func() { h.Sleep(secs(1)); r.say("again") })
	})
	r.to(20, "6s again")
	require.True(t, h.Alive())
	require.Equal(t, 1, h.Incarnation())
	require.NotSame(t, stream, h.Rand("x"))
	require.NotEqual(t, first, draw())
}

func TestAProcessThatKillsItsOwnHostDoesNotReturnFromKill(t *testing.T) {
	r := newRun(t, Options{})
	r.host.Go("other", func() {
		defer r.say("other unwinds")
		r.host.Sleep(secs(10))
	})
	r.host.Go("suicide", func() {
		defer r.say("suicide unwinds")
		r.host.Sleep(secs(1))
		r.host.Kill()
		r.say("after Kill")
	})
	r.to(20, "1s other unwinds", "1s suicide unwinds")
}

func TestACallbackThatKillsItsOwnHostRunsToItsEnd(t *testing.T) {
	r := newRun(t, Options{})
	r.host.After(secs(1), func() { r.host.Kill(); r.say("the end") })
	r.to(2, "1s the end")
}

func TestAProcessMayKillAnotherHost(t *testing.T) {
	r := newRun(t, Options{})
	victim := r.NewHost("victim")
	victim.Go("victim", func() { defer r.say("victim unwinds"); victim.Sleep(secs(10)) })
	r.host.Go("killer", func() {
		r.host.Sleep(secs(1))
		victim.Kill()
		r.say("killed")
		r.host.Sleep(secs(1))
		r.say("goes on")
	})
	r.to(20, "1s victim unwinds", "1s killed", "2s goes on")
}

// The killer is itself killed by what its victim does while it unwinds.
func TestAKillerKilledByItsVictimUnwindsWhenKillReturns(t *testing.T) {
	r := newRun(t, Options{})
	victim := r.NewHost("victim")
	victim.Go("victim", func() {
		defer r.say("victim is done")
		defer func() { r.host.Kill(); r.say("back from revenge") }()
		victim.Sleep(secs(10))
	})
	r.host.Go("bystander", func() { defer r.say("bystander unwinds"); r.host.Sleep(secs(10)) })
	r.host.Go("killer", func() {
		defer r.say("killer unwinds")
		r.host.Sleep(secs(1))
		victim.Kill()
		r.say("after Kill")
	})
	r.to(20, "1s bystander unwinds", "1s back from revenge", "1s victim is done", "1s killer unwinds")
}

func TestDefersOfAKilledProcessCannotReachTheNextLife(t *testing.T) {
	r := newRun(t, Options{})
	h := r.host
	h.Go("zombie", func() {
		defer func() {
			h.Restart()
			h.Go("ghost", func() { r.say("ghost") })
			h.After(secs(1), func() { r.say("ghost") })
		}()
		h.Sleep(secs(10))
	})
	r.At(at(1), h.Kill)
	r.to(20)
	require.True(t, h.Alive())
}

func TestARecoveredKillStrikesAgainAtTheNextBlock(t *testing.T) {
	r := newRun(t, Options{})
	r.host.Go("stubborn", func() {
		defer r.say("gone")
		for {
			func() {
				defer func() { r.say("recovered %v", recover()) }()
				r.host.Sleep(secs(10))
			}()
			r.say("goes on")
			r.host.NewMutex().Lock() // does not block, so it is allowed
			r.host.NewWaiter().Wait()
			r.say("after Wait")
		}
	})
	r.At(at(1), r.host.Kill)
	r.to(20, "1s recovered sim: the process was killed", "1s goes on", "1s gone")
}

func TestAKilledProcessMayReturnAsIfNothingHadHappened(t *testing.T) {
	r := newRun(t, Options{})
	r.host.Every("loop", secs(1), 0, true, func() {
		defer func() { _ = recover() }()
		r.host.Sleep(secs(10))
	})
	r.At(at(1), r.host.Kill)
	r.to(20)
	require.Zero(t, r.Stats().Pending)
}

func TestAPanicWhileUnwindingIsReported(t *testing.T) {
	r := newRun(t, Options{})
	r.host.Go("victim", func() {
		defer func() { panic("in a deferred call") }()
		r.host.Sleep(secs(10))
	})
	r.At(at(1), r.host.Kill)
	var p *ProcessPanic
	require.ErrorAs(t, r.RunUntil(at(2)), &p)
	require.Equal(t, "victim", p.Process)
	require.Equal(t, "in a deferred call", p.Value)
}

// Such a process keeps a goroutine that nobody can end. This one has an end.
func TestAProcessThatWillNotDieEndsTheRun(t *testing.T) {
	r := newRun(t, Options{})
	attempts := 0
	var p *process
	r.host.Go("immortal", func() {
		p = r.current
		for attempts < 10*refusalLimit {
			func() {
				defer func() { _ = recover() }()
				attempts++
				r.host.Sleep(secs(10))
			}()
		}
	})
	r.At(at(1), r.host.Kill)
	require.ErrorIs(t, r.RunUntil(at(2)), errImmortal)
	require.InDelta(t, refusalLimit, attempts, 2)
	require.Zero(t, r.Stats().Processes)
	p.stop()
}

// t.FailNow in a process does this.
func TestGoexitInAProcessEndsTheCallerOfRun(t *testing.T) {
	r := newRun(t, Options{})
	r.host.Go("other", func() { defer r.say("other unwinds"); r.host.Sleep(secs(10)) })
	r.host.Go("quitter", func() {
		defer r.say("quitter unwinds")
		r.host.Sleep(secs(1))
		runtime.Goexit()
	})
	done := make(chan bool)
	go func() {
		defer close(done)
		defer r.Close()
		_ = r.RunUntil(at(5))
		r.say("RunUntil has returned")
	}()
	<-done
	require.Equal(t, []string{"1s quitter unwinds", "1s other unwinds"}, r.log)
	require.Zero(t, r.Stats().Coroutines)
}
