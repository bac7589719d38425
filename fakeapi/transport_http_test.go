package fakeapi

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/fakeapi/wire"
	"github.com/holter-sim/holter/sim"
)

// exchange sends one HTTP request, headers given as "Name: value".
func (l *lab) exchange(method, target, body string, headers ...string) (resp *http.Response, answer string) {
	l.t.Helper()
	h, err := http.NewRequest(method, Endpoint+target, strings.NewReader(body))
	require.NoError(l.t, err)
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		h.Header.Set(name, value)
	}
	l.do(func() {
		resp = must(Transport(l.c).RoundTrip(h))
		answer = string(must(io.ReadAll(resp.Body)))
	})
	return resp, answer
}

func TestWhatIsWrongWithARequestIsSaidByTheServer(t *testing.T) {
	const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
	for _, c := range []struct {
		method, target, body, header string
		code                         int
		text                         string
	}{
		{"GET", "/api/v1/configmaps", "", "", 404, "the server could not find the requested resource"},
		{"GET", "/apis/coordination.k8s.io/v9/leases", "", "", 404, "the server could not find the requested resource"},
		{"PUT", "/api/v1/nodes", "{}", "", 405, "the server does not allow this method on the requested resource"},
		{"DELETE", "/version", "", "", 405, "the server does not allow this method on the requested resource"},
		{"GET", "/api/v1/nodes", "", "Accept: application/cbor", 406, "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch"},
		{"POST", leases, "{}", "Content-Type: application/cbor", 415, "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf"},
		{"PATCH", "/api/v1/nodes/n", "{}", "Content-Type: application/json", 415, "415: Unsupported Media Type"},
		{"POST", leases, strings.Repeat(" ", wire.MaxRequestBody+1), "", 413, "Request entity too large: limit is 3145728"},
		{"PUT", leases + "/l", `{"metadata":{"name":"m"}}`, "", 400, "the name of the object (m) does not match the name on the URL (l)"},
		{"PUT", leases + "/l", `{"metadata":{"name":"l","namespace":"d"}}`, "", 400, "the namespace of the provided object does not match the namespace sent on the request"},
		{"GET", "/api/v1/nodes?limit=x", "", "", 400, `strconv.ParseInt: parsing "x": invalid syntax`},
		{"GET", "/api/v1/watch/nodes/n?fieldSelector=metadata.name%3Dm", "", "", 400, "fieldSelector metadata.name doesn't match requested name"},
		{"POST", leases + "?dryRun=Some", "{}", "", 422, `CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"`},
	} {
		l := newLab(t, Options{Latency: sim.Fixed(time.Second)})
		resp, body := l.exchange(c.method, c.target, c.body, c.header)
		require.Equal(t, c.code, resp.StatusCode, "%s %s: %s", c.method, c.target, body)
		var status metav1.Status
		require.NoError(t, json.Unmarshal([]byte(body), &status))
		require.Equal(t, "Status", status.Kind)
		require.Equal(t, c.text, status.Message, "%s %s", c.method, c.target)
		require.EqualValues(t, c.code, status.Code)
		require.Equal(t, sim.Time(2*time.Second), l.e.Now(), "it has travelled there and back")
		require.Len(t, l.answered, 1)
		require.Equal(t, c.code, l.last().Code)
		require.EqualValues(t, 1, l.s.version, "nothing has been written")
	}
}

func TestPathsOfNoGroupAreNotFoundInPlainText(t *testing.T) {
	for _, path := range []string{"/metrics", "/none", "/apis/none.io", "/apis/none.io/v1", "/apis/none.io/v1/leases"} {
		l := newLab(t, Options{})
		resp, body := l.exchange("GET", path, "", "")
		require.Equal(t, http.StatusNotFound, resp.StatusCode, path)
		require.Equal(t, "404 page not found\n", body, path)
		require.Equal(t, "text/plain; charset=utf-8", resp.Header.Get("Content-Type"), path)
		require.Equal(t, http.StatusNotFound, l.last().Code, path)
	}
}

func TestUnknownFieldsAreWarnedOfInAHeader(t *testing.T) {
	l := newLab(t, Options{})
	const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
	resp, body := l.exchange("POST", leases, `{"metadata":{"name":"l"},"colour":"red"}`)
	require.Equal(t, http.StatusCreated, resp.StatusCode, body)
	require.Equal(t, "application/json", resp.Header.Get("Content-Type"))
	require.Equal(t, `299 - "unknown field \"colour\""`, resp.Header.Get("Warning"))
	resp, _ = l.exchange("POST", leases+"?fieldValidation=Strict", `{"metadata":{"name":"m"},"colour":"red"}`)
	require.Equal(t, http.StatusBadRequest, resp.StatusCode)
	require.Nil(t, l.s.Lease("default", "m"))
}

func TestAgesInTablesAreThoseOfTheVirtualClock(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() { l.c.createNode("n") })
	l.runUntil(3 * time.Hour)
	_, body := l.exchange("GET", "/api/v1/nodes", "", "Accept: application/json;as=Table;v=v1;g=meta.k8s.io")
	var table metav1.Table
	require.NoError(t, json.Unmarshal([]byte(body), &table))
	require.Equal(t, []any{"n", "Unknown", "<none>", "3h"}, table.Rows[0].Cells[:4])
	require.Equal(t, "2", table.ResourceVersion)
}

func TestPathsAreCallsLikeOthers(t *testing.T) {
	l := newLab(t, Options{Release: "1.36.3"})
	resp, body := l.exchange("GET", "/version", "")
	require.Equal(t, 200, resp.StatusCode)
	require.Contains(t, body, `"gitVersion": "v1.36.3"`)
	require.Equal(t, "get  /version 200", fmt.Sprint(l.last().Verb, " ", l.last().Resource, " ", l.last().Name, " ", l.last().Code))

	l.s.Network().Add(Rule{Count: 1, Respond: tooMany(3)})
	resp, body = l.exchange("GET", "/livez", "")
	require.Equal(t, "ok", body)
	require.Equal(t, sim.Time(3*time.Second), l.e.Now())
	resp, _ = l.exchange("GET", "/apis/coordination.k8s.io", "")
	require.Equal(t, 200, resp.StatusCode)
}
