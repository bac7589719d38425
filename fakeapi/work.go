package fakeapi

import (
	"time"

	"github.com/holter-sim/holter/sim"
)

// How long the server works on a request, and what may end that work. What is
// written is committed at the end of it.

const (
	// requestTimeout is --request-timeout: after that the server answers 504, but
	// to watches. A client's timeout makes it shorter, as it is in the request's
	// address. Upstream: WithRequestDeadline (apiserver v0.36, pkg/endpoints/filters).
	requestTimeout = 60 * time.Second

	// mutatingTimeout is the most that a write may take once it is worked on.
	// Upstream: requestTimeoutUpperBound (apiserver v0.36, pkg/endpoints/handlers).
	mutatingTimeout = 34 * time.Second
)

// stage is where in the server a request is.
type stage uint8

const (
	outside stage = iota
	queued        // it waits for seats, see priorityLevel
	working
)

// inside is what the server has begun with, and not answered, in no order that
// matters but a fixed one.
type inside struct {
	head *request
	n    int // how many
}

// busy reports whether requests take time at this moment. While they do not,
// no two are ever in the server at once, and none has to wait.
func (s *Server) busy() bool {
	return !s.work.IsZero() || s.network.slowing > 0 || s.inside.n > 0
}

// begin takes a request in: it waits for its turn, if it must, and is worked on.
func (r *request) begin() {
	s := r.table.s
	s.inside.add(r)
	if r.client.timeout == 0 {
		// Its connection lives while the server does: a ping would be answered.
		r.cutAt(sim.Never, errLost)
	}
	r.arm()
	if s.flow == nil {
		r.startWork()
		return
	}
	s.flow.admit(r)
}

// startWork works on a request that has what it needs.
func (r *request) startWork() {
	s := r.table.s
	r.stage = working
	d := s.network.workOn(r)
	if left := r.timeLeft(); d > left {
		d, r.expires = max(left, 0), true
	}
	if d == 0 {
		r.due()
		return
	}
	r.held = s.host.After(d, r.onDue)
}

// due is the end of what the server has waited for with this request: a place
// in a queue, or the work.
func (r *request) due() {
	s := r.table.s
	was := r.stage
	r.stage = outside
	s.inside.remove(r)
	switch {
	case was == queued:
		s.flow.(*priorityAndFairness).giveUp(r)
	case r.expires && !r.late():
		r.status = tooLate()
	}
	flow, place, life := s.flow, r.place, s.host.Incarnation()
	r.place = nil
	r.answer()
	if was == working && flow != nil && s.host.Alive() && s.host.Incarnation() == life { // its observer may have killed it
		flow.finish(place)
	}
}

// refuse answers a request that is not worked on.
func (r *request) refuse(status statusFunc) {
	r.table.s.inside.remove(r)
	r.stage = outside
	r.status = status(r)
	r.answer()
}

// timeLeft is how long the request may still take: until the deadline that the
// server has for it, or until it hears that the client has given up, which is
// on its way as long as the request was.
func (r *request) timeLeft() time.Duration {
	now, k := r.table.s.engine.Now(), &r.call
	left := time.Duration(sim.Never)
	if r.op != opWatch {
		left = k.Arrived.Add(requestTimeout).Sub(now)
	}
	if mutates(r.op) {
		left = min(left, mutatingTimeout)
	}
	if r.client.timeout > 0 {
		left = min(left, r.until.Add(k.Arrived.Sub(k.Sent)).Sub(now))
	}
	return left
}

// workOn draws how long the server works on a request.
func (n *Network) workOn(r *request) time.Duration {
	d := n.s.work.Sample(r.client.workRand())
	for _, rule := range n.rules {
		if rule.Work != nil && rule.touches(r) {
			d += rule.Work.Sample(r.client.workRand())
		}
	}
	return d
}

// workRand is the stream of the work on a client's requests.
func (c *Client) workRand() rand {
	p := c.streams()
	if p.work == nil {
		p.work = c.host.Rand("work/" + c.name)
	}
	return p.work
}

// abandon is what becomes of requests in a server that is killed.
func (s *Server) abandon() {
	for r := s.inside.head; r != nil; r = s.inside.head {
		s.inside.remove(r)
		r.stage, r.place = outside, nil
		r.fail(errReset)
	}
	if s.flow != nil {
		s.flow.reset()
	}
}

func (q *inside) add(r *request) {
	q.n++
	r.after, r.before = q.head, nil
	if q.head != nil {
		q.head.before = r
	}
	q.head = r
}

func (q *inside) remove(r *request) {
	q.n--
	if r.before != nil {
		r.before.after = r.after
	} else {
		q.head = r.after
	}
	if r.after != nil {
		r.after.before = r.before
	}
	r.after, r.before = nil, nil
}

// mutates reports whether max in flight counts the verb among the writes.
// Upstream: nonMutatingRequestVerbs.
func mutates(o op) bool { return o != opGet && o != opList && o != opWatch }
