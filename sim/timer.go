package sim

// Timer is a scheduled event that can be cancelled. It is a small value, to be
// copied and compared freely; the zero Timer is inert.
type Timer struct {
	e *Engine
	r ref
}

// Cancel keeps the event from happening and reports whether it did: false if
// the event has happened, is happening, was cancelled, or died with its host.
// Cancelling takes constant time; the place in the queue is reclaimed later.
func (t Timer) Cancel() bool {
	if t.e == nil {
		return false
	}
	return t.e.cancel(t.r)
}
