package scenario

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/holter-sim/holter/traces"
)

// Records of a cluster of the imagination: at a second after the start, node by
// node.

func record(verb, resource, name string, second float64) traces.AuditRecord {
	received := recordingStart().Add(time.Duration(second * float64(time.Second)))
	r := traces.AuditRecord{
		ID: fmt.Sprintf("%s-%s-%s-%v", verb, resource, name, second), Level: "Request", Stage: "ResponseComplete",
		Received: received, Completed: received.Add(4 * time.Millisecond),
		User: "system:node:" + name, UserAgent: "kubelet/v1.36.3 (linux/amd64) kubernetes/abcdef0",
		Verb: verb, Resource: resource, Name: name, Code: 200,
	}
	if resource == "leases" {
		r.Group, r.Namespace = "coordination.k8s.io", "kube-node-lease"
	}
	return r
}

// renewal is a PUT of a Lease.
func renewal(node string, second float64) traces.AuditRecord {
	r := record("update", "leases", node, second)
	r.Object = json.RawMessage(fmt.Sprintf(`{"spec":{"renewTime":"%s"}}`, r.Received.Format("2006-01-02T15:04:05.000000Z")))
	return r
}

// renewals are one every 10 s, from one second up to another.
func renewals(node string, from, to float64) []traces.AuditRecord {
	var all []traces.AuditRecord
	for at := from; at < to; at += 10 {
		all = append(all, renewal(node, at))
	}
	return all
}

// status is a PATCH of a node's status with a heartbeat and a Ready condition.
func status(node string, second float64, ready string) traces.AuditRecord {
	r := record("patch", "nodes", node, second)
	r.Subresource = "status"
	stamp := r.Received.Format(time.RFC3339)
	r.Object = json.RawMessage(fmt.Sprintf(`{"status":{"conditions":[{"type":"Ready","status":"%s","lastHeartbeatTime":"%s","lastTransitionTime":"%s"}]}}`,
		ready, stamp, stamp))
	return r
}

// created is a POST of a node that is not ready.
func created(node string, second float64) traces.AuditRecord {
	r := record("create", "nodes", node, second)
	r.Code = 201
	r.Object = json.RawMessage(fmt.Sprintf(`{"metadata":{"name":"%s"},"status":{"conditions":[{"type":"Ready","status":"False","lastHeartbeatTime":"%s"}]}}`,
		node, r.Received.Format(time.RFC3339)))
	return r
}

func deleted(resource, node string, second float64) traces.AuditRecord {
	r := record("delete", resource, node, second)
	r.User, r.UserAgent = "admin", "kubectl/v1.36.3"
	return r
}

// tainted is a PATCH of the taints by the controller.
func tainted(node string, second float64, taints string) traces.AuditRecord {
	r := record("patch", "nodes", node, second)
	r.Object = json.RawMessage(`{"spec":{"taints":` + taints + `}}`)
	return asController(r)
}

// patched is a PATCH of a node by somebody.
func patched(node string, second float64, user, body string) traces.AuditRecord {
	r := record("patch", "nodes", node, second)
	r.User, r.UserAgent, r.Object = user, user+"/v1", json.RawMessage(body)
	return r
}

// asController has the node lifecycle controller make a request, under its own
// service account.
func asController(r traces.AuditRecord) traces.AuditRecord {
	r.User = "system:serviceaccount:kube-system:node-controller"
	r.UserAgent = "kube-controller-manager/v1.36.3 (linux/amd64) kubernetes/abcdef0/system:serviceaccount:kube-system:node-controller"
	if r.Subresource == "status" {
		r.Verb = "update"
	}
	return r
}

// informerWatch is a watch of the shared informers that starts from scratch.
func informerWatch(resource string, second float64) traces.AuditRecord {
	r := record("watch", resource, "", second)
	r.Stage, r.Namespace = "ResponseStarted", ""
	r.User = "system:kube-controller-manager"
	r.UserAgent = "kube-controller-manager/v1.36.3 (linux/amd64) kubernetes/abcdef0/shared-informers"
	r.URI = "/api/v1/" + resource + "?allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeout=8m22s&watch=true"
	return r
}
