package informer

import (
	"sort"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Object is what an informer can hold: a pointer to an API object.
type Object interface {
	metav1.Object
	comparable
}

// Store is an informer's cache: what its owner knows, which may be old.
// Objects in it are shared and must not be changed.
type Store[T Object] struct {
	items  map[string]T
	sorted []T // by key; nil when it must be built again
}

// Get returns the object of that key: "name", or "namespace/name".
func (s *Store[T]) Get(key string) (T, bool) {
	obj, ok := s.items[key]
	return obj, ok
}

// List returns every object in the order of their keys. Upstream's listers
// return them in map order; any order will do there, and one is needed here.
// The slice is shared: do not change it.
func (s *Store[T]) List() []T {
	if s.sorted == nil {
		keys := make([]string, 0, len(s.items))
		for key := range s.items { // order: sorted below
			keys = append(keys, key)
		}
		sort.Strings(keys)
		s.sorted = make([]T, len(keys))
		for i, key := range keys {
			s.sorted[i] = s.items[key]
		}
	}
	return s.sorted
}

// Len is the number of objects held.
func (s *Store[T]) Len() int { return len(s.items) }

func (s *Store[T]) set(obj T) (old T, had bool) {
	key := Key(obj)
	old, had = s.items[key]
	s.items[key] = obj
	if s.sorted == nil {
		return old, had
	}
	i := s.search(key)
	if had {
		s.sorted[i] = obj
		return old, had
	}
	s.sorted = nil
	return old, had
}

func (s *Store[T]) remove(key string) (old T, had bool) {
	old, had = s.items[key]
	delete(s.items, key)
	s.sorted = nil
	return old, had
}

// search finds the place of key in the sorted list.
func (s *Store[T]) search(key string) int {
	return sort.Search(len(s.sorted), func(i int) bool { return Key(s.sorted[i]) >= key })
}

// Key is an object's key in a store: "name", or "namespace/name".
func Key(obj metav1.Object) string {
	if ns := obj.GetNamespace(); ns != "" {
		return ns + "/" + obj.GetName()
	}
	return obj.GetName()
}
