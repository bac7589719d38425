package fakeapi

import (
	"bytes"
	gojson "encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"
)

// patch applies the request's patch to the object as it is now. Upstream:
// apiserver v0.37, pkg/endpoints/handlers/patch.go.
func (r *request) patch() (object, *apierrors.StatusError) {
	name := r.call.Name
	old := r.space.get(name)
	next, err := r.patched(old)
	if err != nil {
		return nil, err
	}
	m := metaOf(next)
	if old == nil && m.UID != "" {
		return nil, apierrors.NewConflict(r.group(), name, fmt.Errorf("uid mismatch: the provided object specified uid %s, and no existing object was found", m.UID))
	}
	if err := r.checkPlace(m); err != nil {
		return nil, err
	}
	switch {
	case old == nil && r.call.Subresource != "": // the part of an object does not make one
		return nil, r.notFound(name)
	case old == nil:
		return r.insert(next)
	}
	if err := r.admitUpdate(next, old); err != nil {
		return nil, err
	}
	if err := r.checkVersion(m, metaOf(old)); err != nil {
		return nil, err
	}
	return r.replace(r.space.row(name), next)
}

// checkPlace makes sure that a patch has not moved the object.
func (r *request) checkPlace(m *metav1.ObjectMeta) *apierrors.StatusError {
	name := r.call.Name
	if m.Namespace == "" {
		m.Namespace = r.call.Namespace
	}
	switch {
	case m.Namespace != r.call.Namespace:
		return apierrors.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request")
	case m.Name == "":
		return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s based on URL) was undeterminable: name must be provided", name))
	case m.Name != name:
		return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", m.Name, name))
	}
	return nil
}

// patched returns a fresh object: old with the patch applied. old is nil if
// there is no object of that name.
func (r *request) patched(old object) (object, *apierrors.StatusError) {
	if old != nil && r.patchType == types.StrategicMergePatchType {
		if next := fastPatch(old, r.call.Patch); next != nil {
			return next, nil
		}
	}
	switch {
	case r.patchType == types.ApplyYAMLPatchType:
		return r.applyPatch(old)
	case !gojson.Valid(r.call.Patch):
		return nil, apierrors.NewBadRequest("invalid JSON patch")
	case old == nil:
		return nil, r.notFound(r.call.Name)
	}
	switch r.patchType {
	case types.StrategicMergePatchType:
		return r.strategicPatch(old)
	case types.JSONPatchType, types.MergePatchType:
		return r.jsonPatch(old)
	}
	return nil, unsupportedPatch()
}

// jsonPatch applies a JSON patch or a JSON merge patch. Upstream: jsonPatcher.
func (r *request) jsonPatch(old object) (object, *apierrors.StatusError) {
	original, failed := gojson.Marshal(r.shown(old))
	if failed != nil {
		return nil, apierrors.NewInternalError(failed)
	}
	changed, strict, err := r.changeJSON(append(original, '\n'))
	if err != nil {
		return nil, err
	}
	next := r.blank()
	unknown, failed := decodeStrict(changed, next)
	if failed != nil {
		return nil, invalidPatch(string(changed), failed)
	}
	if err := r.found(string(changed), append(strict, unknown...)); err != nil {
		return nil, err
	}
	next = r.taken(next)
	r.table.res.defaults(next)
	return next, nil
}

// jsonPatchOp is one operation of a JSON patch, to find what else it names.
type jsonPatchOp struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	From  string `json:"from"`
	Value any    `json:"value"`
}

// maxPatchOps is how many operations a JSON patch may have, and maxPatchCopies how
// many bytes they may copy: each copy can double what is there. Upstream:
// JSONPatchMaxCopyBytes (apiserver v0.37, pkg/server), which is as global there.
const (
	maxPatchOps    = 10000
	maxPatchCopies = 3 * 1024 * 1024
)

func init() {
	if jsonpatch.AccumulatedCopySizeLimit == 0 {
		jsonpatch.AccumulatedCopySizeLimit = maxPatchCopies
	}
}

