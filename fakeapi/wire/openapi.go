package wire

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// OpenAPI v3 as far as kubectl explain and the checks of kubectl apply read it:
// what kinds there are and what fields they have, and that writes take the
// parameter fieldValidation. It is made of the Go types, whose descriptions are
// those of upstream's documents. Version 2 is not served; kubectl does not need
// it where there is version 3.

// openAPI answers a request for a description of the API.
func (a *About) openAPI(path, accept string) (func() (Document, *apierrors.StatusError), *apierrors.StatusError) {
	if path == "/openapi/v3" {
		return plainJSON(a.openAPIIndex()), nil
	}
	for _, gv := range groupVersions(a.Served) {
		if path == "/openapi/v3/"+groupPath(gv) {
			return func() (Document, *apierrors.StatusError) {
				return Document{ContentType: runtime.ContentTypeJSON, Body: a.openAPIOf(gv)}, nil
			}, nil
		}
	}
	return nil, NotFound(a.Served, path)
}

// openAPIIndex says where the documents are. The hash changes with a document.
func (a *About) openAPIIndex() any {
	type link struct {
		ServerRelativeURL string `json:"serverRelativeURL"`
	}
	paths := map[string]link{}
	for _, gv := range groupVersions(a.Served) {
		sum := fnv.New64a()
		sum.Write(a.openAPIOf(gv))
		paths[groupPath(gv)] = link{fmt.Sprintf("/openapi/v3/%s?hash=%016X", groupPath(gv), sum.Sum64())}
	}
	return map[string]any{"paths": paths}
}

// groupPath is where a group and version are served.
func groupPath(gv schema.GroupVersion) string {
	if gv.Group == "" {
		return "api/" + gv.Version
	}
	return "apis/" + gv.String()
}

// node is a piece of a JSON document.
type node = map[string]any

// openAPIOf is the document of a group and version.
func (a *About) openAPIOf(gv schema.GroupVersion) []byte {
	models := models{}
	paths := node{}
	for i := range a.Served {
		r := &a.Served[i]
		if r.Kind.GroupVersion() != gv {
			continue
		}
		models.addKind(r.Kind)
		models.addKind(gv.WithKind(r.Kind.Kind + "List"))
		collection := "/" + groupPath(gv) + "/" + r.Plural
		if r.Namespaced {
			collection = "/" + groupPath(gv) + "/namespaces/{namespace}/" + r.Plural
		}
		paths[collection] = operations(r.Kind, r.Verbs, map[string]string{"list": "get", "create": "post"})
		paths[collection+"/{name}"] = operations(r.Kind, r.Verbs, onObjects)
		for _, s := range r.Subresources {
			models.addKind(s.Kind)
			paths[collection+"/{name}/"+s.Name] = operations(s.Kind, s.Verbs, onObjects)
		}
	}
	models.addKind(metav1.Unversioned.WithKind("DeleteOptions"))
	document, err := json.Marshal(node{
		"openapi":    "3.0.0",
		"info":       node{"title": "Kubernetes", "version": a.Version.GitVersion},
		"paths":      paths,
		"components": node{"schemas": models},
	})
	if err != nil {
		panic(err) // it consists of strings
	}
	return document
}

// onObjects are the methods of verbs that name an object.
var onObjects = map[string]string{"get": "get", "update": "put", "patch": "patch", "delete": "delete", "create": "post"}

// operations describes what can be done at a path.
func operations(kind schema.GroupVersionKind, verbs []string, methods map[string]string) node {
	out := node{}
	for _, verb := range verbs {
		method, ok := methods[verb]
		if !ok {
			continue
		}
		op := node{
			"x-kubernetes-action":             strings.Replace(verb, "create", "post", 1),
			"x-kubernetes-group-version-kind": kindNode(kind),
			"responses": node{"200": node{"description": "OK", "content": node{
				runtime.ContentTypeJSON: node{"schema": node{"$ref": reference(modelOfKind(kind))}}}}},
		}
		if verb == "create" || verb == "update" || verb == "patch" {
			op["parameters"] = []any{parameter("dryRun"), parameter("fieldManager"), parameter("fieldValidation")}
		}
		out[method] = op
	}
	return out
}

func parameter(name string) node {
	return node{"name": name, "in": "query", "description": metav1.PatchOptions{}.SwaggerDoc()[name],
		"schema": node{"type": "string", "uniqueItems": true}}
}

func kindNode(k schema.GroupVersionKind) node {
	return node{"group": k.Group, "version": k.Version, "kind": k.Kind}
}
