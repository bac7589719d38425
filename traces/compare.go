package traces

import (
	"errors"
	"io"
	"time"
)

// Source gives events in order, io.EOF after the last: a Reader, or a Memory's Source.
type Source interface {
	Next() (*Event, error)
}

// CompareOptions says how two runs are compared.
type CompareOptions struct {
	// Surround is how many events before and after the first difference are kept from each side. 0 means 5,
	// negative means none.
	Surround int
	// Precision is how far times are looked at: both are cut down to a multiple of it. 0 means exactly, to the
	// nanosecond; time.Microsecond is what an audit log or a trace edited by hand can hold.
	Precision time.Duration
}

// Compare finds the first event in which got differs from expected: any field but Body. nil means the runs are equal.
// If a side is a damaged trace, the runs are compared up to the damage.
func Compare(expected, got Source, o CompareOptions) (*Divergence, error) {
	c := NewComparer(expected, o)
	for !c.Done() {
		ev, err := got.Next()
		if errors.Is(err, io.EOF) {
			if damaged(got) {
				c.settle()
			}
			break
		}
		if err != nil {
			return nil, err
		}
		if err := c.Event(ev); err != nil {
			return nil, err
		}
	}
	return c.Finish()
}

// Comparer is a Sink that compares a run with an expected one while it goes on, in constant memory.
type Comparer struct {
	expected  Source
	surround  int
	precision time.Duration
	equal     uint64
	recent    []Event // a ring of the last equal events; the next goes to recent[equal % surround]
	found     *Divergence
	settled   bool // nothing more to be learnt
	err       error
}

// NewComparer compares what it is given as a Sink with expected.
func NewComparer(expected Source, o CompareOptions) *Comparer {
	c := &Comparer{expected: expected, surround: o.Surround, precision: max(o.Precision, 1)}
	if o.Surround == 0 {
		c.surround = 5
	}
	c.surround = max(c.surround, 0)
	c.recent = make([]Event, 0, c.surround)
	return c
}

// Event compares the next event of the run; the error is that of the expected side, if it cannot be read.
func (c *Comparer) Event(ev *Event) error {
	switch {
	case c.settled:
		return c.err
	case c.found != nil:
		c.follow(ev)
		return nil
	}
	want, err := c.next()
	if err != nil || c.settled {
		return err
	}
	if want != nil && sameEvent(want, ev, c.precision) {
		c.remember(want)
		return nil
	}
	got := ev.clone()
	c.found = &Divergence{Index: c.equal + 1, Expected: want, Got: &got, Before: c.before()}
	if want != nil {
		c.found.Fields = differences(want, ev, c.precision)
	}
	c.settled = c.surround == 0
	return nil
}

// Done says that further events would add nothing: the run may be stopped.
func (c *Comparer) Done() bool { return c.settled }

// Equal is the number of events that were equal on both sides, from the first on.
func (c *Comparer) Equal() uint64 { return c.equal }

// Finish ends the comparison when the run has ended; nil means that it was equal throughout.
func (c *Comparer) Finish() (*Divergence, error) {
	if c.err != nil {
		return nil, c.err
	}
	if c.found == nil && !c.settled {
		want, err := c.next()
		if err != nil {
			return nil, err
		}
		if want != nil {
			c.found = &Divergence{Index: c.equal + 1, Expected: want, Before: c.before()}
		}
	}
	c.settled = true
	d := c.found
	if d == nil {
		return nil, nil
	}
	for d.Expected != nil && len(d.ExpectedAfter) < c.surround {
		want, err := c.expected.Next()
		if err != nil { // whatever it is: the difference is found, the rest is decoration
			break
		}
		d.ExpectedAfter = append(d.ExpectedAfter, *want)
	}
	return d, nil
}

// next is the next expected event, nil at the end of the run.
func (c *Comparer) next() (*Event, error) {
	want, err := c.expected.Next()
	switch {
	case errors.Is(err, io.EOF):
		c.settled = damaged(c.expected)
		return nil, nil
	case err != nil:
		c.err, c.settled = err, true
		return nil, err
	}
	return want, nil
}

func (c *Comparer) settle() { c.settled = true }

func (c *Comparer) follow(ev *Event) {
	c.found.GotAfter = append(c.found.GotAfter, ev.clone())
	c.settled = len(c.found.GotAfter) >= c.surround
}

func (c *Comparer) remember(ev *Event) {
	if c.surround > 0 {
		if len(c.recent) < c.surround {
			c.recent = append(c.recent, *ev)
		} else {
			c.recent[c.equal%uint64(c.surround)] = *ev
		}
	}
	c.equal++
}

// before unrolls the ring, oldest first.
func (c *Comparer) before() []Event {
	if len(c.recent) < c.surround || c.surround == 0 {
		return append([]Event(nil), c.recent...)
	}
	i := c.equal % uint64(c.surround)
	return append(append([]Event(nil), c.recent[i:]...), c.recent[:i]...)
}

// damaged tells the end of a run from the place where its trace stops being readable.
func damaged(s Source) bool {
	d, ok := s.(interface{ Damage() *Damage })
	return ok && d.Damage() != nil
}

// slice is a Source over events in memory.
type slice struct {
	events []Event
}

func (s *slice) Next() (*Event, error) {
	if len(s.events) == 0 {
		return nil, io.EOF
	}
	ev := &s.events[0]
	s.events = s.events[1:]
	return ev, nil
}
