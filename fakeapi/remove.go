package fakeapi

import (
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// How objects are deleted: at once, after a grace period, or when nobody holds
// them back any more.

// remove deletes the object of that name, or marks it. Upstream: DeleteResource.
func (r *request) remove() *apierrors.StatusError {
	row := r.space.rows[r.call.Name]
	if row == nil || row.obj == nil {
		return r.notFound(r.call.Name)
	}
	r.uid = metaOf(row.obj).UID
	out, deleted, err := r.removeRow(row, r.delete)
	if !deleted || r.table.res.returnsDeleted {
		r.left = out
	}
	return err
}

// removeList deletes what a list would have, and answers with that list. One
// that cannot be deleted ends it. Upstream: Store.DeleteCollection.
func (r *request) removeList() *apierrors.StatusError {
	if err := r.readList(); err != nil {
		return err
	}
	for _, obj := range r.list {
		m := metaOf(obj)
		row := r.table.space(m.Namespace).rows[m.Name]
		if row == nil || row.obj == nil { // the list is of a version at which it was there
			continue
		}
		options := r.delete.DeepCopy() // strategies write to it
		if _, _, err := r.removeRow(row, options); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}

// removeRow deletes or marks one object. It returns what is left of it, or the
// last state of what is gone. Upstream: Store.Delete.
func (r *request) removeRow(row *row, o *metav1.DeleteOptions) (out object, deleted bool, err *apierrors.StatusError) {
	res, old := r.table.res, row.obj
	if err := r.checkDelete(old, o); err != nil {
		return nil, false, err
	}
	if err := r.admitDelete(old); err != nil {
		return nil, false, err
	}
	if res.removal != nil {
		if out := res.removal(r, old, o); out != nil {
			return r.store(row, out), false, nil
		}
	}
	next := res.shallow(old)
	m := metaOf(next)
	graceful, pending := r.beforeDelete(next, o)
	if pending {
		return old, false, nil
	}
	finalizers, changed := res.deletionFinalizers(m, o)
	if graceful || len(m.Finalizers) > 0 || changed {
		if m.Finalizers = finalizers; !graceful && len(finalizers) > 0 {
			r.markDeleted(m)
		}
		if graceful || len(finalizers) > 0 {
			out = r.store(row, next)
			if len(finalizers) > 0 || *m.DeletionGracePeriodSeconds > 0 {
				return out, false, nil
			}
		}
	}
	switch {
	case !r.dryRun:
		out = r.commit(row, nil)
	case out == nil:
		out = old
	}
	return out, true, nil
}

// checkDelete checks the options, and the preconditions among them.
func (r *request) checkDelete(old object, o *metav1.DeleteOptions) *apierrors.StatusError {
	res, m := r.table.res, metaOf(old)
	if errs := metav1validation.ValidateDeleteOptions(o); len(errs) > 0 {
		return apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "DeleteOptions"}, "", errs)
	}
	if p := o.Preconditions; p != nil {
		if p.UID != nil && *p.UID != m.UID {
			return res.deletePrecondition(m.Name, "UID", string(*p.UID), string(m.UID), "deleted and then recreated")
		}
		if p.ResourceVersion != nil && *p.ResourceVersion != m.ResourceVersion {
			return res.deletePrecondition(m.Name, "ResourceVersion", *p.ResourceVersion, m.ResourceVersion, "modified")
		}
	}
	if o.GracePeriodSeconds != nil && *o.GracePeriodSeconds < 0 {
		one := int64(1)
		o.GracePeriodSeconds = &one
	}
	return nil
}

// beforeDelete notes a graceful deletion in next, a copy of what is stored. It
// reports whether there is one to note, and whether one is under way that this
// request does not shorten. Upstream: rest.BeforeDelete.
func (r *request) beforeDelete(next object, o *metav1.DeleteOptions) (graceful, pending bool) {
	m := metaOf(next)
	if m.DeletionTimestamp != nil {
		left := m.DeletionGracePeriodSeconds
		switch {
		case !r.table.res.graceful, left == nil, *left == 0:
			return false, false
		case o.GracePeriodSeconds == nil || *o.GracePeriodSeconds >= *left:
			return false, true
		}
		r.shorten(m, *o.GracePeriodSeconds)
		return true, false
	}
	if !r.table.res.grace(next, o) {
		return false, false
	}
	grace := *o.GracePeriodSeconds
	at := seconds(metav1.Time{Time: r.table.s.host.Now().Add(time.Duration(grace) * time.Second)})
	m.DeletionTimestamp, m.DeletionGracePeriodSeconds = &at, &grace
	if m.Generation > 0 {
		m.Generation++
	}
	return true, false
}

// shorten moves a deletion that has begun forward, but not into the past.
func (r *request) shorten(m *metav1.ObjectMeta, grace int64) {
	at := metav1.Time{Time: m.DeletionTimestamp.Add(time.Duration(grace-*m.DeletionGracePeriodSeconds) * time.Second)}
	if now := r.table.s.now(); at.Before(&now) {
		at = now
		if grace != 0 {
			grace = 1
		}
	}
	m.DeletionTimestamp, m.DeletionGracePeriodSeconds = &at, &grace
}

// markDeleted is markAsDeleting: an object without a grace period, which waits
// for its finalizers.
func (r *request) markDeleted(m *metav1.ObjectMeta) {
	now := r.table.s.now()
	if m.DeletionTimestamp == nil && m.Generation > 0 {
		m.Generation++
	}
	if m.DeletionTimestamp == nil || now.Before(m.DeletionTimestamp) {
		m.DeletionTimestamp = &now
	}
	m.DeletionGracePeriodSeconds = new(int64)
}

// gone reports whether an update takes the object away: the last finalizer of
// one that is being deleted. Upstream: ShouldDeleteDuringUpdate.
func (res *resource) gone(next, old object) bool {
	om := metaOf(old)
	if om.DeletionTimestamp == nil || len(metaOf(next).Finalizers) > 0 || res.held != nil && res.held(next) {
		return false
	}
	return om.DeletionGracePeriodSeconds == nil || *om.DeletionGracePeriodSeconds == 0
}

// deletionFinalizers are those of an object that is to be deleted, with what the
// options say of its dependents: it waits until they are orphans, or gone.
// Upstream: deletionFinalizersForGarbageCollection.
func (res *resource) deletionFinalizers(m *metav1.ObjectMeta, o *metav1.DeleteOptions) (list []string, changed bool) {
	if res.uncollected {
		return m.Finalizers, false
	}
	orphan, foreground := slices.Contains(m.Finalizers, metav1.FinalizerOrphanDependents), slices.Contains(m.Finalizers, metav1.FinalizerDeleteDependents)
	was := [2]bool{orphan, foreground}
	switch {
	case o.OrphanDependents != nil: //nolint:staticcheck // old clients send it
		orphan, foreground = *o.OrphanDependents, false //nolint:staticcheck // old clients send it
	case o.PropagationPolicy != nil:
		orphan = *o.PropagationPolicy == metav1.DeletePropagationOrphan
		foreground = *o.PropagationPolicy == metav1.DeletePropagationForeground
	}
	if was == [2]bool{orphan, foreground} {
		return m.Finalizers, false
	}
	for _, f := range m.Finalizers {
		if f != metav1.FinalizerOrphanDependents && f != metav1.FinalizerDeleteDependents {
			list = append(list, f)
		}
	}
	if orphan {
		list = append(list, metav1.FinalizerOrphanDependents)
	}
	if foreground {
		list = append(list, metav1.FinalizerDeleteDependents)
	}
	return list, true
}
