package fakeapi

import (
	"math"
	"time"

	"github.com/holter-sim/holter/sim"
)

// lender moves seats from level to level every 10 s, by how many they have wanted
// lately: each keeps what it does not lend, gets what it wants up to its own, and
// shares the rest. As levels without work share alike, most of them have more
// seats than their own while the server is idle.
//
// What is due is made up for when the next request comes, so that an idle server
// has no timer. Upstream: configController.updateBorrowingLocked (apiserver
// v0.37, pkg/util/flowcontrol/apf_controller.go).
type lender struct {
	f     *priorityAndFairness
	total int // seats of the server
	owned int // by all levels, which is a little more for rounding
	next  int64
	timer sim.Timer
	armed bool
	tick  func()
}

// lendingPeriod is upstream's borrowingAdjustmentPeriod.
const lendingPeriod = 10 * time.Second

func newLender(f *priorityAndFairness, total int) *lender {
	b := &lender{f: f, total: total}
	for _, l := range f.order {
		b.owned += l.nominal
	}
	b.tick = func() {
		b.armed = false
		b.catchUp(f.now())
		for _, l := range f.order {
			l.sync(f.now())
			f.dispatch(l)
		}
		b.arm()
	}
	return b
}

// begin is the start of the server's process.
func (b *lender) begin(now int64) {
	b.adjust(now)
	b.next = now + int64(lendingPeriod)
}

// catchUp does what has been due until now.
func (b *lender) catchUp(now int64) {
	for ; b.next <= now; b.next += int64(lendingPeriod) {
		if b.asleep() { // one period is like the next
			b.next += (now - b.next) / int64(lendingPeriod) * int64(lendingPeriod)
		}
		b.adjust(b.next)
	}
}

// asleep reports whether nothing is wanted and the past is as good as forgotten.
func (b *lender) asleep() bool {
	for _, l := range b.f.order {
		if d := &l.demand; d.seats+d.most > 0 || d.smoothed > leastWanted {
			return false
		}
	}
	return b.f.exempt == nil || b.f.exempt.demand.seats+b.f.exempt.demand.most == 0
}

// arm has the next adjustment done in time if there are requests that wait for it.
func (b *lender) arm() {
	if b.armed {
		return
	}
	for _, l := range b.f.order {
		if l.waiting > 0 {
			b.armed = true
			b.timer = b.f.s.host.After(time.Duration(b.next-b.f.now()), b.tick)
			return
		}
	}
}

func (b *lender) reset() {
	b.timer.Cancel()
	b.timer, b.armed = sim.Timer{}, false
}

// adjust gives each level its seats for the period that begins.
func (b *lender) adjust(now int64) {
	left, least, wanted := b.owned, 0, 0
	for _, l := range b.f.order {
		l.sync(now)
		l.floor = max(l.least(), min(l.nominal, l.demand.close(now)))
		least += l.least()
		wanted += l.floor
	}
	if e := b.f.exempt; e != nil {
		e.sync(now)
		left -= e.demand.close(now)
	}
	switch {
	case left <= least:
		for _, l := range b.f.order {
			l.seats = l.least()
		}
	case left <= wanted:
		part := float64(left-least) / float64(wanted-least)
		for _, l := range b.f.order {
			l.seats = l.least() + int(math.Round(float64(float64(l.floor-l.least())*part)))
		}
	default:
		b.share()
	}
}

// share divides all seats by what is wanted. Upstream does not take off what the
// exempt level has, unless it is too much.
func (b *lender) share() {
	claims := make([]claim, len(b.f.order))
	for i, l := range b.f.order {
		claims[i] = claim{least: float64(l.floor), most: float64(l.nominal + b.total), wanted: max(float64(l.floor), l.demand.smoothed)}
	}
	for i, seats := range divide(float64(b.owned), claims) {
		b.f.order[i].seats = int(math.Round(seats))
	}
}

// least is what a level lends to nobody.
func (l *priorityLevel) least() int {
	return l.nominal - int(math.Round(float64(l.nominal)*float64(l.lendablePercent)/100))
}
