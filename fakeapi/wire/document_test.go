package wire

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"
)

var about = &About{Served: served, Version: version.Info{Major: "1", Minor: "36", GitVersion: "v1.36.3"}, Address: "kube-apiserver:6443"}

func document(t *testing.T, path, accept string, into any) string {
	t.Helper()
	d, err := about.Document("GET", path, accept)
	require.Nil(t, err, path)
	if into != nil {
		require.NoError(t, json.Unmarshal(d.Body, into), path)
	}
	return d.ContentType
}

func TestDiscoveryTellsWhatIsServed(t *testing.T) {
	var list metav1.APIResourceList
	require.Equal(t, "application/json", document(t, "/api/v1", "", &list))
	require.Equal(t, "v1", list.GroupVersion)
	var found []string
	for _, r := range list.APIResources {
		found = append(found, r.Name)
	}
	require.Equal(t, []string{"namespaces", "namespaces/finalize", "nodes", "nodes/status", "pods", "pods/binding"}, found)
	require.Equal(t, []string{"no"}, list.APIResources[2].ShortNames)
	require.True(t, list.APIResources[4].Namespaced)

	var groups metav1.APIGroupList
	document(t, "/apis", "", &groups)
	require.Len(t, groups.Groups, 1)
	require.Equal(t, "coordination.k8s.io/v1", groups.Groups[0].PreferredVersion.GroupVersion)
	var one metav1.APIGroup
	document(t, "/apis/coordination.k8s.io", "", &one)
	require.Equal(t, "APIGroup", one.Kind)
	var core metav1.APIVersions
	document(t, "/api/", "", &core)
	require.Equal(t, []string{"v1"}, core.Versions)
	require.Equal(t, protobuf, document(t, "/apis/coordination.k8s.io/v1", protobuf, nil))
}

func TestAggregatedDiscoveryIsOneDocument(t *testing.T) {
	accept := aggregatedType + ",application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json"
	var list apidiscoveryv2.APIGroupDiscoveryList
	require.Equal(t, aggregatedType, document(t, "/api", accept, &list))
	require.Len(t, list.Items, 1)
	resources := list.Items[0].Versions[0].Resources
	require.Len(t, resources, 3)
	require.Equal(t, "status", resources[0].Subresources[0].Subresource)
	require.Equal(t, apidiscoveryv2.ScopeNamespace, resources[1].Scope)
	document(t, "/apis", accept, &list)
	require.Equal(t, "coordination.k8s.io", list.Items[0].Name)
	var groups metav1.APIGroupList
	require.Equal(t, "application/json", document(t, "/apis", "application/json,"+aggregatedType, &groups))
}

func TestAServerTellsItsVersionAndItsHealth(t *testing.T) {
	var v version.Info
	document(t, "/version", "*/*", &v)
	require.Equal(t, about.Version, v)
	for _, path := range []string{"/healthz", "/livez", "/readyz"} {
		d, err := about.Document("GET", path, "")
		require.Nil(t, err)
		require.Equal(t, "ok", string(d.Body))
	}
	var root metav1.RootPaths
	document(t, "/", "", &root)
	require.Contains(t, root.Paths, "/apis/coordination.k8s.io/v1")
	for path, code := range map[string]int32{"/metrics": 404, "/api/v2": 404, "/apis/apps": 404, "/apis/apps/v1": 404, "/apis/": 0} {
		_, err := about.Document("GET", path, "")
		if code == 0 {
			require.Nil(t, err)
			continue
		}
		require.NotNil(t, err, path)
		require.Equal(t, code, err.ErrStatus.Code)
	}
	_, err := about.Document("POST", "/version", "")
	require.EqualValues(t, 405, err.ErrStatus.Code)
	_, err = about.Document("GET", "/apis", "text/html")
	require.EqualValues(t, 406, err.ErrStatus.Code)
}
