package wire

import (
	"slices"
	"strings"

	"github.com/munnerz/goautoneg"
	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Discovery is how a client learns what there is to ask for: in one answer for
// all groups of /api or /apis (aggregated), or path by path. Upstream: apiserver
// v0.37, pkg/endpoints/discovery.

// aggregatedType is the media type of aggregated discovery.
const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

// aggregated tells whether the client would rather have it than anything else
// that can be had. The older v2beta1 is no longer served.
func aggregated(accept string) bool {
	for _, c := range goautoneg.ParseAccept(accept) {
		if c.Type != "application" || c.SubType != "json" {
			continue
		}
		if c.Params["as"] == "" {
			return false
		}
		if c.Params["g"] == apidiscoveryv2.GroupName && c.Params["v"] == "v2" && c.Params["as"] == "APIGroupDiscoveryList" {
			return true
		}
	}
	return false
}

// groupVersions lists what is served, each once, in the order of served.
func groupVersions(served []Resource) []schema.GroupVersion {
	var list []schema.GroupVersion
	for i := range served {
		if gv := served[i].Kind.GroupVersion(); !slices.Contains(list, gv) {
			list = append(list, gv)
		}
	}
	return list
}

// discoveryList is the aggregated answer for /api (core) or /apis.
func discoveryList(served []Resource, core bool) runtime.Object {
	out := &apidiscoveryv2.APIGroupDiscoveryList{TypeMeta: metav1.TypeMeta{APIVersion: "apidiscovery.k8s.io/v2", Kind: "APIGroupDiscoveryList"},
		Items: []apidiscoveryv2.APIGroupDiscovery{}}
	for _, gv := range groupVersions(served) {
		if (gv.Group == "") != core {
			continue
		}
		version := apidiscoveryv2.APIVersionDiscovery{Version: gv.Version, Freshness: apidiscoveryv2.DiscoveryFreshnessCurrent}
		for i := range served {
			if served[i].Kind.GroupVersion() == gv {
				version.Resources = append(version.Resources, discoveryOf(&served[i]))
			}
		}
		out.Items = append(out.Items, apidiscoveryv2.APIGroupDiscovery{ObjectMeta: metav1.ObjectMeta{Name: gv.Group},
			Versions: []apidiscoveryv2.APIVersionDiscovery{version}})
	}
	return out
}

func discoveryOf(r *Resource) apidiscoveryv2.APIResourceDiscovery {
	scope := apidiscoveryv2.ScopeCluster
	if r.Namespaced {
		scope = apidiscoveryv2.ScopeNamespace
	}
	out := apidiscoveryv2.APIResourceDiscovery{Resource: r.Plural, ResponseKind: kindOf(r.Kind, r), Scope: scope,
		SingularResource: r.Singular, Verbs: r.Verbs, ShortNames: r.ShortNames, Categories: r.Categories}
	for _, s := range r.Subresources {
		out.Subresources = append(out.Subresources, apidiscoveryv2.APISubresourceDiscovery{Subresource: s.Name, ResponseKind: kindOf(s.Kind, r), Verbs: s.Verbs})
	}
	return out
}

// kindOf names a kind; its group and version go without saying if they are those
// of the resource.
func kindOf(k schema.GroupVersionKind, of *Resource) *metav1.GroupVersionKind {
	if k.GroupVersion() == of.Kind.GroupVersion() {
		return &metav1.GroupVersionKind{Kind: k.Kind}
	}
	return &metav1.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind}
}

// resourceList is the answer for /api/v1 or /apis/G/V, nil if there is nothing.
func resourceList(served []Resource, gv schema.GroupVersion) runtime.Object {
	out := &metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList"}, GroupVersion: gv.String()}
	if gv.Group != "" { // older than groups, /api/v1 does not say of what version it is
		out.APIVersion = "v1"
	}
	for i := range served {
		r := &served[i]
		if r.Kind.GroupVersion() != gv {
			continue
		}
		out.APIResources = append(out.APIResources, metav1.APIResource{Name: r.Plural, SingularName: r.Singular, Namespaced: r.Namespaced,
			Kind: r.Kind.Kind, Verbs: r.Verbs, ShortNames: r.ShortNames, Categories: r.Categories})
		for _, s := range r.Subresources {
			sub := metav1.APIResource{Name: r.Plural + "/" + s.Name, Namespaced: r.Namespaced, Kind: s.Kind.Kind, Verbs: s.Verbs}
			if s.Kind.GroupVersion() != gv {
				sub.Group, sub.Version = s.Kind.Group, s.Kind.Version
			}
			out.APIResources = append(out.APIResources, sub)
		}
	}
	if out.APIResources == nil {
		return nil
	}
	slices.SortFunc(out.APIResources, func(a, b metav1.APIResource) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// group is the answer for /apis/G, nil if there is no such group.
func group(served []Resource, name string) *metav1.APIGroup {
	out := &metav1.APIGroup{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "APIGroup"}, Name: name}
	for _, gv := range groupVersions(served) {
		if gv.Group == name && name != "" {
			out.Versions = append(out.Versions, metav1.GroupVersionForDiscovery{GroupVersion: gv.String(), Version: gv.Version})
		}
	}
	if out.Versions == nil {
		return nil
	}
	out.PreferredVersion = out.Versions[0]
	return out
}

// groupList is the answer for /apis.
func groupList(served []Resource, address string) runtime.Object {
	out := &metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList"}, Groups: []metav1.APIGroup{}}
	for _, gv := range groupVersions(served) {
		if g := group(served, gv.Group); g != nil {
			g.TypeMeta, g.ServerAddressByClientCIDRs = metav1.TypeMeta{}, reachable(address)
			out.Groups = append(out.Groups, *g)
		}
	}
	return out
}

// versions is the answer for /api.
func versions(served []Resource, address string) runtime.Object {
	out := &metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{},
		ServerAddressByClientCIDRs: reachable(address)}
	for _, gv := range groupVersions(served) {
		if gv.Group == "" {
			out.Versions = append(out.Versions, gv.Version)
		}
	}
	return out
}

// reachable says that the server has one address for everybody.
func reachable(address string) []metav1.ServerAddressByClientCIDR {
	return []metav1.ServerAddressByClientCIDR{{ClientCIDR: "0.0.0.0/0", ServerAddress: address}}
}
