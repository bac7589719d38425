package serve

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/holter-sim/holter/scenario"
	"github.com/holter-sim/holter/sim"
)

// loop is the goroutine that runs the engine: up to where the wall's clock says, and
// then whatever others have posted. What is said to be the loop's own is touched by
// that goroutine alone.
type loop struct {
	cluster *scenario.Cluster
	pace    pace // the loop's own

	lock   sync.Mutex
	inbox  []func()
	posted atomic.Bool   // there is something in the inbox
	wake   chan struct{} // the same, for a loop that is asleep

	waiting int            // the loop's own: requests without an answer yet
	patient sim.Time       // the loop's own: up to where the clock moves for them though it stands
	steps   []*step        // the loop's own: those that somebody waits for
	full    map[*feed]bool // the loop's own: feeds that wait for their watchers
	looked  time.Time      // the loop's own: when the full feeds were looked at last

	closing chan struct{}
	gone    chan struct{} // closed when the goroutine has ended
	err     error         // that ended the run; to be read once gone is closed
}

const (
	// patience is how far the clock moves for a request though it stands. It is more
	// than a request takes on any network that works.
	patience = sim.Time(time.Second)
	// settling is how far it moves after the answer to a write, or to a watch, so that
	// watches show what there is to be seen.
	settling = 100 * time.Millisecond
)

// newLoop has virtual time be at now at that instant of the wall.
func newLoop(c *scenario.Cluster, speed Speed, real time.Time, now sim.Time) *loop {
	l := &loop{
		cluster: c,
		pace:    pace{speed: speed, end: sim.Time(c.Scenario().Spec.Duration.Duration)},
		wake:    make(chan struct{}, 1),
		full:    map[*feed]bool{},
		closing: make(chan struct{}),
		gone:    make(chan struct{}),
	}
	l.pace.anchor(real, now)
	return l
}

// stop ends the goroutine, and returns when it has ended.
func (l *loop) stop() {
	close(l.closing)
	<-l.gone
}

// post has the loop do something between two events. After the end nothing is done.
func (l *loop) post(do func()) {
	l.lock.Lock()
	l.inbox = append(l.inbox, do)
	l.lock.Unlock()
	l.posted.Store(true)
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// do has the loop do something, and returns when it is done; false if the loop has
// ended instead.
func (l *loop) do(f func()) bool {
	done := make(chan struct{})
	l.post(func() {
		defer close(done)
		f()
	})
	select {
	case <-done:
		return true
	case <-l.gone:
		return false
	}
}

// run is the goroutine.
func (l *loop) run() {
	defer close(l.gone)
	for {
		select {
		case <-l.closing:
			return
		default:
		}
		behind := l.advance()
		if l.err != nil {
			return
		}
		errands := l.take()
		for _, do := range errands {
			do()
		}
		l.look()
		if !behind && len(errands) == 0 && !l.idle() {
			return
		}
	}
}

func (l *loop) take() []func() {
	l.lock.Lock()
	defer l.lock.Unlock()
	taken := l.inbox
	l.inbox = nil
	l.posted.Store(false)
	return taken
}

// A turn runs at least so many events, and then looks for others that want
// something, or what the clock says.
const (
	eventsAtLeast = 64
	longestTurn   = 5 * time.Millisecond
)

// advance runs the engine as far as the wall's clock says, or a while in that
// direction: others should not wait for a burst to be over. It reports whether there
// is more to run at once.
func (l *loop) advance() (behind bool) {
	now := l.cluster.Engine().Now()
	target := l.pace.target(time.Now(), now)
	forRequests := target == now && l.waiting > 0 && l.pace.stands(now)
	if forRequests {
		target = max(now, l.patient)
	}
	began, events := time.Now(), 0
	more := func() bool {
		if forRequests && l.waiting == 0 {
			return false
		}
		if events++; events%eventsAtLeast != 0 {
			return true
		}
		behind = l.posted.Load() || time.Since(began) > longestTurn
		return !behind
	}
	if l.err = l.cluster.RunWhile(more, target.Duration()); l.err != nil || behind {
		return behind
	}
	if forRequests {
		target = l.cluster.Engine().Now() // it stands again, and what else falls there is not left out
	}
	if l.err = l.cluster.RunUntil(target.Duration()); l.err == nil && l.pace.step != 0 && target >= l.pace.step {
		l.endSteps()
	}
	return false
}

// await notes that a request has come, for which the clock moves though it stands.
func (l *loop) await() {
	l.waiting++
	l.patient = l.cluster.Engine().Now() + patience
}

// answered notes that a request has its answer. If others are to hear of it, the
// clock goes on a little for them.
func (l *loop) answered(heard bool) {
	if !heard {
		l.waiting--
		return
	}
	l.patient = max(l.patient, l.cluster.Engine().Now()+sim.Time(settling))
	l.cluster.Engine().After(settling, func() { l.waiting-- })
}

// lookEvery is how often the feeds that are full are looked at.
const lookEvery = 20 * time.Millisecond

// look ends the watches of those who do not read.
func (l *loop) look() {
	if len(l.full) == 0 || time.Since(l.looked) < lookEvery {
		return
	}
	l.looked = time.Now()
	for f := range l.full {
		f.endIfBehind()
	}
}

// idle sleeps until there is something to do; false if there will be nothing more.
func (l *loop) idle() bool {
	var due <-chan time.Time
	if wait := l.wait(); wait >= 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-due:
	case <-l.wake:
	case <-l.closing:
		return false
	}
	return true
}

// wait is how long there is nothing to do, negative for ever.
func (l *loop) wait() time.Duration {
	const often = time.Millisecond // events that are nearer to each other share a turn
	engine, wait := l.cluster.Engine(), time.Duration(-1)
	if next := engine.NextEvent(); next != sim.Never && !l.pace.stands(engine.Now()) {
		wait = max(often, l.pace.due(time.Now(), next))
	}
	if len(l.full) > 0 && (wait < 0 || wait > lookEvery) {
		wait = lookEvery
	}
	return wait
}
