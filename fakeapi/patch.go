package fakeapi

import (
	"fmt"
	"maps"
	"net/http"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// patch applies the request's patch to the object as it is now. Upstream:
// apiserver v0.37, pkg/endpoints/handlers/patch.go.
func (r *request) patch() (object, *apierrors.StatusError) {
	res, name := r.table.res, r.call.Name
	old := r.space.get(name)
	if old == nil {
		return nil, res.notFound(name)
	}
	next, err := r.patched(old)
	if err != nil {
		return nil, err
	}
	m, om := metaOf(next), metaOf(old)
	switch {
	case m.Namespace != om.Namespace:
		return nil, apierrors.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request")
	case m.Name != name:
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", m.Name, name))
	case m.ResourceVersion == om.ResourceVersion:
	case m.ResourceVersion == "" || m.ResourceVersion == "0":
		if !res.unconditionalUpdate {
			return nil, res.mustSpecifyVersion(name)
		}
	default:
		return nil, res.conflict(name)
	}
	return r.replace(r.space.row(name), next)
}

// mergeFunc applies a decoded patch to a decoded object.
type mergeFunc = func(original, patch map[string]any) (map[string]any, error)

// patched returns a fresh object: old with the patch applied.
func (r *request) patched(old object) (object, *apierrors.StatusError) {
	var merge mergeFunc
	switch r.patchType {
	case types.StrategicMergePatchType:
		if next := fastPatch(old, r.call.Patch); next != nil {
			return next, nil
		}
		merge = func(original, patch map[string]any) (map[string]any, error) {
			return strategicpatch.StrategicMergeMapPatch(original, patch, r.table.res.blank())
		}
	case types.MergePatchType:
		merge = func(original, patch map[string]any) (map[string]any, error) { return mergeJSON(original, patch), nil }
	default:
		return nil, unsupportedPatch()
	}
	var patch map[string]any
	if err := json.Unmarshal(r.call.Patch, &patch); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return r.table.res.merge(old, patch, merge)
}

// merge applies a patch to the parts of old that it names, and shares the rest
// with old: a patch of the taints leaves the images alone.
func (res *resource) merge(old object, patch map[string]any, merge mergeFunc) (object, *apierrors.StatusError) {
	keys := slices.Sorted(maps.Keys(patch))
	next, part := res.shallow(old), res.blank()
	if !res.graft(part, old, keys) {
		keys, part = nil, old
	}
	original, err := runtime.DefaultUnstructuredConverter.ToUnstructured(part)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	merged, err := merge(original, patch)
	if err != nil {
		return nil, patchError(err)
	}
	part = res.blank()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(merged, part); err != nil {
		return nil, apierrors.NewInvalid(schema.GroupKind{}, "", field.ErrorList{
			field.Invalid(field.NewPath("patch"), fmt.Sprintf("%+v", patch), err.Error())})
	}
	res.clean(part)
	if keys == nil {
		return part, nil
	}
	res.graft(next, part, keys)
	return next, nil
}

// patchError is interpretStrategicMergePatchError.
func patchError(err error) *apierrors.StatusError {
	switch err {
	case mergepatch.ErrBadJSONDoc, mergepatch.ErrBadPatchFormatForPrimitiveList, mergepatch.ErrBadPatchFormatForRetainKeys,
		mergepatch.ErrBadPatchFormatForSetElementOrderList, mergepatch.ErrUnsupportedStrategicMergePatchFormat:
		return apierrors.NewBadRequest(err.Error())
	case mergepatch.ErrNoListOfLists, mergepatch.ErrPatchContentNotMatchRetainKeys:
		return apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", err.Error(), 0, false)
	}
	return unknown(err)
}

func unsupportedPatch() *apierrors.StatusError {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure,
		Code: http.StatusUnsupportedMediaType, Reason: metav1.StatusReasonUnsupportedMediaType,
		Message: "the body of the request was in an unknown format - accepted media types include: " +
			string(types.MergePatchType) + ", " + string(types.StrategicMergePatchType)}}
}

// mergeJSON applies a JSON merge patch (RFC 7386) to original, in place.
func mergeJSON(original, patch map[string]any) map[string]any {
	if original == nil {
		original = map[string]any{}
	}
	for key, value := range patch { // order: each key is on its own
		switch value := value.(type) {
		case nil:
			delete(original, key)
		case map[string]any:
			inner, _ := original[key].(map[string]any)
			original[key] = mergeJSON(inner, value)
		default:
			original[key] = value
		}
	}
	return original
}
