package fakeapi

import (
	"io"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/holter-sim/holter/sim"
)

// The server's end of a watch: who hears of which change, and when.

const (
	// bookmarkPeriod is how often a watch that allows bookmarks gets one, and
	// bookmarkLead how long before its end it gets the last. Upstream:
	// cacher.go and cache_watcher.go (apiserver v0.36, storage/cacher).
	bookmarkPeriod = time.Minute
	bookmarkLead   = 2 * time.Second

	// minWatchTime is how long a watch lasts that names no timeout: a draw
	// from [1,2) of it. Upstream: --min-request-timeout.
	minWatchTime = 30 * time.Minute
)

// replay is what a new watch is sent first.
type replay struct {
	initial  bool // the present state
	bookmark bool // and a bookmark after it
	resume   bool // what happened after version
	version  uint64
	expired  *apierrors.StatusError
}

// open checks the options of a watch request.
func (w *Watch) open(o *metav1.ListOptions) *apierrors.StatusError {
	w.bookmarks = o.AllowWatchBookmarks && !w.client.s.noBookmarks && !w.table.res.uncached // they come from the watch cache
	version, err := parseVersion(o.ResourceVersion)
	if err != nil {
		return err
	}
	if err := checkOptions(o, true); err != nil {
		return err
	}
	w.plan(o, version)
	w.client.s.setDeadline(w, o.TimeoutSeconds)
	return nil
}

// plan decides what is replayed. Upstream: an unset version and "0" begin with
// the present state even without sendInitialEvents.
func (w *Watch) plan(o *metav1.ListOptions, version uint64) {
	switch {
	case o.SendInitialEvents != nil && *o.SendInitialEvents:
		w.replay = replay{initial: true, bookmark: o.AllowWatchBookmarks}
	case o.SendInitialEvents != nil && version == 0:
	case version == 0:
		w.replay = replay{initial: true}
	default:
		_, err := w.table.log.since(version)
		w.replay = replay{resume: true, version: version, expired: err}
	}
}

func (s *Server) setDeadline(w *Watch, seconds *int64) {
	d := minWatchTime
	if seconds != nil && *seconds > 0 {
		d = time.Duration(*seconds) * time.Second
	} else {
		d += time.Duration(s.host.Rand("watch-timeout").Int64N(int64(d)))
	}
	w.deadline = s.engine.Now().Add(d)
}

// begin registers the watch, whose establishment reaches the client at that
// instant, and sends what is to be replayed.
func (w *Watch) begin(due sim.Time) {
	t := w.table
	w.lastDue = due
	if w.space != nil && !w.space.kept {
		w.space = t.look(w.space.name)
	}
	w.onPump = w.pump
	w.life = w.client.host.Incarnation()
	if w.replay.expired != nil {
		w.send(delivery{err: w.replay.expired})
		return
	}
	w.attach()
	w.began = t.s.version
	switch {
	case w.replay.initial:
		for _, obj := range t.selectObjects(w.space, &w.sel) {
			w.send(delivery{ev: watch.Event{Type: watch.Added, Object: obj}})
		}
		if w.replay.bookmark {
			w.send(delivery{ev: watch.Event{Type: watch.Bookmark, Object: t.bookmarkObject(true)}})
		}
	case w.replay.resume:
		first, _ := t.log.since(w.replay.version)
		for i := first; i < t.log.n; i++ {
			e := t.log.at(i)
			w.offer(e.typ, e.space, e.obj, e.old)
		}
		w.began = w.replay.version
		if t.log.n > first {
			w.began = t.log.at(t.log.n - 1).rv
		}
	}
	w.schedule()
}

// attach enters the watch where the changes it waits for will find it.
func (w *Watch) attach() {
	t, s := w.table, w.client.s
	w.attached = true
	switch {
	case w.byName():
		w.on = &w.space.row(w.sel.name).watches
	case w.sel.hasIndex:
		w.on = &t.indexOf(w.sel.index).watches
	default:
		w.on = &t.watches
	}
	w.on.push(w)
	s.streams.push(w)
}

// byName reports whether the watch is kept with the one object that it is about. In
// a namespace that is not there nothing is kept.
func (w *Watch) byName() bool { return w.sel.hasName && w.space != nil && w.space.kept }

// detach makes the server forget the watch.
func (w *Watch) detach() {
	if !w.attached {
		return
	}
	t, s := w.table, w.client.s
	w.attached = false
	w.timer.Cancel()
	w.on.remove(w)
	s.streams.remove(w)
	switch {
	case w.byName():
		if r := w.space.rows[w.sel.name]; r != nil && r.obj == nil && r.watches.head == nil {
			delete(w.space.rows, w.sel.name)
		}
	case w.sel.hasIndex:
		t.dropIndex(w.sel.index, t.indexOf(w.sel.index))
	}
}

// schedule sets the timer for the next bookmark or the end.
func (w *Watch) schedule() {
	s := w.client.s
	now := s.engine.Now()
	at := w.deadline
	if w.bookmarks {
		if lead := w.deadline.Add(-bookmarkLead); lead > now {
			at = min(lead, now.Add(bookmarkPeriod))
		}
	}
	w.timer = s.host.After(at.Sub(now), w.tick)
}

// tick sends a bookmark, or ends a watch whose time is up. What a watch began with it
// is not told again. Upstream: cacheWatcher.process (apiserver v0.37, storage/cacher).
func (w *Watch) tick() {
	if w.gone() {
		w.detach()
		return
	}
	if w.client.s.engine.Now() >= w.deadline {
		w.detach()
		w.send(delivery{err: io.EOF})
		return
	}
	if w.client.s.version > w.began { // which may be in the future
		w.send(delivery{ev: watch.Event{Type: watch.Bookmark, Object: w.table.bookmarkObject(false)}})
	}
	w.schedule()
}

