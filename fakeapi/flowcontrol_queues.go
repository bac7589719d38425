package fakeapi

import (
	"math"
	"slices"
	"time"
)

// priorityLevel is one level at work: its seats, and fair queues for them. Each
// flow is dealt a few of the queues and uses the one with the least work; the
// queue goes next whose oldest request would be done first if all queues had
// their seats shared out evenly. Progress of that imagined work is in
// hundred-millionths of a seat's second for each queue. Upstream: queueSet
// (apiserver v0.37, pkg/util/flowcontrol/fairqueuing/queueset).
type priorityLevel struct {
	levelConfig
	nominal int // seats by shares
	seats   int // that it has now
	floor   int // and at least has for what it wants: see lender

	queues      []*fairQueue
	inUse       int // seats
	executing   int // requests that are worked on: not those that only linger
	waiting     int
	seatsWanted int // by those that wait

	progress int64 // upstream's currentR
	synced   int64 // when progress was brought up to date, in nanoseconds
	robin    int   // index of the queue that was dispatched from last
	enqueues int   // ever

	demand      demand
	dispatching bool
}

// fairQueue is one of a level. Its limit is queueLengthLimit, once all seats are taken.
type fairQueue struct {
	waiting     []*place // the oldest first
	seatsWanted int      // by those that wait
	work        int64    // that those are believed to be
	executing   int
	inUse       int // seats
	// nextDispatch is the progress at which the oldest request is to be worked on.
	nextDispatch int64
}

const (
	// perSecond is the progress that is one second of one seat.
	perSecond = 100_000_000

	// guessedDuration is what a request is believed to take, before it has taken it.
	// Upstream: estimatedServiceDuration.
	guessedDuration = 3 * time.Millisecond
)

func newPriorityLevel(c levelConfig, seats int) *priorityLevel {
	level := &priorityLevel{levelConfig: c, nominal: seats}
	level.reset()
	return level
}

func (l *priorityLevel) reset() {
	*l = priorityLevel{levelConfig: l.levelConfig, nominal: l.nominal, seats: l.nominal}
	for range max(l.queueCount, 1) { // without queues one that nothing ever waits in
		l.queues = append(l.queues, &fairQueue{})
	}
}

// sync brings the progress up to now, since when nothing has changed. Upstream:
// syncTimeLocked and getVirtualTimeRatioLocked.
func (l *priorityLevel) sync(now int64) {
	passed := now - l.synced
	l.synced = now
	wanted, active := 0, 0
	for _, q := range l.queues {
		wanted += q.inUse + q.seatsWanted
		if q.active() {
			active++
		}
	}
	if active == 0 {
		return
	}
	l.progress += divideRounded(int64(min(wanted, l.seats))*passed, int64(active)*int64(time.Second)/perSecond)
}

// active reports whether the queue has its part in the progress. What only
// lingers has none, though it keeps its seats.
func (q *fairQueue) active() bool { return q.executing+len(q.waiting) > 0 }

// accommodates reports whether a request of so many seats can be worked on now.
// One that is wider than the level has the level for itself. Upstream:
// canAccommodateSeatsLocked.
func (l *priorityLevel) accommodates(seats int) bool {
	switch {
	case l.exempt():
		return true
	case seats > l.seats:
		return l.executing == 0
	}
	return l.inUse+seats <= l.seats
}

// enqueue puts a request into a queue of its flow, or reports that there is no
// place for it. Upstream: StartRequest, shuffleShardLocked and
// rejectOrEnqueueToBoundLocked.
func (l *priorityLevel) enqueue(p *place, flow uint64) bool {
	q := l.queues[0]
	if l.queueCount <= 0 {
		if !l.accommodates(p.most()) {
			return false
		}
	} else {
		q = l.leastWork(flow)
		if l.inUse >= l.seats && len(q.waiting) >= queueLengthLimit {
			q.bound()
			return false
		}
	}
	if !q.active() {
		q.nextDispatch = l.progress
	}
	p.finalWork = seatSeconds(p.seats.Final, p.seats.Lingers)
	p.work = seatSeconds(p.seats.Initial, guessedDuration) + p.finalWork
	p.queue, p.arrivedAt = q, l.progress
	q.waiting = append(q.waiting, p)
	q.seatsWanted += p.most()
	q.work += p.work
	l.waiting++
	l.seatsWanted += p.most()
	l.noteDemand()
	q.bound()
	return true
}

