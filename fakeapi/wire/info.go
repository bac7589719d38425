package wire

import (
	"net/http"
	"strings"
)

// Info is what the method and the path of a request say. Upstream: RequestInfo
// (apiserver v0.37, pkg/endpoints/request).
type Info struct {
	// IsResource tells a request for objects from one for a path such as /version.
	IsResource bool
	Path       string

	// Verb is that of the audit log: create, update, patch, get, list, watch,
	// delete, deletecollection; for a path, the method in lower case.
	Verb string
	// WatchPath is the deprecated form /api/v1/watch/nodes.
	WatchPath bool

	Group, Version        string
	Resource, Subresource string
	Namespace, Name       string

	parts int // of the path from the resource on
}

// ParseInfo reads a method and a path, decoded and without its query. watching
// says whether the query asks for a watch. Upstream: NewRequestInfo.
func ParseInfo(method, path string, watching bool) Info {
	in := Info{Path: path, Verb: strings.ToLower(method)}
	parts := splitPath(path)
	if len(parts) < 3 || parts[0] != "api" && parts[0] != "apis" {
		return in
	}
	grouped := parts[0] == "apis"
	parts = parts[1:]
	if grouped {
		if len(parts) < 3 {
			return in
		}
		in.Group, parts = parts[0], parts[1:]
	}
	in.IsResource = true
	in.Version, parts = parts[0], parts[1:]
	in.Verb = verbOf(method)
	if parts[0] == "watch" && len(parts) > 1 {
		in.Verb, in.WatchPath, parts = "watch", true, parts[1:]
	}
	if parts[0] == "namespaces" && len(parts) > 1 {
		in.Namespace = parts[1]
		if len(parts) > 2 && parts[2] != "status" && parts[2] != "finalize" {
			parts = parts[2:]
		}
	}
	in.parts = len(parts)
	in.Resource = parts[0]
	if len(parts) > 1 {
		in.Name = parts[1]
	}
	if len(parts) > 2 {
		in.Subresource = parts[2]
	}
	in.nameless(watching)
	return in
}

// nameless tells what a verb without a name is.
func (in *Info) nameless(watching bool) {
	if in.Name != "" {
		return
	}
	switch {
	case in.Verb == "get" && watching:
		in.Verb = "watch"
	case in.Verb == "get":
		in.Verb = "list"
	case in.Verb == "delete":
		in.Verb = "deletecollection"
	}
}

func verbOf(method string) string {
	switch method {
	case http.MethodPost:
		return "create"
	case http.MethodGet, http.MethodHead:
		return "get"
	case http.MethodPut:
		return "update"
	case http.MethodPatch:
		return "patch"
	case http.MethodDelete:
		return "delete"
	}
	return ""
}

// splitPath returns the segments of a path.
func splitPath(path string) []string {
	path = strings.Trim(path, "/")
	if path == "" {
		return nil
	}
	return strings.Split(path, "/")
}
