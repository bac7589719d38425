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
	bytes int // of what came over the wire

	// list is the version from which on watches may begin; what came after it is
	// complete as long as nothing was dropped.
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
	size  int // in bytes, if it came over the wire
}

// maxLogBytes bounds what clients can have the log keep by writing large objects.
const maxLogBytes = 256 << 20

func (l *watchLog) init(size int) { l.size = size }

// add appends a change and drops the oldest if the log is full.
func (l *watchLog) add(e entry) {
	switch {
	case l.n == l.size:
		l.bytes -= l.ring[l.start].size
		l.ring[l.start] = e
		l.start = (l.start + 1) % len(l.ring)
		l.dropped = true
		return
	case l.n == len(l.ring):
		l.grow()
	}
	l.ring[(l.start+l.n)%len(l.ring)] = e
	l.n++
}

// weigh notes the size of the last change, and drops the oldest of a log that is too
// large.
func (l *watchLog) weigh(size int) {
	l.at(l.n - 1).size = size
	l.bytes += size
	for l.bytes > maxLogBytes && l.n > 1 {
		l.bytes -= l.ring[l.start].size
		l.ring[l.start] = entry{}
		l.start = (l.start + 1) % len(l.ring)
		l.n--
		l.dropped = true
	}
}

func (l *watchLog) grow() {
	bigger := make([]entry, min(l.size, max(16, 2*len(l.ring))))
	for i := range l.n {
		bigger[i] = *l.at(i)
	}
	l.ring, l.start = bigger, 0
}

func (l *watchLog) at(i int) *entry { return &l.ring[(l.start+i)%len(l.ring)] }

// begin forgets for watches what happened up to version, as the watch cache of a
// restarted server does. Lists at an old version are read from etcd, which has
// not restarted, so the changes stay in the log.
func (l *watchLog) begin(version uint64) { l.list = version }

// since returns the index of the first change after rv, or the error for a
// version that a watch cannot begin at any more. As upstream, a full log refuses
// every version before its oldest change, even if nothing of this resource
// happened between the two.
func (l *watchLog) since(rv uint64) (int, *apierrors.StatusError) {
	if rv < l.list {
		return 0, tooOld(rv, l.list)
	}
	return l.after(rv)
}

// after is since for lists: it does not mind a restart.
func (l *watchLog) after(rv uint64) (int, *apierrors.StatusError) {
	if l.dropped && rv < l.at(0).rv-1 {
		return 0, tooOld(rv, l.at(0).rv-1)
	}
	return sort.Search(l.n, func(i int) bool { return l.at(i).rv > rv }), nil
}
