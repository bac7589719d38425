package wire

import (
	"encoding/json"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/openapi/openapitest"
)

// upstreamModels are those of a real server, as client-go's own tests have them.
func upstreamModels(t *testing.T, path string) map[string]any {
	t.Helper()
	paths, err := openapitest.NewEmbeddedFileClient().Paths()
	require.NoError(t, err)
	data, err := paths[path].Schema("application/json")
	require.NoError(t, err)
	return parsedModels(t, data)
}

func parsedModels(t *testing.T, data []byte) map[string]any {
	t.Helper()
	var document struct {
		Components struct{ Schemas map[string]any }
	}
	require.NoError(t, json.Unmarshal(data, &document))
	return document.Components.Schemas
}

// fields lists the fields of a model, each with its type.
func fields(model any) []string {
	properties, _ := model.(map[string]any)["properties"].(map[string]any)
	var list []string
	for name, p := range properties { // order: the list is sorted
		list = append(list, name+" "+typeOf(p.(map[string]any)))
	}
	sort.Strings(list)
	return list
}

func typeOf(p map[string]any) string {
	if all, ok := p["allOf"].([]any); ok {
		return typeOf(all[0].(map[string]any))
	}
	if ref, ok := p["$ref"].(string); ok {
		return ref
	}
	name, _ := p["type"].(string)
	if items, ok := p["items"].(map[string]any); ok {
		name += " of " + typeOf(items)
	}
	if values, ok := p["additionalProperties"].(map[string]any); ok {
		name += " of " + typeOf(values)
	}
	return name
}

func TestTheFieldsAreThoseOfUpstreamsDocument(t *testing.T) {
	theirs := upstreamModels(t, "api/v1")
	var d Document
	answer, refused := about.openAPI("/openapi/v3/api/v1", "")
	require.Nil(t, refused)
	d, refused = answer()
	require.Nil(t, refused)
	ours := parsedModels(t, d.Body)
	require.Greater(t, len(ours), 150)
	var newer []string
	var differ []string
	for name, model := range ours { // order: each is on its own
		if theirs[name] == nil {
			newer = append(newer, name)
			continue
		}
		mine := fields(model)
		for _, field := range fields(theirs[name]) {
			if !slices.Contains(mine, field) {
				differ = append(differ, name[strings.LastIndexByte(name, '.')+1:]+": "+field)
			}
		}
	}
	sort.Strings(differ)
	require.Equal(t, []string{
		"PersistentVolumeClaimSpec: resources #/components/schemas/io.k8s.api.core.v1.ResourceRequirements",
		"PodResourceClaim: source #/components/schemas/io.k8s.api.core.v1.ClaimSource",
	}, differ, "what has changed since")
	// What it does not have is newer than it.
	require.Less(t, len(newer), 40, "%v", newer)
	require.NotEmpty(t, ours["io.k8s.api.core.v1.Node"].(map[string]any)["x-kubernetes-group-version-kind"])
	conditions := ours["io.k8s.api.core.v1.NodeStatus"].(map[string]any)["properties"].(map[string]any)["conditions"].(map[string]any)
	require.Equal(t, "type", conditions["x-kubernetes-patch-merge-key"])
}

func TestTheIndexLeadsToDocuments(t *testing.T) {
	var index struct {
		Paths map[string]struct{ ServerRelativeURL string }
	}
	document(t, "/openapi/v3", "", &index)
	require.Len(t, index.Paths, 2)
	require.Regexp(t, `^/openapi/v3/apis/coordination.k8s.io/v1\?hash=[0-9A-F]{16}$`, index.Paths["apis/coordination.k8s.io/v1"].ServerRelativeURL)
	require.NotEmpty(t, document(t, "/openapi/v3/apis/coordination.k8s.io/v1", "", nil))
	_, err := about.Document("GET", "/openapi/v2", "")
	require.EqualValues(t, 404, err.ErrStatus.Code)
}
