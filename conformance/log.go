package conformance

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/sim"
)

// Entry is one thing that happened: a request with its outcome, a change of a
// node in the store, or something a controller told.
type Entry struct {
	// Subject is what it is about: a node, "namespace/pod", a client.
	Subject string
	// At is when; for a request, when it was sent, and Until when its client
	// had the answer.
	At, Until time.Duration
	// What says everything else, in one line.
	What string
	// Request tells that it is one.
	Request bool
}

// String is the entry in one line: the same for two that are equal.
func (e Entry) String() string {
	if !e.Request {
		return fmt.Sprintf("%15v %15s  %s", e.At, "", e.What)
	}
	return fmt.Sprintf("%15v %15v  %s", e.At, e.Until, e.What)
}

// Log is the observer of a run. It leaves out what was not over at the end.
type Log struct {
	Entries []Entry
	end     time.Duration
	changed map[uint64]bool // ids of calls that changed something
	exact   bool            // known differences are told
	last    fakeapi.Call    // the last that was received
	lock    sync.Mutex      // upstream tells from several goroutines
}

// NewLog returns an empty log of a run that ends at that time.
func NewLog(end time.Duration) *Log { return &Log{end: end, changed: map[uint64]bool{}} }

// Of lists what is told of a subject, in the order of time; what happened at
// one instant to one subject is in the order it was told.
func (l *Log) Of(subject string) []Entry {
	var entries []Entry
	for _, e := range l.Entries {
		if e.Subject == subject {
			entries = append(entries, e)
		}
	}
	slices.SortStableFunc(entries, func(x, y Entry) int { return cmp.Compare(x.At, y.At) })
	return entries
}

// Told notes something that a controller said.
func (l *Log) Told(at time.Duration, subject, what string) {
	l.add(Entry{Subject: subject, At: at, Until: at, What: what})
}

// Panicked notes that a controller's process ended, and with it the log.
func (l *Log) Panicked(at time.Duration, subject string) {
	l.Told(at, subject, "panicked")
	l.lock.Lock()
	defer l.lock.Unlock()
	l.end = min(l.end, at)
}

func (l *Log) add(e Entry) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if e.Until < l.end {
		l.Entries = append(l.Entries, e)
	}
}

// Received is a request in its client's eyes.
func (l *Log) Received(c *fakeapi.Call) {
	if c.Received == sim.Never {
		return // its client was killed
	}
	l.last = *c
	resource := c.Resource
	if c.Subresource != "" {
		resource += "/" + c.Subresource
	}
	outcome := fmt.Sprint(c.Code, " ", c.Reason)
	if c.Code == 0 || c.Err == nil != (c.Code < 300) {
		outcome = fmt.Sprint("no answer: ", c.Err)
	}
	l.add(Entry{
		Subject: subjectOf(c), At: c.Sent.Duration(), Until: c.Received.Duration(), Request: true,
		What: fmt.Sprintf("%s %s %s %s: %s", c.Client, c.Verb, resource, l.body(c), outcome),
	})
}

// subjectOf is the object that a request is about; for a list or a watch it is
// the client with the resource.
func subjectOf(c *fakeapi.Call) string {
	switch {
	case c.Name == "":
		return c.Client + " " + c.Resource
	case c.Resource == "pods" || c.Resource == "events":
		return c.Namespace + "/" + c.Name
	default:
		return c.Name
	}
}

// Answered is of no interest: Received follows.
func (l *Log) Answered(*fakeapi.Call) {}

// Delivered is of no interest: what a controller makes of it is.
func (l *Log) Delivered(string, string, watch.Event, sim.Time) {}

// Changed notes transitions and taints of nodes.
func (l *Log) Changed(resource string, before, after runtime.Object, c *fakeapi.Call) {
	if c == nil {
		return
	}
	l.changed[c.ID] = true
	if resource != "nodes" || after == nil || before == nil {
		return
	}
	old, node := before.(*corev1.Node), after.(*corev1.Node)
	note := func(what string) {
		l.Told(c.Answered.Duration(), node.Name, what)
	}
	if was, is := readyOf(old), readyOf(node); was != is {
		note(fmt.Sprintf("Ready %s -> %s", was, is))
	}
	for _, t := range node.Spec.Taints {
		if !slices.ContainsFunc(old.Spec.Taints, func(o corev1.Taint) bool { return o.MatchTaint(&t) }) {
			note("taint +" + t.ToString())
		}
	}
	for _, t := range old.Spec.Taints {
		if !slices.ContainsFunc(node.Spec.Taints, func(o corev1.Taint) bool { return o.MatchTaint(&t) }) {
			note("taint -" + t.ToString())
		}
	}
}

func readyOf(node *corev1.Node) string {
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return string(c.Status)
		}
	}
	return "none"
}

// body is what a request says, without the versions that depend on the order
// of other nodes' writes.
func (l *Log) body(c *fakeapi.Call) string {
	switch obj := c.Object.(type) {
	case *coordinationv1.Lease:
		renewed := "never"
		if obj.Spec.RenewTime != nil {
			renewed = obj.Spec.RenewTime.UTC().Format(time.RFC3339Nano)
		}
		return fmt.Sprintf("holder=%s duration=%v owners=%d renewed=%s versioned=%v",
			deref(obj.Spec.HolderIdentity), deref(obj.Spec.LeaseDurationSeconds), len(obj.OwnerReferences), renewed, obj.ResourceVersion != "")
	case *corev1.Node:
		return asJSON(obj.Status.Conditions)
	case *corev1.Pod:
		return asJSON(obj.Status.Conditions)
	}
	if c.Patch == nil {
		return ""
	}
	var patch map[string]any
	if err := json.Unmarshal(c.Patch, &patch); err != nil {
		return err.Error()
	}
	if meta, ok := patch["metadata"].(map[string]any); ok && meta["resourceVersion"] != nil {
		meta["resourceVersion"] = "(set)"
	}
	if !l.changed[c.ID] && !l.exact {
		delete(patch, "spec") // see TestKnownDifferenceTaintsThatStayAsTheyAreAreSent
	}
	return asJSON(patch)
}

// keys are those of a JSON object, in order.
func keys(data []byte) []string {
	var object map[string]any
	if err := json.Unmarshal(data, &object); err != nil {
		return []string{err.Error()}
	}
	return slices.Sorted(maps.Keys(object))
}

func deref[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

func asJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // API types and maps of them always marshal
	}
	return string(data)
}
