package sim

import (
	"fmt"
	"sync"
	"time"
)

// Host is a machine or a process group. It has a name, a clock, and random
// streams of its own; it can be paused (SIGSTOP) and resumed, killed and started
// again. Processes and host events belong to it, and share its fate.
type Host struct {
	e     *Engine
	name  string
	clock Clock
	life  *life
}

// NewHost adds a host, alive, whose clock shows the true time. A name that is
// already taken panics, since the two would draw the same random numbers.
func (e *Engine) NewHost(name string) *Host {
	if e.names[name] {
		panic(fmt.Sprintf("sim: there is already a host %q", name))
	}
	e.names[name] = true
	h := &Host{e: e, name: name}
	h.clock.e = e
	h.life = newLife(h, 0)
	e.hosts = append(e.hosts, h)
	return h
}

// Name returns the name given to NewHost.
func (h *Host) Name() string { return h.name }

// Engine returns the engine h lives in.
func (h *Host) Engine() *Engine { return h.e }

// Clock returns the clock of h. It goes on through Pause, Kill and Restart.
func (h *Host) Clock() *Clock { return &h.clock }

// Now returns what the clock of h shows: UTC, without a monotonic reading.
func (h *Host) Now() time.Time { return h.clock.Now() }

// Sleep blocks the running process for d on the clock rate of h. With d <= 0
// the process still steps aside once for everything else due at this instant.
func (h *Host) Sleep(d time.Duration) {
	p := h.e.process("Sleep")
	p.wakeAt(h.e.now.Add(h.e.trueDuration(h, d)), h.e.cause)
	p.park()
}

// Go starts f as a process of h, at the present instant, after everything
// already due there. On a host that is not alive it does nothing.
func (h *Host) Go(name string, f func()) {
	l := h.owner()
	h.e.soon(func() { h.e.spawn(l, name, f, nil) }, l, h.e.cause)
}

// At schedules f at instant t of virtual time as an event of h: it is held while
// h is paused and dropped when h is killed. On a host that is not alive it does
// nothing and returns the zero Timer. An instant in the past panics.
func (h *Host) At(t Time, f func()) Timer { return h.e.schedule(t, f, h.owner(), h.e.cause) }

// After schedules f for d from now on the clock rate of h; otherwise it is At.
// d <= 0 means the present instant.
func (h *Host) After(d time.Duration, f func()) Timer {
	return h.At(h.e.now.Add(h.e.trueDuration(h, d)), f)
}

// NewMutex returns a mutex for processes. Lock blocks the process and is served
// first come, first served; Unlock never blocks and so does its job in the
// deferred calls of a process that is killed.
func (h *Host) NewMutex() sync.Locker { return &mutex{e: h.e} }

// Rand returns the stream of h for a purpose, the same object each time until
// Restart. A stream depends on the seed, the host's name, its incarnation and
// the purpose, and on nothing else: other hosts and streams never disturb it.
func (h *Host) Rand(purpose string) interface{ Int64N(n int64) int64 } {
	return h.life.stream(purpose, nil)
}

// Alive reports whether h has not been killed since it last started.
func (h *Host) Alive() bool { return !h.life.dead }

// Paused reports whether h is stopped by Pause.
func (h *Host) Paused() bool { return h.life.paused }

// Incarnation returns how many times h has been started again.
func (h *Host) Incarnation() int { return h.life.incarnation }

// Pause stops h as SIGSTOP does: none of its processes and events runs until
// Resume. A process that pauses its own host stops in the call; a callback runs
// to its end. A host that is paused or dead stays as it is.
func (h *Host) Pause() {
	if h.life.dead || h.life.paused {
		return
	}
	h.life.paused = true
	if p := h.e.current; p != nil && p.life == h.life {
		p.wakeAt(h.e.now, h.e.cause)
		p.park()
	}
}

// Resume lets a paused host go on, as SIGCONT does. What happened in between
// happens now: first what others sent (a process that wakes up finds its sockets
// ready before it looks at its timers), then what fell due, each in its order.
func (h *Host) Resume() {
	if h.life.paused {
		h.life.paused = false
		h.life.drain()
	}
}

// Kill ends every process and event of h. A process that is blocked is unwound
// before Kill returns: its deferred calls run, and nothing else after the call
// it was blocked in. A process that kills its own host is unwound in the call,
// which does not return; a callback of h that does runs to its end. Killing a
// dead host does nothing.
func (h *Host) Kill() {
	if h.life.dead {
		return
	}
	caller := h.e.current
	dying := caller.dying()
	h.life.kill()
	if !dying && caller.dying() {
		panic(unwind{})
	}
}

// Restart starts a killed host again, with nothing running, as its next
// incarnation with fresh random streams. A host that is alive panics.
func (h *Host) Restart() {
	if !h.life.dead {
		panic(fmt.Sprintf("sim: restart of host %q, which is alive", h.name))
	}
	if !h.e.closed {
		h.life = newLife(h, h.life.incarnation+1)
	}
}

// owner returns the life that what is scheduled now belongs to. Code that still
// runs in a killed life (a deferred call, say) cannot reach into the next one.
func (h *Host) owner() *life {
	if p := h.e.current; p != nil && p.life.host == h {
		return p.life
	}
	return h.life
}
