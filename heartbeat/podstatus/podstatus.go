// Package podstatus changes the status of a pod as the controllers do that
// delete pods: k8s.io/kubernetes/pkg/util/pod and pkg/api/v1/pod (v1.36.3).
package podstatus

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/holter-sim/holter/heartbeat"
)

// Patch is [Send] where only the error matters.
func Patch(ctx context.Context, client heartbeat.PodDeleter, pod *corev1.Pod, status *corev1.PodStatus) error {
	_, err := Send(ctx, client, pod, status, false)
	return err
}

// Send sends what differs between the status of pod, which stays as it is, and
// status, and returns the pod with it. If they are equal nothing is sent, and
// pod is returned; with always an empty patch is sent then. The uid goes along
// as a precondition. Upstream: PatchPodStatus.
func Send(ctx context.Context, client heartbeat.PodDeleter, pod *corev1.Pod, status *corev1.PodStatus, always bool) (*corev1.Pod, error) {
	before, err := json.Marshal(corev1.Pod{Status: pod.Status})
	if err != nil {
		return nil, fmt.Errorf("marshal the old status of pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	after, err := json.Marshal(corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: pod.UID}, Status: *status})
	if err != nil {
		return nil, fmt.Errorf("marshal the new status of pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	patch, err := strategicpatch.CreateTwoWayMergePatch(before, after, corev1.Pod{})
	if err != nil {
		return nil, fmt.Errorf("compare the statuses of pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	if !always && string(patch) == fmt.Sprintf(`{"metadata":{"uid":%q}}`, pod.UID) {
		return pod, nil
	}
	return client.Patch(ctx, pod.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
}

// SetCondition gives status a condition in the place of the one of that type,
// with now as the time of a transition, and tells whether that changed
// anything. status must be the caller's own. Upstream: UpdatePodCondition.
func SetCondition(status *corev1.PodStatus, condition corev1.PodCondition, now metav1.Time) bool {
	condition.LastTransitionTime = now
	for i := range status.Conditions {
		old := &status.Conditions[i]
		if old.Type != condition.Type {
			continue
		}
		if old.Status == condition.Status {
			condition.LastTransitionTime = old.LastTransitionTime
		}
		changed := condition.Status != old.Status || condition.Reason != old.Reason || condition.Message != old.Message ||
			!condition.LastProbeTime.Equal(&old.LastProbeTime) || !condition.LastTransitionTime.Equal(&old.LastTransitionTime)
		*old = condition
		return changed
	}
	status.Conditions = append(status.Conditions, condition)
	return true
}
