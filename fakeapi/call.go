package fakeapi

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/holter-sim/holter/sim"
)

// Call is one request, from the client's decision to send it to the answer in
// its hands. The server uses a Call again once both sides are done with it, so
// an Observer copies what it wants to keep. Objects in it are shared and must
// not be changed.
type Call struct {
	ID     uint64 // counts from 1, in the order of sending
	Client string // ClientOptions.Name

	User, UserAgent string
	Verb            string // create, update, patch, get, list, watch or delete
	Group, Resource string // "coordination.k8s.io", "leases"
	Subresource     string // "status" or ""
	Namespace, Name string // Name of a create by generateName is known once it is answered

	Object runtime.Object // the body of a create or update
	Patch  []byte         // the body of a patch

	// ResourceVersion is what the result carries; for a list, that of the list.
	ResourceVersion string

	// Sent and Received are the client's instants, Arrived (the server begins
	// to work on it) and Answered the server's. Never where it did not happen.
	Sent, Arrived, Answered, Received sim.Time

	// Cause is the engine's cause token when the call was sent.
	Cause uint64

	// Code, Reason, Message and Result are the server's answer. Code is 0 if
	// the server never answered, and 504 for a request the server first saw
	// after the client had given up; that one changes nothing.
	Code    int
	Reason  metav1.StatusReason
	Message string
	Result  runtime.Object

	// Err is what the client saw in the end.
	Err error

	// Fault names the rules of the network that touched the call, joined by
	// commas, "" if none.
	Fault string
}

// Observer is told what happens on the server and on the way to and from it.
// Its methods run inside the event in question and must not block; they may
// call [sim.Engine.SetCause], and what follows from the event inherits it: the
// reply and the watch deliveries from Answered and Changed.
type Observer interface {
	// Answered reports the server's decision, after the commit if there is
	// one: what the audit log would say.
	Answered(c *Call)

	// Received reports that the client has its answer or gave up. It is called
	// once for every call; for one that is given up, Answered may come later.
	// A client killed while it waits is reported with Received at Never.
	Received(c *Call)

	// Changed reports a commit: old is nil for a new object, new for a deleted
	// one. It follows Answered of the call that made it. c is nil for direct
	// access to the store and for objects dropped by a bound.
	Changed(resource string, old, new runtime.Object, c *Call)

	// Delivered reports that a watch event sent at that time reached a client
	// that asked for it with ClientOptions.ObserveWatches.
	Delivered(client, resource string, ev watch.Event, sent sim.Time)
}
