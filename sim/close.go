package sim

// Close ends the run: every process is unwound (its deferred calls run), the
// oldest host's first, and no goroutine is left. What is scheduled afterwards
// is dropped, and Step and Run return an error. A process that closes its own
// engine is unwound in the call. Close may be called again.
func (e *Engine) Close() {
	if e.closed {
		return
	}
	caller := e.current
	dying := caller.dying()
	e.closed, e.halted = true, true
	for _, h := range e.hosts {
		if !h.life.dead {
			h.life.kill()
		}
	}
	for _, p := range e.idle {
		p.stop()
		e.stats.Coroutines--
	}
	e.idle = nil
	e.queue, e.ready, e.slab, e.zombies = queue{}, fifo{}, slab{}, 0
	if !dying && caller.dying() {
		panic(unwind{})
	}
}
