package fakeapi

import (
	"fmt"
	"io"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/holter-sim/holter/sim"
)

// A client has one connection to the server, and all its requests and watches
// share it. HTTP/2 keeps watch over it: after 30 s without a frame it sends a
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
)

// lostAt returns when a connection on which nothing has been heard since the
// silence began is found dead. Pings before that were answered.
func (c *Client) lostAt(silence sim.Time) sim.Time {
	if c.unchecked {
		return sim.Never
	}
	alive := c.heard
	if quiet := silence.Sub(alive); quiet > 0 {
		alive = alive.Add(quiet - quiet%pingAfter)
	}
	return alive.Add(pingAfter + pingTimeout)
}

// connect notes the beginning of the connection: with the first request of a
// client, or of the next incarnation of its host.
func (c *Client) connect(now sim.Time) {
	if life := c.host.Incarnation(); !c.connected || c.life != life {
		c.connected, c.life, c.heard = true, life, now
	}
}

// severed is a request that fell silent with the whole connection. A client
// with a timeout waits for that; another learns of the dead connection from
// the ping. If the connection was already found dead, either has to dial.
func (r *request) severed(silence sim.Time, dialing time.Duration, refusal error) {
	now, lost := r.table.s.engine.Now(), r.client.lostAt(silence)
	switch {
	case r.dialing:
	case now >= lost:
		r.dialing = true
		if end := r.call.Sent.Add(dialing); end < r.deadline || r.client.timeout == 0 {
			r.cutAt(end, refusal)
		}
	case r.client.timeout == 0:
		r.disconnected = true
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
		at := max(w.client.lostAt(q.since), w.client.s.engine.Now())
		w.client.host.At(at, func() { w.lose(q) })
	}
}

// lose ends a watch whose connection is found dead: at the client, without
// waiting for what is still on its way.
func (w *Watch) lose(q silence) {
	now := w.client.s.engine.Now()
	if w.stopped || w.over || !q.lasts() || now < w.client.lostAt(q.since) {
		return
	}
	w.detach()
	for w.queue.n > w.arrived {
		w.queue.n--
		*w.queue.at(w.queue.n) = delivery{}
	}
	w.queue.push(delivery{err: errWatchLost, sent: now, due: now, cause: w.client.s.engine.Cause()})
	w.arrived++
	w.over = true
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
var errWatchLost = apierrors.FromObject(apierrors.NewClientErrorReporter(http.StatusInternalServerError, "GET", "ClientWatchDecoding").
	AsObject(fmt.Errorf("unable to decode an event from the watch stream: %w", errLost)))

// cutError ends a watch whose server died in the middle. To client-go that is
// as good as the end of the stream, so errors.Is takes it for io.EOF as well.
type cutError struct{}

func (cutError) Error() string        { return io.ErrUnexpectedEOF.Error() }
func (cutError) Is(target error) bool { return target == io.EOF || target == io.ErrUnexpectedEOF }
