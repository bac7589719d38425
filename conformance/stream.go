package conformance

import (
	"errors"
	"fmt"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/holter-sim/holter/bubble"
	"github.com/holter-sim/holter/fakeapi"
)

// stream is a fakeapi watch for goroutines. Upstream: watch.StreamWatcher.
type stream struct {
	bridge *bubble.Bridge
	watch  *fakeapi.Watch
	result chan watch.Event
}

// unread is how many events may wait for a goroutine that does not take them;
// the reflector always does.
const unread = 4096

// newStream is for the engine's goroutine, as is pull.
func newStream(b *bubble.Bridge, w *fakeapi.Watch) *stream {
	s := &stream{b, w, make(chan watch.Event, unread)}
	s.pull()
	return s
}

// pull takes what has arrived, one event at a time, so that those of several
// watches that arrive at one instant take turns.
func (s *stream) pull() {
	ev, ok, err := s.watch.TryNext()
	switch {
	case err != nil:
		s.bridge.Tell(func() { s.end(err) })
		return
	case ok:
		ev.Object = decoded(ev.Object)
		s.bridge.Tell(func() { s.send(ev) })
	}
	s.watch.OnReady(s.pull)
}

func (s *stream) send(ev watch.Event) {
	select {
	case s.result <- ev:
	default:
		panic("conformance: nobody reads a watch")
	}
}

// end closes the stream, after an event that says why if it was not in good
// order.
func (s *stream) end(err error) {
	var status *apierrors.StatusError
	switch {
	case errors.As(err, &status):
		s.send(watch.Event{Type: watch.Error, Object: &status.ErrStatus})
	case errors.Is(err, io.EOF) || utilnet.IsProbableEOF(err) || utilnet.IsTimeout(err):
	default:
		reporter := apierrors.NewClientErrorReporter(500, "GET", "ClientWatchDecoding")
		s.send(watch.Event{Type: watch.Error, Object: reporter.AsObject(fmt.Errorf("unable to decode an event from the watch stream: %v", err))})
	}
	close(s.result)
}

func (s *stream) ResultChan() <-chan watch.Event { return s.result }

func (s *stream) Stop() { s.bridge.Post("watch/stop", s.watch.Stop) }
