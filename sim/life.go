package sim

import "sort"

// life is one incarnation of a host, from its start to its death. Events and
// processes point to it, so that a kill disowns all of them at one stroke.
type life struct {
	host        *Host
	dead        bool
	paused      bool
	incarnation int
	pending     int      // events scheduled and yet to happen
	first, last *process // processes that have started, in that order

	// held are events that must wait: for Resume, or after it for those held
	// before them. What others did to the host under pause, a reply or a watch
	// event say, has arrived and goes first; then what fell due. Each is let go
	// by a token, an event of no host. While l is not paused there are as many
	// tokens as events, and the places of the tokens do not depend on which of
	// the events are cancelled yet.
	arrived, held fifo
	tokens        int

	streams []namedStream // sorted by purpose
}

type namedStream struct {
	purpose string
	rand    *Rand
}

func newLife(h *Host, incarnation int) *life { return &life{host: h, incarnation: incarnation} }

// holding reports whether an event that falls due now must wait.
func (l *life) holding() bool { return l.paused || l.waiting() > 0 }

func (l *life) waiting() int { return l.arrived.len() + l.held.len() }

// hold puts an event aside. sent tells one that was scheduled for the present
// instant from a timer: a paused host does nothing, so others did it.
func (l *life) hold(r ref, sent bool) {
	if sent && l.paused {
		l.arrived.push(r)
	} else {
		l.held.push(r)
	}
	switch {
	case !l.paused:
		l.drain()
	case l.tokens == 0 && l.waiting() > 2*l.pending+64: // most are cancelled
		l.arrived.filter(l.host.e.live)
		l.held.filter(l.host.e.live)
	}
}

// drain schedules a token for each held event that has none.
func (l *life) drain() {
	e := l.host.e
	for l.tokens < l.waiting() {
		e.soon(l.release, nil, e.cause)
		e.zombies++
		l.tokens++
	}
}

// release is what a token does: it lets go the event that is next.
func (l *life) release() {
	e := l.host.e
	e.stats.Events-- // the token is none
	e.zombies--
	l.tokens--
	if l.paused || l.waiting() == 0 {
		return
	}
	if r := l.popHeld(); e.live(r) {
		e.fire(r)
	}
}

func (l *life) popHeld() ref {
	if l.arrived.n > 0 {
		return l.arrived.pop()
	}
	return l.held.pop()
}

// kill disowns the events of l and unwinds its processes.
func (l *life) kill() {
	e := l.host.e
	l.dead, l.paused = true, false
	e.zombies += l.pending
	for l.waiting() > 0 {
		e.live(l.popHeld()) // reclaims the slot
	}
	e.compact()
	cause := e.cause
	for p := l.first; p != nil; {
		if !p.parked { // below us on the stack: it unwinds at its next block
			p = p.next
			continue
		}
		e.resume(p)
		e.cause = cause
		p = l.first
	}
}

// stream returns the stream for a purpose; if there is none yet, it is made, in
// place if place is not nil. The list is short; a map would be most of what an
// idle host costs.
func (l *life) stream(purpose string, place *Rand) *Rand {
	i := sort.Search(len(l.streams), func(i int) bool { return l.streams[i].purpose >= purpose })
	if i < len(l.streams) && l.streams[i].purpose == purpose {
		return l.streams[i].rand
	}
	if place == nil {
		place = new(Rand)
	}
	place.seed(l.host.e.seed, "host", l.host.name, l.incarnation, purpose)
	l.streams = append(l.streams, namedStream{})
	copy(l.streams[i+1:], l.streams[i:])
	l.streams[i] = namedStream{purpose, place}
	return place
}