// changeJSON applies the patch to JSON, and returns what was strange about the
// patch itself. Upstream: applyJSPatch.
func (r *request) changeJSON(original []byte) (changed []byte, strict []error, err *apierrors.StatusError) {
	undecoded := func(failed error, kind string) *apierrors.StatusError {
		text := failed.Error()
		if kind != "" { // as the type is called upstream
			text = string(bytes.ReplaceAll([]byte(text), []byte("fakeapi.jsonPatchOp"), []byte("handlers.jsonPatchOp")))
		}
		return apierrors.NewBadRequest("error decoding patch: " + text)
	}
	if r.patchType == types.MergePatchType {
		patch := map[string]any{}
		strict, failed := kjson.UnmarshalStrict(r.call.Patch, &patch)
		if failed != nil && !r.lenient() {
			return nil, nil, undecoded(failed, "")
		}
		changed, failed = jsonpatch.MergePatch(original, r.call.Patch)
		switch {
		case failed == jsonpatch.ErrBadJSONPatch: //nolint:errorlint // as upstream
			return nil, nil, apierrors.NewBadRequest(failed.Error())
		case failed != nil:
			return nil, nil, unknown(failed)
		}
		return changed, strict, nil
	}
	var ops []jsonPatchOp
	strict, failed := kjson.UnmarshalStrict(r.call.Patch, &ops)
	if failed != nil && !r.lenient() {
		return nil, nil, undecoded(failed, "jsonPatchOp")
	}
	for i, e := range strict {
		strict[i] = fmt.Errorf("json patch %w", e)
	}
	patch, failed := jsonpatch.DecodePatch(r.call.Patch)
	if failed != nil {
		return nil, nil, apierrors.NewBadRequest(failed.Error())
	}
	if len(patch) > maxPatchOps {
		return nil, nil, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("The allowed maximum operations in a JSON patch is %d, got %d", maxPatchOps, len(patch)))
	}
	changed, err = applyJSONPatch(patch, original)
	return changed, strict, err
}

// applyJSONPatch applies a patch that may have the library panic, as a test of
// the whole document without a value does. Upstream: WithPanicRecovery.
func applyJSONPatch(patch jsonpatch.Patch, original []byte) (changed []byte, err *apierrors.StatusError) {
	defer func() {
		if recover() != nil {
			err = unknown(errPanic)
		}
	}()
	changed, failed := patch.Apply(original)
	if failed != nil {
		return nil, unprocessable(failed)
	}
	return changed, nil
}

// decodeStrict reads JSON into obj, and lists the fields that it does not have.
func decodeStrict(data []byte, obj object) (unknown []error, err error) {
	var sent metav1.TypeMeta
	if err := gojson.Unmarshal(data, &sent); err == nil {
		if have := obj.GetObjectKind().GroupVersionKind(); sent.GroupVersionKind() != have {
			return nil, otherKind(sent, obj)
		}
	}
	return kjson.UnmarshalStrict(data, obj)
}

// otherKind is the error for JSON that is of another kind than it was.
func otherKind(sent metav1.TypeMeta, obj object) error {
	want := obj.GetObjectKind().GroupVersionKind()
	if sent.GroupVersionKind().GroupVersion() != want.GroupVersion() {
		return runtime.NewNotRegisteredErrForKind("pkg/runtime/scheme.go:111", sent.GroupVersionKind())
	}
	return fmt.Errorf("converting (%s.%s) to (%s.%s): unknown conversion", want.Version, sent.Kind, want.Version, want.Kind)
}

