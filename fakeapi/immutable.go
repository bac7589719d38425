package fakeapi

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
)

// With Options.CheckImmutable every row keeps the hash of its object, taken
// when it was stored, and compares it whenever the object is read or replaced.

// sealRow takes the hash of an object that has just been stored.
func (s *Server) sealRow(r *row) {
	if s.checked && r.obj != nil {
		r.sum = sum(r.obj)
	}
}

// checkRow panics if the row's object is not what was stored.
func (s *Server) checkRow(t *table, r *row) {
	if s.checked && r.obj != nil && sum(r.obj) != r.sum {
		panic(fmt.Sprintf("fakeapi: somebody has written to the stored %s %s/%s: objects handed out must not be changed",
			t.res.kind.Kind, r.space.name, r.name))
	}
}

// checkAnswer checks the objects that an answer hands out.
func (r *request) checkAnswer() {
	t := r.table
	if r.obj != nil {
		t.check(r.obj)
	}
	for _, obj := range r.list {
		t.check(obj)
	}
}

func (t *table) check(obj object) {
	m := metaOf(obj)
	if r := t.space(m.Namespace).rows[m.Name]; r != nil && r.obj == obj {
		t.s.checkRow(t, r)
	}
}

// CheckImmutable checks every object in the store, and panics as
// Options.CheckImmutable says. Without that option it does nothing.
func (s *Server) CheckImmutable() {
	for _, t := range s.tables {
		for _, sp := range t.sorted {
			for _, r := range sp.list {
				s.checkRow(t, r)
			}
		}
	}
}

// sum hashes an object as its JSON.
func sum(obj object) uint64 {
	h := fnv.New64a()
	if err := json.NewEncoder(h).Encode(obj); err != nil {
		panic(err) // API objects always encode
	}
	return h.Sum64()
}
