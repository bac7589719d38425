package wire

import (
	"encoding/hex"
	"fmt"
	"io"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// MaxRequestBody is how many bytes a body may have. Upstream: MaxRequestBodyBytes
// of server.Config (apiserver v0.37).
const MaxRequestBody = 3 * 1024 * 1024

// ReadBody reads a body to its end and closes it. One that is too long is 413.
// Upstream: limitedReadBody.
func ReadBody(body io.ReadCloser) ([]byte, *apierrors.StatusError) {
	if body == nil {
		return nil, nil
	}
	defer body.Close()
	limited := &io.LimitedReader{R: body, N: MaxRequestBody + 1}
	data, err := io.ReadAll(limited)
	switch {
	case err != nil:
		return nil, apierrors.NewInternalError(err)
	case limited.N <= 0:
		return nil, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d", MaxRequestBody))
	}
	return data, nil
}

// DecodeObject reads the body of a create or update into an object of that
// kind, into, which is empty. Fields that the kind does not have, and such as
// are given twice, are refused if fieldValidation is Strict, and otherwise
// dropped; unless it is Ignore each is told in a warning, see [Warnings]. In protobuf there are no such fields. Upstream: createHandler
// and UpdateResource.
func DecodeObject(contentType string, body []byte, kind schema.GroupVersionKind, into runtime.Object, fieldValidation string) (warnings []string, err *apierrors.StatusError) {
	in, err := NegotiateInput(contentType)
	if err != nil {
		return nil, err
	}
	decoder := in.StrictSerializer
	if fieldValidation == metav1.FieldValidationIgnore {
		decoder = in.Serializer
	}
	obj, actual, failed := decoder.Decode(body, &kind, into)
	if strict, ok := runtime.AsStrictDecodingError(failed); ok && obj != nil && fieldValidation != metav1.FieldValidationStrict {
		warnings, failed = strictTexts(strict.Errors()), nil
	}
	sameKind := actual != nil && actual.Kind == kind.Kind // as in another group: upstream has it converted
	if failed == nil && obj != into && !sameKind {
		failed = fmt.Errorf("converting (%s) to (%s): unknown conversion", typeName(obj), typeName(into))
	}
	if failed != nil {
		return nil, undecodable(failed, kind.Kind, actual, body)
	}
	if gv := actual.GroupVersion(); gv != kind.GroupVersion() {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the API version in the data (%s) does not match the expected API version (%s)", gv, kind.GroupVersion()))
	}
	return warnings, nil
}

// CheckName compares the name of an object with that on the URL.
func CheckName(have, want string) *apierrors.StatusError {
	switch have {
	case want:
		return nil
	case "":
		return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s based on URL) was undeterminable: name must be provided", want))
	}
	return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", have, want))
}

// undecodable is transformDecodeError.
func undecodable(err error, want string, actual *schema.GroupVersionKind, body []byte) *apierrors.StatusError {
	if actual != nil && actual.Kind != "" {
		return apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", actual.Kind, actual.Version, want, err))
	}
	return apierrors.NewBadRequest(fmt.Sprintf("the object provided is unrecognized (must be of type %s): %v (%s)", want, err, summary(body)))
}

// summary is summarizeData, for 30 bytes.
func summary(data []byte) string {
	if len(data) == 0 {
		return "<empty>"
	}
	head, more := data, ""
	if len(data) > 30 {
		head, more = data[:30], " ..."
	}
	if data[0] == '{' {
		return string(head) + more
	}
	return hex.EncodeToString(head) + more
}

func typeName(obj runtime.Object) string { return reflect.TypeOf(obj).Elem().String() }
