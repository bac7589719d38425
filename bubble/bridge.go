package bubble

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"testing/synctest"
	"time"

	"github.com/holter-sim/holter/sim"
)

// Bridge keeps an engine and the clock of a synctest bubble together: at every
// instant of the bubble the engine has run all its events up to there, and what
// the engine has to say reaches the bubble's goroutines at its own instant.
//
// The bubble's goroutines are served one at a time, and the next when all are at
// rest again, so that only what a program does between two of its own requests, in
// several goroutines at one instant, is left to the scheduler.
type Bridge struct {
	engine *sim.Engine
	turns  *atomic.Int64
	start  time.Time // the bubble's instant of Time 0

	lock  sync.Mutex
	inbox []errand
	wake  chan struct{} // there is something in the inbox

	looks  []func() // at the engine, before anybody in the bubble moves
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

// NewBridge starts to serve the bubble that it is called in. The engine's Time 0
// is the present instant of the bubble, and nothing else may run the engine until
// Close.
func NewBridge(e *sim.Engine) *Bridge { return newBridge(e, new(atomic.Int64)) }

// newBridge has its turns counted, for somebody outside of the bubble.
func newBridge(e *sim.Engine, turns *atomic.Int64) *Bridge {
	b := &Bridge{
		turns:  turns,
		engine: e,
		start:  time.Now(),
		wake:   make(chan struct{}, 1),
		closed: make(chan struct{}),
		gone:   make(chan struct{}),
	}
	go b.serve()
	return b
}

// Close stops the engine where it is, and returns the error that ended its run, if
// any. Who waits for something from [Bridge.Closed] on waits in vain.
func (b *Bridge) Close() error {
	close(b.closed)
	<-b.gone
	return b.err
}

// Closed is closed with the bridge.
func (b *Bridge) Closed() <-chan struct{} { return b.closed }

// Now is the virtual time since the engine's Time 0.
func (b *Bridge) Now() time.Duration { return time.Since(b.start) }

// Post has the engine's goroutine do something at the present instant, between two
// events. What is posted at one instant is done in the order of the keys.
func (b *Bridge) Post(key string, do func()) {
	b.lock.Lock()
	b.inbox = append(b.inbox, errand{key, do})
	b.lock.Unlock()
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// Tell has the bubble told something: f runs when all its goroutines are at rest,
// and the next f when they are again. It is for the engine's goroutine.
func (b *Bridge) Tell(f func()) { b.ready = append(b.ready, f) }

// Look has f look at the engine now, and then each time before the bubble's
// goroutines move, to note for them what it sees: they must not look themselves.
// It is for the engine's goroutine.
func (b *Bridge) Look(f func()) {
	b.looks = append(b.looks, f)
	f()
}

func (b *Bridge) look() {
	for _, f := range b.looks {
		f()
	}
}

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
		b.turns.Add(1)
		now := sim.Time(time.Since(b.start))
		b.err = b.engine.RunUntil(now)
		for _, e := range b.take() {
			e.do()
			b.err = cmp.Or(b.err, b.engine.RunUntil(now))
		}
		b.look()
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

// idle sleeps until there is something to do, and reports whether there will be
// nothing more.
func (b *Bridge) idle(now sim.Time) (over bool) {
	var due <-chan time.Time
	if next := b.engine.NextEvent(); next != sim.Never {
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
