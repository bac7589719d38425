package bubble

import (
	"context"
	"io"
	"sync"
)

// stream is the body of a watch's answer for goroutines: a process reads the one
// of the engine, and what it gets is told to the bubble.
type stream struct {
	t     *transport
	ctx   context.Context
	inner io.ReadCloser

	more chan []byte   // what the process has read
	over chan struct{} // closed after the last of more
	err  error         // which there was then

	rest    []byte
	stop    sync.Once
	stopped chan struct{}
}

// unread is how many reads may wait for a goroutine that does not take them. A
// server would end the watch of one so slow.
const unread = 1 << 16

// chunk is how much is read at once; a frame is rarely longer.
const chunk = 32 << 10

// newStream is for a process of the host.
func newStream(t *transport, ctx context.Context, inner io.ReadCloser) *stream {
	s := &stream{t: t, ctx: ctx, inner: inner, more: make(chan []byte, unread), over: make(chan struct{}), stopped: make(chan struct{})}
	t.host.Go("watch", s.pump)
	return s
}

func (s *stream) pump() {
	buffer := make([]byte, chunk)
	for {
		n, err := s.inner.Read(buffer)
		if n > 0 {
			data := append([]byte(nil), buffer[:n]...)
			s.t.bridge.Tell(func() { s.push(data) })
		}
		if err != nil {
			s.t.bridge.Tell(func() {
				s.err = err
				close(s.over)
			})
			return
		}
	}
}

func (s *stream) push(data []byte) {
	select {
	case s.more <- data:
	default:
		panic("bubble: a watch of " + s.t.name + " is not read")
	}
}

// Read implements io.Reader.
func (s *stream) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		select {
		case s.rest = <-s.more:
			continue
		default:
		}
		select {
		case s.rest = <-s.more:
		case <-s.over:
			if len(s.more) == 0 {
				return 0, s.err
			}
		case <-s.stopped:
			return 0, io.ErrClosedPipe
		case <-s.ctx.Done():
			s.Close()
			return 0, s.ctx.Err()
		case <-s.t.bridge.closed:
			return 0, errClosed
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// Close implements io.Closer.
func (s *stream) Close() error {
	s.stop.Do(func() {
		close(s.stopped)
		s.t.bridge.Post(s.t.name+"close", func() { s.inner.Close() })
	})
	return nil
}
