package fakeapi

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
)

var newerEvent = &eventsv1.Event{
	ObjectMeta: metav1.ObjectMeta{Name: "e", Namespace: "default"},
	EventTime:  metav1.NewMicroTime(time.Date(2026, 1, 1, 0, 0, 0, 1000, time.UTC)),
	Regarding:  corev1.ObjectReference{Kind: "Node", Name: "n", Namespace: "default"},
	Reason:     "R", Action: "A", Type: "Normal", Note: "m", ReportingController: "c", ReportingInstance: "i",
}

func TestAnEventIsOneObjectInBothGroups(t *testing.T) {
	overWire(t, Options{}, func(t *testing.T, l *lab, cs *kubernetes.Clientset) {
		l.do(func() {
			newer, older := cs.EventsV1().Events("default"), cs.CoreV1().Events("default")
			made, err := newer.Create(ctx, newerEvent, metav1.CreateOptions{})
			require.NoError(t, err)
			read, err := older.Get(ctx, "e", metav1.GetOptions{})
			require.NoError(t, err)
			require.Equal(t, []any{made.UID, made.ResourceVersion, "m", "n", "c"}, []any{read.UID, read.ResourceVersion, read.Message, read.InvolvedObject.Name, read.ReportingController})

			series := []byte(`{"series":{"count":2,"lastObservedTime":"2026-01-01T00:00:02.000000Z"}}`)
			patched, err := newer.Patch(ctx, "e", types.StrategicMergePatchType, series, metav1.PatchOptions{})
			require.NoError(t, err)
			require.EqualValues(t, 2, patched.Series.Count)
			patched.Note = "another"
			_, err = newer.Update(ctx, patched, metav1.UpdateOptions{})
			require.ErrorContains(t, err, "message: Invalid value: \"another\": field is immutable")

			w, err := WatchOver(cs.EventsV1().RESTClient().Get().Namespace("default").Resource("events").VersionedParams(
				&metav1.ListOptions{Watch: true, ResourceVersion: made.ResourceVersion, FieldSelector: "regarding.name=n"}, scheme.ParameterCodec).Stream(ctx))
			require.NoError(t, err)
			ev, err := w.Next()
			require.NoError(t, err)
			require.Equal(t, watch.Modified, ev.Type)
			require.EqualValues(t, 2, ev.Object.(*eventsv1.Event).Series.Count)
			w.Stop()

			require.NoError(t, newer.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{FieldSelector: "reportingController=c"}))
			_, err = older.Get(ctx, "e", metav1.GetOptions{})
			require.True(t, apierrors.IsNotFound(err))
		})
	})
}

func TestEventsOfTheNewerGroupCannotBeRegisteredAgain(t *testing.T) {
	l := newLab(t, Options{})
	require.PanicsWithValue(t, "fakeapi: Register: events.events.k8s.io are there already", func() {
		Register[*eventsv1.Event, *eventsv1.EventList](l.s, Resource[*eventsv1.Event]{
			Kind: schema.GroupVersionKind{Group: "events.k8s.io", Version: "v1", Kind: "Event"}, Plural: "events", Namespaced: true})
	})
}
