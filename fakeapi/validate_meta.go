package fakeapi

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// What every object's metadata has to fulfil. Upstream: apimachinery v0.37,
// pkg/api/validation/objectmeta.go. Labels and annotations are gone through in
// the order of their keys, where upstream's order changes from run to run.

// nameFunc tells what is wrong with a name, or with the beginning of one that is
// to be generated.
type nameFunc = validation.ValidateNameFunc

var metaPath = field.NewPath("metadata")

// validateMeta is ValidateObjectMeta.
func validateMeta(m *metav1.ObjectMeta, namespaced bool, nameFn nameFunc) field.ErrorList {
	var errs field.ErrorList
	if m.GenerateName != "" {
		for _, msg := range nameFn(m.GenerateName, true) {
			errs = append(errs, field.Invalid(metaPath.Child("generateName"), m.GenerateName, msg))
		}
	}
	if m.Name == "" {
		errs = append(errs, field.Required(metaPath.Child("name"), "name or generateName is required"))
	} else {
		for _, msg := range nameFn(m.Name, false) {
			errs = append(errs, field.Invalid(metaPath.Child("name"), m.Name, msg))
		}
	}
	switch {
	case namespaced && m.Namespace == "":
		errs = append(errs, field.Required(metaPath.Child("namespace"), ""))
	case namespaced:
		for _, msg := range validation.ValidateNamespaceName(m.Namespace, false) {
			errs = append(errs, field.Invalid(metaPath.Child("namespace"), m.Namespace, msg))
		}
	case m.Namespace != "":
		errs = append(errs, field.Forbidden(metaPath.Child("namespace"), "not allowed on this type"))
	}
	errs = append(errs, validation.ValidateNonnegativeField(m.Generation, metaPath.Child("generation"))...)
	errs = append(errs, validateKeys(m)...)
	return append(errs, validation.ValidateFinalizers(m.Finalizers, metaPath.Child("finalizers"))...)
}

// validateCoreMeta is ValidateObjectMeta for the kinds of group "", whose
// finalizers are upstream's own or have a domain. Upstream: ValidateObjectMeta of
// pkg/apis/core/validation (v1.37).
func validateCoreMeta(m *metav1.ObjectMeta, namespaced bool, nameFn nameFunc) field.ErrorList {
	return append(validateMeta(m, namespaced, nameFn), validateCoreFinalizers(m)...)
}

// validateCoreFinalizers is validateKubeFinalizerName of each finalizer.
func validateCoreFinalizers(m *metav1.ObjectMeta) field.ErrorList {
	var errs field.ErrorList
	for i, f := range m.Finalizers {
		if !strings.Contains(f, "/") && !slices.Contains(standardFinalizers, f) {
			errs = append(errs, field.Invalid(metaPath.Child("finalizers").Index(i), f, "name is neither a standard finalizer name nor is it fully qualified"))
		}
	}
	return errs
}

var standardFinalizers = []string{"kubernetes", metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents}

// validateKeys checks labels, annotations and owners.
func validateKeys(m *metav1.ObjectMeta) field.ErrorList {
	errs := validateLabels(m.Labels, metaPath.Child("labels"))
	errs = append(errs, validateAnnotations(m.Annotations, metaPath.Child("annotations"))...)
	return append(errs, validation.ValidateOwnerReferences(m.OwnerReferences, metaPath.Child("ownerReferences"))...)
}

func validateLabels(labels map[string]string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		errs = append(errs, metav1validation.ValidateLabelName(key, path)...)
		for _, msg := range utilvalidation.IsValidLabelValue(labels[key]) {
			errs = append(errs, field.Invalid(path, labels[key], msg))
		}
	}
	return errs
}

func validateAnnotations(annotations map[string]string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		for _, msg := range utilvalidation.IsQualifiedName(strings.ToLower(key)) {
			errs = append(errs, field.Invalid(path, key, msg))
		}
	}
	if err := validation.ValidateAnnotationsSize(annotations); err != nil {
		errs = append(errs, field.TooLong(path, "", validation.TotalAnnotationSizeLimitB))
	}
	return errs
}

