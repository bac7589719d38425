package wire

import (
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/munnerz/goautoneg"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1beta1 "k8s.io/apimachinery/pkg/apis/meta/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Output is how an answer is to be encoded.
type Output struct {
	// Info has the serializer, and for a watch the framer.
	Info runtime.SerializerInfo
	// As is the kind that the client wants instead of the object's own: Table,
	// PartialObjectMetadata or PartialObjectMetadataList of meta.k8s.io; nil for none.
	As *schema.GroupVersionKind
	// Pretty is ;pretty=1, an indented form for people.
	Pretty bool
}

// JSON is the output that needs no negotiation.
func JSON() Output { return Output{Info: mediaTypes[0]} }

// NegotiateOutput picks the first type of an Accept header, by weight, that can
// be had; an empty header accepts JSON. Of what cannot be had, 406 tells what
// can. Upstream: NegotiateOutputMediaType, and go-restful, which looks first and
// knows no partial wildcards. verb is that of the request, see [Info].
func NegotiateOutput(accept, verb string) (Output, *apierrors.StatusError) {
	if accept == "" {
		return JSON(), nil
	}
	if !producible(accept) {
		list := names()
		if verb == "list" || verb == "watch" {
			list = append(list, streams()...)
		}
		return JSON(), refuse(http.StatusNotAcceptable, "406: Not Acceptable\n\nAvailable representations: "+strings.Join(list, ", "))
	}
	clauses, watching := goautoneg.ParseAccept(accept), verb == "watch"
	if out, ok := pick(clauses, func(out *Output) bool { return !watching || out.Info.StreamSerializer != nil }); ok {
		return out, nil
	}
	list := names()
	if watching {
		list = streams()
	}
	return refused(clauses), mediaError(http.StatusNotAcceptable, metav1.StatusReasonNotAcceptable,
		"only the following media types are accepted: "+strings.Join(list, ", "))
}

// refused is how a refusal is encoded: as what the client accepts, if that is no
// kind of its own, be it a type that a watch does not have. Upstream:
// ErrorNegotiated, with DefaultEndpointRestrictions.
func refused(clauses []goautoneg.Accept) Output {
	if out, ok := pick(clauses, func(out *Output) bool { return out.As == nil }); ok {
		return Output{Info: out.Info}
	}
	return JSON()
}

// pick returns the first that both can be had and is fine.
func pick(clauses []goautoneg.Accept, fine func(*Output) bool) (Output, bool) {
	for i := range clauses {
		for j := range mediaTypes {
			c, m := &clauses[i], &mediaTypes[j]
			if c.Type != "*" && c.Type != m.MediaTypeType || c.SubType != "*" && c.SubType != m.MediaTypeSubType {
				continue
			}
			if out, ok := accepted(c.Params, m); ok && fine(&out) {
				return out, true
			}
		}
	}
	return Output{}, false
}

// producible is go-restful's look at an Accept header.
func producible(accept string) bool {
	for clause := range strings.SplitSeq(accept, ",") {
		name, _, _ := strings.Cut(strings.TrimSpace(clause), ";")
		if name == "*/*" {
			return true
		}
		for i := range mediaTypes {
			if mediaTypes[i].MediaType == name {
				return true
			}
		}
	}
	return false
}

// accepted reads the parameters of a media type. Upstream: acceptMediaTypeOptions.
func accepted(params map[string]string, m *runtime.SerializerInfo) (Output, bool) {
	out := Output{Info: *m, Pretty: params["pretty"] == "1"}
	if stream := params["stream"]; stream != "" && (stream != "watch" || m.StreamSerializer == nil) {
		return out, false
	}
	if sv := params["sv"]; sv != "" && sv != "v1" {
		return out, false
	}
	kind, hasKind := params["as"]
	group, hasGroup := params["g"]
	version, hasVersion := params["v"]
	if !hasKind && !hasGroup && !hasVersion {
		return out, true
	}
	out.As = &schema.GroupVersionKind{Group: group, Version: version, Kind: kind}
	return out, transforms(out.As, m)
}

// transforms tells whether answers can be had as that kind. Upstream:
// RequestScope.AllowsMediaTypeTransform.
func transforms(as *schema.GroupVersionKind, m *runtime.SerializerInfo) bool {
	if gv := as.GroupVersion(); gv != metav1.SchemeGroupVersion && gv != metav1beta1.SchemeGroupVersion {
		return false
	}
	switch as.Kind {
	case "Table":
		return m.MediaType == runtime.ContentTypeJSON || m.MediaType == runtime.ContentTypeYAML
	case "PartialObjectMetadata", "PartialObjectMetadataList":
		return true
	}
	return false
}

// NegotiateInput picks what decodes a body of that Content-Type; an empty one is
// JSON. CBOR and anything else is refused with 415.
func NegotiateInput(contentType string) (runtime.SerializerInfo, *apierrors.StatusError) {
	if contentType == "" {
		return mediaTypes[0], nil
	}
	for i := range mediaTypes { // as clients write it
		if mediaTypes[i].MediaType == contentType {
			return mediaTypes[i], nil
		}
	}
	if name, _, err := mime.ParseMediaType(contentType); err == nil {
		if info, ok := runtime.SerializerInfoForMediaType(mediaTypes, name); ok {
			return info, nil
		}
	}
	return runtime.SerializerInfo{}, mediaError(http.StatusUnsupportedMediaType, metav1.StatusReasonUnsupportedMediaType,
		"the body of the request was in an unknown format - accepted media types include: "+strings.Join(names(), ", "))
}

// UnknownPatch is the answer for a patch whose Content-Type is none of a patch.
func UnknownPatch() *apierrors.StatusError {
	return refuse(http.StatusUnsupportedMediaType, "415: Unsupported Media Type")
}

// ContentType is what the answer says of itself.
func (o *Output) ContentType() string { return o.Info.MediaType }

// StreamType is what the answer to a watch says of itself.
func (o *Output) StreamType() string {
	if o.Info.MediaType == runtime.ContentTypeJSON {
		return o.Info.MediaType
	}
	return o.Info.MediaType + ";stream=watch"
}

// names lists the media types.
func names() []string {
	var list []string
	for i := range mediaTypes {
		list = append(list, mediaTypes[i].MediaType)
	}
	return list
}

// streams lists those of watches.
func streams() []string {
	var list []string
	for i := range mediaTypes {
		if mediaTypes[i].StreamSerializer != nil {
			list = append(list, mediaTypes[i].MediaType+";stream=watch")
		}
	}
	return list
}

func mediaError(code int32, reason metav1.StatusReason, text string) *apierrors.StatusError {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: code, Reason: reason, Message: text}}
}

// notTransformed is the answer to a wish for a kind that an object cannot become.
func notTransformed(format string, args ...any) *apierrors.StatusError {
	return mediaError(http.StatusNotAcceptable, metav1.StatusReasonNotAcceptable, fmt.Sprintf(format, args...))
}
