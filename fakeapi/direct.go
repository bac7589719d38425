package fakeapi

import (
	"fmt"
	"reflect"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Direct access to the store: no request, no latency, no admission, nothing
// refused. For setting a scene and for looking at the outcome.

// Put stores a copy of a Node, Lease, Pod, Event or Namespace as it is, status and all,
// and returns what is stored. An object that is there is replaced, whatever its
// version. Identity and version are the server's; watches and the observer are
// told. Another type of object panics.
func (s *Server) Put(obj runtime.Object) runtime.Object {
	t, in := s.tableOf(obj)
	next := t.res.take(in, nil)
	m := metaOf(next)
	if m.Name == "" {
		panic(fmt.Sprintf("fakeapi: Put of a %s without a name", t.res.kind.Kind))
	}
	r := t.space(m.Namespace).row(m.Name)
	if r.obj == nil {
		m.UID, m.CreationTimestamp = s.newUID(), s.now()
	} else {
		m.UID, m.CreationTimestamp = metaOf(r.obj).UID, metaOf(r.obj).CreationTimestamp
	}
	stored := t.commit(r, next, nil)
	s.tell()
	return stored
}

// Remove deletes the object of that kind, namespace and name, at once, whatever
// its finalizers, and reports whether there was one. Only the type and those
// two names of obj count.
func (s *Server) Remove(obj runtime.Object) bool {
	t, in := s.tableOf(obj)
	m := metaOf(in)
	r := t.space(m.Namespace).rows[m.Name]
	if r == nil || r.obj == nil {
		return false
	}
	t.commit(r, nil, nil)
	s.tell()
	return true
}

// Node returns the stored node of that name, or nil. It must not be changed.
func (s *Server) Node(name string) *corev1.Node {
	node, _ := s.nodes.space("").get(name).(*corev1.Node)
	return node
}

// Lease returns the stored lease of that name, or nil. It must not be changed.
func (s *Server) Lease(namespace, name string) *coordinationv1.Lease {
	lease, _ := s.leases.space(namespace).get(name).(*coordinationv1.Lease)
	return lease
}

// Pod returns the stored pod of that name, or nil. It must not be changed.
func (s *Server) Pod(namespace, name string) *corev1.Pod {
	pod, _ := s.pods.space(namespace).get(name).(*corev1.Pod)
	return pod
}

// tableOf returns where objects of that type are kept.
func (s *Server) tableOf(obj runtime.Object) (*table, object) {
	switch obj := obj.(type) {
	case *corev1.Node:
		return s.nodes, obj
	case *coordinationv1.Lease:
		return s.leases, obj
	case *corev1.Pod:
		return s.pods, obj
	case *corev1.Event:
		return s.events, obj
	case *corev1.Namespace:
		return s.namespaces, obj
	}
	if o, ok := obj.(object); ok {
		for _, t := range s.tables {
			if s.registered(t) && reflect.TypeOf(t.res.blank()) == reflect.TypeOf(obj) {
				return t, o
			}
		}
	}
	panic(fmt.Sprintf("fakeapi: a %T is not of this server's resources", obj))
}
