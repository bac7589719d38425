package bubble_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"

	"github.com/holter-sim/holter/bubble"
	"github.com/holter-sim/holter/holtertest"
)

// client-go's newer recorder writes events of events.k8s.io/v1, and patches their
// series; they are read in the core group too.
func TestEventsOfTheNewerRecorderAreReadInBothGroups(t *testing.T) {
	bubble.Test(t, func(b *bubble.Bubble) {
		t := b.T()
		client := kubernetes.NewForConfigOrDie(b.Config("mine"))
		broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
		require.NoError(t, broadcaster.StartRecordingToSinkWithContext(b.Context()))
		defer broadcaster.Shutdown()
		time.Sleep(time.Minute)
		recorder := broadcaster.NewRecorder(scheme.Scheme, "example.com/mine")
		node, err := client.CoreV1().Nodes().Get(b.Context(), "node-0", metav1.GetOptions{})
		require.NoError(t, err)
		for range 3 {
			recorder.Eventf(node, nil, corev1.EventTypeWarning, "Odd", "Look", "node %s is odd", node.Name)
			time.Sleep(time.Second)
		}

		core, err := client.CoreV1().Events("default").List(b.Context(), metav1.ListOptions{FieldSelector: "involvedObject.name=node-0,reason=Odd"})
		require.NoError(t, err)
		require.Len(t, core.Items, 1)
		require.Equal(t, "node node-0 is odd", core.Items[0].Message)
		require.Equal(t, "example.com/mine", core.Items[0].ReportingController)
		newer, err := client.EventsV1().Events("default").List(b.Context(), metav1.ListOptions{FieldSelector: "regarding.name=node-0,reason=Odd"})
		require.NoError(t, err)
		require.Len(t, newer.Items, 1)
		require.Equal(t, "node node-0 is odd", newer.Items[0].Note)
		require.EqualValues(t, 2, newer.Items[0].Series.Count, "the second begins a series, and the third is counted in the recorder")
	}, holtertest.Nodes(1))
}
