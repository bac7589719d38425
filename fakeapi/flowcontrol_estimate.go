package fakeapi

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/holter-sim/holter/sim"
)

// estimate is how many seats a request is to take, by what is stored and watched
// when it comes. Upstream: NewWorkEstimator (apiserver v0.37,
// pkg/util/flowcontrol/request/width.go).
func (f *priorityAndFairness) estimate(r *request, level *priorityLevel) Seats {
	if r.path != "" || f.seats == (SeatRules{}) {
		return Seats{Initial: 1}
	}
	most := mostSeatsOf(level.nominal, level.handSize)
	switch r.op {
	case opList, opWatch:
		c := ListCost{Options: r.listOptions, ByName: r.sel.hasName, Watch: r.op == opWatch, Objects: int64(r.table.live), Most: most}
		if f.seats.BySize {
			c.Size = r.table.averageSize()
		}
		return f.seats.OfList(&c)
	case opCreate, opUpdate, opPatch, opDelete:
		return f.seats.OfWrite(r.interested(), most)
	}
	return Seats{Initial: 1}
}

// interested counts the watches of what the request writes: those of all objects,
// of its namespace, and of its name, but not those of a field that is indexed.
// The name of a new object is not known yet. Upstream: watchTracker (apiserver
// v0.37, pkg/util/flowcontrol/watch_tracker.go).
func (r *request) interested() int {
	t, namespace, name := r.table, r.call.Namespace, r.call.Name
	if r.op == opCreate && !strings.Contains(r.resource, "/") {
		name = ""
	}
	n := t.watches.count(func(w *Watch) bool { return w.ofAll(namespace) })
	if ix := t.byIndex[""]; ix != nil {
		n += ix.watches.count(func(w *Watch) bool { return w.ofAll(namespace) })
	}
	if sp := t.spaces[namespace]; sp != nil && name != "" {
		if row := sp.rows[name]; row != nil {
			n += row.watches.count(func(w *Watch) bool { return w.sel.index == "" })
		}
	}
	return n
}

// ofAll reports whether the watch is of every object of the namespace, or more.
func (w *Watch) ofAll(namespace string) bool {
	return !w.sel.hasName && (w.space == nil || w.space.name == namespace)
}

func (l *watchList) count(what func(*Watch) bool) int {
	n := 0
	for w := l.head; w != nil; w = w.next {
		if what(w) {
			n++
		}
	}
	return n
}

const (
	// remeasured is how often the size of objects is looked at. Upstream:
	// StorageObjectCountTracker is told once a minute.
	remeasured = time.Minute

	// measuredObjects are looked at, or a few more.
	measuredObjects = 100
)

// objectSize is how large the objects of a table are on average, in bytes.
type objectSize struct {
	bytes int64
	until sim.Time // when it is to be looked at again
}

// averageSize is measured on some of the objects, spread over all.
func (t *table) averageSize() int64 {
	now := t.s.engine.Now()
	if t.size.bytes > 0 && now < t.size.until {
		return t.size.bytes
	}
	step, i, n, sum := max(t.live/measuredObjects, 1), 0, int64(0), int64(0)
	for _, sp := range t.sorted {
		for ; i < len(sp.list); i += step {
			if obj := sp.list[i].obj; obj != nil {
				n++
				sum += sizeOf(obj)
			}
		}
		i -= len(sp.list)
	}
	t.size = objectSize{until: now.Add(remeasured)}
	if n > 0 {
		t.size.bytes = sum / n
	}
	return t.size.bytes
}

// sizeOf is what an object takes in etcd, but for a few bytes: resources of
// Kubernetes are stored as protobuf, others as JSON.
func sizeOf(obj object) int64 {
	if proto, ok := obj.(interface{ Size() int }); ok {
		return int64(proto.Size())
	}
	data, err := json.Marshal(obj)
	if err != nil {
		return 0
	}
	return int64(len(data))
}
