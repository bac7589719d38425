package nodelifecycle

import "github.com/holter-sim/holter/heartbeat"

// updateQueue hands names to a fixed number of workers. A name is handled by
// one worker at a time; added while it is being handled, it is handled once
// more. Upstream: client-go util/workqueue.Typed.
type updateQueue struct {
	host    heartbeat.Host
	process string // what its workers' processes are called
	workers int
	handle  func(name string)

	started    bool
	running    int
	queue      []string
	dirty      map[string]bool // waiting, or to be handled again
	processing map[string]bool
}

func newUpdateQueue(host heartbeat.Host, process string, workers int, handle func(string)) *updateQueue {
	return &updateQueue{host: host, process: process, workers: workers, handle: handle, dirty: map[string]bool{}, processing: map[string]bool{}}
}

// start lets the workers begin with what was added so far.
func (q *updateQueue) start() {
	q.started = true
	q.wake()
}

func (q *updateQueue) add(name string) {
	if q.dirty[name] {
		return
	}
	q.dirty[name] = true
	if q.processing[name] {
		return
	}
	q.queue = append(q.queue, name)
	q.wake()
}

// wake starts a worker for each name that waits and has none coming. A worker
// with nothing to do ends, so an idle queue holds no process.
func (q *updateQueue) wake() {
	for q.started && q.running < q.workers && q.running-len(q.processing) < len(q.queue) {
		q.running++
		q.host.Go(q.process, q.work)
	}
}

func (q *updateQueue) work() {
	defer func() { q.running-- }()
	for len(q.queue) > 0 {
		name := q.queue[0]
		q.queue = q.queue[1:]
		delete(q.dirty, name)
		q.processing[name] = true
		q.handle(name)
		delete(q.processing, name)
		if q.dirty[name] {
			q.queue = append(q.queue, name)
		}
	}
}