// leastWork is the queue in the flow's hand with the least work that waits in
// it; of several, the first from a place that moves on with each request.
func (l *priorityLevel) leastWork(flow uint64) *fairQueue {
	var cards [8]int
	hand := deal(flow, len(l.queues), cards[:l.handSize])
	offset := l.enqueues % len(hand)
	l.enqueues++
	var best *fairQueue
	for i := range hand {
		q := l.queues[hand[(offset+i)%len(hand)]]
		if best == nil || q.work < best.work {
			best = q
		}
	}
	return best
}

// next takes the request that is to be worked on out of its queue, with its
// seats, or returns nil. Where the one whose turn it is needs more seats than
// are free, all others wait with it. Upstream: dispatchLocked and
// findDispatchQueueToBoundLocked.
func (l *priorityLevel) next() *place {
	if l.waiting == 0 || l.inUse >= l.seats && l.queueCount > 0 {
		return nil
	}
	earliest, at := int64(math.MaxInt64), -1
	for range l.queues { // once round: robin is then what it was
		l.robin = (l.robin + 1) % len(l.queues)
		q := l.queues[l.robin]
		if len(q.waiting) == 0 {
			continue
		}
		if done := q.nextDispatch + q.waiting[0].work; done < earliest {
			earliest, at = done, l.robin
		}
	}
	q := l.queues[at]
	p := q.waiting[0]
	if !l.accommodates(p.most()) {
		return nil
	}
	l.robin = at // the next search begins behind it: the others win a tie
	q.take(0)
	if l.queueCount > 0 {
		p.narrow(l.seats)
	}
	// Upstream, too, takes off what the request is after it was narrowed: the
	// difference is counted as wanted for ever.
	l.waiting--
	l.seatsWanted -= p.most()
	l.executing++
	l.inUse += p.most()
	q.executing++
	q.inUse += p.most()
	l.noteDemand()
	q.nextDispatch += p.work
	q.bound()
	return p
}

// finish is the end of the work on a request: it corrects what was guessed of
// that. The seats are kept while the request lingers, else release follows.
// Upstream: finishRequestLocked.
func (l *priorityLevel) finish(p *place, now int64) {
	l.executing--
	p.queue.executing--
	p.queue.nextDispatch -= seatSeconds(p.seats.Initial, guessedDuration-time.Duration(now-p.started))
	p.queue.bound()
}

// release gives the seats of a request back.
func (l *priorityLevel) release(p *place) {
	l.inUse -= p.most()
	p.queue.inUse -= p.most()
	l.noteDemand()
}

// remove takes a request out of its queue that has waited too long.
func (l *priorityLevel) remove(p *place) {
	p.queue.take(slices.Index(p.queue.waiting, p))
	p.r = nil
	l.waiting--
	l.seatsWanted -= p.most()
	l.noteDemand()
	p.queue.bound()
}

func (l *priorityLevel) noteDemand() { l.demand.set(l.synced, l.inUse+l.seatsWanted) }

// take removes a request that waits.
func (q *fairQueue) take(i int) {
	p := q.waiting[i]
	q.waiting = slices.Delete(q.waiting, i, i+1)
	q.seatsWanted -= p.most()
	q.work -= p.work
}

// bound keeps a queue from being owed time from before its oldest request came.
// Upstream: boundNextDispatchLocked.
func (q *fairQueue) bound() {
	if len(q.waiting) > 0 {
		q.nextDispatch = max(q.nextDispatch, q.waiting[0].arrivedAt)
	}
}

// divideRounded rounds half away from zero; b is over 0.
func divideRounded(a, b int64) int64 {
	if a < 0 {
		return -divideRounded(-a, b)
	}
	return (a + b/2) / b
}
