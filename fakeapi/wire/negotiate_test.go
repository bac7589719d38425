package wire

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	protobuf = "application/vnd.kubernetes.protobuf"
	asTables = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json"
)

func TestTheFirstTypeByWeightThatCanBeHadIsAnswered(t *testing.T) {
	for _, c := range []struct{ accept, want string }{
		{"", "application/json"},
		{"*/*", "application/json"},
		{protobuf + ",application/json", protobuf},
		{protobuf + ";q=0.5,application/json;q=0.9", "application/json"},
		{"application/json;q=0.1, application/yaml", "application/yaml"},
		{"text/html,application/*,*/*;q=0.1", "application/json"},
		{"application/cbor,application/json;q=0.9", "application/json"},
		{asTables, "application/json Table meta.k8s.io/v1"},
		{protobuf + ";as=Table;v=v1;g=meta.k8s.io,application/json", "application/json"},
		{protobuf + ";as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", protobuf + " PartialObjectMetadataList meta.k8s.io/v1"},
		{"application/json;as=Chair;v=v1;g=meta.k8s.io,application/yaml", "application/yaml"},
		{"application/json;stream=watch", "application/json"},
	} {
		out, err := NegotiateOutput(c.accept, "get")
		require.Nil(t, err, c.accept)
		got := out.ContentType()
		if out.As != nil {
			got += " " + out.As.Kind + " " + out.As.GroupVersion().String()
		}
		require.Equal(t, c.want, got, c.accept)
	}
}

func TestWhatCannotBeHadIsNotAcceptable(t *testing.T) {
	for _, accept := range []string{"application/cbor", "text/html", "application/*", "nonsense", "application/json;as=Table;v=v9;g=meta.k8s.io", "application/json;stream=radio"} {
		_, err := NegotiateOutput(accept, "get")
		require.NotNil(t, err, accept)
		require.EqualValues(t, http.StatusNotAcceptable, err.ErrStatus.Code)
		require.Contains(t, err.ErrStatus.Message, "application/json, application/yaml, "+protobuf)
	}
	_, err := NegotiateOutput("application/yaml", "watch")
	require.NotNil(t, err, "YAML has no frames")
	require.Contains(t, err.ErrStatus.Message, protobuf+";stream=watch")
}

func TestBodiesOfOtherTypesAreUnsupported(t *testing.T) {
	for contentType, want := range map[string]string{
		"": "application/json", "application/json; charset=utf-8": "application/json", protobuf: protobuf, "application/yaml": "application/yaml",
	} {
		in, err := NegotiateInput(contentType)
		require.Nil(t, err)
		require.Equal(t, want, in.MediaType)
	}
	for _, contentType := range []string{"application/cbor", "text/plain", "application/json;;", "/"} {
		_, err := NegotiateInput(contentType)
		require.NotNil(t, err, contentType)
		require.EqualValues(t, http.StatusUnsupportedMediaType, err.ErrStatus.Code)
		require.Equal(t, "the body of the request was in an unknown format - accepted media types include: "+strings.Join(names(), ", "), err.Error())
	}
}
