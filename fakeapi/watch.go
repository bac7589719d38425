package fakeapi

import (
	"io"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/holter-sim/holter/sim"
)

// Watch is a stream of changes, pulled by one process or callback of the
// client's host. Objects in it are shared with the store and must not be
// changed.
//
// A watch belongs to the incarnation of the host that opened it; when that is
// killed, the server forgets it.
type Watch struct {
	client *Client
	table  *table
	space  *space // nil for all namespaces
	sel    selector
	life   int // incarnation of the client's host
	conn   *connection

	// the server's end, see stream.go
	attached     bool
	on           *watchList
	prev, next   *Watch // in on
	newer, older *Watch // in Server.streams
	timer        sim.Timer
	deadline     sim.Time
	bookmarks    bool
	replay       replay
	began        uint64 // the version that the first deliveries lead to: bookmarks are of later ones

	// the network between: deliveries in order, the first arrived of which
	// the client may take
	queue   queue
	arrived int
	lastDue sim.Time
	armed   bool
	held    bool
	ended   bool // the end has arrived
	onPump  func()

	// the client's end
	wire    *WireWatch // what it is read over, nil for nothing
	waiter  *sim.Waiter
	ready   func()
	stopped bool
	err     error
}

// newWatch returns the client's end of the watch that the request opens.
func (r *request) newWatch() *Watch {
	return &Watch{client: r.client, table: r.table, space: r.space, sel: r.sel}
}

// delivery is one event on its way to the client, or the end of the stream.
type delivery struct {
	ev    watch.Event
	err   error
	sent  sim.Time
	due   sim.Time
	cause uint64
}

// Next blocks the calling process until there is an event, and returns it. The
// stream ends with an error: io.EOF if the server closed it (its time was up),
// a StatusError with code 410 if the events asked for are no longer in the
// log, or a connection error. The same error is returned from then on.
func (w *Watch) Next() (watch.Event, error) {
	if w.wire != nil {
		return w.wire.Next()
	}
	for {
		ev, ok, err := w.TryNext()
		if ok || err != nil {
			return ev, err
		}
		w.waiter = w.client.host.NewWaiter()
		w.waiter.Wait()
		w.waiter = nil
	}
}

// TryNext returns the next event if one has arrived, and never blocks. An error
// ends the stream; see Next. The cause token of the event becomes the ambient
// one.
func (w *Watch) TryNext() (ev watch.Event, ok bool, err error) {
	if w.wire != nil {
		return w.wire.TryNext()
	}
	if w.err != nil {
		return watch.Event{}, false, w.err
	}
	if w.arrived == 0 {
		return watch.Event{}, false, nil
	}
	d := w.queue.pop()
	w.arrived--
	w.client.s.engine.SetCause(d.cause)
	if d.err != nil {
		w.err = d.err
		w.Stop()
		return watch.Event{}, false, d.err
	}
	return d.ev, true, nil
}

// OnReady has f run once, as an event of the client's host, when TryNext has an
// event or an error to return: at the present instant if it has already. Only
// the last f given counts.
func (w *Watch) OnReady(f func()) {
	if w.wire != nil {
		w.wire.OnReady(f)
		return
	}
	if w.arrived > 0 || w.err != nil {
		w.client.host.After(0, f)
		return
	}
	w.ready = f
}

// Stop ends the stream. What has not been taken is dropped, and TryNext returns
// io.EOF unless the stream has ended with another error.
func (w *Watch) Stop() {
	if w.wire != nil {
		w.wire.Stop()
		return
	}
	w.stopped = true
	w.detach()
	w.queue, w.arrived, w.ready = queue{}, 0, nil
	if w.err == nil {
		w.err = io.EOF
	}
	if w.waiter != nil { // another process stops what this one waits for
		w.waiter.Wake()
	}
}

// notify lets the client know that something has arrived.
func (w *Watch) notify() {
	if w.waiter != nil {
		w.waiter.Wake()
	}
	if f := w.ready; f != nil {
		w.ready = nil
		w.client.host.After(0, f)
	}
}

// queue is a ring of deliveries that doubles when it is full.
type queue struct {
	ring []delivery // length is 0 or a power of two
	head int
	n    int
}

func (q *queue) at(i int) *delivery { return &q.ring[(q.head+i)&(len(q.ring)-1)] }

func (q *queue) push(d delivery) {
	if q.n == len(q.ring) {
		bigger := make([]delivery, max(1, 2*len(q.ring)))
		for i := range q.n {
			bigger[i] = *q.at(i)
		}
		q.ring, q.head = bigger, 0
	}
	q.n++
	*q.at(q.n - 1) = d
}

func (q *queue) pop() delivery {
	d := q.ring[q.head]
	q.ring[q.head] = delivery{}
	q.head = (q.head + 1) & (len(q.ring) - 1)
	if q.n--; q.n == 0 && len(q.ring) > 64 {
		q.ring, q.head = nil, 0 // the initial state of a big watch
	}
	return d
}