// strategicPatch applies a strategic merge patch to the parts of old that it
// names, and shares the rest with old: a patch of the taints leaves the images
// alone. Upstream: strategicPatchObject.
func (r *request) strategicPatch(old object) (object, *apierrors.StatusError) {
	res, patch := r.table.res, map[string]any{}
	quick := r.lenient() || !r.wired && r.fieldValidation == "" // nobody hears the warnings
	var strict []error
	var failed error
	if quick {
		failed = kjson.UnmarshalCaseSensitivePreserveInts(r.call.Patch, &patch)
	} else {
		strict, failed = kjson.UnmarshalStrict(r.call.Patch, &patch)
	}
	if failed != nil {
		return nil, apierrors.NewBadRequest(failed.Error())
	}
	keys := slices.Sorted(maps.Keys(patch))
	next, part := res.shallow(old), res.blank()
	if r.view != nil || !res.graft(part, old, keys) {
		keys, part = nil, r.shown(old)
	}
	original, failed := runtime.DefaultUnstructuredConverter.ToUnstructured(part)
	if failed != nil {
		return nil, apierrors.NewInternalError(failed)
	}
	if len(r.call.Patch) > smallPatch && longest(patch)*longest(original) > maxMerge {
		return nil, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("lists are merged element by element, %d at most", maxMerge))
	}
	merged, failed := strategicpatch.StrategicMergeMapPatch(original, patch, r.blank())
	if failed != nil {
		return nil, patchError(failed)
	}
	part = r.blank()
	shown := func() string { return fmt.Sprintf("%+v", patch) }
	failed = runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(merged, part, !quick)
	if found, ok := runtime.AsStrictDecodingError(failed); ok {
		strict = append(strict, found.Errors()...)
	} else if failed != nil {
		return nil, invalidPatch(shown(), failed)
	}
	if len(strict) > 0 {
		if err := r.found(shown(), strict); err != nil {
			return nil, err
		}
	}
	part = r.taken(part)
	if keys == nil {
		next = part
	} else {
		res.graft(next, part, keys)
	}
	res.defaults(next)
	return next, nil
}

// maxMerge bounds the elements of a list in a strategic merge patch times those of
// one in the object, each of which is compared with each. Upstream has no bound, but
// other requests there do not wait. A patch below smallPatch has few elements.
const (
	maxMerge   = 4 << 20
	smallPatch = 1 << 10
)

// longest is how many elements the longest list has that there is in a value.
func longest(value any) int {
	n := 0
	switch value := value.(type) {
	case []any:
		n = len(value)
		for _, v := range value {
			n = max(n, longest(v))
		}
	case map[string]any:
		for _, v := range value { // order: the maximum is the same in any
			n = max(n, longest(v))
		}
	}
	return n
}

// lenient reports whether fields that nobody knows are dropped silently.
func (r *request) lenient() bool { return r.fieldValidation == metav1.FieldValidationIgnore }

// found refuses a patch because of what is strange about it, or warns.
func (r *request) found(patch string, strange []error) *apierrors.StatusError {
	switch {
	case len(strange) == 0 || r.lenient():
		return nil
	case r.fieldValidation == metav1.FieldValidationStrict:
		return invalidPatch(patch, runtime.NewStrictDecodingError(strange))
	}
	for _, err := range strange {
		r.warn(err.Error())
	}
	return nil
}

// invalidPatch is the 422 for a patch that leads to no object.
func invalidPatch(patch string, err error) *apierrors.StatusError {
	return apierrors.NewInvalid(schema.GroupKind{}, "", field.ErrorList{field.Invalid(field.NewPath("patch"), patch, err.Error())})
}

// patchError is interpretStrategicMergePatchError.
func patchError(err error) *apierrors.StatusError {
	switch err {
	case mergepatch.ErrBadJSONDoc, mergepatch.ErrBadPatchFormatForPrimitiveList, mergepatch.ErrBadPatchFormatForRetainKeys,
		mergepatch.ErrBadPatchFormatForSetElementOrderList, mergepatch.ErrUnsupportedStrategicMergePatchFormat:
		return apierrors.NewBadRequest(err.Error())
	case mergepatch.ErrNoListOfLists, mergepatch.ErrPatchContentNotMatchRetainKeys:
		return unprocessable(err)
	}
	return unknown(err)
}

func unprocessable(err error) *apierrors.StatusError {
	return apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", err.Error(), 0, false)
}

func unsupportedPatch() *apierrors.StatusError {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure,
		Code: http.StatusUnsupportedMediaType, Reason: metav1.StatusReasonUnsupportedMediaType,
		Message: "the body of the request was in an unknown format - accepted media types include: " +
			string(types.JSONPatchType) + ", " + string(types.MergePatchType) + ", " +
			string(types.StrategicMergePatchType) + ", " + string(types.ApplyYAMLPatchType)}}
}
