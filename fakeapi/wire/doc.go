// Package wire is what HTTP adds to the API: which request a method and a URL
// stand for, in which encodings bodies travel, and what is refused before any
// object is looked at. It knows no server, no store and no clock: the server
// that uses it says which resources there are and what time it is.
//
//	info      method and path to verb, resource, namespace, name
//	route     is there such a resource, and does it have that verb: 404, 405
//	negotiate Accept and Content-Type: 406, 415, tables
//	options   query to CreateOptions, ListOptions and the like
//	decode    body to object, with field validation; the bound on its size
//	encode    object, list and Status to bytes
//	frames    the events of a watch, one after another
//	table     what kubectl get prints
//	event     one content, two kinds
//	discovery /api, /apis and what lies below them
//
// Upstream: k8s.io/apiserver v0.37, pkg/endpoints.
package wire
