package fakeapi

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Admission plugin NamespaceLifecycle (apiserver v0.37): nothing is created in a
// namespace that is not there or is going, and some namespaces stay.

// StartNamespaces are those that kube-apiserver creates itself. They are there
// from the beginning, at the first version of the store.
var StartNamespaces = []string{metav1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic, corev1.NamespaceNodeLease}

// immortalNamespaces cannot be deleted.
var immortalNamespaces = []string{metav1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic}

// liveNamespace refuses to create obj in a namespace that cannot have it.
func (r *request) liveNamespace(obj object) *apierrors.StatusError {
	s, res := r.table.s, r.table.res
	if !res.namespaced || s.anyNamespace {
		return nil
	}
	ns, _ := s.namespaces.space("").get(r.call.Namespace).(*corev1.Namespace)
	if ns == nil {
		return s.namespaces.res.notFound(r.call.Namespace)
	}
	if ns.Status.Phase != corev1.NamespaceTerminating {
		return nil
	}
	err := apierrors.NewForbidden(res.group, metaOf(obj).Name,
		fmt.Errorf("unable to create new content in namespace %s because it is being terminated", ns.Name))
	err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{
		Type:    corev1.NamespaceTerminatingCause,
		Message: fmt.Sprintf("namespace %s is being terminated", ns.Name),
		Field:   "metadata.namespace",
	})
	return err
}

// immortal refuses to delete a namespace without which no cluster is.
func (r *request) immortal(old object) *apierrors.StatusError {
	ns, ok := old.(*corev1.Namespace)
	if !ok || !slices.Contains(immortalNamespaces, ns.Name) {
		return nil
	}
	return apierrors.NewForbidden(r.group(), ns.Name, fmt.Errorf("this namespace may not be deleted"))
}

// startNamespaces stores the namespaces of every cluster, as of the version that
// the store begins with, so that they take none from what follows. Their uids
// are drawn apart, for the same reason.
func (s *Server) startNamespaces() {
	t, uids := s.namespaces, s.uids
	s.uids = s.host.Rand("uid/namespaces")
	for _, name := range StartNamespaces {
		ns := &corev1.Namespace{TypeMeta: namespaceType, ObjectMeta: metav1.ObjectMeta{Name: name,
			UID: s.newUID(), CreationTimestamp: s.now(), ResourceVersion: "1"}}
		t.res.prepareCreate(ns)
		row := t.space("").row(name)
		row.obj = ns
		t.live++
		row.space.enter(row)
		s.sealRow(row)
	}
	s.uids = uids
}
