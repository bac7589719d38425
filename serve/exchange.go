package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"runtime/debug"
	"sync/atomic"

	"github.com/holter-sim/holter/fakeapi"
)

// connection is one TCP connection of a client, which is one to the simulated API
// server too: what ends there ends all that goes over it.
type connection struct {
	name      string // the loop's own
	transport http.RoundTripper
}

// connectionKey is where a request's context has its connection.
type connectionKey struct{}

// transport is the loop's: it gives the connection's way to the API server. A proxy
// that speaks for clients of several names over one connection gets one for each.
func (s *Server) transport(c *connection, userAgent string) http.RoundTripper {
	name := s.clientName(userAgent)
	if c.transport == nil || c.name != name {
		c.name = name
		c.transport = fakeapi.Transport(s.cluster.Server().NewClient(fakeapi.ClientOptions{
			Host: s.host, Name: "http/" + name, User: "admin", UserAgent: userAgent, Panicked: s.panicked}))
	}
	return c.transport
}

// panicked is the loop's: a request has the simulated API server panic, which says so
// to its client.
func (s *Server) panicked(call *fakeapi.Call, value any, stack []byte) {
	s.log("panic over a request, %s %s %s: %v\n%s", call.Verb, call.Resource, call.Name, value, stack)
}

// product is a User-Agent's first word without its version.
var product = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,62}`)

// clientName is the loop's: what the trace calls a client, "kubectl" for one.
func (s *Server) clientName(userAgent string) string {
	name := product.FindString(userAgent)
	switch {
	case name == "":
		return "client"
	case !s.names[name] && len(s.names) >= mostNames:
		return "client"
	}
	s.names[name] = true
	return name
}

// exchange is one request on its way to the API server and back.
type exchange struct {
	server  *Server
	request *http.Request
	over    *connection
	size    int          // of the body
	answers chan *answer // takes one

	left bool  // the loop's own: the client is gone
	feed *feed // the loop's own: of a watch
}

// answer is what a request has come to.
type answer struct {
	response *http.Response
	body     []byte // nil for a watch
	feed     *feed  // of a watch
	err      error  // of the simulated network
	refused  string // why the answer is not given, "" if it is
	failed   string // the panic that took its place, "" for none
}

var errGone = errors.New("the simulation has ended")

// exchange sends a request through the engine and waits for its answer. After an
// error nobody waits for one any more.
func (s *Server) exchange(r *http.Request, body []byte) (*answer, error) {
	sent := r.WithContext(context.Background()) // what has left the client goes on without it
	sent.Body = io.NopCloser(bytes.NewReader(body))
	over, _ := r.Context().Value(connectionKey{}).(*connection)
	x := &exchange{server: s, request: sent, over: over, size: len(body), answers: make(chan *answer, 1)}
	s.loop.post(x.begin)
	select {
	case a := <-x.answers:
		return a, nil
	case <-r.Context().Done():
		s.loop.post(x.leave)
		return nil, r.Context().Err()
	case <-s.loop.gone:
		return nil, errGone
	}
}

// begin is the loop's.
func (x *exchange) begin() {
	s := x.server
	if x.left {
		return
	}
	if s.inside >= mostInside || s.inside > 0 && s.insideBytes+x.size > mostInsideBytes {
		x.answers <- &answer{refused: "too many requests are under way"}
		return
	}
	s.inside++
	s.insideBytes += x.size
	rt := s.transport(x.over, x.request.UserAgent())
	s.loop.await()
	s.meddled = s.meddled || x.request.Method != http.MethodGet
	s.host.Go("request", func() { x.send(rt) })
}

// leave is the loop's: nobody will take the answer.
func (x *exchange) leave() {
	x.left = true
	if x.feed != nil {
		x.feed.close()
	}
	select {
	case a := <-x.answers:
		x.server.release(a)
	default:
	}
}

// send is the process.
func (x *exchange) send(rt http.RoundTripper) {
	a := &answer{}
	defer func() {
		// Reading what a client has sent must not end the run for all others.
		if v := recover(); v != nil {
			*a = answer{failed: fmt.Sprint(v)}
			x.server.log("panic over a request, %s %s: %v\n%s", x.request.Method, x.request.URL.Path, v, debug.Stack())
		}
		x.server.inside--
		x.server.insideBytes -= x.size
		x.server.loop.answered(a.feed != nil || x.request.Method != http.MethodGet)
		x.answer(a)
	}()
	if a.response, a.err = rt.RoundTrip(x.request); a.err != nil {
		return
	}
	if a.response.ContentLength < 0 {
		if a.feed = x.server.newFeed(a.response.Body); a.feed == nil {
			a.refused = "too many watches have just begun"
		}
		return
	}
	a.body, a.err = io.ReadAll(a.response.Body)
	a.response.Body.Close()
}

// answer gives the client its answer, if it is there and there is room for it.
func (x *exchange) answer(a *answer) {
	s := x.server
	if held := s.held.Add(int64(len(a.body))); held > mostAnswers && held > int64(len(a.body)) {
		s.release(a)
		a.body, a.refused = nil, "too many answers wait for those who asked for them"
	}
	if x.feed = a.feed; x.left {
		s.release(a)
		if a.feed != nil {
			a.feed.close()
		}
		return
	}
	x.answers <- a
}

// release counts an answer no longer among those that wait.
func (s *Server) release(a *answer) { s.held.Add(-int64(len(a.body))) }

// counter counts what is open, up to a bound.
type counter struct{ n atomic.Int64 }

func (c *counter) enter(most int64) bool {
	if c.n.Add(1) > most {
		c.n.Add(-1)
		return false
	}
	return true
}

func (c *counter) leave() { c.n.Add(-1) }
