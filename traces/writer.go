package traces

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// WriteOptions says what a trace holds.
type WriteOptions struct {
	// Bodies keeps Event.Body.
	Bodies bool
}

// Writer is a Sink that writes a trace. Nothing is at its path before Close, and nothing at all after Abort or an
// error.
type Writer struct {
	path   string // where Close puts it; "" for a stream, and for what is no regular file
	file   *os.File
	guard  io.Closer // holds the name that it is written under
	text   *bufio.Writer
	pack   packer // the compressor under text, nil if none
	loose  int    // bytes since it last ended a block
	bodies bool
	line   []byte
	hash   hasher
	events uint64
	err    error
	closed bool
}

// packer is a compressor. Flush ends its block, so that what follows may be lost and this still be read.
type packer interface {
	io.WriteCloser
	Flush() error
}

// blockSize is how much text a compressed block holds: of a trace that is cut off, no more is lost than that and what
// was cut. Smaller blocks pack worse; these cost two per cent.
const blockSize = 16 << 10

var errClosed = errors.New("the trace is closed")

// Create begins a trace at path: zstd if it ends in ".zst", gzip if in ".gz", else plain. It is written under the name
// path.partial, and Close puts it in place, over an earlier file; so path never holds half a trace. What a process that
// was killed left under that name is overwritten; where one is still writing there, the name is path.partial1 and so on.
// "-" is standard output, and a device or pipe is written to directly.
func Create(path string, h Header, o WriteOptions) (*Writer, error) {
	if path == "-" {
		return NewWriter(os.Stdout, h, o)
	}
	file, guard, target, err := createFile(path)
	if err != nil {
		return nil, err
	}
	w := &Writer{path: target, file: file, guard: guard, bodies: o.Bodies, hash: hashStart}
	if err := w.start(file, filepath.Ext(path), h); err != nil {
		w.Abort()
		return nil, err
	}
	return w, nil
}

// NewWriter writes a plain trace to a stream, which Close does not close.
func NewWriter(out io.Writer, h Header, o WriteOptions) (*Writer, error) {
	w := &Writer{bodies: o.Bodies, hash: hashStart}
	if err := w.start(out, "", h); err != nil {
		return nil, err
	}
	return w, nil
}

// Event writes one event. A failed write (a full disk) is reported by it or by a later call or by Close, since
// writes are buffered; all calls after that fail alike.
func (w *Writer) Event(ev *Event) error {
	if w.err != nil {
		return w.err
	}
	line, err := appendEvent(w.line[:0], ev, w.bodies)
	if err != nil {
		return w.fail(err)
	}
	w.line = append(line, '\n')
	if _, err := w.text.Write(w.line); err != nil {
		return w.fail(err)
	}
	w.events++
	w.hash = w.hash.event(validText(ev))
	if w.loose += len(w.line); w.loose >= blockSize {
		return w.endBlock()
	}
	return nil
}

// endBlock ends the block of a compressed trace.
func (w *Writer) endBlock() error {
	w.loose = 0
	if w.pack == nil {
		return nil
	}
	if err := w.text.Flush(); err != nil {
		return w.fail(err)
	}
	if err := w.pack.Flush(); err != nil {
		return w.fail(err)
	}
	return nil
}

// Close writes the footer and puts the trace in its place. If anything failed, now or before, there is no trace and
// Close says why. A second Close says the same as the first.
func (w *Writer) Close() error {
	if w.closed {
		return w.closeError()
	}
	if w.err == nil {
		w.finish()
	}
	failed := w.err
	w.release()
	if failed == nil && w.path != "" {
		if err := os.Rename(w.file.Name(), w.path); err != nil {
			os.Remove(w.file.Name())
			failed = err
		}
	}
	w.letGo()
	w.err = failed
	if failed == nil {
		w.err = errClosed
	}
	return failed
}

// Abort gives the trace up and removes what was written. After Close it does nothing, so it can be deferred.
func (w *Writer) Abort() {
	if w.closed {
		return
	}
	if w.err == nil {
		w.err = errors.New("the trace was given up")
	}
	w.release()
	w.letGo()
}

// letGo gives the name free that the trace was written under, once nothing is there any more.
func (w *Writer) letGo() {
	if w.guard != nil {
		w.guard.Close()
		w.guard = nil
	}
}

func (w *Writer) closeError() error {
	if errors.Is(w.err, errClosed) {
		return nil
	}
	return w.err
}

func (w *Writer) start(out io.Writer, ending string, h Header) error {
	var err error
	switch ending {
	case ".zst":
		// One goroutine: the bytes and the moment they are made must not depend on the machine.
		w.pack, err = zstd.NewWriter(out, zstd.WithEncoderConcurrency(1))
	case ".gz":
		w.pack = gzip.NewWriter(out)
	}
	if err != nil {
		return w.fail(err)
	}
	if w.pack != nil {
		out = w.pack
	}
	w.text = bufio.NewWriterSize(out, 256<<10)
	h.Holter = Format
	if err := w.put(h); err != nil {
		return err
	}
	return w.endBlock() // without the header the rest is worth nothing
}

// put writes the header or the footer as a line.
func (w *Writer) put(value any) error {
	line := json.NewEncoder(w.text)
	line.SetEscapeHTML(false) // the scenario is to be read by people
	if err := line.Encode(value); err != nil {
		return w.fail(err)
	}
	return nil
}

// finish writes the footer and everything that is buffered.
func (w *Writer) finish() {
	err := w.put(Footer{Events: w.events, Hash: w.hash.String()})
	if err == nil {
		err = w.text.Flush()
	}
	if err == nil && w.pack != nil {
		err = w.pack.Close()
		w.pack = nil
	}
	if err != nil {
		w.fail(err)
	}
}

// release closes the file and, if anything failed, removes it.
func (w *Writer) release() {
	w.closed = true
	if w.file == nil {
		return
	}
	if err := w.file.Close(); err != nil && w.err == nil {
		w.fail(err)
	}
	if w.err != nil && w.path != "" {
		os.Remove(w.file.Name())
	}
}

func (w *Writer) fail(err error) error {
	if w.err == nil {
		w.err = err
		if w.file != nil && !strings.Contains(err.Error(), w.file.Name()) {
			w.err = fmt.Errorf("%s: %w", w.file.Name(), err)
		}
	}
	return w.err
}

// createFile opens what the trace is written to, with what holds its name, and says where it belongs in the end ("":
// where it is).
func createFile(path string) (file *os.File, guard io.Closer, target string, err error) {
	if info, err := os.Stat(path); err == nil {
		if info.IsDir() {
			return nil, nil, "", fmt.Errorf("%s: is a folder", path)
		}
		if !info.Mode().IsRegular() {
			file, err := os.OpenFile(path, os.O_WRONLY, 0)
			return file, nil, "", err
		}
		// Renaming onto a link would replace the link, not the file it stands for.
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return nil, nil, "", err
		}
	}
	const tries = 100
	for i := 0; ; i++ {
		name := path + ".partial"
		if i > 0 {
			name += strconv.Itoa(i)
		}
		file, guard, err := openPartial(name)
		if err == nil || !errors.Is(err, os.ErrExist) || i == tries {
			return file, guard, path, err
		}
	}
}
