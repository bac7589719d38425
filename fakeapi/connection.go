package fakeapi

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/holter-sim/holter/sim"
)

// A client has one connection to the server, and all its requests and watches
// share it; so do clients of one transport. HTTP/2 keeps watch over it: after 30 s without a frame it sends a
// ping, and without an answer for 15 s more it closes the connection. That is
// how a client learns of a partition, or of a server that was stopped; what
// comes then must dial anew, and fails in ways of its own. Upstream:
// apimachinery v0.36 util/net (ReadIdleTimeout, PingTimeout), client-go v0.36
// transport (dialer), net/http (TLSHandshakeTimeout).
const (
	pingAfter        = 30 * time.Second
	pingTimeout      = 15 * time.Second
	dialTimeout      = 30 * time.Second // nobody answers
	handshakeTimeout = 10 * time.Second // a stopped server's kernel accepts, and no more follows

	// tcpGivesUp is how long Linux sends unanswered data again before it calls
	// the connection dead: 200 ms doubled to 120 s, 15 times (tcp_retries2).
	tcpGivesUp = 924600 * time.Millisecond
)

// transport is what keeps a connection: it makes a new one where there is none.
type transport struct {
	*connection
	ended bool // a connection of this transport has ended
}

// connection is one from a client's host to the server, as the client sees it.
type connection struct {
	life        int        // incarnation of the host that is connected
	heard       sim.Time   // when anything last came from the server
	established bool       // the dialing is over
	dead        bool       // it carries nothing any more, and its ends do not know
	unanswered  bool       // something was sent on it since
	waiting     []*request // sent, and without an outcome
}

// lostAt returns when a connection on which nothing has been heard since the
// silence began is found dead. Pings before that were answered.
func (c *Client) lostAt(n *connection, silence sim.Time) sim.Time {
	if c.unchecked {
		return sim.Never
	}
	alive := n.heard
	if quiet := silence.Sub(alive); quiet > 0 {
		alive = alive.Add(quiet - quiet%pingAfter)
	}
	return alive.Add(pingAfter + pingTimeout)
}

// connect has a request go over the connection, which begins with the first
// one after there was none, and in the next incarnation of the host.
func (c *Client) connect(r *request) {
	if life := c.host.Incarnation(); c.transport.connection == nil || c.transport.life != life {
		// The first is taken as made: whoever starts is not shown to dial.
		c.transport.connection = &connection{life: life, heard: c.s.engine.Now(), established: !c.transport.ended}
	}
	r.conn = c.transport.connection
	r.conn.waiting = append(r.conn.waiting, r)
}

// left takes a request off its connection.
func (n *connection) left(r *request) {
	if len(n.waiting) == 1 { // as nearly always
		n.waiting = n.waiting[:0]
		return
	}
	i := slices.Index(n.waiting, r)
	n.waiting = slices.Delete(n.waiting, i, i+1) // the others keep their order
}

// hear notes that something has come from the server. What has been dialing
// beside the one that got through goes over its connection. Upstream: net/http's
// Transport, which gives an HTTP/2 connection to all who wait for one.
func (n *connection) hear(now sim.Time) {
	n.heard = now
	if n.established {
		return
	}
	n.established = true
	for _, r := range n.waiting {
		if r.dialing && !r.settled && !r.served {
			r.join()
		}
	}
}

// join sends a request that was dialing over a connection that is there.
func (r *request) join() {
	e := r.table.s.engine
	r.dialing = false
	if r.client.timeout == 0 {
		r.cutAt(e.Now().Add(pingAfter+pingTimeout), errLost)
	} else {
		r.cutAt(r.until, errTimeout)
	}
	r.refs++
	e.After(r.table.s.network.delay(r), r.onArrive)
}

// CloseConnections closes the connection of this client and of those that
// share it: what is under way on it fails at once, and the next request dials.
// One that is being dialed is not closed. Upstream: connrotation.Dialer.CloseAll
// (client-go v0.22).
func (c *Client) CloseConnections() {
	if n := c.transport.connection; n != nil && n.established {
		c.end(n, errClosed, cutError{})
	}
}

// LoseConnections has the connection of this client, and of those that share
// it, carry nothing more, as after a load balancer has forgotten it. New ones
// work. The client learns of it by a ping or, where it sends none, when TCP
// gives up on what was sent after that.
func (c *Client) LoseConnections() {
	n := c.transport.connection
	if n == nil || n.dead || n.life != c.host.Incarnation() {
		return
	}
	n.dead = true
	if now := c.s.engine.Now(); !c.unchecked {
		c.host.At(max(c.lostAt(n, now), now), func() { c.end(n, errLost, errWatchLost) })
	}
}

// lostOn is a request on a dead connection. Without pings, the first one after
// the connection died sets the time at which TCP gives up.
func (n *connection) lostOn(r *request) {
	c, e := r.client, r.table.s.engine
	if c.unchecked && !n.unanswered {
		n.unanswered = true
		c.host.At(e.Now().Add(tcpGivesUp), func() { c.end(n, errGaveUp, errWatchGaveUp) })
	}
	if c.timeout == 0 {
		r.cutAt(sim.Never, errLost)
	}
	r.arm()
}

