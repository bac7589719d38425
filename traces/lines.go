package traces

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// lineLimit bounds a line, and so the memory that a file without newlines can take.
const lineLimit = 256 << 20

var errLineTooLong = errors.New("the line is too long to be one event")

// lines reads a plain, gzip or zstd stream line by line; which it is, is told by its first bytes. Memory is bounded
// by the longest line.
type lines struct {
	in      *bufio.Reader
	long    []byte // a line that does not fit in's buffer
	closers []func()
	limit   int // lineLimit, but for tests

	number   int   // of the line that next returned, from 1
	offset   int64 // of that line's first byte, in the uncompressed text
	end      int64 // the offset after it
	complete bool  // it ended with a newline
	failed   error // what next is to say after a line that was cut by it
}

func newLines(r io.Reader) (*lines, error) {
	const buffer = 256 << 10
	raw := bufio.NewReaderSize(r, 64<<10)
	magic, err := raw.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	l := &lines{limit: lineLimit}
	switch {
	case bytes.HasPrefix(magic, []byte{0x1F, 0x8B}):
		z, err := gzip.NewReader(raw)
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		l.in = bufio.NewReaderSize(z, buffer)
	case isZstd(magic):
		// One goroutine, and no window beyond what zstd itself reads without being told to.
		z, err := zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			return nil, fmt.Errorf("zstd: %w", err)
		}
		l.closers = append(l.closers, z.Close)
		l.in = bufio.NewReaderSize(z, buffer)
	default:
		l.in = bufio.NewReaderSize(raw, buffer)
	}
	return l, nil
}

// isZstd knows a frame of zstd, and the skippable frames that seekable and parallel writers begin with.
func isZstd(magic []byte) bool {
	return bytes.Equal(magic, []byte{0x28, 0xB5, 0x2F, 0xFD}) ||
		len(magic) == 4 && magic[0]&0xF0 == 0x50 && bytes.Equal(magic[1:], []byte{0x2A, 0x4D, 0x18})
}

// next is the next line, without its newline ("\n" or "\r\n"); it is valid until the next call. A last line without
// a newline is returned with complete false. Then comes io.EOF, or the error that cut the stream.
func (l *lines) next() ([]byte, error) {
	if l.failed != nil {
		return nil, l.failed
	}
	l.offset = l.end
	l.complete = false
	line, err := l.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		line, err = l.readLong(line)
	}
	l.end += int64(len(line))
	if err != nil {
		l.failed = err
		if len(line) == 0 {
			return nil, err
		}
		l.number++
		return line, nil
	}
	l.number++
	l.complete = true
	line = line[:len(line)-1]
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line, nil
}

func (l *lines) readLong(start []byte) ([]byte, error) {
	l.long = append(l.long[:0], start...)
	for {
		part, err := l.in.ReadSlice('\n')
		l.long = append(l.long, part...)
		switch {
		case len(l.long) > l.limit:
			return l.long, errLineTooLong
		case !errors.Is(err, bufio.ErrBufferFull):
			return l.long, err
		}
	}
}

// broken is what cut the stream in the middle of the line that next returned last; nil at a clean end of file.
func (l *lines) broken() error {
	if l.failed == nil || errors.Is(l.failed, io.EOF) {
		return nil
	}
	return l.failed
}

// cutOrCorrupt says in words what is the matter with a stream: it ends too early, or is not what was written.
func cutOrCorrupt(err error) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the line is cut off: " + err.Error())
	case errors.Is(err, errLineTooLong):
		return err
	}
	return fmt.Errorf("the line is corrupt: %w", err)
}

func (l *lines) close() {
	for _, c := range l.closers {
		c()
	}
	l.closers = nil
}

// Damage says where a file stops being readable, and why. It is an error too.
type Damage struct {
	// Line is the damaged line, from 1.
	Line int
	// Offset is where that line begins, in bytes of the (uncompressed) text.
	Offset int64
	// What is wrong with it.
	What string
	// Altered is true where the file can be read and is not what was written: events are missing within it, or their
	// hash is another. What was cut off, or cannot be read, may have been well.
	Altered bool
}

// Error is "line 17 (byte 5120): what is wrong".
func (d *Damage) Error() string {
	return fmt.Sprintf("line %d (byte %d): %s", d.Line, d.Offset, d.What)
}

// damaged describes the line that next returned last.
func (l *lines) damaged(format string, args ...any) *Damage {
	return &Damage{Line: l.number, Offset: l.offset, What: fmt.Sprintf(format, args...)}
}

// damagedAfter describes what should have followed the line that next returned last.
func (l *lines) damagedAfter(format string, args ...any) *Damage {
	return &Damage{Line: l.number + 1, Offset: l.end, What: fmt.Sprintf(format, args...)}
}
