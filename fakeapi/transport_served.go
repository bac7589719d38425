package fakeapi

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"

	"github.com/holter-sim/holter/fakeapi/wire"
)

// about is what the server says of itself: which resources it has tables of.
func (s *Server) about() *wire.About {
	about := &wire.About{Address: strings.TrimPrefix(endpoint, "https://"), Version: versionInfo(s.release)}
	for _, t := range s.tables {
		described := t.described()
		about.Served = append(about.Served, described)
		for _, v := range t.res.views {
			described.Kind = v.kind
			about.Served = append(about.Served, described)
		}
	}
	return about
}

// versionInfo is /version for a release without its v, "" being that of the
// libraries used here.
func versionInfo(release string) version.Info {
	if release == "" {
		release = "1.37.1"
	}
	parts := append(strings.Split(release, "."), "0")
	return version.Info{Major: parts[0], Minor: parts[1], GitVersion: "v" + release,
		GitTreeState: "clean", GoVersion: "go1.26", Compiler: "gc", Platform: "linux/amd64"}
}

// served returns the table of a resource, and the view of it that there is in the
// group, nil for the resource's own kind. Without such a resource both are nil.
func (s *Server) served(group, plural string) (*table, *view) {
	for _, t := range s.tables {
		if t.res.plural != plural {
			continue
		}
		if t.res.kind.Group == group {
			return t, nil
		}
		if i := slices.IndexFunc(t.res.views, func(v *view) bool { return v.kind.Group == group }); i >= 0 {
			return t, t.res.views[i]
		}
	}
	return nil, nil
}

// described is the resource as discovery has it.
func (t *table) described() wire.Resource {
	res := t.res
	out := wire.Resource{
		Kind: res.kind, Plural: res.plural, Singular: strings.ToLower(res.kind.Kind), Namespaced: res.namespaced,
		ShortNames: shortNames[res.plural],
		Verbs:      []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"},
	}
	if res.status != "" {
		out.Subresources = append(out.Subresources, wire.Subresource{Name: "status", Kind: res.kind, Verbs: []string{"get", "patch", "update"}})
	}
	if res.plural == "pods" {
		out.Categories = []string{"all"}
		for _, name := range slices.Sorted(maps.Keys(createdSubresources)) {
			out.Subresources = append(out.Subresources, wire.Subresource{Name: name,
				Kind: createdSubresources[name]().GetObjectKind().GroupVersionKind(), Verbs: []string{"create"}})
		}
	}
	if t == t.s.namespaces {
		out.Verbs = slices.DeleteFunc(out.Verbs, func(verb string) bool { return verb == "deletecollection" })
		out.Subresources = append(out.Subresources, wire.Subresource{Name: finalizeSubresource, Kind: res.kind, Verbs: []string{"update"}})
	}
	return out
}

// createdSubresources are those of pods that are created: what each is sent as.
var createdSubresources = map[string]func() object{
	bindingSubresource: func() object { return &corev1.Binding{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Binding"}} },
	evictionSubresource: func() object {
		return &policyv1.Eviction{TypeMeta: metav1.TypeMeta{APIVersion: "policy/v1", Kind: "Eviction"}}
	},
}

// shortNames are what kubectl's users type.
var shortNames = map[string][]string{"events": {"ev"}, "namespaces": {"ns"}, "nodes": {"no"}, "pods": {"po"}}

// pathsTable is where requests belong that are not about objects.
func pathsTable(s *Server) *table {
	return newTable(s, &resource{group: schema.GroupResource{}}, 1)
}

// readPath reads a request that is not about objects.
func (t *roundTripper) readPath(rd *reading) {
	rd.q = t.client.s.newRequest(t.client, t.client.s.paths, nil, "", opOf(rd.h.Method))
	rd.path()
	closeBody(rd.h)
	document, err := t.about.Document(rd.h.Method, rd.h.URL.Path, rd.h.Header.Get("Accept"))
	rd.a.document, rd.q.selErr = &document, err
}

// path notes the path of a request that is not about objects.
func (rd *reading) path() {
	rd.q.path, rd.q.call.Name = rd.h.URL.Path, rd.h.URL.Path
	rd.q.call.Verb = strings.ToLower(rd.h.Method)
}
