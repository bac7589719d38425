package fakeapi

import (
	"strings"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/managedfields"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/applyconfigurations"
	"sigs.k8s.io/yaml"
)

// Server-side apply. Fields are tracked from an object's first apply on:
// metadata.managedFields of an object that nobody applies stay empty, where
// upstream tracks every writer. That is no loss to those who apply, for what was
// there before counts as one manager's ("before-first-apply"), as it does
// upstream for objects of the time before apply; but for what nobody can have
// written with the object. kubectl takes over what such a manager has and gives up
// what it does not apply, which then is gone or has its default.

// applyPatch returns old, which may be nil, with the configuration applied.
// Upstream: applyPatcher (apiserver v0.37, pkg/endpoints/handlers).
func (r *request) applyPatch(old object) (object, *apierrors.StatusError) {
	config := &unstructured.Unstructured{Object: map[string]any{}}
	if err := yaml.Unmarshal(r.call.Patch, &config.Object); err != nil {
		return nil, apierrors.NewBadRequest("error decoding patch: " + err.Error())
	}
	live := old
	if live == nil {
		live = r.table.res.blank()
	}
	base := live.DeepCopyObject().(object)
	if old != nil && len(metaOf(old).ManagedFields) == 0 {
		metaOf(base).ManagedFields = r.beforeFirstApply(old)
	}
	out, err := r.fields().Apply(base, config, r.fieldManager, r.force)
	if err != nil {
		return nil, statusOf(err)
	}
	if !r.lenient() {
		if err := yaml.UnmarshalStrict(r.call.Patch, &map[string]any{}); err != nil {
			if r.fieldValidation == metav1.FieldValidationStrict {
				return nil, apierrors.NewBadRequest("error strict decoding patch: " + err.Error())
			}
			r.warn(err.Error())
		}
	}
	next := r.stamped(out, live)
	r.table.res.defaults(next) // in the place of what is given up; upstream: structuredMergeManager.Apply
	return next, nil
}

// beforeFirstApply is the entry of those who wrote old before anybody applied it.
// Upstream: skipNonAppliedManager.Apply, which counts all of it.
func (r *request) beforeFirstApply(old object) []metav1.ManagedFieldsEntry {
	written := old.DeepCopyObject().(object)
	if r.call.Subresource == "" {
		dropOthers(written)
	}
	return metaOf(r.fields().UpdateNoErrors(r.table.res.blank(), written, "before-first-apply").(object)).ManagedFields
}

// dropOthers leaves out what has come by way of subresources, of which nobody keeps
// track: a status, and the node that a pod was bound to.
func dropOthers(obj object) {
	switch obj := obj.(type) {
	case *corev1.Pod:
		obj.Spec.NodeName, obj.Status = "", corev1.PodStatus{}
	case *corev1.Node:
		obj.Status = corev1.NodeStatus{}
	}
}

// trackFields notes in next what this update changes of an object that somebody
// has applied. Upstream: FieldManager.UpdateNoErrors.
func (r *request) trackFields(next, old object) object {
	if len(metaOf(old).ManagedFields) == 0 || r.patchType == types.ApplyYAMLPatchType {
		return next
	}
	manager := r.fieldManager
	if manager == "" {
		manager, _, _ = strings.Cut(r.client.userAgent, "/")
	}
	return r.stamped(r.fields().UpdateNoErrors(old.DeepCopyObject(), next, manager), old)
}

// stamped sets the times of what is new among the managed fields to the
// server's: the library takes them from the machine's clock.
func (r *request) stamped(out runtime.Object, old object) object {
	next := out.(object)
	now, had := r.table.s.now(), metaOf(old).ManagedFields
	list := metaOf(next).ManagedFields
	for i := range list {
		entry, kept := &list[i], false
		for j := range had {
			kept = kept || entry.Time != nil && had[j].Time != nil && entry.Manager == had[j].Manager && entry.Operation == had[j].Operation &&
				entry.Subresource == had[j].Subresource && entry.Time.Equal(had[j].Time)
		}
		if !kept {
			entry.Time = &now
		}
	}
	r.table.res.clean(next)
	return next
}

// fields is the field manager of the request's resource, which takes and returns
// objects as they are stored.
func (r *request) fields() *managedfields.FieldManager {
	t, sub, kind := r.table, r.call.Subresource, r.kind()
	of := managedKind{kind.GroupVersion(), sub}
	if m := t.managers[of]; m != nil {
		return m
	}
	var m *managedfields.FieldManager
	var err error
	if t.s.registered(t) {
		m, err = managedfields.NewDefaultCRDFieldManager(managedfields.NewDeducedTypeConverter(), t.res.scheme, t.res.scheme, t.res.scheme, kind, kind.GroupVersion(), sub, nil)
	} else {
		scheme := t.s.applyScheme()
		m, err = managedfields.NewDefaultFieldManager(applyconfigurations.NewTypeConverter(scheme), viewConvertor{scheme, t.res.views}, scheme, scheme, kind, t.res.kind.GroupVersion(), sub, nil)
	}
	if err != nil {
		panic(err) // the resource is not what it says
	}
	if t.managers == nil {
		t.managers = map[managedKind]*managedfields.FieldManager{}
	}
	t.managers[of] = m
	return m
}

// managedKind is what a table has a field manager for.
type managedKind struct {
	version     schema.GroupVersion
	subresource string
}

// applyScheme has the kinds that the server itself knows.
func (s *Server) applyScheme() *runtime.Scheme {
	if s.scheme == nil {
		s.scheme = runtime.NewScheme()
		utilruntime.Must(corev1.AddToScheme(s.scheme))
		utilruntime.Must(coordinationv1.AddToScheme(s.scheme))
		utilruntime.Must(eventsv1.AddToScheme(s.scheme))
	}
	return s.scheme
}

// statusOf is err as the server answers it.
func statusOf(err error) *apierrors.StatusError {
	if status, ok := err.(*apierrors.StatusError); ok { //nolint:errorlint // it comes bare
		return status
	}
	return unknown(err)
}