// validateMetaUpdate is ValidateObjectMetaUpdate, for what a client of this
// server can change. om is what is stored.
func validateMetaUpdate(m, om *metav1.ObjectMeta) field.ErrorList {
	var errs field.ErrorList
	if om.DeletionTimestamp != nil {
		errs = append(errs, validateNoNewFinalizers(m, om)...)
	}
	return append(errs, validateKeys(m)...)
}

// validateKept is the part of ValidateObjectMetaUpdate that upstream has as
// declarations too, so that its errors come once, and last.
func validateKept(m, om *metav1.ObjectMeta) field.ErrorList {
	var errs field.ErrorList
	immutable := func(name string, have, had any) {
		if !equality.Semantic.DeepEqual(have, had) {
			errs = append(errs, field.Invalid(metaPath.Child(name), have, validation.FieldImmutableErrorMsg))
		}
	}
	immutable("uid", m.UID, om.UID)
	immutable("deletionTimestamp", m.DeletionTimestamp, om.DeletionTimestamp)
	immutable("deletionGracePeriodSeconds", m.DeletionGracePeriodSeconds, om.DeletionGracePeriodSeconds)
	return errs
}

// validateNoNewFinalizers is ValidateNoNewFinalizers.
func validateNoNewFinalizers(m, om *metav1.ObjectMeta) field.ErrorList {
	extra := slices.DeleteFunc(slices.Clone(m.Finalizers), func(f string) bool { return slices.Contains(om.Finalizers, f) })
	if len(extra) == 0 {
		return nil
	}
	slices.Sort(extra)
	return field.ErrorList{field.Forbidden(metaPath.Child("finalizers"), fmt.Sprintf(
		"no new finalizers can be added if the object is being deleted, found new finalizers %#v", slices.Compact(extra)))}
}

// metaChanged reports whether an update changes metadata that has to be checked.
// Nearly none does, and what is stored has been checked before.
func metaChanged(m, om *metav1.ObjectMeta) bool {
	return m.UID != om.UID || m.GenerateName != om.GenerateName ||
		!m.DeletionTimestamp.Equal(om.DeletionTimestamp) || !equalPtr(m.DeletionGracePeriodSeconds, om.DeletionGracePeriodSeconds) ||
		!sameMap(m.Labels, om.Labels) || !sameMap(m.Annotations, om.Annotations) || !slices.Equal(m.Finalizers, om.Finalizers) ||
		!sameOwners(m.OwnerReferences, om.OwnerReferences)
}

// sameMap is maps.Equal, quick for a map that is shared.
func sameMap(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	return len(a) == 0 || reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer() || maps.Equal(a, b)
}

// pathSegment is the least that is asked of any name: that it can stand in a
// path. Upstream: validatePathSegment (apiserver v0.37, pkg/registry/rest).
func pathSegment(name string, prefix bool) []string {
	if prefix {
		return path.IsValidPathSegmentPrefix(name)
	}
	return path.IsValidPathSegmentName(name)
}

// dropDuplicateOwners leaves out owners that are there twice, and tells of them
// in a warning. Upstream: dedupOwnerReferencesAndAddWarning (apiserver v0.37,
// pkg/endpoints/handlers).
func (r *request) dropDuplicateOwners(m *metav1.ObjectMeta) {
	if len(m.OwnerReferences) < 2 {
		return
	}
	var kept []metav1.OwnerReference
	var dropped []string
	for _, owner := range m.OwnerReferences {
		if slices.ContainsFunc(kept, func(o metav1.OwnerReference) bool { return equalOwner(o, owner) }) {
			dropped = append(dropped, string(owner.UID))
			continue
		}
		kept = append(kept, owner)
	}
	if len(dropped) == 0 {
		return
	}
	m.OwnerReferences = kept
	r.warn(fmt.Sprintf(".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: %v",
		strings.Join(dropped, ", ")))
}

// warn has the answer carry a warning.
func (r *request) warn(text string) { r.warnings = append(r.warnings, text) }
