package fakeapi

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
)

// FuzzHTTPRequest sends whole HTTP requests to a small server: whatever they
// are, the answer is a success or a Status that says what is wrong, in an
// encoding that it names, and the server goes on.
func FuzzHTTPRequest(f *testing.F) {
	lease := `{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"l","namespace":"kube-node-lease"},"spec":{"leaseDurationSeconds":40}}`
	for _, s := range []struct{ method, target, accept, contentType, body string }{
		{"GET", "/api/v1/nodes", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json", "", ""},
		{"GET", "/api/v1/nodes?watch=true&timeoutSeconds=1&allowWatchBookmarks=true", "application/vnd.kubernetes.protobuf", "", ""},
		{"GET", "/api/v1/watch/nodes/n?timeoutSeconds=1", "application/json;as=Table;v=v1;g=meta.k8s.io", "", ""},
		{"POST", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases", "application/vnd.kubernetes.protobuf,application/json", "application/json", lease},
		{"POST", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases?fieldValidation=Strict&dryRun=All", "", "application/yaml", "metadata: {generateName: l-}"},
		{"PUT", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/l", "", "application/vnd.kubernetes.protobuf", "k8s\x00\n\x0a"},
		{"PATCH", "/api/v1/nodes/n/status", "", "application/strategic-merge-patch+json", `{"status":{"conditions":[{"type":"Ready","status":"True"}]}}`},
		{"PATCH", "/api/v1/nodes/n", "", "application/merge-patch+json", `{"metadata":{"labels":{"a":null}},"spec":{"taints":[]}}`},
		{"PATCH", "/api/v1/nodes/n", "", "application/json-patch+json", `[]`},
		{"DELETE", "/api/v1/nodes/n", "", "application/json", `{"preconditions":{"uid":"x"}}`},
		{"DELETE", "/api/v1/namespaces/d/pods/p?gracePeriodSeconds=-3", "", "", ""},
		{"POST", "/api/v1/namespaces/d/pods/p/binding", "", "", `{"metadata":{"name":"p"},"target":{"name":"n"}}`},
		{"GET", "/apis", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList", "", ""},
		{"GET", "/openapi/v3", "", "", ""},
		{"BREW", "//..%2f?watch=&limit=x", "a/b;q=2;as=", "application/cbor", "\xff"},
	} {
		f.Add(s.method, s.target, s.accept, s.contentType, s.body)
	}
	f.Fuzz(func(t *testing.T, method, target, accept, contentType, body string) {
		u, err := url.Parse(Endpoint + "/" + strings.TrimPrefix(target, "/"))
		if err != nil {
			return // no request that an HTTP server would pass on
		}
		l := newLab(t, Options{})
		l.s.Put(kubeletNode("n", 1))
		l.s.Put(kubeletLease("l"))
		h := &http.Request{Method: method, URL: u, Header: http.Header{"Accept": {accept}, "Content-Type": {contentType}},
			Body: io.NopCloser(strings.NewReader(body))}
		l.do(func() { answered(must(Transport(l.c).RoundTrip(h))) })
		l.s.CheckImmutable()
		l.do(func() { must(l.c.Nodes().List(ctx, metav1.ListOptions{})) })
	})
}

// answered checks an answer. It panics instead of failing: it runs in a process.
func answered(resp *http.Response) {
	if resp.ContentLength < 0 { // a watch, whose first frame may never come
		resp.Body.Close()
		return
	}
	data := must(io.ReadAll(resp.Body))
	switch {
	case resp.StatusCode >= 200 && resp.StatusCode < 300:
		return
	case resp.StatusCode < 400 || resp.StatusCode > 504:
		panic(resp.Status)
	}
	status := &metav1.Status{}
	switch resp.Header.Get("Content-Type") {
	case "application/json":
		if err := json.Unmarshal(data, status); err != nil {
			panic(err)
		}
	case "application/vnd.kubernetes.protobuf":
		if _, _, err := scheme.Codecs.UniversalDeserializer().Decode(data, nil, status); err != nil {
			panic(err)
		}
	case "application/yaml":
		if !bytes.Contains(data, []byte("kind: Status")) {
			panic(string(data))
		}
		return
	case "text/plain; charset=utf-8":
		if resp.StatusCode != http.StatusNotFound || string(data) != "404 page not found\n" {
			panic(string(data))
		}
		return
	default:
		panic(resp.Header)
	}
	if int(status.Code) != resp.StatusCode || status.Status != metav1.StatusFailure || status.Message == "" {
		panic(status.String())
	}
}
