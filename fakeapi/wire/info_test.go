package wire

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
)

// served is what the tests of this package serve.
var served = []Resource{
	{Kind: corev1.SchemeGroupVersion.WithKind("Node"), Plural: "nodes", Singular: "node", ShortNames: []string{"no"}, Verbs: allVerbs,
		Subresources: []Subresource{{Name: "status", Kind: corev1.SchemeGroupVersion.WithKind("Node"), Verbs: []string{"get", "patch", "update"}}}},
	{Kind: corev1.SchemeGroupVersion.WithKind("Pod"), Plural: "pods", Singular: "pod", Namespaced: true, Verbs: allVerbs,
		Subresources: []Subresource{{Name: "binding", Kind: corev1.SchemeGroupVersion.WithKind("Binding"), Verbs: []string{"create"}}}},
	{Kind: corev1.SchemeGroupVersion.WithKind("Namespace"), Plural: "namespaces", Singular: "namespace", Verbs: allVerbs,
		Subresources: []Subresource{{Name: "finalize", Kind: corev1.SchemeGroupVersion.WithKind("Namespace"), Verbs: []string{"update"}}}},
	{Kind: coordinationv1.SchemeGroupVersion.WithKind("Lease"), Plural: "leases", Singular: "lease", Namespaced: true, Verbs: allVerbs},
}

var allVerbs = []string{"create", "delete", "get", "list", "patch", "update", "watch"}

func TestPathsAreReadAsUpstreamReadsThem(t *testing.T) {
	for _, c := range []struct{ method, path, want string }{
		{"GET", "/api/v1/nodes", "list v1 nodes"},
		{"GET", "/api/v1/nodes?watch", "watch v1 nodes"},
		{"GET", "/api/v1/nodes/n", "get v1 nodes n"},
		{"GET", "/api/v1/nodes/n/status", "get v1 nodes/status n"},
		{"PUT", "/api/v1/nodes/n/status", "update v1 nodes/status n"},
		{"PATCH", "/api/v1/nodes/n", "patch v1 nodes n"},
		{"DELETE", "/api/v1/nodes/n", "delete v1 nodes n"},
		{"DELETE", "/api/v1/nodes", "deletecollection v1 nodes"},
		{"POST", "/api/v1/namespaces/d/pods", "create v1 d:pods"},
		{"POST", "/api/v1/namespaces/d/pods/p/binding", "create v1 d:pods/binding p"},
		{"GET", "/api/v1/namespaces", "list v1 namespaces"},
		{"GET", "/api/v1/namespaces/d", "get v1 d:namespaces d"},
		{"PUT", "/api/v1/namespaces/d/finalize", "update v1 d:namespaces/finalize d"},
		{"GET", "/apis/coordination.k8s.io/v1/namespaces/d/leases/l", "get coordination.k8s.io/v1 d:leases l"},
		{"GET", "/apis/coordination.k8s.io/v1/leases/", "list coordination.k8s.io/v1 leases"},
		{"GET", "/api/v1/watch/nodes/n", "watch v1 nodes n"},
		{"GET", "/api/v1", "path get"},
		{"GET", "/apis/coordination.k8s.io/v1", "path get"},
		{"GET", "/", "path get"},
		{"POST", "/version", "path post"},
	} {
		path, query, _ := strings.Cut(c.path, "?")
		require.Equal(t, c.want, describe(ParseInfo(c.method, path, query == "watch")), "%s %s", c.method, c.path)
	}
}

