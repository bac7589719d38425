package sim

// Waiter blocks one process until something wakes it, once: the reply to a
// request, say.
type Waiter struct {
	p       *process
	life    *life
	cause   uint64 // of the Wake
	woken   bool
	waiting bool
}

// NewWaiter returns a Waiter for the running process.
func (h *Host) NewWaiter() *Waiter {
	p := h.e.process("NewWaiter")
	return &Waiter{p: p, life: p.life}
}

// Wait blocks the process until Wake, and not at all if Wake came first.
func (w *Waiter) Wait() {
	p := w.life.host.e.process("Wait")
	if p != w.p || p.life != w.life {
		panic("sim: Wait by a process that the Waiter was not made for")
	}
	if w.woken {
		p.e.cause = w.cause
		return
	}
	w.waiting = true
	p.park()
}

// Wake lets the process go on: at the present instant, after everything already
// due there, or when its host resumes. It may come from any event or process,
// whose causality token the process takes over. A second Wake does nothing, nor
// does one for a process that was killed.
func (w *Waiter) Wake() {
	if w.woken {
		return
	}
	e := w.life.host.e
	w.woken, w.cause = true, e.cause
	if w.waiting {
		e.soon(w.p.wake, w.life, e.cause)
	}
}
