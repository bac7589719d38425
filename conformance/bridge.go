package conformance

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"testing/synctest"
	"time"

	"github.com/holter-sim/holter/sim"
)

// Bridge joins an engine to the synctest bubble that Run is called in: at every
// instant of the bubble the engine has run all its events up to there, and what
// the engine has to say reaches the bubble's goroutines at its own instant.
//
// The bubble's goroutines are served one at a time, and the next when all are
// at rest again, so that only what upstream does between two of its own
// requests, in several goroutines at one instant, is left to the scheduler.
type Bridge struct {
	engine *sim.Engine
	start  time.Time // the bubble's instant of Time 0

	lock  sync.Mutex
	inbox []errand
	wake  chan struct{} // there is something in the inbox

	ready  []func() // to be told to the bubble, one at a time
	closed chan struct{}
	gone   chan struct{}
	err    error
}

// errand is something that the engine's goroutine is to do. Of several at one
// instant the order is by key.
type errand struct {
	key string
	do  func()
}

var errClosed = errors.New("the bridge is closed")

// NewBridge starts serving the bubble that it is called in. The engine's Time 0
// is the present instant of the bubble, and nothing else may run the engine
// until Close.
func NewBridge(e *sim.Engine) *Bridge {
	b := &Bridge{
		engine: e,
		start:  time.Now(),
		wake:   make(chan struct{}, 1),
		closed: make(chan struct{}),
		gone:   make(chan struct{}),
	}
	go b.serve()
	return b
}

// Close fails what waits for an answer, and returns the error that ended the
// engine's run, if any.
func (b *Bridge) Close() error {
	close(b.closed)
	<-b.gone
	return b.err
}

// Line is how the goroutines of one incarnation of a host reach the engine. When
// that is killed its calls never return; while it is paused they wait.
type Line struct {
	bridge *Bridge
	host   *sim.Host
	life   int
}

// NewLine returns a line for the host as it is now.
func (b *Bridge) NewLine(host *sim.Host) Line { return Line{b, host, host.Incarnation()} }

// Call runs f as a process of the host and returns when it is done. The error
// says that it never will be.
func (l Line) Call(key string, f func()) error {
	done := make(chan struct{})
	l.bridge.post(key, func() {
		if l.host.Incarnation() != l.life {
			return
		}
		l.host.Go(key, func() {
			f()
			l.bridge.tell(func() { close(done) })
		})
	})
	select {
	case <-done:
		return nil
	case <-l.bridge.closed:
		return errClosed
	}
}

// Turn waits until the goroutines that stand in line at this instant, in the
// order of their keys, have had theirs, one after the other.
func (l Line) Turn(key string) { _ = l.Call(key, func() {}) }

// Now is the virtual time since the engine's Time 0.
func (b *Bridge) Now() time.Duration { return time.Since(b.start) }

// post has the engine's goroutine do something at the present instant.
func (b *Bridge) post(key string, do func()) {
	b.lock.Lock()
	b.inbox = append(b.inbox, errand{key, do})
	b.lock.Unlock()
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// tell has the bubble told something. It is for the engine's goroutine.
func (b *Bridge) tell(f func()) { b.ready = append(b.ready, f) }

func (b *Bridge) take() []errand {
	b.lock.Lock()
	defer b.lock.Unlock()
	taken := b.inbox
	b.inbox = nil
	slices.SortStableFunc(taken, func(x, y errand) int { return cmp.Compare(x.key, y.key) })
	return taken
}

// serve is the engine's goroutine.
func (b *Bridge) serve() {
	defer close(b.gone)
	for b.err == nil {
		synctest.Wait()
		now := sim.Time(time.Since(b.start))
		b.err = b.engine.RunUntil(now)
		for _, e := range b.take() {
			e.do()
			b.err = cmp.Or(b.err, b.engine.RunUntil(now))
		}
		if len(b.ready) > 0 {
			next := b.ready[0]
			b.ready = b.ready[1:]
			next()
			continue
		}
		if b.idle(now) {
			break
		}
	}
	<-b.closed
}

// idle sleeps until there is something to do, and reports whether there will
// be nothing more.
func (b *Bridge) idle(now sim.Time) (over bool) {
	var due <-chan time.Time
	if next := nextEvent(b.engine); next != sim.Never {
		timer := time.NewTimer(next.Sub(now))
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-due:
	case <-b.wake:
	case <-b.closed:
		return true
	}
	return false
}
