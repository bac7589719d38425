package fakeapi

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// kubectl apply --server-side of what kubectl apply has created: it applies, makes
// what "before-first-apply" has its own, and applies again, by which it gives up all
// that its file does not have.
func TestServerSideApplyTakesOverFromClientSideApply(t *testing.T) {
	const file = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{"a":"b"}},"spec":{"containers":[{"name":"main","image":"i"}]}}`
	l := newLab(t, Options{})
	apply := func() *corev1.Pod {
		pod, err := l.c.Pods("default").Patch(ctx, "p", types.ApplyYAMLPatchType, []byte(file), metav1.PatchOptions{FieldManager: "kubectl"})
		require.NoError(t, err)
		return pod
	}
	l.do(func() {
		pods := l.c.Pods("default")
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Labels: map[string]string{"a": "b"}}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "i"}}}}
		Admit(pod)
		_, err := pods.Create(ctx, pod, metav1.CreateOptions{})
		require.NoError(t, err)
		require.NoError(t, pods.Bind(ctx, &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Target: corev1.ObjectReference{Name: "n"}}, metav1.CreateOptions{}))
		before := apply()
		require.Len(t, before.ManagedFields, 2)
		was := before.ManagedFields[1]
		require.Equal(t, "before-first-apply", was.Manager)
		require.Contains(t, string(was.FieldsV1.Raw), "f:restartPolicy")
		require.NotContains(t, string(was.FieldsV1.Raw), "f:nodeName", "the scheduler has bound it")
		require.NotContains(t, string(was.FieldsV1.Raw), "f:status")

		was.Manager, was.Operation = "kubectl", metav1.ManagedFieldsOperationApply
		taken := before.DeepCopy()
		taken.ManagedFields = []metav1.ManagedFieldsEntry{was}
		_, err = pods.Update(ctx, taken, metav1.UpdateOptions{FieldManager: "kubectl"})
		require.NoError(t, err)
		after := apply()
		require.Equal(t, "n", after.Spec.NodeName)
		require.Equal(t, corev1.RestartPolicyAlways, after.Spec.RestartPolicy, "it has its default again")
		require.NotNil(t, after.Spec.TerminationGracePeriodSeconds)
		require.NotContains(t, string(after.ManagedFields[0].FieldsV1.Raw), "f:restartPolicy")
	})
}

func TestWhatWasAppliedFirstHasItsDefaults(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		pod, err := l.c.Pods("default").Patch(ctx, "p", types.ApplyYAMLPatchType,
			[]byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"main","image":"i"}]}}`), metav1.PatchOptions{FieldManager: "a"})
		require.NoError(t, err)
		require.Equal(t, corev1.RestartPolicyAlways, pod.Spec.RestartPolicy)
		require.NotContains(t, string(pod.ManagedFields[0].FieldsV1.Raw), "f:restartPolicy")
	})
}
