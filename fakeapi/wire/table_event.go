package wire

import (
	"cmp"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var eventColumns = []metav1.TableColumnDefinition{
	column("Last Seen", 0, corev1.Event{}.SwaggerDoc()["lastTimestamp"]),
	column("Type", 0, corev1.Event{}.SwaggerDoc()["type"]),
	column("Reason", 0, corev1.Event{}.SwaggerDoc()["reason"]),
	column("Object", 0, corev1.Event{}.SwaggerDoc()["involvedObject"]),
	column("Subobject", 1, corev1.ObjectReference{}.SwaggerDoc()["fieldPath"]),
	column("Source", 1, corev1.Event{}.SwaggerDoc()["source"]),
	column("Message", 0, corev1.Event{}.SwaggerDoc()["message"]),
	column("First Seen", 1, corev1.Event{}.SwaggerDoc()["firstTimestamp"]),
	column("Count", 1, corev1.Event{}.SwaggerDoc()["count"]),
	nameColumn(1),
}

// eventRow is printEvent.
func eventRow(ev *corev1.Event, now time.Time) metav1.TableRow {
	first := age(ev.FirstTimestamp, now)
	if ev.FirstTimestamp.IsZero() {
		first = microAge(ev.EventTime, now)
	}
	last := age(ev.LastTimestamp, now)
	if ev.LastTimestamp.IsZero() {
		last = first
	}
	count := ev.Count
	switch {
	case ev.Series != nil:
		last, count = microAge(ev.Series.LastObservedTime, now), ev.Series.Count
	case count == 0:
		count = 1 // the newer API counts from the second on
	}
	about := strings.ToLower(ev.InvolvedObject.Kind)
	if ev.InvolvedObject.Name != "" {
		about += "/" + ev.InvolvedObject.Name
	}
	source := cmp.Or(ev.Source.Component, ev.ReportingController)
	if instance := cmp.Or(ev.Source.Host, ev.ReportingInstance); instance != "" {
		source += ", " + instance
	}
	return metav1.TableRow{Cells: []any{
		last, ev.Type, ev.Reason, about, ev.InvolvedObject.FieldPath, source, strings.TrimSpace(ev.Message), first, int64(count), ev.Name,
	}}
}
