package wire

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation/path"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Resource is one that a server serves.
type Resource struct {
	Kind             schema.GroupVersionKind
	Plural, Singular string
	Namespaced       bool
	ShortNames       []string
	Categories       []string
	Verbs            []string // in the order of discovery
	Subresources     []Subresource
}

// Subresource is a part of a resource with verbs of its own.
type Subresource struct {
	Name  string // "status"
	Kind  schema.GroupVersionKind
	Verbs []string
}

// Route finds the resource of a request, and refuses what is not served: 404
// for a path, 405 for a method, 400 for a name that no object can have. sub is
// nil for the resource itself. Upstream: what APIInstaller registers with
// go-restful, and serviceErrorHandler.
func Route(served []Resource, in *Info, method string) (res *Resource, sub *Subresource, err *apierrors.StatusError) {
	for i := range served {
		if r := &served[i]; r.Plural == in.Resource && r.Kind.Group == in.Group && r.Kind.Version == in.Version {
			res = r
		}
	}
	if res == nil || !in.wellPlaced(res) {
		return nil, nil, NotFound(served, in.Path)
	}
	verbs := res.Verbs
	if in.Subresource != "" {
		i := slices.IndexFunc(res.Subresources, func(s Subresource) bool { return s.Name == in.Subresource })
		if i < 0 {
			return nil, nil, NotFound(served, in.Path)
		}
		sub, verbs = &res.Subresources[i], res.Subresources[i].Verbs
	}
	if !in.allowed(res, verbs, method) {
		return res, sub, refuse(http.StatusMethodNotAllowed, "405: Method Not Allowed")
	}
	if in.Name != "" {
		if wrong := path.IsValidPathSegmentName(in.Name); len(wrong) > 0 {
			return res, sub, apierrors.NewBadRequest(fmt.Sprintf("Name parameter invalid: %q: %s", in.Name, strings.Join(wrong, ";")))
		}
	}
	return res, sub, nil
}

// wellPlaced tells whether the path has a form that the resource is served at:
// objects of a namespaced resource have one, others have none, and nothing lies
// below a subresource.
func (in *Info) wellPlaced(res *Resource) bool {
	segments := splitPath(in.Path)
	if slices.Contains(segments, "") || in.parts > 3 {
		return false
	}
	inNamespace := in.Namespace != "" && !(res.Plural == "namespaces" && in.Namespace == in.Name)
	switch {
	case !res.Namespaced:
		return !inNamespace
	case in.Name != "":
		return inNamespace
	}
	return true
}

// allowed tells whether one of the verbs is what the method asks for.
func (in *Info) allowed(res *Resource, verbs []string, method string) bool {
	switch {
	case method == http.MethodHead, in.Verb == "":
		return false
	case in.WatchPath && method != http.MethodGet:
		return false
	case in.Name == "" && res.Namespaced && in.Namespace == "" && in.Verb != "list" && in.Verb != "watch":
		return false // of all namespaces one can only list and watch
	case in.Name != "" && in.Subresource == "" && in.Verb == "create":
		return false
	case in.Name == "" && (in.Verb == "update" || in.Verb == "patch"):
		return false
	}
	return slices.Contains(verbs, in.Verb)
}

// NotFound is the answer for a path that is not served: a Status below the root
// of something that is, plain text elsewhere (see [PlainText]). Upstream:
// director.ServeHTTP (apiserver v0.37, pkg/server), which asks go-restful only
// for what a web service has the root of.
func NotFound(served []Resource, path string) *apierrors.StatusError {
	err := refuse(http.StatusNotFound, "404: Page Not Found")
	if !below(served, path) {
		err.ErrStatus.Details = nil
		err.ErrStatus.Message = pageNotFound
	}
	return err
}

const pageNotFound = "404 page not found"

// PlainText returns the body of an answer that is no Status, "" for others.
func PlainText(err *apierrors.StatusError) string {
	if err.ErrStatus.Message == pageNotFound && err.ErrStatus.Code == http.StatusNotFound {
		return pageNotFound + "\n"
	}
	return ""
}

// below tells whether a path is that of a web service, or lies below it.
func below(served []Resource, path string) bool {
	roots := []string{"/api", "/version"}
	for _, gv := range groupVersions(served) {
		if gv.Group != "" {
			roots = append(roots, "/apis/"+gv.Group)
		}
	}
	return slices.ContainsFunc(roots, func(root string) bool { return path == root || strings.HasPrefix(path, root+"/") })
}

// MethodNotAllowed is the answer for a path that is served, by another method.
func MethodNotAllowed() *apierrors.StatusError {
	return refuse(http.StatusMethodNotAllowed, "405: Method Not Allowed")
}

// refuse is serviceErrorHandler, for what go-restful finds wrong before any
// handler is asked.
func refuse(code int, text string) *apierrors.StatusError {
	return apierrors.NewGenericServerResponse(code, "", schema.GroupResource{}, "", text, 0, false)
}
