package wire

import (
	"fmt"
	"net/url"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metascheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The options of a request are its query. What cannot be read is 400, what
// makes no sense 422. Parameters that are not known are ignored.

// CreateOptions reads the query of a create.
func CreateOptions(query url.Values) (o metav1.CreateOptions, err *apierrors.StatusError) {
	if err = readOptions(query, &o); err == nil {
		err = invalidOptions("CreateOptions", validation.ValidateCreateOptions(&o))
	}
	return o, err
}

// UpdateOptions reads the query of an update.
func UpdateOptions(query url.Values) (o metav1.UpdateOptions, err *apierrors.StatusError) {
	if err = readOptions(query, &o); err == nil {
		err = invalidOptions("UpdateOptions", validation.ValidateUpdateOptions(&o))
	}
	return o, err
}

// PatchOptions reads the query of a patch of that type.
func PatchOptions(query url.Values, typ types.PatchType) (o metav1.PatchOptions, err *apierrors.StatusError) {
	if err = readOptions(query, &o); err == nil {
		err = invalidOptions("PatchOptions", validation.ValidatePatchOptions(&o, typ))
	}
	return o, err
}

// GetOptions reads the query of a get.
func GetOptions(query url.Values) (o metav1.GetOptions, err *apierrors.StatusError) {
	return o, readOptions(query, &o)
}

// ListOptions reads the query of a list or watch. What the options say together
// is for the server to judge.
func ListOptions(query url.Values) (o metav1.ListOptions, err *apierrors.StatusError) {
	return o, readOptions(query, &o)
}

// DeleteOptions reads the options of a delete: the body if there is one, else
// the query.
func DeleteOptions(query url.Values, contentType string, body []byte) (*metav1.DeleteOptions, *apierrors.StatusError) {
	o := &metav1.DeleteOptions{}
	if len(body) == 0 {
		if err := readOptions(query, o); err != nil {
			return nil, err
		}
		return o, invalidOptions("DeleteOptions", validation.ValidateDeleteOptions(o))
	}
	in, err := NegotiateInput(contentType)
	if err != nil {
		return nil, err
	}
	kind := metav1.SchemeGroupVersion.WithKind("DeleteOptions")
	known, _ := runtime.SerializerInfoForMediaType(metascheme.Codecs.SupportedMediaTypes(), in.MediaType)
	obj, _, failed := metascheme.Codecs.DecoderToVersion(known.Serializer, kind.GroupVersion()).Decode(body, &kind, o)
	switch {
	case failed != nil:
		return nil, apierrors.NewBadRequest(failed.Error())
	case obj != runtime.Object(o):
		return nil, apierrors.NewBadRequest("decoded object cannot be converted to DeleteOptions")
	}
	return o, invalidOptions("DeleteOptions", validation.ValidateDeleteOptions(o))
}

// TableOptions reads what a query says of a table. Upstream: optionsForTransform.
func TableOptions(query url.Values) (o metav1.TableOptions, err *apierrors.StatusError) {
	if err := readOptionsOf(metav1.SchemeGroupVersion, query, &o); err != nil {
		return o, err
	}
	switch errs := validation.ValidateTableOptions(&o); len(errs) {
	case 0:
		return o, nil
	case 1:
		return o, apierrors.NewBadRequest(fmt.Sprintf("Unable to convert to Table as requested: %v", errs[0].Error()))
	default:
		return o, apierrors.NewBadRequest(fmt.Sprintf("Unable to convert to Table as requested: %v", errs))
	}
}

// Watching tells whether a query asks for a watch. Upstream: NewRequestInfo.
func Watching(query url.Values) bool {
	values := query["watch"]
	return len(values) > 0 && values[0] != "false" && values[0] != "0"
}

func readOptions(query url.Values, into runtime.Object) *apierrors.StatusError {
	return readOptionsOf(metav1.Unversioned, query, into)
}

func readOptionsOf(gv schema.GroupVersion, query url.Values, into runtime.Object) *apierrors.StatusError {
	if len(query) == 0 {
		return nil
	}
	if err := parameters.DecodeParameters(query, gv, into); err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	return nil
}

func invalidOptions(kind string, errs field.ErrorList) *apierrors.StatusError {
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: kind}, "", errs)
}
