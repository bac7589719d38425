package traces

import (
	"encoding/json"
	"time"
)

// Event is one thing that happened in a run, or in a real cluster whose audit log was read. Which fields are set
// depends on Kind; a zero field is left out of the file.
//
// Times are virtual: the duration since the start of the run. They are exact to the nanosecond in memory and in the
// file.
type Event struct {
	// Seq numbers the events of a run from 1, without gaps. Recorder assigns it.
	Seq uint64
	// At is when it happened; for a request, when the answer was there or the caller gave up.
	At time.Duration
	// Actor did it: "kubelet/node-1", "kube-controller-manager", "fault".
	Actor string
	// Kind says what it is, one of the Kind constants or a kind of the caller's own.
	Kind string
	// Cause is the Seq of the event that this one follows from, 0 if none is known.
	Cause uint64
	// Node is the node it is about, "" if it is about none or many.
	Node string

	// Verb is the API verb as the audit log spells it: get, list, watch, create, update, patch, delete.
	Verb string
	// Resource is the plural resource, with its subresource behind a slash: "leases", "nodes/status".
	Resource string
	// Namespace is the namespace of the object, "" for cluster-scoped ones.
	Namespace string
	// Name is the name of the object, "" for lists and watches of many.
	Name string
	// Code is the HTTP status of the answer, 0 if there was none.
	Code int
	// Reason is the metav1.StatusReason of a failure, or the reason of a condition or event.
	Reason string
	// Sent is when a request left its client (read from an audit log: when it reached the server).
	Sent time.Duration
	// ResourceVersion is the version that the answer carries.
	ResourceVersion string
	// RenewTime is the spec.renewTime of a Lease that is written, as it stands in the request.
	RenewTime string
	// Body is the request's object or patch: what the audit log calls requestObject. It is written only when bodies
	// are kept (WriteOptions.Bodies) and takes part neither in the hash nor in comparisons.
	Body json.RawMessage

	// From and To are the two sides of a change ("True" and "Unknown"); Detail is free text of one line.
	From, To, Detail string
}

// Kinds of events. The set is open: readers pass on kinds they do not know.
const (
	KindRequest    = "request"    // an API request and its answer
	KindGaveUp     = "gave-up"    // a loop stopped trying until its next tick
	KindWatch      = "watch"      // a watch event reached its client, or a watch began or ended
	KindTransition = "transition" // a node condition changed its status
	KindTaint      = "taint"      // a taint was added or removed
	KindFault      = "fault"      // a fault began or ended
	KindStart      = "start"      // a component started, stopped or restarted
	KindRegister   = "register"   // a node registered
	KindEvent      = "event"      // a Kubernetes Event was emitted
	KindPass       = "pass"       // a pass of a periodic loop
	KindNote       = "note"       // a remark of the scenario
)

// Format is the version of the trace format that this package writes, the value of Header.Holter.
const Format = "trace/v1alpha1"

// Header is the first line of a trace: everything that is needed to run it again.
type Header struct {
	// Holter is the format version; Create fills it in.
	Holter string `json:"holter"`
	// Name is the scenario's metadata.name.
	Name string `json:"name,omitempty"`
	// Seed is the root seed that the run used.
	Seed uint64 `json:"seed"`
	// KubernetesVersion is the version that was modelled, as "1.36".
	KubernetesVersion string `json:"kubernetesVersion,omitempty"`
	// Binary is the version of Holter that wrote the trace.
	Binary string `json:"binary,omitempty"`
	// Start is the wall instant that virtual time zero stands for, RFC 3339; zero if the scenario does not say.
	Start time.Time `json:"start,omitzero"`
	// Scenario is the whole scenario, as YAML.
	Scenario string `json:"scenario,omitempty"`
}

// Footer is the last line of a complete trace.
type Footer struct {
	// Events is the number of events before it.
	Events uint64 `json:"events"`
	// Hash is their rolling hash, 16 hex digits: what Recorder.Hash says of the same events.
	Hash string `json:"hash"`
}
