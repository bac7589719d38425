package fakeapi

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestAnEvictedPodIsSaidToBeDisrupted(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		l.c.createPod("default", "p", "a")
		require.NoError(t, l.c.Pods("default").Evict(ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "p"}}))
		pod := l.s.Pod("default", "p")
		require.NotNil(t, pod.DeletionTimestamp)
		require.Equal(t, []corev1.PodCondition{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: "EvictionByEvictionAPI",
			Message: "Eviction API: evicting", LastTransitionTime: l.s.now()}}, pod.Status.Conditions)
	})
}
