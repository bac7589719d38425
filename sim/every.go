package sim

import "time"

// Every runs f now (after everything already due at this instant) and again
// and again, as wait.JitterUntil does (apimachinery v0.36): sliding loops wait
// from the return of f, the others from its start. The wait is period, plus a
// draw from [0, jitterFactor*period) when jitterFactor > 0, on the clock rate
// of h; draws come from the stream "every/"+name. A tick that falls due while f
// still runs happens after f returns, at most one of them.
//
// f runs as a process of its own each time and may block; between ticks there
// is a timer and nothing else. stop ends the loop; a running f is left to
// return. A period < 0 counts as 0, which is an endless loop unless f sleeps.
func (h *Host) Every(name string, period time.Duration, jitterFactor float64, sliding bool, f func()) (stop func()) {
	l := &loop{
		e:       h.e,
		life:    h.owner(),
		name:    name,
		body:    f,
		period:  max(period, 0),
		sliding: sliding,
		cause:   h.e.cause,
	}
	// One IEEE multiplication, rounded once, is the same on every machine.
	if l.extra = time.Duration(float64(l.period) * jitterFactor); l.extra > 0 {
		l.rand = l.life.stream("every/"+name, &l.jitter)
	}
	l.tickFunc = l.tick
	l.wake(0)
	return l.stop
}

// loop is a periodic loop. Between ticks it is cold memory, so it keeps to two
// cache lines, with its stream inside.
type loop struct {
	e        *Engine
	life     *life
	tickFunc func()
	body     func()
	rand     *Rand // jitter, unless the host had that stream before
	period   time.Duration
	extra    time.Duration // the wait is drawn from [period, period+extra)
	cause    uint64
	timer    ref
	name     string
	jitter   Rand
	sliding  bool
	stopped  bool
	running  bool // a tick's body has not returned
	due      bool // a tick fell due while running
}

// tick is what the timer does.
func (l *loop) tick() {
	if l.running {
		l.due = true
		return
	}
	l.running = true
	if !l.sliding {
		l.wake(l.wait())
	}
	l.e.spawn(l.life, l.name, l.body, l)
}

// returned is told by the process that the body has returned.
func (l *loop) returned() {
	l.running = false
	switch {
	case l.stopped:
	case l.sliding:
		l.wake(l.wait())
	case l.due:
		l.due = false
		l.wake(0)
	}
}

// wait draws the time to the next tick.
func (l *loop) wait() time.Duration {
	if l.extra <= 0 {
		return l.period
	}
	return l.period + time.Duration(l.rand.Int64N(int64(l.extra)))
}

// wake starts the timer of the next tick.
func (l *loop) wake(d time.Duration) {
	t := l.e.now.Add(l.e.trueDuration(l.life.host, d))
	l.timer = l.e.schedule(t, l.tickFunc, l.life, l.cause).r
}

func (l *loop) stop() {
	l.stopped = true
	l.e.cancel(l.timer)
}
