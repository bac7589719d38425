package fakeapi

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"syscall"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/holter-sim/holter/fakeapi/wire"
)

// Transport returns what client-go sends its HTTP requests through, so that a
// real kubernetes.Clientset speaks to the server on virtual time:
//
//	config := &rest.Config{Host: fakeapi.Endpoint, QPS: -1, WarningHandler: rest.NoWarnings{}}
//	clientset, err := kubernetes.NewForConfigAndClient(config, &http.Client{Transport: fakeapi.Transport(client)})
//
// Each request is the call that the client's own methods would make, with its
// latency, faults, retries and observer, and blocks the calling process, which
// must be one of the client's host. A request from anywhere else fails.
//
// client-go keeps time by the machine's clock, which here is the wrong one, so
// its part is done in the transport: the timeout is ClientOptions.Timeout, and
// rest.Config.Timeout stays 0; the limit of requests is ClientOptions.Limit, and
// QPS stays -1; what client-go tries again of its own accord (Retry-After, a GET
// whose connection was lost) is tried again here, up to ten times, and then
// answered so that client-go does not begin anew. A context is looked at before
// a request is sent, not while it is under way.
//
// A watch must not be opened by a typed client, which reads it in a goroutine of
// its own: see [WatchOver]. One that is fails.
func Transport(c *Client) http.RoundTripper {
	return &roundTripper{client: c, about: c.s.about(), outputs: map[string]negotiated{}}
}

// Endpoint is where clients believe the server to be: the Host of a rest.Config.
const Endpoint = endpoint

// roundTripper is the wire surface of one client.
type roundTripper struct {
	client  *Client
	about   *wire.About
	outputs map[string]negotiated // what Accept headers have come to
}

// RoundTrip implements http.RoundTripper.
func (t *roundTripper) RoundTrip(h *http.Request) (*http.Response, error) {
	if !t.client.blockable() {
		closeBody(h)
		return nil, fmt.Errorf("fakeapi: %s %s comes from outside the processes of %q: only a process can wait for an answer", h.Method, h.URL.Path, t.client.host.Name())
	}
	if h.URL.RawQuery != "" && strings.Contains(h.URL.RawQuery, "watch=") && inTypedWatch() {
		closeBody(h)
		return nil, errTypedWatch
	}
	q, a := t.read(h)
	q.wired = true
	q, err := q.do(h.Context())
	defer q.drop()
	var status *apierrors.StatusError
	if err != nil && !errors.As(err, &status) {
		if q.watch != nil {
			q.watch.Stop()
		}
		return nil, t.failure(q, err)
	}
	return a.response(q, h), nil
}

// blockable tells whether a process is running that can wait.
func (c *Client) blockable() bool { return c.host.Engine().InProcess() }

func closeBody(h *http.Request) {
	if h.Body != nil {
		h.Body.Close()
	}
}

// failure is what http.Client wraps: the error without method and URL, which it
// adds itself. client-go tries a GET again after some errors, and would do so in
// real time; the transport has done that already, so it must not know them again.
func (t *roundTripper) failure(q *request, err error) error {
	err = withoutURL(err)
	if q.op == opGet || q.op == opList {
		if again := retryable(err); again {
			return spentError{err}
		}
	}
	return err
}

// withoutURL removes the *url.Error around an error, as far as it is there.
func withoutURL(err error) error {
	var retried *retriedError
	if errors.As(err, &retried) {
		return &retriedError{withoutURL(retried.err), retried.previous}
	}
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// The texts that client-go knows a lost connection by. Upstream: IsProbableEOF,
// IsHTTP2ConnectionLost (apimachinery v0.37, util/net).
var lostTexts = []string{"connection reset by peer", "use of closed network connection", "http2: client connection lost"}

func retryable(err error) bool {
	if errors.Is(err, syscall.ECONNRESET) {
		return true
	}
	for _, text := range lostTexts {
		if strings.Contains(err.Error(), text) {
			return true
		}
	}
	return false
}

// spentError is the error of the last attempt at a GET, in other words.
type spentError struct{ err error }

func (e spentError) Error() string {
	text := e.err.Error()
	for _, known := range lostTexts {
		text = strings.ReplaceAll(text, known, known[:strings.LastIndexByte(known, ' ')]+", again and again,"+known[strings.LastIndexByte(known, ' '):])
	}
	return text
}

// Is lets errors.Is see what the error was.
func (e spentError) Is(target error) bool { return errors.Is(e.err, target) }
