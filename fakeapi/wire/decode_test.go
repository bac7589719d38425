package wire

import (
	"bytes"
	"io"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

var leaseKind = coordinationv1.SchemeGroupVersion.WithKind("Lease")

func TestFieldsThatAKindDoesNotHaveAreWarnedOfDroppedOrRefused(t *testing.T) {
	body := []byte(`{"metadata":{"name":"l","colour":"red"},"spec":{"holderIdentity":"a","holderIdentity":"b"}}`)
	warnings, err := DecodeObject("application/json", body, leaseKind, &coordinationv1.Lease{}, "")
	require.Nil(t, err)
	require.Equal(t, []string{`unknown field "metadata.colour"`, `duplicate field "spec.holderIdentity"`}, sorted(warnings))

	lease := &coordinationv1.Lease{}
	warnings, err = DecodeObject("application/json", body, leaseKind, lease, metav1.FieldValidationIgnore)
	require.Nil(t, err)
	require.Empty(t, warnings)
	require.Equal(t, "b", *lease.Spec.HolderIdentity)

	_, err = DecodeObject("application/json", body, leaseKind, &coordinationv1.Lease{}, metav1.FieldValidationStrict)
	require.NotNil(t, err)
	require.Contains(t, err.Error(), `Lease in version "v1" cannot be handled as a Lease: strict decoding error: `)
	require.Contains(t, err.Error(), `unknown field "metadata.colour"`)
}

// sorted puts the warning of an unknown field first.
func sorted(list []string) []string {
	if len(list) == 2 && strings.Contains(list[0], "duplicate") {
		list[0], list[1] = list[1], list[0]
	}
	return list
}

func TestBodiesThatAreNotTheObjectAreBadRequests(t *testing.T) {
	for _, c := range []struct{ contentType, body, want string }{
		{"", "", `the object provided is unrecognized (must be of type Lease): couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)`},
		{"", `{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","spec":{"leaseDurationSeconds":"long"}}`,
			`Lease in version "v1" cannot be handled as a Lease: json: cannot unmarshal string into Go struct field LeaseSpec.spec.leaseDurationSeconds of type int32`},
		{"", `{"kind":"Pod","apiVersion":"v1"}`, `Pod in version "v1" cannot be handled as a Lease: converting (v1.Pod) to (v1.Lease): unknown conversion`},
		{protobuf, "k8s", `the object provided is unrecognized (must be of type Lease): provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] (6b3873)`},
		{"application/cbor", "", `the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf`},
	} {
		_, err := DecodeObject(c.contentType, []byte(c.body), leaseKind, &coordinationv1.Lease{}, "")
		require.EqualError(t, err, c.want)
	}
	require.EqualError(t, CheckName("a", "b"), "the name of the object (a) does not match the name on the URL (b)")
	require.EqualError(t, CheckName("", "b"), "the name of the object (b based on URL) was undeterminable: name must be provided")
	require.Nil(t, CheckName("b", "b"))
}

func TestABodyOfMoreThanThreeMebibytesIsTooLarge(t *testing.T) {
	body, err := ReadBody(io.NopCloser(bytes.NewReader(make([]byte, MaxRequestBody))))
	require.Nil(t, err)
	require.Len(t, body, MaxRequestBody)
	_, err = ReadBody(io.NopCloser(bytes.NewReader(make([]byte, MaxRequestBody+1))))
	require.EqualError(t, err, "Request entity too large: limit is 3145728")
	require.EqualValues(t, 413, err.ErrStatus.Code)
}

func TestEveryEncodingGivesTheObjectBack(t *testing.T) {
	lease := &coordinationv1.Lease{TypeMeta: metav1.TypeMeta{APIVersion: "coordination.k8s.io/v1", Kind: "Lease"}, ObjectMeta: metav1.ObjectMeta{Name: "l"},
		Spec: coordinationv1.LeaseSpec{HolderIdentity: ptr.To("a"), RenewTime: &metav1.MicroTime{Time: time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)}}}
	for _, m := range mediaTypes {
		out, err := NegotiateOutput(m.MediaType, "get")
		require.Nil(t, err)
		data, err := out.Encode(lease, nil, noTime)
		require.Nil(t, err)
		got := &coordinationv1.Lease{}
		_, err = DecodeObject(m.MediaType, data, leaseKind, got, metav1.FieldValidationStrict)
		require.Nil(t, err, m.MediaType)
		require.True(t, lease.Spec.RenewTime.Equal(got.Spec.RenewTime))
		require.Equal(t, lease.Name, got.Name)
	}
}

func TestAListSaysItsKindAndItsItemsDoNot(t *testing.T) {
	node := &corev1.Node{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}, ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	list, err := NewList(corev1.SchemeGroupVersion.WithKind("Node"), metav1.ListMeta{ResourceVersion: "7"}, []runtime.Object{node})
	require.Nil(t, err)
	out := JSON()
	data, err := out.Encode(list, nil, noTime)
	require.Nil(t, err)
	require.Contains(t, string(data), `{"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"n"}`)
	require.Equal(t, "Node", node.Kind, "the object in the store is left alone")

	empty, err := NewList(corev1.SchemeGroupVersion.WithKind("Node"), metav1.ListMeta{ResourceVersion: "7"}, nil)
	require.Nil(t, err)
	data, err = out.Encode(empty, nil, noTime)
	require.Nil(t, err)
	require.Contains(t, string(data), `"items":[]`)
}

func TestOptionsAreReadFromTheQuery(t *testing.T) {
	list, err := ListOptions(url.Values{"watch": {"true"}, "timeoutSeconds": {"7"}, "fieldSelector": {"a=b"}, "limit": {"5"}, "sendInitialEvents": {"true"}, "unknown": {"x"}})
	require.Nil(t, err)
	require.Equal(t, metav1.ListOptions{Watch: true, TimeoutSeconds: ptr.To[int64](7), FieldSelector: "a=b", Limit: 5, SendInitialEvents: ptr.To(true)}, list)
	table, err := TableOptions(url.Values{"limit": {"500"}, "includeObject": {"Object"}})
	require.Nil(t, err)
	require.Equal(t, metav1.IncludeObject, table.IncludeObject)
	_, err = TableOptions(url.Values{"includeObject": {"Half"}})
	require.True(t, apierrors.IsBadRequest(err))
	_, err = ListOptions(url.Values{"limit": {"many"}})
	require.True(t, apierrors.IsBadRequest(err))
	_, err = CreateOptions(url.Values{"dryRun": {"Some"}})
	require.True(t, apierrors.IsInvalid(err))
	_, err = PatchOptions(url.Values{"force": {"true"}}, types.MergePatchType)
	require.EqualError(t, err, `PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch`)
	del, err := DeleteOptions(nil, "", []byte(`{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":3}`))
	require.Nil(t, err)
	require.EqualValues(t, 3, *del.GracePeriodSeconds)
	del, err = DeleteOptions(url.Values{"propagationPolicy": {"Orphan"}}, "", nil)
	require.Nil(t, err)
	require.Equal(t, metav1.DeletePropagationOrphan, *del.PropagationPolicy)
	_, err = DeleteOptions(nil, "", []byte(`{"kind":"Pod","apiVersion":"v1"}`))
	require.True(t, apierrors.IsBadRequest(err))
}
