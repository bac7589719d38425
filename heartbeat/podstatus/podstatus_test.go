package podstatus

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// recorded is a client that keeps the patches.
type recorded struct{ patches []string }

func (r *recorded) Get(context.Context, string, metav1.GetOptions) (*corev1.Pod, error) {
	return nil, nil
}
func (r *recorded) Delete(context.Context, string, metav1.DeleteOptions) error { return nil }
func (r *recorded) Patch(_ context.Context, name string, _ types.PatchType, data []byte, _ metav1.PatchOptions, sub ...string) (*corev1.Pod, error) {
	r.patches = append(r.patches, name+" "+sub[0]+" "+string(data))
	return nil, nil
}

func TestPatchHasWhatDiffersAndTheUID(t *testing.T) {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", UID: "u"}, Status: corev1.PodStatus{Phase: corev1.PodRunning, HostIP: "10.0.0.1"}}
	client := &recorded{}
	require.NoError(t, Patch(context.Background(), client, pod, pod.Status.DeepCopy()))
	require.Empty(t, client.patches, "nothing differs")
	status := pod.Status.DeepCopy()
	status.Phase = corev1.PodFailed
	require.NoError(t, Patch(context.Background(), client, pod, status))
	require.Equal(t, []string{`p status {"metadata":{"uid":"u"},"status":{"phase":"Failed"}}`}, client.patches)
}

func TestConditionThatIsThereKeepsItsTimeOfTransition(t *testing.T) {
	first, second := metav1.Time{Time: time.Unix(100, 0)}, metav1.Time{Time: time.Unix(200, 0)}
	status := &corev1.PodStatus{}
	c := corev1.PodCondition{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: "A"}
	require.True(t, SetCondition(status, c, first))
	require.False(t, SetCondition(status, c, second), "the same")
	c.Reason = "B"
	require.True(t, SetCondition(status, c, second))
	require.Equal(t, first, status.Conditions[0].LastTransitionTime)
	c.Status = corev1.ConditionFalse
	require.True(t, SetCondition(status, c, second))
	require.Equal(t, second, status.Conditions[0].LastTransitionTime)
	require.Len(t, status.Conditions, 1)
}
