// Package events records Kubernetes Events as client-go's tools/record does
// (v0.36), as far as heartbeats use it: asynchronously, in order, with repeats
// folded into a count.
package events

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/holter-sim/holter/heartbeat"
)

// Recorder sends events to the API server, one after the other. An event that
// the server does not take is dropped: upstream's retries every 10 s are not
// modelled, since nothing in a heartbeat waits for them.
type Recorder struct {
	host   heartbeat.Host
	client func(namespace string) heartbeat.EventClient
	source corev1.EventSource

	queue   []*corev1.Event
	sending bool
	named   int64           // the instant in the last event's name
	known   map[string]sent // what was sent of each key, to fold repeats
	spam    spamFilter
}

// sent is what is remembered of an event: the object would be a kilobyte.
type sent struct {
	name, namespace string
	count           int32
}

// New returns a recorder that writes through client. Events of nodes live in
// the namespace "default". A nil client records nothing.
func New(host heartbeat.Host, client func(namespace string) heartbeat.EventClient, source corev1.EventSource) *Recorder {
	return &Recorder{host: host, client: client, source: source, known: map[string]sent{}, spam: spamFilter{}}
}

// Event records one event about ref. It returns at once.
func (r *Recorder) Event(ref corev1.ObjectReference, eventType, reason, message string) {
	if r == nil || r.client == nil {
		return
	}
	r.queue = append(r.queue, r.makeEvent(ref, eventType, reason, message))
	if !r.sending {
		r.sending = true
		r.host.Go("events", r.send)
	}
}

// makeEvent mirrors recorderImpl.makeEvent: the name is the object's with the
// instant in hexadecimal nanoseconds. A real clock never shows one instant
// twice; this one does, and counts up then.
func (r *Recorder) makeEvent(ref corev1.ObjectReference, eventType, reason, message string) *corev1.Event {
	now := r.host.Now()
	r.named = max(r.named+1, now.UnixNano())
	namespace := ref.Namespace
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	return &corev1.Event{
		ObjectMeta:          metav1.ObjectMeta{Name: fmt.Sprintf("%v.%x", ref.Name, r.named), Namespace: namespace},
		InvolvedObject:      ref,
		Reason:              reason,
		Message:             message,
		Source:              r.source,
		FirstTimestamp:      metav1.Time{Time: now},
		LastTimestamp:       metav1.Time{Time: now},
		Count:               1,
		Type:                eventType,
		ReportingController: r.source.Component,
		ReportingInstance:   r.source.Host,
	}
}

// send empties the queue. Upstream: recordToSink, with the correlator's
// eventLogger deciding between a create and a patch of the count.
func (r *Recorder) send() {
	defer func() { r.sending = false }()
	for len(r.queue) > 0 {
		ev := r.queue[0]
		r.queue[0] = nil
		if r.queue = r.queue[1:]; len(r.queue) == 0 {
			r.queue = nil
		}
		if r.spam.skips(ev, r.host.Now()) {
			continue
		}
		key := eventKey(ev)
		if last, repeated := r.known[key]; repeated && r.count(key, last, ev) {
			continue
		}
		if created, err := r.client(ev.Namespace).Create(context.Background(), ev, metav1.CreateOptions{}); err == nil {
			r.known[key] = sent{created.Name, created.Namespace, created.Count}
		}
	}
}

// count folds ev into the event that was sent before it; false if that is gone
// from the server.
func (r *Recorder) count(key string, last sent, ev *corev1.Event) bool {
	patch := map[string]any{
		"count":         last.count + 1,
		"lastTimestamp": ev.LastTimestamp,
		"message":       ev.Message,
	}
	data, err := json.Marshal(patch)
	if err != nil {
		panic(err) // a map of plain values always marshals
	}
	_, err = r.client(last.namespace).Patch(context.Background(), last.name, types.StrategicMergePatchType, data, metav1.PatchOptions{})
	if err == nil {
		last.count++
		r.known[key] = last
	}
	return !apierrors.IsNotFound(err)
}

// eventKey is what makes two events the same. Upstream: getEventKey.
func eventKey(ev *corev1.Event) string {
	o := ev.InvolvedObject
	return ev.Source.Component + "/" + ev.Source.Host + "/" + o.Kind + "/" + o.Namespace + "/" + o.Name + "/" +
		string(o.UID) + "/" + ev.Type + "/" + ev.Reason + "/" + ev.Message
}
