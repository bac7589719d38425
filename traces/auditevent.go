package traces

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// ownAgent begins the user agent of requests that Holter made up; the actor follows.
const ownAgent = "holter/"

const (
	nodeUser   = "system:node:" // the user names of kubelets begin so (the Node authorizer demands it)
	kubelet    = "kubelet"
	controller = "kube-controller-manager"
)

// Actor is who made the request, in the words of a trace: "kubelet/node-1", "kube-controller-manager", or the name
// that the client's user agent begins with. A kubelet is known by its user, or by its agent and what it asks for.
func (r *AuditRecord) Actor() string {
	if actor, own := strings.CutPrefix(r.UserAgent, ownAgent); own {
		return actor
	}
	if node, ok := strings.CutPrefix(r.User, nodeUser); ok {
		return kubelet + "/" + node
	}
	switch name := product(r.UserAgent); name {
	case "":
		return r.User
	case kubelet, "hollow-kubelet":
		if node := r.Node(); node != "" {
			return kubelet + "/" + node
		}
		return kubelet
	default:
		return name
	}
}

// Node is the node that the request is about: the node itself, the owner of a Lease in kube-node-lease, the node of a
// pod, the node of an Event. "" if there is none or the log does not say.
func (r *AuditRecord) Node() string {
	switch r.Resource {
	case "nodes":
		return r.Name
	case "leases":
		if r.Namespace == leaseNamespace {
			return r.Name
		}
	case "pods":
		if node := r.text("spec", "nodeName"); node != "" {
			return node
		}
		if node := selectedNode(r.URI); node != "" {
			return node
		}
	case "events":
		if r.text("involvedObject", "kind") == "Node" {
			return r.text("involvedObject", "name")
		}
	}
	node, _ := strings.CutPrefix(r.User, nodeUser)
	if node == r.User {
		return ""
	}
	return node
}

// selectedNode is the node that a list or watch of pods is narrowed to by its field selector, as a kubelet's is.
func selectedNode(uri string) string {
	const selector = "fieldSelector=spec.nodeName%3D"
	_, rest, _ := strings.Cut(uri, selector)
	if end := strings.IndexAny(rest, "&%"); end >= 0 {
		return rest[:end]
	}
	return rest
}

// text is a text in the response object, or else in the request's.
func (r *AuditRecord) text(path ...string) string {
	if s := lookupText(r.ResponseObject, path...); s != "" {
		return s
	}
	return lookupText(r.Object, path...)
}

// ToEvent is the record as an event of kind "request" in a run that began at start. Sent is when the server received
// the request. Detail is a stage other than ResponseComplete, or else the message of a failure that has no reason.
func (r *AuditRecord) ToEvent(start time.Time) Event {
	ev := Event{
		At: r.Completed.Sub(start), Sent: r.Received.Sub(start),
		Actor: r.Actor(), Kind: KindRequest, Node: r.Node(),
		Verb: r.Verb, Resource: r.Resource, Namespace: r.Namespace, Name: r.Name,
		Code: r.Code, Reason: r.Reason, ResourceVersion: r.ResourceVersion, Body: r.Object,
	}
	if r.Subresource != "" {
		ev.Resource += "/" + r.Subresource
	}
	if r.Resource == "leases" {
		ev.RenewTime = lookupText(r.Object, "spec", "renewTime")
	}
	switch {
	case r.Stage != stageComplete:
		ev.Detail = r.Stage
	case r.Reason == "" || strings.HasPrefix(r.UserAgent, ownAgent):
		ev.Detail = r.Message
	}
	return ev
}

const stageComplete = "ResponseComplete"

// ToAudit is the event as the audit log of its API server would have it, for a run that began at start; false if it
// is no request. Converted back with ToEvent, it is the same event, except for what an audit log does not hold: Seq,
// Cause, nanoseconds, and a Node that does not follow from the request. An event without Body that has a RenewTime
// gets one that holds just that.
func (ev *Event) ToAudit(start time.Time) (*AuditRecord, bool) {
	if ev.Kind != KindRequest {
		return nil, false
	}
	r := &AuditRecord{
		ID: fmt.Sprintf("00000000-0000-4000-8000-%012x", ev.Seq), Level: "Metadata", Stage: stageComplete,
		Received: start.Add(ev.Sent).UTC(), Completed: start.Add(ev.At).UTC(),
		User: auditUser(ev.Actor), UserAgent: ownAgent + ev.Actor,
		Verb: ev.Verb, Namespace: ev.Namespace, Name: ev.Name,
		Code: ev.Code, Reason: ev.Reason, ResourceVersion: ev.ResourceVersion, Object: ev.Body,
	}
	r.Resource, r.Subresource, _ = strings.Cut(ev.Resource, "/")
	if r.Resource == "leases" {
		r.Group = "coordination.k8s.io"
	}
	r.URI = r.uri()
	switch ev.Detail {
	case "ResponseStarted", "Panic":
		r.Stage = ev.Detail
	default:
		r.Message = ev.Detail
	}
	if r.Object == nil && ev.RenewTime != "" {
		r.Object = leaseBody(ev.Name, ev.RenewTime)
	}
	if r.Object != nil {
		r.Level = "Request"
	}
	if r.ResourceVersion != "" {
		r.Level = "RequestResponse"
	}
	return r, true
}

func auditUser(actor string) string {
	name, node, _ := strings.Cut(actor, "/")
	switch {
	case name == kubelet && node != "":
		return nodeUser + node
	case name == controller:
		return "system:" + controller
	}
	return actor
}

func leaseBody(name, renewTime string) json.RawMessage {
	b := append([]byte(nil), `{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":`...)
	b = appendString(b, name)
	b = append(b, `,"namespace":"`+leaseNamespace+`"},"spec":{"renewTime":`...)
	b = appendString(b, renewTime)
	return append(b, "}}"...)
}

// uri is the path of the request.
func (r *AuditRecord) uri() string {
	if r.Resource == "" {
		return "/"
	}
	path := "/api/v1"
	if r.Group != "" {
		path = "/apis/" + r.Group + "/v1"
	}
	if r.Namespace != "" {
		path += "/namespaces/" + r.Namespace
	}
	path += "/" + r.Resource
	if r.Name != "" && r.Verb != "create" {
		path += "/" + r.Name
	}
	if r.Subresource != "" {
		path += "/" + r.Subresource
	}
	if r.Verb == "watch" {
		path += "?watch=true"
	}
	return path
}
