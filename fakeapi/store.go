package fakeapi

import (
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/watch"
)

// table holds the objects of one resource. Objects are immutable: a write puts
// a new one in the place of the old one, which readers may go on holding.
type table struct {
	s      *Server
	res    *resource
	spaces map[string]*space
	sorted []*space // by name; a cluster-scoped resource has the one space ""
	live   int
	size   objectSize
	log    watchLog

	watches  watchList                                   // those found neither by name nor by index
	byIndex  map[string]*indexed                         // by the value of the resource's index field
	bookmark object                                      // the last bookmark sent, shared while its version holds
	managers map[managedKind]*managedfields.FieldManager // see apply.go
	oldest   []birth                                     // in order of creation, if the resource is bounded
}

// space is one namespace of a table.
type space struct {
	name string
	kept bool // it is in the table: see look
	rows map[string]*row
	// list has every row that has or had an object, sorted by name as far as
	// it is clean. Rows without an object are skipped, and dropped in time.
	list  []*row
	dirty bool
	dead  int
}

// row is the place of one object: the object, if it exists, and those who
// watch it by name, whether or not it does.
type row struct {
	name    string
	space   *space
	obj     object
	listed  bool
	watches watchList
	sum     uint64 // of obj, with Options.CheckImmutable
}

// birth is an object as it was created. Its place may be another's by now.
type birth struct {
	row *row
	uid types.UID
}

func (b birth) alive() bool { return b.row.obj != nil && metaOf(b.row.obj).UID == b.uid }

// indexed is what shares a value of the index field.
type indexed struct {
	rows    []*row
	watches watchList
}

// change is one committed write.
type change struct {
	typ   watch.EventType
	table *table
	row   *row
	obj   object // the new state; of a deletion, the last state with the version of the deletion
	old   object // the state before, nil if there was none
	rv    uint64
	call  *Call
}

func newTable(s *Server, res *resource, logSize int) *table {
	t := &table{s: s, res: res, spaces: map[string]*space{}, byIndex: map[string]*indexed{}}
	t.log.init(logSize)
	return t
}

// space returns the namespace of that name, which need not have objects, and keeps it.
func (t *table) space(name string) *space {
	sp := t.look(name)
	t.keep(sp)
	return sp
}

// look is space for those who only ask: a namespace that was never there is empty,
// and kept once it has an object. Otherwise clients could fill the table with names.
func (t *table) look(name string) *space {
	if sp := t.spaces[name]; sp != nil {
		return sp
	}
	return &space{name: name, rows: map[string]*row{}}
}

func (t *table) keep(sp *space) {
	if sp.kept {
		return
	}
	sp.kept = true
	t.spaces[sp.name] = sp
	i, _ := slices.BinarySearchFunc(t.sorted, sp.name, func(sp *space, name string) int { return compareNamespaces(sp.name, name) })
	t.sorted = slices.Insert(t.sorted, i, sp)
}

// compareNamespaces orders namespaces as the keys of their objects are ordered, in
// which a slash follows them: "team-a" is before "team".
func compareNamespaces(a, b string) int {
	n := min(len(a), len(b))
	if c := strings.Compare(a[:n], b[:n]); c != 0 || len(a) == len(b) {
		return c
	}
	if len(a) < len(b) && b[n] > '/' || len(a) > len(b) && a[n] < '/' {
		return -1
	}
	return 1
}

// get returns the object of that name, or nil.
func (sp *space) get(name string) object {
	if r := sp.rows[name]; r != nil {
		return r.obj
	}
	return nil
}

// row returns the place of that name, made if need be.
func (sp *space) row(name string) *row {
	r := sp.rows[name]
	if r == nil {
		r = &row{name: name, space: sp}
		sp.rows[name] = r
	}
	return r
}

// objects appends the objects of sp in the order of their names.
func (sp *space) objects(out []object) []object {
	sp.tidy()
	for _, r := range sp.list {
		out = append(out, r.obj)
	}
	return out
}

// tidy drops empty rows from the list and sorts it.
func (sp *space) tidy() {
	if sp.dead > 0 {
		sp.list = slices.DeleteFunc(sp.list, func(r *row) bool {
			if r.obj == nil {
				r.listed = false
			}
			return r.obj == nil
		})
		sp.dead = 0
	}
	if sp.dirty {
		slices.SortFunc(sp.list, func(a, b *row) int { return strings.Compare(a.name, b.name) })
		sp.dirty = false
	}
}

// list enters a row that has just got its object.
func (sp *space) enter(r *row) {
	if r.listed {
		sp.dead--
		return
	}
	r.listed = true
	if n := len(sp.list); n > 0 && sp.list[n-1].name > r.name {
		sp.dirty = true
	}
	sp.list = append(sp.list, r)
}

