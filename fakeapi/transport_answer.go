package fakeapi

import (
	"bytes"
	"io"
	"net/http"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/holter-sim/holter/fakeapi/wire"
)

// answer is what an HTTP answer is made with.
type answer struct {
	out      wire.Output
	table    *metav1.TableOptions // of a table, if one is wanted
	warnings []string
	document *wire.Document // of a path
}

// response encodes what the server has answered.
func (a *answer) response(q *request, h *http.Request) *http.Response {
	a.warnings = append(a.warnings, q.warnings...)
	switch {
	case q.status != nil:
		return a.refusal(q.status, h)
	case a.document != nil:
		return a.bytes(http.StatusOK, a.document.ContentType, a.document.Body, h)
	case q.watch != nil:
		return a.stream(q.watch, q.view, h)
	}
	obj, err := result(q)
	if err != nil {
		return a.refusal(err, h)
	}
	body, err := a.out.Encode(obj, a.table, q.table.s.host.Now())
	if err != nil {
		return a.refusal(err, h)
	}
	code := http.StatusOK
	if q.created {
		code = http.StatusCreated
	}
	return a.bytes(code, a.out.ContentType(), body, h)
}

// result is the object, list or Status that answers a request.
func result(q *request) (runtime.Object, *apierrors.StatusError) {
	switch {
	case q.op == opList, q.op == opDeleteCollection:
		objects := make([]runtime.Object, len(q.list))
		for i, obj := range q.list {
			objects[i] = q.shown(obj)
		}
		return wire.NewList(q.kind(), metav1.ListMeta{ResourceVersion: q.listed, Continue: q.more, RemainingItemCount: q.remaining}, objects)
	case createdSubresources[q.call.Subresource] != nil:
		return success(http.StatusCreated, nil), nil
	case q.obj != nil:
		return q.shown(q.obj), nil
	case q.left != nil:
		return q.shown(q.left), nil
	}
	of := q.group()
	return success(0, &metav1.StatusDetails{Name: q.call.Name, Group: of.Group, Kind: of.Resource, UID: q.uid}), nil
}

func success(code int, details *metav1.StatusDetails) runtime.Object {
	s := wire.Success(code, details)
	s.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	return s
}

// refusal is an answer with a Status. It has no Retry-After: what that asks for
// has been done.
func (a *answer) refusal(err *apierrors.StatusError, h *http.Request) *http.Response {
	if a.out.Info.Serializer == nil {
		a.out = wire.JSON()
	}
	body, contentType := a.out.EncodeStatus(&err.ErrStatus), a.out.ContentType()
	if text := wire.PlainText(err); text != "" {
		body, contentType = []byte(text), "text/plain; charset=utf-8"
	}
	if h.Method == http.MethodHead {
		body = nil
	}
	return a.bytes(wire.CodeOf(&err.ErrStatus), contentType, body, h)
}

func (a *answer) bytes(code int, contentType string, body []byte, h *http.Request) *http.Response {
	r := a.head(code, contentType, h)
	r.ContentLength = int64(len(body))
	r.Body = io.NopCloser(bytes.NewReader(body))
	return r
}

// head is an answer without its body.
func (a *answer) head(code int, contentType string, h *http.Request) *http.Response {
	header := make(http.Header, 2)
	header["Content-Type"] = []string{contentType}
	if list := wire.Warnings(a.warnings); len(list) > 0 {
		header["Warning"] = list
	}
	return &http.Response{StatusCode: code, Status: statusLine(code), Proto: "HTTP/2.0", ProtoMajor: 2, Header: header, Request: h}
}

func statusLine(code int) string {
	if code == http.StatusOK {
		return "200 OK"
	}
	return strconv.Itoa(code) + " " + http.StatusText(code)
}