// end is the end of a connection, if it is still the client's: its requests
// fail with err, and its watches with that of theirs.
func (c *Client) end(n *connection, err, watchErr error) {
	if n == nil || c.transport.connection != n || n.life != c.host.Incarnation() {
		return
	}
	c.transport.connection, c.transport.ended = nil, true
	now := c.s.engine.Now()
	for _, r := range n.waiting {
		if !r.settled {
			r.hungUp, r.disconnected = true, errors.Is(err, errLost)
			r.cutAt(now, err)
			r.arm()
		}
	}
	for w := c.s.streams.head; w != nil; {
		next := w.newer
		if w.conn == n {
			w.cutOff(watchErr)
		}
		w = next
	}
}

// severed is a request that fell silent with the whole connection. A client
// with a timeout waits for that; another learns of the dead connection from
// the ping. If the connection was already found dead, either has to dial.
func (r *request) severed(silence sim.Time, dialing time.Duration, refusal error) {
	now, lost := r.table.s.engine.Now(), r.client.lostAt(r.conn, silence)
	switch {
	case r.dialing:
	case now >= lost || !r.conn.established:
		r.dialing = true
		if end := r.call.Sent.Add(dialing); end < r.deadline || r.client.timeout == 0 {
			r.cutAt(end, refusal)
		}
	case r.client.timeout == 0:
		r.hungUp, r.disconnected = true, true
		r.cutAt(lost, errLost)
	}
}

// cutAt changes when and why the client gives up.
func (r *request) cutAt(at sim.Time, err error) {
	r.deadline, r.cut = at, err
	if r.armed && r.timer.Cancel() {
		r.armed = false
		r.refs--
		r.arm()
	}
}

// resend has the kernel send a lost SYN again: after 1, 3, 7 and 15 s, as long
// as the dialer waits.
func (r *request) resend() {
	e := r.table.s.engine
	r.syn = 2*r.syn + time.Second
	r.refs++
	e.At(max(r.call.Sent.Add(r.syn), e.Now()), r.onArrive)
}

// silence is a stretch in which connections hear nothing: as long as a rule
// severs them or the server is stopped.
type silence struct {
	since   sim.Time
	lasts   func() bool
	touches func(w *Watch) bool
}

// silenced has every watch that is open find out in its own time, if the
// silence lasts. The first can do so when its ping was due at once.
func (s *Server) silenced(q silence) {
	s.engine.After(pingTimeout, func() {
		if !q.lasts() {
			return
		}
		for w := s.streams.head; w != nil; w = w.newer {
			w.watchdog(q)
		}
		for _, w := range s.network.held {
			if !w.attached {
				w.watchdog(q)
			}
		}
	})
}

// watchdog sets the time at which the watch finds its connection dead.
func (w *Watch) watchdog(q silence) {
	if !w.gone() && q.touches(w) && !w.client.unchecked {
		at := max(w.client.lostAt(w.conn, q.since), w.client.s.engine.Now())
		w.client.host.At(at, func() { w.lose(q) })
	}
}

// lose ends a watch whose connection is found dead, and all else that is on it.
func (w *Watch) lose(q silence) {
	now := w.client.s.engine.Now()
	if w.stopped || w.ended || !q.lasts() || now < w.client.lostAt(w.conn, q.since) {
		return
	}
	w.cutOff(errWatchLost)
	w.client.end(w.conn, errLost, errWatchLost)
}

// cutOff ends a watch at the client, whatever is still on its way.
func (w *Watch) cutOff(err error) {
	if w.stopped || w.ended {
		return
	}
	now := w.client.s.engine.Now()
	w.detach()
	for w.queue.n > w.arrived {
		w.queue.n--
		*w.queue.at(w.queue.n) = delivery{}
	}
	w.queue.push(delivery{err: err, sent: now, due: now, cause: w.client.s.engine.Cause()})
	w.arrived++
	w.ended = true
	w.notify()
}

// stall notes that a request has come to a server that is stopped.
func (s *Server) stall() {
	if s.backlog.head != nil {
		return
	}
	s.stalls++
	s.stalledSince = s.engine.Now()
	stall := s.stalls
	s.silenced(silence{
		since:   s.stalledSince,
		lasts:   func() bool { return s.stalls == stall && s.backlog.head != nil },
		touches: func(*Watch) bool { return true },
	})
}

// errWatchLost is what client-go makes of a watch whose connection is lost: an
// error event with a status of its own making. Upstream: StreamWatcher and the
// error reporter of rest.Request.
var (
	errWatchLost   = undecodable(errLost)
	errWatchGaveUp = undecodable(errGaveUp)
)

func undecodable(err error) error {
	return apierrors.FromObject(apierrors.NewClientErrorReporter(http.StatusInternalServerError, "GET", "ClientWatchDecoding").
		AsObject(fmt.Errorf("unable to decode an event from the watch stream: %w", err)))
}

// cutError ends a watch whose server died in the middle, or whose client closed
// the connection. To client-go that is
// as good as the end of the stream, so errors.Is takes it for io.EOF as well.
type cutError struct{}

func (cutError) Error() string        { return io.ErrUnexpectedEOF.Error() }
func (cutError) Is(target error) bool { return target == io.EOF || target == io.ErrUnexpectedEOF }
