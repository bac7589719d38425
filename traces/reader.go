package traces

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// ReadOptions says how a trace is read.
type ReadOptions struct {
	// Strict makes damage an error instead of an early end.
	Strict bool
}

// Reader reads a trace event by event, in memory bounded by its longest line.
type Reader struct {
	name   string
	strict bool
	lines  *lines
	file   io.Closer
	header Header
	footer *Footer
	damage *Damage
	ended  bool
	names  interner
	hash   hasher
	events uint64
}

// Open opens a trace: a file, or "-" for standard input; plain, gzip or zstd, told by the first bytes. A file that
// has no readable header is an error that names it, and so is one of a format this version does not know.
func Open(path string, o ReadOptions) (*Reader, error) {
	if path == "-" {
		return NewReader(os.Stdin, "standard input", o)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := NewReader(file, path, o)
	if err != nil {
		file.Close()
		return nil, err
	}
	r.file = file
	return r, nil
}

// NewReader is Open for a stream; name is what errors call it.
func NewReader(in io.Reader, name string, o ReadOptions) (*Reader, error) {
	l, err := newLines(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, unusable(err))
	}
	r := &Reader{name: name, strict: o.Strict, lines: l, hash: hashStart}
	if err := r.readHeader(); err != nil {
		l.close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

// Header is the first line of the trace.
func (r *Reader) Header() Header { return r.header }

// Next is the next event; the caller may keep it. io.EOF comes after the last one, or at the damage (see Damage).
// With Strict the damage is the error; it wraps *Damage.
func (r *Reader) Next() (*Event, error) {
	if r.ended {
		return nil, r.atEnd()
	}
	ev := r.readEvent()
	if ev == nil {
		r.ended = true
		return nil, r.atEnd()
	}
	r.events++
	r.hash = r.hash.event(ev)
	return ev, nil
}

// Damage is where the trace stopped being readable, nil if it did not; known once Next has said io.EOF.
func (r *Reader) Damage() *Damage { return r.damage }

// Footer is the last line of the trace, nil before the end and in a damaged trace that has none.
func (r *Reader) Footer() *Footer { return r.footer }

// Hash is the rolling hash of the events read so far, as Recorder.Hash.
func (r *Reader) Hash() string { return r.hash.String() }

// Close releases the file.
func (r *Reader) Close() error {
	r.ended = true
	r.lines.close()
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

// ReadFile reads a whole trace into memory. damage is nil unless the trace was read only in part.
func ReadFile(path string, o ReadOptions) (h Header, events []Event, damage *Damage, err error) {
	r, err := Open(path, o)
	if err != nil {
		return Header{}, nil, nil, err
	}
	defer r.Close()
	for {
		ev, err := r.Next()
		if errors.Is(err, io.EOF) {
			return r.Header(), events, r.Damage(), nil
		}
		if err != nil {
			return Header{}, nil, nil, err
		}
		events = append(events, *ev)
	}
}

func (r *Reader) atEnd() error {
	if r.damage != nil && r.strict {
		return fmt.Errorf("%s: %w", r.name, r.damage)
	}
	return io.EOF
}

func (r *Reader) readHeader() error {
	line, err := r.lines.next()
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("is empty, not a trace")
	case err != nil:
		return unusable(err)
	}
	if broken := r.lines.broken(); broken != nil {
		return unusable(broken)
	}
	var version struct {
		Holter     *string `json:"holter"`
		APIVersion string  `json:"apiVersion"`
	}
	switch err := json.Unmarshal(line, &version); {
	case strings.HasPrefix(version.APIVersion, "audit.k8s.io/"):
		return errors.New("is an audit log, not a trace")
	case err != nil && !r.lines.complete && bytes.HasPrefix(line, []byte(`{"holter":`)):
		return fmt.Errorf("%w: cut off within its header", ErrUnusable)
	case err != nil || version.Holter == nil:
		return errors.New("is not a trace: its first line is not a trace header")
	case *version.Holter != Format:
		return fmt.Errorf("is a trace of format %q, but this version of Holter reads %q only: a newer one may have"+
			" written it", *version.Holter, Format)
	}
	if err := json.Unmarshal(line, &r.header); err != nil {
		return fmt.Errorf("its header is corrupt: %w", err)
	}
	return nil
}

// ErrUnusable is wrapped by the error of a trace of which nothing can be read, though it may be one.
var ErrUnusable = errors.New("nothing of it can be read")

// unusable says of a stream why it gives not even the first line.
func unusable(err error) error {
	var inFile *fs.PathError
	switch {
	case errors.As(err, &inFile):
		return fmt.Errorf("cannot be read: %w", inFile.Err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: cut off within the first block", ErrUnusable)
	}
	return fmt.Errorf("%w: it is corrupt: %w", ErrUnusable, err)
}

// readEvent is the next event; nil at the footer, which it checks, and at the damage, which it describes.
func (r *Reader) readEvent() *Event {
	line, err := r.lines.next()
	switch {
	case errors.Is(err, io.EOF):
		r.damage = r.lines.damagedAfter("the trace ends after event %d without its footer: it was cut off", r.events)
		return nil
	case err != nil:
		r.damage = r.lines.damagedAfter("%v", afterEvents(err, r.events))
		return nil
	}
	if broken := r.lines.broken(); broken != nil {
		r.damage = r.lines.damaged("%v", cutOrCorrupt(broken))
		return nil
	}
	if isFooter(line) {
		r.readFooter(line)
		return nil
	}
	ev := new(Event)
	if err := decodeEvent(line, ev, &r.names); err != nil {
		if !r.lines.complete {
			r.damage = r.lines.damaged("the line is cut off")
		} else {
			r.damage = r.lines.damaged("the line is corrupt: %v", err)
		}
		return nil
	}
	if ev.Seq != r.events+1 {
		r.damage = altered(r.lines.damaged("event %d stands where event %d should", ev.Seq, r.events+1))
		return nil
	}
	return ev
}

// isFooter tells the footer from an event, which always begins with its sequence.
func isFooter(line []byte) bool {
	return bytes.HasPrefix(line, []byte(`{"events":`))
}

func (r *Reader) readFooter(line []byte) {
	footer := new(Footer)
	if err := json.Unmarshal(line, footer); err != nil {
		r.damage = r.lines.damaged("the footer is corrupt or cut off")
		return
	}
	r.footer = footer
	switch {
	case footer.Events != r.events:
		r.damage = altered(r.lines.damaged("the footer counts %d events, but there are %d", footer.Events, r.events))
	case footer.Hash != r.hash.String():
		r.damage = altered(r.lines.damaged("the footer's hash is %s, but that of the events is %s", footer.Hash, r.hash))
	default:
		r.checkEnd()
	}
}

func altered(d *Damage) *Damage {
	d.Altered = true
	return d
}

// afterEvents says of a stream why it gives no line after so many events.
func afterEvents(err error, events uint64) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the trace is cut off after event %d: %w", events, err)
	}
	return fmt.Errorf("the trace is corrupt after event %d: %w", events, err)
}

// checkEnd sees to it that nothing follows the footer, and that a compressed stream ends well.
func (r *Reader) checkEnd() {
	_, err := r.lines.next()
	switch {
	case err == nil:
		r.damage = r.lines.damaged("there is more after the footer")
	case !errors.Is(err, io.EOF):
		r.damage = r.lines.damagedAfter("%v", afterEvents(err, r.events))
	}
}
