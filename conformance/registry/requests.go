package registry

import (
	"fmt"
	"strings"
)

// The requests of the tables.

// restarts is the method of what is no request: the server is restarted.
const restarts = "RESTART"

func restart() *Request { return &Request{Method: restarts, Path: "/"} }

func get(path string) *Request           { return &Request{Method: "GET", Path: path} }
func post(path, body string) *Request    { return send("POST", path, "application/json", body) }
func put(path, body string) *Request     { return send("PUT", path, "application/json", body) }
func del(path string) *Request           { return &Request{Method: "DELETE", Path: path} }
func delWith(path, body string) *Request { return send("DELETE", path, "application/json", body) }

// The four kinds of patch.

func jsonPatch(path, body string) *Request {
	return send("PATCH", path, "application/json-patch+json", body)
}

func mergePatch(path, body string) *Request {
	return send("PATCH", path, "application/merge-patch+json", body)
}

func strategicPatch(path, body string) *Request {
	return send("PATCH", path, "application/strategic-merge-patch+json", body)
}

func apply(path, body string) *Request {
	return send("PATCH", path, "application/apply-patch+yaml", body)
}

func send(method, path, contentType, body string) *Request {
	return (&Request{Method: method, Path: path, Body: body}).with("Content-Type", contentType)
}

// with sets a header.
func (r *Request) with(key, value string) *Request {
	if r.Header == nil {
		r.Header = map[string]string{}
	}
	r.Header[key] = value
	return r
}

// as sends the request in the name of somebody.
func (r *Request) as(user string) *Request { return r.with(UserHeader, user) }

// accept asks for a kind of answer.
func (r *Request) accept(contentType string) *Request { return r.with("Accept", contentType) }

// asTable asks for what kubectl prints.
func (r *Request) asTable() *Request {
	return r.accept("application/json;as=Table;v=v1;g=meta.k8s.io,application/json")
}

// Objects, with JSON members to add: node("a", `"spec":{"unschedulable":true}`).

func node(name string, members ...string) string {
	return object("v1", "Node", name, "", members)
}

func lease(name string, members ...string) string {
	return object("coordination.k8s.io/v1", "Lease", name, "kube-node-lease", members)
}

func pod(name string, members ...string) string {
	if len(members) == 0 || !strings.Contains(strings.Join(members, ","), `"spec"`) {
		members = append(members, `"spec":{"containers":[{"name":"c","image":"i"}]}`)
	}
	return object("v1", "Pod", name, "default", members)
}

func event(name string, members ...string) string {
	return object("v1", "Event", name, "default", append([]string{
		`"involvedObject":{"kind":"Node","name":"a","uid":"a"}`, `"reason":"R","message":"m","type":"Normal"`}, members...))
}

func namespace(name string, members ...string) string {
	return object("v1", "Namespace", name, "", members)
}

// object writes an object; a member "metadata" adds to the name.
func object(version, kind, name, namespace string, members []string) string {
	meta := []string{}
	if name != "" {
		meta = append(meta, fmt.Sprintf(`"name":%q`, name))
	}
	if namespace != "" {
		meta = append(meta, fmt.Sprintf(`"namespace":%q`, namespace))
	}
	parts := []string{fmt.Sprintf(`"apiVersion":%q,"kind":%q`, version, kind)}
	for _, m := range members {
		if inner, ok := strings.CutPrefix(m, `"metadata":{`); ok {
			meta = append(meta, strings.TrimSuffix(inner, "}"))
			continue
		}
		parts = append(parts, m)
	}
	parts = append(parts, `"metadata":{`+strings.Join(meta, ",")+`}`)
	return "{" + strings.Join(parts, ",") + "}"
}

// Where the resources are.
const (
	nodes     = "/api/v1/nodes"
	pods      = "/api/v1/namespaces/default/pods"
	events    = "/api/v1/namespaces/default/events"
	nss       = "/api/v1/namespaces"
	leases    = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
	allLeases = "/apis/coordination.k8s.io/v1/leases"
)
