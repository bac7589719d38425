package sim

import "iter"

// process is a coroutine and the process that has borrowed it. When the process
// ends, the coroutine and its stack go back to the pool for the next one.
type process struct {
	e     *Engine
	wake  func() // resumes the process: the body of every event that wakes it
	enter func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool

	life       *life
	name       string
	body       func()
	loop       *loop // the periodic loop whose tick this is, or nil
	parked     bool
	ended      bool     // the body has returned
	refusals   int      // times the body blocked again after it was told to unwind
	abandoned  bool     // it did so too often
	prev, next *process // in life's list
}

// A pool that an outage has blown up shrinks again: while it has more coroutines
// than there are processes, and spareCoroutines more, every shrinkEvery-th that
// comes back is let go. Bursts that return in time find theirs.
const (
	spareCoroutines = 1024
	shrinkEvery     = 16
)

// spawn runs body as a process of l until it first blocks.
func (e *Engine) spawn(l *life, name string, body func(), of *loop) {
	p := e.borrow()
	p.life, p.name, p.body, p.loop = l, name, body, of
	p.ended, p.refusals = false, 0
	l.link(p)
	e.stats.Processes++
	e.stats.PeakProcesses = max(e.stats.PeakProcesses, e.stats.Processes)
	e.resume(p)
}

// borrow takes the coroutine that was used last, or makes one.
func (e *Engine) borrow() *process {
	if n := len(e.idle); n > 0 {
		p := e.idle[n-1]
		e.idle = e.idle[:n-1]
		return p
	}
	p := &process{e: e}
	p.wake = func() { e.resume(p) }
	p.enter, p.stop = iter.Pull(p.coroutine)
	e.stats.Coroutines++
	return p
}

// resume runs p until it blocks or ends.
func (e *Engine) resume(p *process) {
	below := e.current
	e.current, p.parked = p, false
	e.stats.Switches++
	p.enter()
	e.current = below
}

// coroutine runs one process after another.
func (p *process) coroutine(yield func(struct{}) bool) {
	p.yield = yield
	for {
		p.run()
		if p.abandoned || !p.e.giveBack(p) {
			return
		}
		if !yield(struct{}{}) {
			return
		}
	}
}

// giveBack puts a coroutine back into the pool, or tells it to end.
func (e *Engine) giveBack(p *process) bool {
	e.returns++
	surplus := len(e.idle) > e.stats.Processes+spareCoroutines && e.returns%shrinkEvery == 0
	if e.closed || surplus {
		e.stats.Coroutines--
		return false
	}
	e.idle = append(e.idle, p)
	return true
}

func (p *process) run() {
	defer p.end()
	p.body()
	p.ended = true
}

// wakeAt schedules the end of the block that p is about to enter.
func (p *process) wakeAt(t Time, cause uint64) { p.e.schedule(t, p.wake, p.life, cause) }

// park blocks p until an event resumes it, or unwinds it.
func (p *process) park() {
	if !p.wait() {
		panic(unwind{})
	}
}

// wait blocks p until an event resumes it. It returns false if p was killed:
// the caller puts its own house in order and panics with unwind.
func (p *process) wait() bool {
	if p.life.dead {
		p.refuse()
		return false
	}
	p.parked = true
	p.yield(struct{}{})
	return !p.life.dead
}

// process returns the running process. Callbacks cannot block.
func (e *Engine) process(what string) *process {
	if e.current == nil {
		panic("sim: " + what + " outside a process: an event cannot block")
	}
	return e.current
}

func (l *life) link(p *process) {
	p.prev, p.next = l.last, nil
	if l.last != nil {
		l.last.next = p
	} else {
		l.first = p
	}
	l.last = p
}

func (l *life) unlink(p *process) {
	if p.prev != nil {
		p.prev.next = p.next
	} else {
		l.first = p.next
	}
	if p.next != nil {
		p.next.prev = p.prev
	} else {
		l.last = p.prev
	}
	p.prev, p.next = nil, nil
}
