package tainteviction

import (
	"container/heap"
	"time"

	"github.com/holter-sim/holter/heartbeat"
)

// workArgs is a pod that is to be deleted: its node, and why.
type workArgs struct {
	pod       namespacedName
	node, why string
}

// timedWorkerQueue runs work at its time, each piece in a process of its own.
// Until then it is an entry in a heap: one process sleeps to the earliest.
// Upstream: TimedWorkerQueue, with a time.AfterFunc for each.
type timedWorkerQueue struct {
	host heartbeat.Host
	work func(args workArgs) error
	// keepsDone: work that was done is not taken off, by version.
	keepsDone bool
	// workers are the pods with work, until it is done. nil: it needed no timer,
	// or was done and is not taken off.
	workers map[namespacedName]*timedWorker

	waiting  workerHeap
	added    int
	sleepers int       // started so far; the last of them counts
	until    time.Time // where it sleeps to; zero if none does
}

// timedWorker is one piece of work that waits for its time.
type timedWorker struct {
	args      workArgs
	fireAt    time.Time
	number    int // of several at one instant the first added is the first
	cancelled bool
}

func newTimedWorkerQueue(host heartbeat.Host, keepsDone bool, work func(workArgs) error) *timedWorkerQueue {
	return &timedWorkerQueue{host: host, work: work, keepsDone: keepsDone, workers: map[namespacedName]*timedWorker{}}
}

// addWork has the work done fireAt-createdAt from now, unless the pod has some
// already; it tells which. Upstream: AddWork, createWorker.
func (q *timedWorkerQueue) addWork(args workArgs, createdAt, fireAt time.Time) bool {
	if _, exists := q.workers[args.pod]; exists {
		return false
	}
	delay := fireAt.Sub(createdAt)
	if delay <= 0 {
		q.workers[args.pod] = nil
		q.host.Go("taint-eviction", func() { q.do(args) })
		return true
	}
	q.added++
	w := &timedWorker{args: args, fireAt: heartbeat.Monotonic(q.host).Add(delay), number: q.added}
	q.workers[args.pod] = w
	heap.Push(&q.waiting, w)
	q.sleep()
	return true
}

// scheduled tells whether the pod has work that waits, or waited, for its time.
// Upstream: GetWorkerUnsafe.
func (q *timedWorkerQueue) scheduled(pod namespacedName) bool { return q.workers[pod] != nil }

// cancelWork drops the work of a pod, and tells whether it had a timer. What has
// begun is not stopped. Upstream: CancelWork.
func (q *timedWorkerQueue) cancelWork(pod namespacedName) bool {
	w := q.workers[pod]
	delete(q.workers, pod)
	if w == nil {
		return false
	}
	w.cancelled = true
	return true
}

// do does a piece of work. Upstream: getWrappedWorkerFunc.
func (q *timedWorkerQueue) do(args workArgs) {
	if err := q.work(args); err == nil && q.keepsDone {
		q.workers[args.pod] = nil
		return
	}
	delete(q.workers, args.pod)
}

// sleep has a process sleep to the earliest work, unless one does.
func (q *timedWorkerQueue) sleep() {
	for len(q.waiting) > 0 && q.waiting[0].cancelled {
		heap.Pop(&q.waiting)
	}
	if len(q.waiting) == 0 || !q.until.IsZero() && !q.waiting[0].fireAt.Before(q.until) {
		return
	}
	q.until = q.waiting[0].fireAt
	q.sleepers++
	sleeper := q.sleepers
	until := q.until
	q.host.Go("timed-workers", func() {
		q.host.Sleep(until.Sub(heartbeat.Monotonic(q.host)))
		if sleeper == q.sleepers { // else an earlier time came up
			q.fire()
		}
	})
}

// fire starts the work that is due.
func (q *timedWorkerQueue) fire() {
	q.until = time.Time{}
	for len(q.waiting) > 0 && !q.waiting[0].fireAt.After(heartbeat.Monotonic(q.host)) {
		w := heap.Pop(&q.waiting).(*timedWorker)
		q.host.Go("taint-eviction", func() {
			if !w.cancelled {
				q.do(w.args)
			}
		})
	}
	q.sleep()
}

// workerHeap has the earliest work on top.
type workerHeap []*timedWorker

func (h workerHeap) Len() int      { return len(h) }
func (h workerHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h workerHeap) Less(i, j int) bool {
	if h[i].fireAt.Equal(h[j].fireAt) {
		return h[i].number < h[j].number
	}
	return h[i].fireAt.Before(h[j].fireAt)
}

// Push adds at the end, for container/heap to put in its place.
func (h *workerHeap) Push(w any) { *h = append(*h, w.(*timedWorker)) }

// Pop takes the last off, which container/heap has put there.
func (h *workerHeap) Pop() any {
	old := *h
	w := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return w
}
