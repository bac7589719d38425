package registry

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Request is one HTTP request.
type Request struct {
	Method string
	Path   string // with its query
	Header map[string]string
	Body   string
}

// Response is what came back: of a watch, everything until nothing came for a
// while.
type Response struct {
	Code   int
	Header http.Header
	Body   []byte
}

// http makes a request for an http.Handler or http.RoundTripper.
func (r *Request) http(ctx context.Context, base string) *http.Request {
	out, err := http.NewRequestWithContext(ctx, r.Method, base+r.Path, strings.NewReader(r.Body))
	if err != nil {
		panic("a table has a request that is none: " + err.Error())
	}
	out.Header.Set("User-Agent", "table/1.0")
	for key, value := range r.Header {
		out.Header.Set(key, value)
	}
	return out
}

// watches says whether the request asks for a stream.
func (r *Request) watches() bool {
	return r.Method == http.MethodGet && strings.Contains(r.Path, "watch=")
}

// Do sends a request to the oracle.
func (o *Oracle) Do(r *Request) *Response {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w := &recorder{header: http.Header{}, code: http.StatusOK}
	if r.watches() {
		w.quiet, w.end = o.quiet, cancel
	}
	req := r.http(ctx, "http://oracle")
	req.RequestURI = req.URL.RequestURI()
	o.handler.ServeHTTP(w, req)
	if r.Method == http.MethodHead {
		w.body.Reset() // a socket does not carry it
	}
	return w.response()
}

// How long a watch that has nothing to say is listened to: a short while, and a
// long one when what it said is not what was to be expected, for a machine may
// be busy.
const (
	shortQuiet = 60 * time.Millisecond
	longQuiet  = 2 * time.Second
)

// Patiently does something while watches are listened to for long.
func (o *Oracle) Patiently(f func()) {
	o.quiet = longQuiet
	defer func() { o.quiet = shortQuiet }()
	f()
}

// recorder is an http.ResponseWriter that keeps what is written.
type recorder struct {
	mu     sync.Mutex
	header http.Header
	sent   http.Header
	code   int
	body   bytes.Buffer
	quiet  time.Duration // of a watch: after how long a silence it is ended
	end    func()
	idle   *time.Timer
}

// Header implements http.ResponseWriter.
func (w *recorder) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *recorder) WriteHeader(code int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begin(code)
}

// Write implements http.ResponseWriter.
func (w *recorder) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begin(http.StatusOK)
	if w.idle != nil {
		w.idle.Reset(w.quiet)
	}
	return w.body.Write(p)
}

// Flush implements http.Flusher, which watches need.
func (w *recorder) Flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begin(http.StatusOK)
}

// CloseNotify implements http.CloseNotifier, which upstream's filters ask for
// of whoever is a Flusher.
func (w *recorder) CloseNotify() <-chan bool { return nil }

func (w *recorder) begin(code int) {
	if w.sent != nil {
		return
	}
	w.sent, w.code = w.header.Clone(), code
	if w.end != nil {
		w.idle = time.AfterFunc(w.quiet, w.end)
	}
}

func (w *recorder) response() *Response {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.end = nil
	w.begin(http.StatusOK)
	return &Response{Code: w.code, Header: w.sent, Body: w.body.Bytes()}
}
