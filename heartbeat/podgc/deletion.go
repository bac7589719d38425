package podgc

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/podstatus"
	"github.com/holter-sim/holter/heartbeat/version"
)

// markFailedAndDeletePod calls a pod Failed, by version, and deletes it with no
// grace. An error leaves it for the next time. condition may be nil. Upstream:
// markFailedAndDeletePodWithCondition.
func (gcc *Controller) markFailedAndDeletePod(pod *corev1.Pod, why string, condition *corev1.PodCondition) {
	ctx := context.Background()
	pods := gcc.clients.Pods(pod.Namespace)
	heartbeat.Decide(gcc.tracer, heartbeat.DecisionCollecting, pod.Spec.NodeName, pod.Namespace+"/"+pod.Name+": "+why)
	if gcc.behaviors.DisruptionTarget != version.NoCondition {
		if err := gcc.markFailed(ctx, pods, pod, condition); err != nil {
			return
		}
	}
	_ = pods.Delete(ctx, pod.Name, *metav1.NewDeleteOptions(0)) // upstream logs it, and looks again in 20 s
}

// markFailed writes the phase of a pod that has not ended, and the condition
// with it; by server-side apply the condition is written in any case.
func (gcc *Controller) markFailed(ctx context.Context, pods heartbeat.PodDeleter, pod *corev1.Pod, condition *corev1.PodCondition) error {
	ended := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	applied := gcc.behaviors.DisruptionTarget == version.AppliedCondition
	if ended && (condition == nil || !applied) {
		return nil
	}
	status := pod.Status.DeepCopy()
	if !ended {
		status.Phase = corev1.PodFailed
	}
	if condition != nil {
		podstatus.SetCondition(status, *condition, metav1.Time{Time: gcc.host.Now()})
	}
	return podstatus.Patch(ctx, pods, pod, status)
}