// leave takes note that a row has lost its object.
func (sp *space) leave(r *row) {
	sp.dead++
	if r.watches.head == nil {
		delete(sp.rows, r.name)
	}
	if sp.dead > 64 && 2*sp.dead > len(sp.list) {
		sp.tidy()
	}
}

// commit puts next in the place of r's object, under the next resourceVersion.
// next must be fresh. A nil next deletes. It returns what is now stored, or the
// last state of what was deleted, with the version of the deletion.
func (t *table) commit(r *row, next object, c *Call) object {
	s, old := t.s, r.obj
	s.committing++
	s.checkRow(t, r)
	s.version++
	ch := change{typ: watch.Modified, table: t, row: r, obj: next, old: old, rv: s.version, call: c}
	switch {
	case next == nil:
		ch.typ = watch.Deleted
		ch.obj = t.res.shallow(old)
		r.obj = nil
		t.live--
		r.space.leave(r)
	case old == nil:
		ch.typ = watch.Added
		t.keep(r.space)
		r.obj = next
		t.live++
		r.space.enter(r)
	default:
		r.obj = next
	}
	metaOf(ch.obj).ResourceVersion = strconv.FormatUint(s.version, 10)
	if t.res.index != "" {
		t.reindex(r, old, next)
	}
	s.sealRow(r)
	t.log.add(entry{typ: ch.typ, space: r.space, obj: ch.obj, old: old, rv: ch.rv})
	s.pending = append(s.pending, ch)
	if t.res.bound > 0 && ch.typ == watch.Added {
		t.trim(r)
	}
	s.committing--
	return ch.obj
}

// reindex keeps the index up with a write.
func (t *table) reindex(r *row, old, next object) {
	var from, to string
	if old != nil {
		from = t.res.indexed(old)
	}
	if next != nil {
		to = t.res.indexed(next)
	}
	if from == to && (old == nil) == (next == nil) {
		return
	}
	if old != nil {
		ix := t.byIndex[from]
		ix.rows = slices.Delete(ix.rows, slices.Index(ix.rows, r), slices.Index(ix.rows, r)+1)
		t.dropIndex(from, ix)
	}
	if next != nil {
		ix := t.indexOf(to)
		ix.rows = append(ix.rows, r)
	}
}

func (t *table) indexOf(value string) *indexed {
	ix := t.byIndex[value]
	if ix == nil {
		ix = &indexed{}
		t.byIndex[value] = ix
	}
	return ix
}

func (t *table) dropIndex(value string, ix *indexed) {
	if len(ix.rows) == 0 && ix.watches.head == nil {
		delete(t.byIndex, value)
	}
}

// trim deletes the oldest objects of a bounded resource.
func (t *table) trim(r *row) {
	t.oldest = append(t.oldest, birth{r, metaOf(r.obj).UID})
	if len(t.oldest) > 2*t.res.bound { // most were deleted by others
		t.oldest = slices.DeleteFunc(t.oldest, func(b birth) bool { return !b.alive() })
	}
	for t.live > t.res.bound {
		victim := t.oldest[0]
		t.oldest = t.oldest[1:]
		if victim.alive() {
			t.commit(victim.row, nil, nil)
		}
	}
}

// select returns the objects that sel matches, ordered by namespace and name.
func (t *table) selectObjects(sp *space, sel *selector) []object {
	switch {
	case sel.hasName && (sp != nil || !t.res.namespaced):
		if sp == nil {
			sp = t.space("")
		}
		if obj := sp.get(sel.name); obj != nil && sel.rest(obj) {
			return []object{obj}
		}
		return nil
	case sel.hasIndex:
		return t.selectIndexed(sp, sel)
	}
	var out []object
	if sp != nil {
		out = sp.objects(make([]object, 0, len(sp.list)))
	} else {
		out = make([]object, 0, t.live)
		for _, sp := range t.sorted {
			out = sp.objects(out)
		}
	}
	if sel.trivial() {
		return out
	}
	return slices.DeleteFunc(out, func(obj object) bool { return !sel.matches(obj) })
}

func (t *table) selectIndexed(sp *space, sel *selector) []object {
	ix := t.byIndex[sel.index]
	if ix == nil {
		return nil
	}
	rows := slices.Clone(ix.rows)
	slices.SortFunc(rows, func(a, b *row) int {
		if c := compareNamespaces(a.space.name, b.space.name); c != 0 {
			return c
		}
		return strings.Compare(a.name, b.name)
	})
	var out []object
	for _, r := range rows {
		if (sp == nil || r.space == sp) && sel.matches(r.obj) {
			out = append(out, r.obj)
		}
	}
	return out
}
