package traces

import "bytes"

// Sink takes the events of a run as they are recorded.
type Sink interface {
	// Event takes one event. *Event and what it points to are only valid during the call, and
	// not to be changed. After an error the sink is given no more events.
	Event(ev *Event) error
}

// Recorder numbers and hashes the events of one run and hands them to its sinks. It does not allocate.
type Recorder struct {
	events uint64
	hash   hasher
	sinks  []Sink
	err    error
	// current is what sinks are given a pointer to: a parameter that escapes would cost an allocation per event.
	current Event
}

// NewRecorder starts a recording; without sinks it only counts and hashes.
func NewRecorder(sinks ...Sink) *Recorder {
	return &Recorder{hash: hashStart, sinks: append([]Sink(nil), sinks...)}
}

// Record takes one event and returns the sequence number it was given: 1 for the first. ev.Seq is ignored. A sink
// that fails is dropped, and Err says why; the count and the hash go on.
func (r *Recorder) Record(ev Event) uint64 {
	r.events++
	ev.Seq = r.events
	r.hash = r.hash.event(&ev)
	if len(r.sinks) > 0 {
		r.current = ev
		r.deliver()
	}
	return ev.Seq
}

// Hash is the rolling hash of what was recorded so far, 16 hex digits. Bodies take no part in it.
func (r *Recorder) Hash() string { return r.hash.String() }

// Events is the number of events recorded so far, and the Seq of the last one.
func (r *Recorder) Events() uint64 { return r.events }

// Err is the first error of a sink, nil if all is well.
func (r *Recorder) Err() error { return r.err }

func (r *Recorder) deliver() {
	for i := 0; i < len(r.sinks); {
		err := r.sinks[i].Event(&r.current)
		if err == nil {
			i++
			continue
		}
		if r.err == nil {
			r.err = err
		}
		r.sinks = append(r.sinks[:i], r.sinks[i+1:]...)
	}
}

// Memory is a Sink that keeps the events of a run, bodies included. The zero value is ready.
type Memory struct {
	Events []Event
}

// Event keeps a copy of ev; it never fails.
func (m *Memory) Event(ev *Event) error {
	m.Events = append(m.Events, ev.clone())
	return nil
}

// clone is a copy that shares nothing with what a sink was lent.
func (ev *Event) clone() Event {
	c := *ev
	c.Body = bytes.Clone(ev.Body)
	return c
}

// Source reads the kept events from the first, for Compare.
func (m *Memory) Source() Source { return &slice{events: m.Events} }

// SinkFunc is a function as a Sink.
type SinkFunc func(ev *Event) error

// Event calls f.
func (f SinkFunc) Event(ev *Event) error { return f(ev) }
