package sim

import (
	"errors"
	"fmt"
	"time"
)

// Options are the inputs of a run.
type Options struct {
	// Seed is the root of every random stream of the run.
	Seed uint64

	// Start is the wall-clock instant that Time 0 stands for.
	// The zero value means 2026-01-01T00:00:00Z.
	Start time.Time

	// ShuffleTies runs timers that fall on one instant in an order drawn from
	// the seed, instead of in the order they were scheduled.
	ShuffleTies bool
}

// Engine is a virtual clock and the events that move it. One goroutine at a
// time may use an Engine and whatever belongs to it.
type Engine struct {
	now   Time
	cause uint64
	seq   uint64 // events scheduled so far

	queue queue // events after now, and those that now has just reached
	ready fifo  // events scheduled for the present instant, at that instant
	slab  slab

	current *process   // the process whose code is running, nil in a callback
	firing  *life      // owner of the event that is running
	idle    []*process // coroutines without a process, the last used last
	returns uint64     // times a coroutine came back

	running bool  // a Step or Run call is on the stack
	halted  bool  // the Run call on the stack is to return
	asking  bool  // the condition of RunWhile is running
	closed  bool  // Close has been called
	err     error // what ended the run for good

	zombies  int // slots in use by events of killed hosts
	stats    Stats
	shuffled bool
	tieKey   uint64
	drift    bool // a clock drifts, or has drifted

	seed    uint64
	start   time.Time
	hosts   []*Host
	names   map[string]bool
	streams map[string]*Rand
}

// errClosed is what a closed Engine answers when it is asked to run.
var errClosed = errors.New("sim: the engine is closed")

// New returns an engine at Time 0 with nothing scheduled. Close it in the end.
func New(o Options) *Engine {
	if o.Start.IsZero() {
		o.Start = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	}
	return &Engine{
		seed:     o.Seed,
		start:    o.Start.Round(0).UTC(),
		shuffled: o.ShuffleTies,
		tieKey:   mix64(streamHash(o.Seed, "ties", "", 0, "")) | 1<<63, // so that no key is 0
		names:    map[string]bool{},
		streams:  map[string]*Rand{},
	}
}

// Seed returns the seed of the run.
func (e *Engine) Seed() uint64 { return e.seed }

// Start returns the wall-clock instant of Time 0, in UTC.
func (e *Engine) Start() time.Time { return e.start }

// Now returns the present instant.
func (e *Engine) Now() Time { return e.now }

// Cause returns the ambient causality token: 0, or what the running event or
// an ancestor of it gave to SetCause.
func (e *Engine) Cause() uint64 { return e.cause }

// SetCause sets the causality token for the rest of this event, and for
// everything that is scheduled from it.
func (e *Engine) SetCause(c uint64) { e.cause = c }

// InProcess reports whether a process is running, and not a callback, or
// nothing: whether what is called now may block.
func (e *Engine) InProcess() bool { return e.current != nil }

// At schedules f at instant t, as an event of no host: it is never paused or
// killed. At the present instant f runs after everything already due there; an
// instant in the past panics.
func (e *Engine) At(t Time, f func()) Timer { return e.schedule(t, f, nil, e.cause) }

// After schedules f for d from now, on the true clock; d <= 0 means now.
func (e *Engine) After(d time.Duration, f func()) Timer {
	return e.schedule(e.now.Add(max(d, 0)), f, nil, e.cause)
}

// Rand returns the engine's stream of that name, the same one each time.
func (e *Engine) Rand(name string) *Rand {
	r := e.streams[name]
	if r == nil {
		r = new(Rand)
		r.seed(e.seed, "engine", "", 0, name)
		e.streams[name] = r
	}
	return r
}

// schedule adds an event of l (nil: of no host).
func (e *Engine) schedule(t Time, f func(), l *life, cause uint64) Timer {
	if e.closed || l != nil && l.dead {
		return Timer{}
	}
	if t < e.now {
		panic(fmt.Sprintf("sim: event scheduled at %v, which is before now, %v", t, e.now))
	}
	e.seq++
	key := e.seq
	if e.shuffled {
		key = mix64(key ^ e.tieKey)
	}
	i := e.slab.alloc()
	s := &e.slab.slots[i]
	s.key, s.f, s.life, s.cause = key, f, l, cause
	if l != nil {
		l.pending++
	}
	if t == e.now {
		e.ready.push(ref{key, i})
	} else {
		e.queue.push(entry{t, key, i})
	}
	return Timer{e, ref{key, i}}
}

// soon schedules f at the present instant.
func (e *Engine) soon(f func(), l *life, cause uint64) { e.schedule(e.now, f, l, cause) }

func (e *Engine) cancel(r ref) bool {
	if r.key == 0 || int(r.slot) >= len(e.slab.slots) {
		return false
	}
	s := &e.slab.slots[r.slot]
	if s.key != r.key || s.life != nil && s.life.dead {
		return false
	}
	if s.life != nil {
		s.life.pending--
	}
	e.slab.release(r.slot)
	e.compact()
	return true
}

// pending returns the number of events that are yet to happen.
func (e *Engine) pending() int { return e.slab.used() - e.zombies }

// compact rebuilds the queue when more than half of it is dead, so that what
// was cancelled or killed costs no more memory than what lives.
func (e *Engine) compact() {
	if e.queue.len() <= 2*e.pending()+64 {
		return
	}
	e.queue.filter(func(x entry) bool { return e.live(ref{x.key, x.slot}) })
}

// live reports whether r is yet to happen, and reclaims the slot of an event
// whose host was killed.
func (e *Engine) live(r ref) bool {
	s := &e.slab.slots[r.slot]
	if s.key != r.key {
		return false
	}
	if s.life != nil && s.life.dead {
		e.slab.release(r.slot)
		e.zombies--
		return false
	}
	return true
}
