package fakeapi

import (
	"sort"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/watch"
)

// watchLog remembers the last changes of a resource, so that a watch can begin
// in the past. Upstream: watchCacheHistory (apiserver v0.37, storage/cacher).
type watchLog struct {
	ring  []entry
	start int
	n     int
	size  int

	// list is the version of the store when the log was last empty; what came
	// after it is complete as long as nothing was dropped.
	list    uint64
	dropped bool
}

// entry is one change in the log.
type entry struct {
	typ   watch.EventType
	space *space
	obj   object
	old   object
	rv    uint64
}

func (l *watchLog) init(size int) { l.size = size }

// add appends a change and drops the oldest if the log is full.
func (l *watchLog) add(e entry) {
	switch {
	case l.n == l.size:
		l.ring[l.start] = e
		l.start = (l.start + 1) % l.size
		l.dropped = true
		return
	case l.n == len(l.ring):
		l.grow()
	}
	l.ring[(l.start+l.n)%len(l.ring)] = e
	l.n++
}

func (l *watchLog) grow() {
	bigger := make([]entry, min(l.size, max(16, 2*len(l.ring))))
	for i := range l.n {
		bigger[i] = *l.at(i)
	}
	l.ring, l.start = bigger, 0
}

func (l *watchLog) at(i int) *entry { return &l.ring[(l.start+i)%len(l.ring)] }

// reset empties the log, as a restarted server's is: it knows the state as of
// version, and nothing before.
func (l *watchLog) reset(version uint64) {
	clear(l.ring)
	l.start, l.n, l.list, l.dropped = 0, 0, version, false
}

// since returns the index of the first change after rv, or the error for a
// version that the log no longer reaches back to. As upstream, a full log
// refuses every version before its oldest change, even if nothing of this
// resource happened between the two.
func (l *watchLog) since(rv uint64) (int, *apierrors.StatusError) {
	oldest := l.list + 1
	if l.dropped {
		oldest = l.at(0).rv
	}
	if rv < oldest-1 {
		return 0, tooOld(rv, oldest-1)
	}
	return sort.Search(l.n, func(i int) bool { return l.at(i).rv > rv }), nil
}
