package main

import (
	"fmt"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/holter-sim/holter/scenario"
	"github.com/holter-sim/holter/traces"
)

// exitInterrupted is what a shell makes of a program that SIGINT ended.
const exitInterrupted = 130

// interrupt notes that the command is to end. A signal ends the run instead of the program, so that what was written of
// a trace is removed, an earlier file at its path stays as it was, and what has been done can be told.
type interrupt struct {
	raised atomic.Bool
	done   atomic.Int64 // runs that have ended

	once   sync.Once
	signal chan struct{} // closed when raised, if once is over
}

// raise notes a signal.
func (i *interrupt) raise() {
	if !i.raised.Swap(true) {
		close(i.raisedSignal())
	}
}

// raisedSignal is closed when a signal has come, for who has nothing to do until then.
func (i *interrupt) raisedSignal() chan struct{} {
	i.once.Do(func() { i.signal = make(chan struct{}) })
	return i.signal
}

// listen heeds signals until stop is called; the second one ends the program at once. Those that were ignored when the
// program started, by nohup for one, still are.
func (i *interrupt) listen() (stop func()) {
	var heeded []os.Signal
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			heeded = append(heeded, s)
		}
	}
	if len(heeded) == 0 {
		return func() {}
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, heeded...)
	go func() {
		for range signals {
			signal.Reset(heeded...) // before anybody knows, who might listen anew
			i.raise()
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
	}
}

// sinks end a run soon after the interrupt.
func (i *interrupt) sinks() []traces.Sink { return scenario.StopWhen(i.raised.Load) }

// lastEvent is a sink that knows how far a run is.
type lastEvent struct {
	at     time.Duration
	events uint64
}

// Event takes one event of the trace; it never fails.
func (l *lastEvent) Event(ev *traces.Event) error {
	l.at, l.events = ev.At, ev.Seq
	return nil
}

// interrupted tells that somebody stopped a run, and how far it was.
func (c *cli) interrupted(in *input, last *lastEvent, traced bool) error {
	text := fmt.Sprintf("interrupted at %s of %s, after %s: nothing was judged", traces.FormatTime(last.at), in.scenario.Spec.Duration,
		plural(int(last.events), "event"))
	if traced {
		text += ", and the trace was not written"
	}
	fmt.Fprintln(c.errOut, text)
	return failure{exitInterrupted}
}
