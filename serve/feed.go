package serve

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/holter-sim/holter/sim"
)

// feed carries the body of one watch from the engine to the client: a process reads
// what the API server sends and puts it down here, the goroutine of the request takes
// it to the socket. As long as the client does not take what is there, the process
// reads no more, and the API server keeps references to what has happened since; if
// these become too many the watch is ended.
type feed struct {
	loop  *loop
	host  *sim.Host
	inner interface {
		io.ReadCloser
		Backlog() int
	}
	initial int  // the backlog that the watch has begun with, which is no fault of the client
	counted *int // the loop's own: where initial counts until it is read, nil from then on

	lock    sync.Mutex
	chunks  [][]byte
	size    int           // of all chunks
	err     error         // why there is no more after them
	more    chan struct{} // there is something in chunks, or an error
	resting bool          // the process waits for chunks to be taken

	waiter *sim.Waiter // the loop's own
	closed bool        // the loop's own
}

// errBehind ends a watch whose client does not read it.
var errBehind = errors.New("the watch is not read")

// newFeed is for a process: it starts the one that reads. It is nil if there is too
// much to be read already.
func (s *Server) newFeed(body io.ReadCloser) *feed {
	f := &feed{loop: s.loop, host: s.host, more: make(chan struct{}, 1)}
	f.inner = body.(interface {
		io.ReadCloser
		Backlog() int
	})
	f.initial = f.inner.Backlog()
	if s.initial > 0 && s.initial+f.initial > mostInitial {
		body.Close()
		return nil
	}
	f.counted = &s.initial
	s.initial += f.initial
	f.host.Go("watch", func() { f.pump(s.chunk) })
	return f
}

// pump is the process. Its buffer is that of all feeds: between what Read puts into
// it and what is copied out of it, no other process runs.
func (f *feed) pump(buffer []byte) {
	for {
		n, err := f.inner.Read(buffer)
		if f.inner.Backlog() == 0 {
			f.caughtUp()
		}
		if !f.put(append([]byte(nil), buffer[:n]...), err) {
			return
		}
		for f.rest() {
			f.loop.full[f] = true
			f.waiter = f.host.NewWaiter()
			f.waiter.Wait()
			delete(f.loop.full, f)
		}
	}
}

// caughtUp counts what the watch has begun with no longer.
func (f *feed) caughtUp() {
	if f.counted != nil {
		*f.counted -= f.initial
		f.counted = nil
	}
}

// put adds what was read, or why there is no more; false after the end.
func (f *feed) put(chunk []byte, err error) bool {
	f.lock.Lock()
	defer f.lock.Unlock()
	if f.err != nil {
		return false
	}
	if len(chunk) > 0 {
		f.chunks = append(f.chunks, chunk)
		f.size += len(chunk)
	}
	f.err = err
	select {
	case f.more <- struct{}{}:
	default:
	}
	return err == nil
}

// rest tells whether the process is to wait, and makes the next take wake it.
func (f *feed) rest() bool {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.resting = f.size >= fullFeed && f.err == nil
	return f.resting
}

// take waits for chunks, or for the end.
func (f *feed) take(ctx context.Context) ([][]byte, error) {
	for {
		f.lock.Lock()
		chunks, err, wake := f.chunks, f.err, f.resting
		f.chunks, f.size, f.resting = nil, 0, false
		f.lock.Unlock()
		if wake {
			f.loop.post(f.wakeUp)
		}
		if len(chunks) > 0 || err != nil {
			return chunks, err
		}
		select {
		case <-f.more:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-f.loop.gone:
			return nil, errGone
		}
	}
}

// wakeUp is the loop's: the process may go on.
func (f *feed) wakeUp() {
	if f.waiter != nil {
		f.waiter.Wake()
	}
}

// endIfBehind is the loop's: it ends the watch if too much has happened since the
// client has stopped reading.
func (f *feed) endIfBehind() {
	if f.inner.Backlog() > f.initial+mostBehind {
		f.put(nil, errBehind)
		f.close()
	}
}

// close is the loop's: the watch is no longer wanted.
func (f *feed) close() {
	if f.closed {
		return
	}
	f.closed = true
	f.caughtUp()
	f.put(nil, io.EOF)
	f.inner.Close()
	f.wakeUp()
	delete(f.loop.full, f)
}

// copyTo writes the feed to the client until one of them ends, each frame as soon as
// it is there.
func (f *feed) copyTo(ctx context.Context, w http.ResponseWriter) error {
	out := http.NewResponseController(w)
	if err := out.Flush(); err != nil {
		return err
	}
	for {
		chunks, ended := f.take(ctx)
		if len(chunks) > 0 {
			if err := out.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
				return err
			}
		}
		for _, chunk := range chunks {
			if _, err := w.Write(chunk); err != nil {
				return err
			}
		}
		if len(chunks) > 0 {
			if err := out.Flush(); err != nil {
				return err
			}
		}
		if ended != nil {
			return ended
		}
	}
}
