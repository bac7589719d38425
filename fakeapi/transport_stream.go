package fakeapi

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/holter-sim/holter/fakeapi/wire"
)

// stream is the body of the answer to a watch. What a Read waits for comes on
// virtual time, so only a process can read it.
type stream struct {
	watch  *Watch
	view   *view
	frames *wire.Frames
	rest   []byte // of a frame that was read in part
	err    error  // after it
}

// stream is the answer to a watch that the server has opened.
func (a *answer) stream(w *Watch, v *view, h *http.Request) *http.Response {
	r := a.head(http.StatusOK, a.out.StreamType(), h)
	r.ContentLength = -1
	r.Body = &stream{watch: w, view: v, frames: a.out.Frames(a.table)}
	return r
}

// Read implements io.Reader. It blocks the calling process until there is an
// event, and panics where no process calls it: client-go's typed Watch reads in
// a goroutine of its own, which no engine could wait for.
func (s *stream) Read(p []byte) (int, error) {
	mustBeProcess()
	for len(s.rest) == 0 {
		if s.err != nil {
			return 0, s.err
		}
		ev, err := s.watch.Next()
		s.take(ev, err)
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// Close implements io.Closer: it ends the watch.
func (s *stream) Close() error {
	s.watch.Stop()
	return nil
}

// Backlog is how many events have been sent that nobody has read yet.
func (s *stream) Backlog() int { return s.watch.queue.n }

// take encodes what the watch has come to.
func (s *stream) take(ev watch.Event, err error) {
	now := s.watch.client.s.host.Now()
	var status *apierrors.StatusError
	switch {
	case err == nil:
		ev.Object = s.view.shown(ev.Object.(object))
		if s.rest, status = s.frames.Encode(ev, now); status != nil {
			s.rest, s.err = s.frames.EncodeError(&status.ErrStatus, now), io.EOF
		}
	case errors.Is(err, errWatchLost):
		s.err = errLost
	case errors.Is(err, errWatchGaveUp):
		s.err = errGaveUp
	case errors.As(err, &status):
		s.rest, s.err = s.frames.EncodeError(&status.ErrStatus, now), io.EOF
	default:
		s.err = err
	}
}

// mustBeProcess panics outside a process. The goroutine of a process has its
// coroutine at the bottom of its stack; a goroutine that a process has started
// has not.
func mustBeProcess() {
	if !calledFrom(func(function string) bool { return strings.HasSuffix(function, "sim.(*process).coroutine") }) {
		panic("fakeapi: the body of a watch is read outside a process, as client-go's typed Watch does in a goroutine of its own: read it with fakeapi.WatchOver")
	}
}

// errTypedWatch is what a typed client's Watch is answered with.
var errTypedWatch = errors.New("fakeapi: a watch by client-go's typed Watch would be read in a goroutine of its own, for which no engine can wait: open it with Stream and read it with fakeapi.WatchOver")

// inTypedWatch tells whether a request is sent by Watch, or WatchList, of client-go's
// Request: those read the answer in a goroutine of their own. Stream, which leaves that
// to the caller, sends the same bytes.
func inTypedWatch() bool {
	return calledFrom(func(function string) bool {
		return strings.Contains(function, "k8s.io/client-go/rest.(*Request).Watch")
	})
}

// calledFrom tells whether such a function is on the stack of the goroutine.
func calledFrom(is func(function string) bool) bool {
	var pcs [256]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if is(f.Function) {
			return true
		}
		if !more {
			return false
		}
	}
}

// WatchOver reads a watch in the calling process, in place of client-go's typed
// Watch. It is given what a rest.Request's Stream returns:
//
//	nodes := clientset.CoreV1().RESTClient().Get().Resource("nodes").Param("watch", "true")
//	w, err := fakeapi.WatchOver(nodes.VersionedParams(&options, scheme.ParameterCodec).Stream(ctx))
//
// The request must have gone through a [Transport]; the error passed in, if
// there is one, is returned.
func WatchOver(body io.ReadCloser, err error) (*WireWatch, error) {
	if err != nil {
		return nil, err
	}
	s, ok := body.(*stream)
	if !ok {
		body.Close()
		return nil, fmt.Errorf("fakeapi: WatchOver of a %T, which is not the body of a watch over a fakeapi.Transport (is watch=true among the parameters?)", body)
	}
	return &WireWatch{stream: s}, nil
}

// WireWatch is a [Watch] whose events have been through their encoding. Objects
// in it are the caller's own.
type WireWatch struct {
	stream *stream
	err    error
}

// Next is [Watch.Next].
func (w *WireWatch) Next() (watch.Event, error) {
	if w.err != nil {
		return watch.Event{}, w.err
	}
	return w.decode(w.stream.watch.Next())
}

// TryNext is [Watch.TryNext].
func (w *WireWatch) TryNext() (ev watch.Event, ok bool, err error) {
	if w.err != nil {
		return watch.Event{}, false, w.err
	}
	if ev, ok, err = w.stream.watch.TryNext(); !ok && err == nil {
		return ev, false, nil
	}
	ev, err = w.decode(ev, err)
	return ev, err == nil, err
}

// OnReady is [Watch.OnReady].
func (w *WireWatch) OnReady(f func()) { w.stream.watch.OnReady(f) }

// Stop is [Watch.Stop].
func (w *WireWatch) Stop() {
	w.stream.watch.Stop()
	if w.err == nil {
		w.err = io.EOF
	}
}

// decode has an event, or the end of the stream, make its way through bytes. As
// in client-go, an event of type ERROR ends the stream with its Status, and so
// does an error that is not an end of file.
func (w *WireWatch) decode(ev watch.Event, err error) (watch.Event, error) {
	s := w.stream
	if s.take(ev, err); len(s.rest) > 0 {
		frame := s.rest
		s.rest = nil
		if ev, err = s.frames.Decode(frame); err == nil && ev.Type != watch.Error {
			return ev, nil
		}
		if err == nil {
			err = apierrors.FromObject(ev.Object)
		}
	} else if err = s.err; !errors.Is(err, io.EOF) {
		err = undecodable(err)
	}
	w.err = err
	s.watch.Stop()
	return watch.Event{}, err
}