// bookmarkObject returns an empty object with the store's version.
func (t *table) bookmarkObject(initial bool) object {
	version := strconv.FormatUint(t.s.version, 10)
	if !initial && t.bookmark != nil && metaOf(t.bookmark).ResourceVersion == version {
		return t.bookmark
	}
	obj := t.res.blank()
	m := metaOf(obj)
	m.ResourceVersion = version
	if initial {
		m.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
		return obj
	}
	t.bookmark = obj
	return obj
}

// publish tells every watch that a change may concern.
func (t *table) publish(ch *change) {
	if ch.old == nil && t == t.s.events {
		t.s.stats.Events++
	}
	ch.row.watches.offer(ch)
	t.watches.offer(ch)
	if len(t.byIndex) == 0 {
		return
	}
	to := t.res.indexed(ch.obj)
	if ix := t.byIndex[to]; ix != nil {
		ix.watches.offer(ch)
	}
	if ch.old == nil {
		return
	}
	if from := t.res.indexed(ch.old); from != to {
		if ix := t.byIndex[from]; ix != nil {
			ix.watches.offer(ch)
		}
	}
}

func (l *watchList) offer(ch *change) {
	for w := l.head; w != nil; {
		next := w.next
		if w.gone() {
			w.detach()
		} else {
			if ch.rv > w.replay.version { // a watch may begin in the future
				w.offer(ch.typ, ch.row.space, ch.obj, ch.old)
			}
		}
		w = next
	}
}

// gone reports whether the client that opened the watch is no more.
func (w *Watch) gone() bool {
	h := w.client.host
	return w.stopped || !h.Alive() || h.Incarnation() != w.life
}

// offer sends a change if it concerns the watch, as that which it is to the
// watch: an object that begins to match is added, one that ceases to is
// deleted. Upstream: cacheWatcher.convertToWatchEvent.
func (w *Watch) offer(typ watch.EventType, sp *space, obj, old object) {
	if w.space != nil && w.space.name != sp.name {
		return
	}
	if !w.sel.trivial() {
		is := typ != watch.Deleted && w.sel.matches(obj)
		was := old != nil && w.sel.matches(old)
		switch {
		case is && was:
			typ = watch.Modified
		case is:
			typ = watch.Added
		case was && typ != watch.Deleted:
			version := metaOf(obj).ResourceVersion
			typ, obj = watch.Deleted, w.table.res.shallow(old)
			metaOf(obj).ResourceVersion = version
		case !was:
			return
		}
	}
	w.send(delivery{ev: watch.Event{Type: typ, Object: obj}})
}

// send puts a delivery on its way. One watch's deliveries never overtake each
// other.
func (w *Watch) send(d delivery) {
	s := w.client.s
	d.sent, d.cause = s.engine.Now(), s.engine.Cause()
	d.due = max(w.lastDue, d.sent.Add(s.network.delayWatch(w)))
	w.lastDue = d.due
	w.queue.push(d)
	w.arm()
}

// arm sets the timer for the next delivery to arrive.
func (w *Watch) arm() {
	if w.armed || w.held || w.arrived >= w.queue.n {
		return
	}
	w.armed = true
	e := w.client.s.engine
	d := w.queue.at(w.arrived)
	cause := e.Cause()
	e.SetCause(d.cause)
	e.At(max(d.due, e.Now()), w.onPump)
	e.SetCause(cause)
}

// pump lets arrive what is due, unless a rule holds it.
func (w *Watch) pump() {
	w.armed = false
	if w.stopped || w.arrived >= w.queue.n {
		return
	}
	s := w.client.s
	if len(s.network.rules) > 0 && s.network.holds(w) {
		w.held = true
		s.network.held = append(s.network.held, w)
		return
	}
	if w.gone() {
		w.Stop()
		return
	}
	if w.conn.dead {
		return
	}
	now := s.engine.Now()
	w.conn.hear(now)
	for w.arrived < w.queue.n && w.queue.at(w.arrived).due <= now {
		d := w.queue.at(w.arrived)
		w.arrived++
		w.ended = d.err != nil
		if w.client.observed && d.err == nil && s.observer != nil {
			s.observer.Delivered(w.client.name, w.table.res.plural, d.ev, d.sent)
		}
	}
	w.notify()
	w.arm()
}

// watchList is a list of watches, in the order they were opened.
type watchList struct{ head, tail *Watch }

func (l *watchList) push(w *Watch) {
	w.prev, w.next = l.tail, nil
	if l.tail == nil {
		l.head = w
	} else {
		l.tail.next = w
	}
	l.tail = w
}

func (l *watchList) remove(w *Watch) {
	if w.prev == nil {
		l.head = w.next
	} else {
		w.prev.next = w.next
	}
	if w.next == nil {
		l.tail = w.prev
	} else {
		w.next.prev = w.prev
	}
	w.prev, w.next = nil, nil
}

// streamList is the list of all open watches of a server, oldest first.
type streamList struct {
	head, tail *Watch
	n          int
}

func (l *streamList) push(w *Watch) {
	w.older, w.newer = l.tail, nil
	if l.tail == nil {
		l.head = w
	} else {
		l.tail.newer = w
	}
	l.tail = w
	l.n++
}

func (l *streamList) remove(w *Watch) {
	if w.older == nil {
		l.head = w.newer
	} else {
		w.older.newer = w.newer
	}
	if w.newer == nil {
		l.tail = w.older
	} else {
		w.newer.older = w.older
	}
	w.older, w.newer = nil, nil
	l.n--
}
