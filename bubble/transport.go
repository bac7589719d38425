package bubble

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/sim"
)

// transport sends requests of the bubble's goroutines through processes of a host.
type transport struct {
	bridge *Bridge
	host   *sim.Host
	inner  http.RoundTripper
	name   string

	described func(*http.Request) *http.Response
	open      atomic.Bool // a request would come through now
}

// newTransport is for the engine's goroutine, or for Do.
func newTransport(b *Bridge, client *fakeapi.Client, host *sim.Host, name string) *transport {
	t := &transport{bridge: b, host: host, inner: fakeapi.Transport(client), name: name, described: fakeapi.Described(client)}
	b.Look(func() { t.open.Store(client.Undisturbed()) })
	return t
}

var errClosed = errors.New("bubble: the test is over")

// answer is what a request has come to.
type answer struct {
	response *http.Response
	err      error
}

// RoundTrip implements http.RoundTripper. A request whose context ends goes on
// without its client, as one that has left the machine does.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if response := t.atOnce(r); response != nil {
		return response, nil
	}
	sent, err := withBody(r)
	if err != nil {
		return nil, err
	}
	done := make(chan answer, 1)
	t.bridge.Post(t.name+r.Method+" "+r.URL.RequestURI(), func() {
		t.host.Go("request", func() {
			a := t.send(sent)
			t.bridge.Tell(func() { done <- a })
		})
	})
	select {
	case a := <-done:
		return a.response, a.err
	case <-r.Context().Done():
		go func() { // or a watch that was opened for nobody would stay open
			select {
			case a := <-done:
				if a.response != nil {
					a.response.Body.Close()
				}
			case <-t.bridge.closed:
			}
		}()
		return nil, r.Context().Err()
	case <-t.bridge.closed:
		return nil, errClosed
	}
}

// atOnce answers discovery and the like, which the server answers alike at all
// times, in no virtual time. controller-runtime holds locks over such requests, of
// its RESTMapper and of its informers, and while one goroutine waits for a lock the
// clock of the bubble stands: nobody would ever be answered.
func (t *transport) atOnce(r *http.Request) *http.Response {
	if !t.open.Load() || r.Context().Err() != nil {
		return nil
	}
	response := t.described(r)
	if response != nil && r.Body != nil {
		r.Body.Close()
	}
	return response
}

// send is in a process. It reads the answer there, but that of a watch, which goes
// on.
func (t *transport) send(r *http.Request) answer {
	response, err := t.inner.RoundTrip(r)
	if err != nil {
		return answer{nil, err}
	}
	if response.ContentLength < 0 {
		response.Body = newStream(t, r.Context(), response.Body)
		return answer{response, nil}
	}
	data, err := io.ReadAll(response.Body)
	response.Body.Close()
	response.Body = io.NopCloser(bytes.NewReader(data))
	return answer{response, err}
}

// withBody reads the body, so that the process need not.
func withBody(r *http.Request) (*http.Request, error) {
	if r.Body == nil {
		return r, nil
	}
	data, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(data))
	return r, nil
}
