package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/holter-sim/holter/heartbeat"
)

// Sink takes the events of a run and notes them. It never fails and costs no
// time: upstream tries again for two minutes where ours gives up, which is a
// known difference, and no fault is to bring it in.
type Sink struct {
	log  *Log
	now  func() time.Duration
	kept map[string]*corev1.Event
}

// NewSink returns a sink that notes events in a log.
func NewSink(log *Log, now func() time.Duration) *Sink {
	return &Sink{log, now, map[string]*corev1.Event{}}
}

func (s *Sink) create(ev *corev1.Event) *corev1.Event {
	s.kept[ev.Name] = ev
	s.note(ev, "create")
	return ev
}

func (s *Sink) patch(name string, data []byte) (*corev1.Event, error) {
	ev := s.kept[name].DeepCopy()
	if err := json.Unmarshal(data, ev); err != nil {
		return nil, err
	}
	s.kept[name] = ev
	s.note(ev, fmt.Sprint("patch of ", strings.Join(keys(data), ",")))
	return ev, nil
}

func (s *Sink) note(ev *corev1.Event, verb string) {
	o := ev.InvolvedObject
	subject := o.Name
	if o.Namespace != "" {
		subject = o.Namespace + "/" + o.Name
	}
	s.log.Told(s.now(), subject, fmt.Sprintf("event %s: %s %s %q about %s %s %s uid=%v rv=%v from %s/%s by %q %q, %s to %s, count %d, in %s", verb,
		ev.Type, ev.Reason, ev.Message, o.APIVersion, o.Kind, o.FieldPath, o.UID, o.ResourceVersion != "", ev.Source.Component, ev.Source.Host,
		ev.ReportingController, ev.ReportingInstance, clockTime(ev.FirstTimestamp), clockTime(ev.LastTimestamp), ev.Count, ev.Namespace))
}

func clockTime(t metav1.Time) string { return t.UTC().Format(time.TimeOnly) }

// Client is the sink as our recorder knows it.
func (s *Sink) Client(string) heartbeat.EventClient { return sinkClient{s} }

type sinkClient struct{ s *Sink }

func (c sinkClient) Create(_ context.Context, ev *corev1.Event, _ metav1.CreateOptions) (*corev1.Event, error) {
	return c.s.create(ev), nil
}

func (c sinkClient) Patch(_ context.Context, name string, _ types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string) (*corev1.Event, error) {
	return c.s.patch(name, data)
}

// RoundTrip is the sink as upstream knows it: POST and PATCH of events in JSON.
func (s *Sink) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	// /api/v1/namespaces/default/events[/name]
	path := strings.Split(strings.TrimPrefix(r.URL.Path, "/api/v1/namespaces/"), "/")
	switch {
	case len(path) < 2 || path[1] != "events":
	case r.Method == http.MethodPost:
		ev := &corev1.Event{}
		if err := json.Unmarshal(body, ev); err != nil {
			return nil, err
		}
		return response(r, http.StatusCreated, s.create(ev))
	case r.Method == http.MethodPatch && len(path) == 3:
		ev, err := s.patch(path[2], body)
		if err != nil {
			return nil, err
		}
		return response(r, http.StatusOK, ev)
	}
	return nil, fmt.Errorf("conformance: %s of %s", r.Method, r.URL.Path)
}

func response(r *http.Request, code int, ev *corev1.Event) (*http.Response, error) {
	ev = ev.DeepCopy()
	ev.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Event"}
	data, err := json.Marshal(ev)
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: code, Status: http.StatusText(code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {runtime.ContentTypeJSON}},
		Body:   io.NopCloser(bytes.NewReader(data)), ContentLength: int64(len(data)), Request: r,
	}, nil
}
