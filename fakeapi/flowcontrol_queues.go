package fakeapi

import (
	"math"
	"slices"
	"time"
)

// priorityLevel is one level at work: its seats, and fair queues for them. Each
// flow is dealt a few of the queues and uses the shortest; the queue goes next
// whose oldest request would be done first if all queues had their seats shared
// out evenly. Progress of that imagined work is in hundred-millionths of a second
// for each queue. Upstream: queueSet (apiserver v0.36,
// pkg/util/flowcontrol/fairqueuing/queueset).
type priorityLevel struct {
	levelConfig
	seats int

	queues []*fairQueue
	inUse  int // seats

	progress int64 // upstream's currentR
	synced   int64 // when progress was brought up to date, in nanoseconds
	robin    int   // index of the queue that was dispatched from last
	waiting  int
	enqueues int // ever

	dispatching bool
}

// fairQueue is one of a level. Its limit is queueLengthLimit, once all seats are taken.
type fairQueue struct {
	waiting []*place // the oldest first
	inUse   int      // seats, each for one request
	// nextDispatch is the progress at which the oldest request is to be worked on.
	nextDispatch int64
}

const (
	// perSecond is the progress that is one second of one seat.
	perSecond = 100_000_000

	// guessedWork is what a request is believed to take, before it has taken it:
	// 3 ms. Upstream: estimatedServiceDuration.
	guessedWork = int64(3*time.Millisecond) * perSecond / int64(time.Second)
)

func newPriorityLevel(c levelConfig, seats int) *priorityLevel {
	level := &priorityLevel{levelConfig: c, seats: seats}
	level.reset()
	return level
}

func (l *priorityLevel) reset() {
	*l = priorityLevel{levelConfig: l.levelConfig, seats: l.seats}
	for range l.queueCount {
		l.queues = append(l.queues, &fairQueue{})
	}
	if len(l.queues) == 0 { // one that nothing ever waits in
		l.queues = []*fairQueue{{}}
	}
}

// sync brings the progress up to now, since when nothing has changed. Upstream:
// syncTimeLocked and getVirtualTimeRatioLocked.
func (l *priorityLevel) sync(now int64) {
	passed := now - l.synced
	l.synced = now
	wanted, active := 0, 0
	for _, q := range l.queues {
		wanted += q.inUse + len(q.waiting)
		if q.inUse+len(q.waiting) > 0 {
			active++
		}
	}
	if active == 0 {
		return
	}
	l.progress += divideRounded(int64(min(wanted, l.seats))*passed, int64(active)*int64(time.Second)/perSecond)
}

// enqueue puts a request into a queue of its flow, or reports that it is full.
// Upstream: StartRequest, shuffleShardLocked and rejectOrEnqueueToBoundLocked.
func (l *priorityLevel) enqueue(p *place, flow uint64) bool {
	q := l.queues[0]
	if l.queueCount == 0 {
		if l.inUse >= l.seats {
			return false
		}
	} else {
		q = l.shortest(flow)
	}
	if l.inUse >= l.seats && len(q.waiting) >= queueLengthLimit {
		q.bound()
		return false
	}
	if q.inUse+len(q.waiting) == 0 {
		q.nextDispatch = l.progress
	}
	p.queue, p.arrivedAt = q, l.progress
	q.waiting = append(q.waiting, p)
	l.waiting++
	q.bound()
	return true
}

// shortest is the queue in the flow's hand with the least that waits in it; of
// several, the first from a place that moves on with each request.
func (l *priorityLevel) shortest(flow uint64) *fairQueue {
	var cards [8]int
	hand := deal(flow, len(l.queues), cards[:l.handSize])
	offset := l.enqueues % len(hand)
	l.enqueues++
	var best *fairQueue
	for i := range hand {
		q := l.queues[hand[(offset+i)%len(hand)]]
		if best == nil || len(q.waiting) < len(best.waiting) {
			best = q
		}
	}
	return best
}

// next takes the request that is to be worked on out of its queue, with a seat,
// or returns nil. Upstream: dispatchLocked and findDispatchQueueToBoundLocked.
func (l *priorityLevel) next() *place {
	if l.waiting == 0 || l.inUse >= l.seats {
		return nil
	}
	earliest, at := int64(math.MaxInt64), -1
	for range l.queues {
		l.robin = (l.robin + 1) % len(l.queues)
		q := l.queues[l.robin]
		if len(q.waiting) == 0 {
			continue
		}
		if done := q.nextDispatch + guessedWork; done < earliest {
			earliest, at = done, l.robin
		}
	}
	l.robin = at // the next search begins behind it: the others win a tie
	q := l.queues[at]
	p := q.waiting[0]
	q.waiting = slices.Delete(q.waiting, 0, 1)
	l.waiting--
	l.inUse++
	q.inUse++
	q.nextDispatch += guessedWork
	q.bound()
	return p
}

// finish gives the seat of a request back, and corrects what was guessed of its
// work. Upstream: finishRequestLocked.
func (l *priorityLevel) finish(p *place, now int64) {
	l.inUse--
	p.queue.inUse--
	took := divideRounded(now-p.started, int64(time.Second)/perSecond)
	p.queue.nextDispatch -= guessedWork - took
	p.queue.bound()
}

// remove takes a request out of its queue that has waited too long.
func (l *priorityLevel) remove(p *place) {
	i := slices.Index(p.queue.waiting, p)
	p.queue.waiting = slices.Delete(p.queue.waiting, i, i+1)
	p.r = nil
	l.waiting--
	p.queue.bound()
}

// bound keeps a queue from being owed time from before its oldest request came.
// Upstream: boundNextDispatchLocked.
func (q *fairQueue) bound() {
	if len(q.waiting) > 0 {
		q.nextDispatch = max(q.nextDispatch, q.waiting[0].arrivedAt)
	}
}

// divideRounded rounds half up, for what is not negative.
func divideRounded(a, b int64) int64 { return (a + b/2) / b }
