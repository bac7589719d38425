package fakeapi

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// object is what the store holds: a pointer to a Node, Lease, Pod, Event or
// Namespace, or to what has been registered. It is never written to once it is
// stored.
type object interface {
	runtime.Object
	metav1.Object
	metav1.ObjectMetaAccessor
}

// metaOf returns obj's metadata itself, not a copy.
func metaOf(obj object) *metav1.ObjectMeta {
	return obj.GetObjectMeta().(*metav1.ObjectMeta)
}

// seconds cuts t to what the API carries of a metav1.Time: whole seconds. The
// zone becomes UTC, so that no text depends on the machine.
func seconds(t metav1.Time) metav1.Time {
	if t.IsZero() {
		return metav1.Time{}
	}
	return metav1.Time{Time: t.Time.Truncate(time.Second).UTC()}
}

// micros cuts t to what the API carries of a metav1.MicroTime.
func micros(t metav1.MicroTime) metav1.MicroTime {
	if t.IsZero() {
		return metav1.MicroTime{}
	}
	return metav1.MicroTime{Time: t.Time.Truncate(time.Microsecond).UTC()}
}

// cleanSeconds does to *t what seconds does, if there is a t.
func cleanSeconds(t *metav1.Time) {
	if t != nil {
		*t = seconds(*t)
	}
}

// cleanMicros does to *t what micros does, if there is a t.
func cleanMicros(t *metav1.MicroTime) {
	if t != nil {
		*t = micros(*t)
	}
}

// cleanMeta cuts the times in m, which must be the caller's own.
func cleanMeta(m *metav1.ObjectMeta) {
	cleanSeconds(&m.CreationTimestamp)
	cleanSeconds(m.DeletionTimestamp)
	for i := range m.ManagedFields {
		cleanSeconds(m.ManagedFields[i].Time)
	}
}
