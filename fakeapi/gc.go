package fakeapi

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// With Options.CollectGarbage the server does at once, and by itself, what two
// controllers of kube-controller-manager do in a cluster: it deletes the objects
// whose owners are gone (the Lease of a deleted Node), honours foreground
// deletion and orphaning, and empties and finalizes namespaces that are deleted.
// With Options.EmptyNamespaces it does this last.
// Upstream: pkg/controller/garbagecollector, pkg/controller/namespace (v1.37).

// litter has the collector run after a change that may give it work.
func (s *Server) litter(ch *change) {
	if ch.typ == watch.Deleted || metaOf(ch.obj).DeletionTimestamp != nil {
		s.collectSoon()
	}
}

func (s *Server) collectSoon() {
	if s.collecting || !s.collects && !(s.empties && s.terminating()) {
		return
	}
	s.collecting = true
	s.host.After(0, s.collect)
}

// terminating reports whether a namespace is being deleted.
func (s *Server) terminating() bool {
	for _, sp := range s.namespaces.sorted {
		for _, row := range sp.list {
			if row.obj != nil && metaOf(row.obj).DeletionTimestamp != nil {
				return true
			}
		}
	}
	return false
}

// collect empties the namespaces that are deleted, and looks at every object if it
// sees to owners as well. What it changes has it run again.
func (s *Server) collect() {
	s.collecting = false
	s.each(func(t *table, row *row) {
		if t == s.namespaces && metaOf(row.obj).DeletionTimestamp != nil {
			s.empty(row)
		}
	})
	if s.collects {
		s.disown()
	}
	s.tell()
}

// disown deletes whose owners are gone, and lets owners go that wait for those they own.
func (s *Server) disown() {
	alive := map[types.UID]bool{}
	s.each(func(_ *table, row *row) { alive[metaOf(row.obj).UID] = true })
	s.each(func(t *table, row *row) {
		m := metaOf(row.obj)
		switch {
		case m.DeletionTimestamp != nil && slices.Contains(m.Finalizers, metav1.FinalizerOrphanDependents):
			s.orphan(m.UID)
			t.dropFinalizer(row, metav1.FinalizerOrphanDependents)
		case m.DeletionTimestamp != nil && slices.Contains(m.Finalizers, metav1.FinalizerDeleteDependents):
			if !s.removeDependents(m.UID) {
				t.dropFinalizer(row, metav1.FinalizerDeleteDependents)
			}
		case m.DeletionTimestamp == nil && len(m.OwnerReferences) > 0:
			if !slices.ContainsFunc(m.OwnerReferences, func(o metav1.OwnerReference) bool { return alive[o.UID] || !s.has(o) }) {
				t.removeDirect(row, metav1.DeletePropagationBackground)
			}
		}
	})
}

// has reports whether an owner is of a kind that the server has. Of another, nobody
// can tell that it is gone, so what it owns stays. Upstream: getObject of the
// garbage collector, whose error has it tried again.
func (s *Server) has(o metav1.OwnerReference) bool {
	gv, err := schema.ParseGroupVersion(o.APIVersion)
	return err == nil && slices.ContainsFunc(s.tables, func(t *table) bool { return t.res.kind.Group == gv.Group && t.res.kind.Kind == o.Kind })
}

// each calls f for every object, in an order that is always the same. f may
// delete objects.
func (s *Server) each(f func(t *table, row *row)) {
	for _, t := range s.tables {
		for _, sp := range slices.Clone(t.sorted) {
			sp.tidy()
			for _, row := range slices.Clone(sp.list) {
				if row.obj != nil {
					f(t, row)
				}
			}
		}
	}
}

// empty deletes what is in a namespace, and the namespace once nothing is.
func (s *Server) empty(row *row) {
	left := false
	for _, t := range s.tables {
		sp := t.spaces[row.name]
		if sp == nil || !t.res.namespaced {
			continue
		}
		sp.tidy()
		for _, row := range slices.Clone(sp.list) {
			if row.obj != nil && metaOf(row.obj).DeletionTimestamp == nil {
				t.removeDirect(row, metav1.DeletePropagationBackground)
			}
			left = left || row.obj != nil
		}
	}
	if left {
		return
	}
	next := row.obj.(*corev1.Namespace).DeepCopy()
	next.Spec.Finalizers = nil
	if s.namespaces.res.gone(next, row.obj) {
		s.namespaces.commit(row, nil, nil)
	} else if len(row.obj.(*corev1.Namespace).Spec.Finalizers) > 0 {
		s.namespaces.commit(row, next, nil)
	}
}

// orphan takes an owner from its dependents.
func (s *Server) orphan(owner types.UID) {
	is := func(o metav1.OwnerReference) bool { return o.UID == owner }
	s.each(func(t *table, row *row) {
		if !slices.ContainsFunc(metaOf(row.obj).OwnerReferences, is) {
			return
		}
		next := t.res.shallow(row.obj)
		m := metaOf(next)
		m.OwnerReferences = slices.DeleteFunc(slices.Clone(m.OwnerReferences), is)
		t.commit(row, next, nil)
	})
}

// removeDependents deletes those that hold up the deletion of their owner, and
// reports whether there were any.
func (s *Server) removeDependents(owner types.UID) bool {
	found := false
	s.each(func(t *table, row *row) {
		m := metaOf(row.obj)
		holds := slices.ContainsFunc(m.OwnerReferences, func(o metav1.OwnerReference) bool {
			return o.UID == owner && o.BlockOwnerDeletion != nil && *o.BlockOwnerDeletion
		})
		if !holds {
			return
		}
		found = true
		if m.DeletionTimestamp == nil {
			t.removeDirect(row, metav1.DeletePropagationForeground)
		}
	})
	return found
}

// dropFinalizer takes a finalizer from an object that is being deleted, and the
// object with the last of them.
func (t *table) dropFinalizer(row *row, name string) {
	next := t.res.shallow(row.obj)
	m := metaOf(next)
	m.Finalizers = slices.DeleteFunc(slices.Clone(m.Finalizers), func(f string) bool { return f == name })
	if t.res.gone(next, row.obj) {
		next = nil
	}
	t.commit(row, next, nil)
}

// removeDirect deletes an object as a request would, without being one.
func (t *table) removeDirect(row *row, policy metav1.DeletionPropagation) {
	r := &request{attempt: attempt{table: t, space: row.space, client: &Client{s: t.s}, direct: true}}
	uid := metaOf(row.obj).UID
	_, _, _ = r.removeRow(row, &metav1.DeleteOptions{PropagationPolicy: &policy, Preconditions: &metav1.Preconditions{UID: &uid}})
}
