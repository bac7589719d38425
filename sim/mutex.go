package sim

import "slices"

// mutex is a sync.Locker for processes. Lock hands over first come, first
// served; a process killed while it waits leaves the queue.
type mutex struct {
	e      *Engine
	locked bool
	queue  []*waiting
}

// waiting is a process in Lock.
type waiting struct {
	p       *process
	cause   uint64
	granted bool // the mutex is its own, whether or not it has run since
}

// Lock blocks the running process until the mutex is its own. A callback may
// lock a mutex that is free, and panics on one that is not.
func (m *mutex) Lock() {
	if !m.locked {
		m.locked = true
		return
	}
	p := m.e.process("Lock of a locked mutex")
	w := &waiting{p: p, cause: m.e.cause}
	m.queue = append(m.queue, w)
	if !p.wait() {
		m.forget(w)
		panic(unwind{})
	}
}

// Unlock hands the mutex to the process that has waited longest. It never
// blocks, so it does its job in a deferred call of a killed process.
func (m *mutex) Unlock() {
	if !m.locked {
		panic("sim: Unlock of an unlocked mutex")
	}
	if len(m.queue) == 0 {
		m.locked, m.queue = false, nil
		return
	}
	w := m.queue[0]
	m.queue = m.queue[1:]
	w.granted = true
	m.e.soon(w.p.wake, w.p.life, w.cause)
}

// forget takes a killed process out: out of the queue or, if the mutex was
// handed to it first, out of possession. What Unlock hands to a process that is
// about to be unwound goes on from here.
func (m *mutex) forget(w *waiting) {
	if w.granted {
		m.Unlock()
		return
	}
	i := slices.Index(m.queue, w)
	m.queue = slices.Delete(m.queue, i, i+1)
}
