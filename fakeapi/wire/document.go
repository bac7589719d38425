package wire

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
)

// About is what a server says of itself.
type About struct {
	Served  []Resource
	Version version.Info
	Address string // host and port, for /api
}

// Document is the answer to a request for a path.
type Document struct {
	ContentType string
	Body        []byte
}

// Document answers a GET of a path that is not of an object: /version, health,
// discovery, OpenAPI. Other methods are 405, other paths 404.
func (a *About) Document(method, path, accept string) (Document, *apierrors.StatusError) {
	path = "/" + strings.Trim(path, "/")
	answer, err := a.answer(path, accept)
	switch {
	case err != nil:
		return Document{}, err
	case method != http.MethodGet:
		return Document{}, MethodNotAllowed()
	}
	return answer()
}

// answer finds what makes the document of a path.
func (a *About) answer(path, accept string) (func() (Document, *apierrors.StatusError), *apierrors.StatusError) {
	parts := splitPath(path)
	switch {
	case path == "/":
		return plainJSON(metav1.RootPaths{Paths: a.paths()}), nil
	case path == "/version":
		return plainJSON(a.Version), nil
	case path == "/healthz", path == "/livez", path == "/readyz":
		return text("ok"), nil
	case (path == "/api" || path == "/apis") && aggregated(accept):
		return discovered(discoveryList(a.Served, path == "/api"), accept, aggregatedType), nil
	case path == "/api":
		return discovered(versions(a.Served, a.Address), accept, ""), nil
	case path == "/apis":
		return discovered(groupList(a.Served, a.Address), accept, ""), nil
	case parts[0] == "api" && len(parts) == 2:
		return a.resources(schema.GroupVersion{Version: parts[1]}, path, accept)
	case parts[0] == "apis" && len(parts) == 3:
		return a.resources(schema.GroupVersion{Group: parts[1], Version: parts[2]}, path, accept)
	case parts[0] == "apis" && len(parts) == 2:
		if g := group(a.Served, parts[1]); g != nil {
			return discovered(g, accept, ""), nil
		}
	case parts[0] == "openapi":
		return a.openAPI(path, accept)
	}
	return nil, NotFound(a.Served, path)
}

func (a *About) resources(gv schema.GroupVersion, path, accept string) (func() (Document, *apierrors.StatusError), *apierrors.StatusError) {
	list := resourceList(a.Served, gv)
	if list == nil {
		return nil, NotFound(a.Served, path)
	}
	return discovered(list, accept, ""), nil
}

// paths lists what / does.
func (a *About) paths() []string {
	paths := []string{"/api", "/apis", "/healthz", "/livez", "/openapi/v3", "/readyz", "/version"}
	for _, gv := range groupVersions(a.Served) {
		if gv.Group == "" {
			paths = append(paths, "/api/"+gv.Version)
			continue
		}
		paths = append(paths, "/apis/"+gv.Group, "/apis/"+gv.String())
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// discovered encodes as the client accepts it, or as of that type in JSON.
func discovered(obj runtime.Object, accept, contentType string) func() (Document, *apierrors.StatusError) {
	return func() (Document, *apierrors.StatusError) {
		out := JSON()
		if contentType == "" {
			var err *apierrors.StatusError
			if out, err = NegotiateOutput(accept, "get"); err != nil {
				return Document{}, err
			}
			out.As, contentType = nil, out.Info.MediaType
		}
		body, err := out.Encode(obj, nil, noTime)
		return Document{ContentType: contentType, Body: body}, err
	}
}

func plainJSON(v any) func() (Document, *apierrors.StatusError) {
	return func() (Document, *apierrors.StatusError) {
		body, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			return Document{}, apierrors.NewInternalError(err)
		}
		return Document{ContentType: runtime.ContentTypeJSON, Body: body}, nil
	}
}

func text(s string) func() (Document, *apierrors.StatusError) {
	return func() (Document, *apierrors.StatusError) {
		return Document{ContentType: "text/plain; charset=utf-8", Body: []byte(s)}, nil
	}
}
