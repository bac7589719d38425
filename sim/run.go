package sim

// Step runs the next event and reports whether there was one. The error is the
// *ProcessPanic or the error given to Stop that ended the run.
func (e *Engine) Step() (more bool, err error) {
	before := e.stats.Events
	err = e.run(Never, func() bool { return e.stats.Events == before })
	return e.stats.Events != before, err
}

// RunUntil runs every event up to and including instant t and leaves Now at t.
// With t in the past nothing runs. It returns early, with Now at the event that ended the run, when a process
// or callback panics (a *ProcessPanic) or calls Stop. RunUntil(Never) runs
// until nothing is left to happen and leaves Now at the last event. The error
// that ended a run is returned by every later call.
func (e *Engine) RunUntil(t Time) error {
	if err := e.run(t, nil); err != nil {
		return err
	}
	if t > e.now && t != Never && !e.halted {
		e.now = t
	}
	return nil
}

// RunWhile runs events as long as cond, asked before each, holds and the next
// is not after limit. Now stays at the last event that ran.
func (e *Engine) RunWhile(cond func() bool, limit Time) error { return e.run(limit, cond) }

// NextEvent is when the next event falls due, Never if none does. It may be one
// that was cancelled. It is for who runs the engine beside a second clock, between
// two runs.
func (e *Engine) NextEvent() Time {
	if e.ready.n > 0 {
		return e.now
	}
	if x := e.queue.min(); x != nil {
		return x.at
	}
	return Never
}

// Stop ends the Run call in progress after the current event. A non-nil err is
// returned by it and by every later one; the first error counts.
func (e *Engine) Stop(err error) {
	e.halted = true
	if e.err == nil {
		e.err = err
	}
}

// run runs events up to limit, while cond holds if there is one.
func (e *Engine) run(limit Time, cond func() bool) (err error) {
	switch {
	case e.running:
		panic("sim: the engine is already running: Step and Run are not for events and processes")
	case e.err != nil:
		return e.err
	case e.closed:
		return errClosed
	}
	cause := e.cause
	e.running, e.halted = true, false
	defer func() {
		e.running, e.current, e.cause = false, nil, cause
		if e.asking {
			e.asking = false
			return
		}
		// A panic comes from a callback: processes recover their own.
		if v := recover(); v != nil {
			e.crash("", e.firing, v)
			err = e.err
		}
	}()
	e.loop(limit, cond)
	return e.err
}

func (e *Engine) loop(limit Time, cond func() bool) {
	for !e.halted && (cond == nil || e.ask(cond)) {
		r, ok := e.next(limit)
		if !ok {
			return
		}
		e.fire(r)
	}
}

// ask calls a condition, whose panics are not the run's.
func (e *Engine) ask(cond func() bool) bool {
	e.asking = true
	holds := cond()
	e.asking = false
	return holds
}

// next takes the next event that is to run, if it is not after limit, and
// moves the clock to it. Events of paused hosts are put aside on the way.
func (e *Engine) next(limit Time) (ref, bool) {
	for {
		var r ref
		sent := false
		if x := e.queue.min(); x != nil && (e.ready.n == 0 || x.at == e.now) {
			if x.at > limit || x.at == Never {
				return ref{}, false
			}
			r = ref{x.key, x.slot}
			at := x.at
			e.queue.pop()
			if !e.live(r) {
				continue
			}
			if at == e.now { // a timer fell due here before: now is where one did
				e.stats.Ties++
			}
			e.now = at
		} else {
			if e.ready.n == 0 || e.now > limit {
				return ref{}, false
			}
			r, sent = e.ready.pop(), true
			if !e.live(r) {
				continue
			}
		}
		l := e.slab.slots[r.slot].life
		if l == nil || !l.holding() {
			return r, true
		}
		l.hold(r, sent)
	}
}

// fire runs the event in slot r.
func (e *Engine) fire(r ref) {
	s := &e.slab.slots[r.slot]
	f, l := s.f, s.life
	e.cause, e.firing = s.cause, l
	if l != nil {
		l.pending--
	}
	e.slab.release(r.slot)
	e.stats.Events++
	f()
}
