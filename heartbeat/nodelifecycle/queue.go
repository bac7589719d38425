package nodelifecycle

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/holter-sim/holter/heartbeat"
)

// rateLimitedTimedQueue holds the nodes of one zone that wait for their
// NoExecute taint, or for their pods to be deleted. Upstream: scheduler.RateLimitedTimedQueue with its
// UniqueQueue; its heap is a short list here, in order of time and arrival.
type rateLimitedTimedQueue struct {
	host        heartbeat.Host
	limiterLock sync.Locker // held by try over its requests too, so a swap waits for them
	limiter     limiter
	queue       []timedValue
	set         map[string]bool // names that may not be added again: queued, or handled and not removed
}

type timedValue struct {
	name      string
	uid       types.UID
	processAt time.Time
}

func newRateLimitedTimedQueue(host heartbeat.Host, qps float32) *rateLimitedTimedQueue {
	return &rateLimitedTimedQueue{host: host, limiterLock: host.NewMutex(), limiter: newTokenBucket(host, qps), set: map[string]bool{}}
}

// try hands what is due to f until the limiter refuses. A token is spent
// before the time of the head is looked at, as upstream does. f returns
// whether it is done with it, and how long to wait if not.
func (q *rateLimitedTimedQueue) try(f func(v timedValue) (bool, time.Duration)) {
	if len(q.queue) == 0 {
		return
	}
	q.limiterLock.Lock()
	defer q.limiterLock.Unlock()
	for len(q.queue) > 0 {
		head := q.queue[0]
		if !q.limiter.tryAccept() {
			return
		}
		now := heartbeat.Monotonic(q.host)
		if now.Before(head.processAt) {
			return
		}
		if done, wait := f(head); done {
			q.removeFromQueue(head.name)
		} else {
			q.replace(timedValue{head.name, head.uid, now.Add(wait + 1)})
		}
	}
}

// add queues a name unless it was added before and not removed.
func (q *rateLimitedTimedQueue) add(name string, uid types.UID) {
	if q.set[name] {
		return
	}
	q.set[name] = true
	q.push(timedValue{name, uid, heartbeat.Monotonic(q.host)})
}

// remove forgets a name, so that it can be added again.
func (q *rateLimitedTimedQueue) remove(name string) bool {
	if !q.set[name] {
		return false
	}
	delete(q.set, name)
	q.drop(name)
	return true
}

// setRemove lets a name be added again, and leaves it where it is: it may then
// be queued twice. Upstream: RateLimitedTimedQueue.SetRemove.
func (q *rateLimitedTimedQueue) setRemove(name string) { delete(q.set, name) }

// removeFromQueue takes a name out but keeps it from being added again.
func (q *rateLimitedTimedQueue) removeFromQueue(name string) {
	if q.set[name] {
		q.drop(name)
	}
}

func (q *rateLimitedTimedQueue) replace(v timedValue) {
	if q.drop(v.name) {
		q.push(v)
	}
}

func (q *rateLimitedTimedQueue) push(v timedValue) {
	i := len(q.queue)
	for i > 0 && v.processAt.Before(q.queue[i-1].processAt) {
		i--
	}
	q.queue = append(q.queue, timedValue{})
	copy(q.queue[i+1:], q.queue[i:])
	q.queue[i] = v
}

func (q *rateLimitedTimedQueue) drop(name string) bool {
	for i := range q.queue {
		if q.queue[i].name == name {
			q.queue = append(q.queue[:i], q.queue[i+1:]...)
			return true
		}
	}
	return false
}

// swapLimiter changes the rate; a limiter that has no token now leaves none to
// its successor. Upstream: SwapLimiter, with its quirk: the limiter of rate 0
// calls its own rate 1, so a change from 0 to 1.0 is not made.
func (q *rateLimitedTimedQueue) swapLimiter(qps float32) {
	q.limiterLock.Lock()
	defer q.limiterLock.Unlock()
	if q.limiter.qps() == qps {
		return
	}
	if qps <= 0 {
		q.limiter = never{}
		return
	}
	fresh := newTokenBucket(q.host, qps)
	if !q.limiter.tryAccept() {
		fresh.tryAccept()
	}
	q.limiter = fresh
}