func describe(in Info) string {
	if !in.IsResource {
		return "path " + in.Verb
	}
	gv, resource := in.Version, in.Resource
	if in.Group != "" {
		gv = in.Group + "/" + gv
	}
	if in.Namespace != "" {
		resource = in.Namespace + ":" + resource
	}
	if in.Subresource != "" {
		resource += "/" + in.Subresource
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s %s %s", in.Verb, gv, resource, in.Name))
}

func TestWhatIsNotServedIsRefused(t *testing.T) {
	const (
		found = 0
		no    = http.StatusNotFound
		not   = http.StatusMethodNotAllowed
		bad   = http.StatusBadRequest
	)
	for _, c := range []struct {
		method, path string
		code         int
	}{
		{"GET", "/api/v1/nodes", found},
		{"GET", "/api/v1/nodes/", found},
		{"GET", "/api/v1/nodes/n/status", found},
		{"POST", "/api/v1/namespaces/d/pods/p/binding", found},
		{"PUT", "/api/v1/namespaces/d/finalize", found},
		{"GET", "/api/v1/namespaces/d", found},
		{"GET", "/api/v1/watch/nodes", found},
		{"GET", "/api/v1/configmaps", no},
		{"GET", "/api/v2/nodes", no},
		{"GET", "/apis/apps/v1/deployments", no},
		{"GET", "/api/v1/nodes/n/proxy", no},
		{"GET", "/api/v1/nodes/n/status/more", no},
		{"GET", "/api/v1//nodes", no},
		{"GET", "/api/v1/nodes//status", no},
		{"GET", "/api/v1/pods/p", no},
		{"GET", "/api/v1/namespaces/d/nodes", no},
		{"GET", "/api/v1/namespaces/d/nodes/n", no},
		{"POST", "/api/v1/nodes/n", not},
		{"POST", "/api/v1/pods", not},
		{"PUT", "/api/v1/nodes", not},
		{"HEAD", "/api/v1/nodes", not},
		{"OPTIONS", "/api/v1/nodes", not},
		{"DELETE", "/api/v1/nodes/n/status", not},
		{"DELETE", "/api/v1/watch/nodes", not},
		{"GET", "/api/v1/namespaces/d/pods/p/binding", not},
		{"GET", "/api/v1/nodes/..", bad},
		{"GET", "/api/v1/nodes/a%b", bad},
	} {
		in := ParseInfo(c.method, c.path, false)
		_, _, err := Route(served, &in, c.method)
		if c.code == found {
			require.Nil(t, err, "%s %s", c.method, c.path)
			continue
		}
		require.NotNil(t, err, "%s %s", c.method, c.path)
		require.EqualValues(t, c.code, err.ErrStatus.Code, "%s %s: %v", c.method, c.path, err)
	}
	in := ParseInfo("GET", "/api/v1/nodes/..", false)
	_, _, err := Route(served, &in, "GET")
	require.EqualError(t, err, `Name parameter invalid: "..": may not be '..'`)
	require.EqualError(t, NotFound(nil, "/api/v2/nodes"), "the server could not find the requested resource")
	require.EqualError(t, MethodNotAllowed(), "the server does not allow this method on the requested resource")
}

// FuzzParseInfo: whatever the path, reading it comes to an end, and what is
// routed is served, has that verb, and names no object but of one segment.
func FuzzParseInfo(f *testing.F) {
	for _, path := range []string{"/api/v1/nodes", "/apis/coordination.k8s.io/v1/namespaces/a/leases/b", "/api/v1/watch/nodes/n", "/api/v1/namespaces/a/finalize",
		"//", "/api/v1/namespaces//pods", "/api/v1/nodes/../../etc", "/apis/a/b/c/d/e/f/g", "/api/v1/nodes/%2e%2e/status"} {
		f.Add("GET", path, false)
	}
	f.Fuzz(func(t *testing.T, method, path string, watching bool) {
		in := ParseInfo(method, path, watching)
		res, sub, err := Route(served, &in, method)
		if err != nil {
			require.GreaterOrEqual(t, err.ErrStatus.Code, int32(400))
			return
		}
		require.True(t, in.IsResource)
		require.Equal(t, in.Resource, res.Plural)
		verbs := res.Verbs
		if sub != nil {
			verbs = sub.Verbs
		}
		require.True(t, slices.Contains(verbs, in.Verb))
		require.NotContains(t, in.Name, "/")
		require.NotContains(t, []string{".", ".."}, in.Name)
		require.False(t, !res.Namespaced && res.Plural != "namespaces" && in.Namespace != "")
	})
}
