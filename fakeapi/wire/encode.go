package wire

import (
	"bytes"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1beta1 "k8s.io/apimachinery/pkg/apis/meta/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Encode returns an object, list or Status in the encoding that was negotiated,
// as the kind that was asked for. It must have its TypeMeta set, and is not
// written to. Ages in tables are those at now. Upstream: transformResponseObject.
func (o *Output) Encode(obj runtime.Object, table *metav1.TableOptions, now time.Time) ([]byte, *apierrors.StatusError) {
	obj, refused := o.transform(obj, table, now)
	if refused != nil {
		return nil, refused
	}
	var buf bytes.Buffer
	if err := o.serializer().Encode(obj, &buf); err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	return buf.Bytes(), nil
}

// noTime is now where nothing has an age.
var noTime time.Time

// EncodeStatus returns a Status, for an answer with its code.
func (o *Output) EncodeStatus(status *metav1.Status) []byte {
	s := *status
	s.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	data, err := o.Encode(&s, nil, noTime)
	if err != nil {
		panic(err) // a Status always encodes
	}
	return data
}

// Success is the Status that answers a delete, and whatever else has no object
// to show.
func Success(code int, details *metav1.StatusDetails) *metav1.Status {
	return &metav1.Status{Status: metav1.StatusSuccess, Code: int32(code), Details: details}
}

func (o *Output) serializer() runtime.Serializer {
	if o.Pretty && o.Info.PrettySerializer != nil {
		return o.Info.PrettySerializer
	}
	return o.Info.Serializer
}

// transform is doTransformObject.
func (o *Output) transform(obj runtime.Object, table *metav1.TableOptions, now time.Time) (runtime.Object, *apierrors.StatusError) {
	if _, is := obj.(*metav1.Status); is || o.As == nil {
		return obj, nil
	}
	switch o.As.Kind {
	case "Table":
		return asTable(obj, table, o.As.GroupVersion(), now)
	case "PartialObjectMetadata":
		return asPartial(obj, o.As.GroupVersion())
	default:
		return asPartialList(obj, o.As.GroupVersion())
	}
}

func asPartial(obj runtime.Object, gv schema.GroupVersion) (runtime.Object, *apierrors.StatusError) {
	if meta.IsListType(obj) {
		return nil, notTransformed("you requested PartialObjectMetadata, but the requested object is a list (%T)", obj)
	}
	m, err := meta.Accessor(obj)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	partial := meta.AsPartialObjectMetadata(m)
	partial.SetGroupVersionKind(gv.WithKind("PartialObjectMetadata"))
	return partial, nil
}

// asPartialList makes a list of metadata of a list. The two versions of the kind
// have the same fields.
func asPartialList(obj runtime.Object, gv schema.GroupVersion) (runtime.Object, *apierrors.StatusError) {
	list, err := meta.ListAccessor(obj)
	if err != nil {
		return nil, notTransformed("you requested PartialObjectMetadataList, but the requested object is not a list (%T)", obj)
	}
	items := []metav1.PartialObjectMetadata{}
	err = meta.EachListItem(obj, func(item runtime.Object) error {
		m, err := meta.Accessor(item)
		if err != nil {
			return err
		}
		partial := meta.AsPartialObjectMetadata(m)
		partial.SetGroupVersionKind(gv.WithKind("PartialObjectMetadata"))
		items = append(items, *partial)
		return nil
	})
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	of := metav1.TypeMeta{APIVersion: gv.String(), Kind: "PartialObjectMetadataList"}
	about := metav1.ListMeta{ResourceVersion: list.GetResourceVersion(), Continue: list.GetContinue(), RemainingItemCount: list.GetRemainingItemCount()}
	if gv == metav1beta1.SchemeGroupVersion {
		return &metav1beta1.PartialObjectMetadataList{TypeMeta: of, ListMeta: about, Items: items}, nil
	}
	return &metav1.PartialObjectMetadataList{TypeMeta: of, ListMeta: about, Items: items}, nil
}

// NewList returns a list of the kind that belongs to an object's. Objects are
// not written to; as upstream, those in a list do not say their kind.
func NewList(kind schema.GroupVersionKind, about metav1.ListMeta, objects []runtime.Object) (runtime.Object, *apierrors.StatusError) {
	of := kind.GroupVersion().WithKind(kind.Kind + "List")
	list, err := scheme.New(of)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	if objects == nil {
		objects = []runtime.Object{}
	}
	if err := meta.SetList(list, objects); err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	err = meta.EachListItem(list, func(item runtime.Object) error {
		item.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
		return nil
	})
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	list.GetObjectKind().SetGroupVersionKind(of)
	if m, err := meta.ListAccessor(list); err == nil {
		m.SetResourceVersion(about.ResourceVersion)
		m.SetContinue(about.Continue)
		m.SetRemainingItemCount(about.RemainingItemCount)
	}
	return list, nil
}

// CodeOf is the code of an answer with that Status.
func CodeOf(s *metav1.Status) int {
	if s.Code == 0 {
		return http.StatusInternalServerError
	}
	return int(s.Code)
}
