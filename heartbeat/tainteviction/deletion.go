package tainteviction

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/podstatus"
	"github.com/holter-sim/holter/heartbeat/version"
)

// deletePod deletes a pod whose time has come, in up to five tries. Any error
// is tried again, even that there is no such pod; the last one is returned.
// Upstream: deletePodHandler.
func (tc *Controller) deletePod(args workArgs) error {
	heartbeat.Decide(tc.tracer, heartbeat.DecisionEvicting, args.node, args.pod.String()+": "+args.why)
	tc.event(args.pod, "Marking for deletion Pod "+args.pod.String())
	var err error
	for range retries {
		if err = tc.addConditionAndDeletePod(args.pod); err == nil {
			return nil
		}
		tc.host.Sleep(retryPause)
	}
	heartbeat.Decide(tc.tracer, heartbeat.DecisionEvictionFailed, args.node, args.pod.String()+": "+err.Error())
	return err
}

// addConditionAndDeletePod says in the pod's status why it goes, by version,
// and deletes it with the grace period of its own.
func (tc *Controller) addConditionAndDeletePod(name namespacedName) error {
	ctx := context.Background()
	pods := tc.clients.Pods(name.namespace)
	if tc.behaviors.DisruptionTarget != version.NoCondition {
		pod, err := pods.Get(ctx, name.name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if err := tc.addCondition(ctx, pods, pod); err != nil {
			return err
		}
	}
	return pods.Delete(ctx, name.name, metav1.DeleteOptions{})
}

// addCondition writes the condition where it is not there yet; by server-side
// apply it is written in any case.
func (tc *Controller) addCondition(ctx context.Context, pods heartbeat.PodDeleter, pod *corev1.Pod) error {
	status := pod.Status.DeepCopy()
	updated := podstatus.SetCondition(status, corev1.PodCondition{
		Type:    corev1.DisruptionTarget,
		Status:  corev1.ConditionTrue,
		Reason:  "DeletionByTaintManager",
		Message: "Taint manager: deleting due to NoExecute taint",
	}, metav1.Time{Time: tc.host.Now()})
	if !updated && tc.behaviors.DisruptionTarget == version.PatchedCondition {
		return nil
	}
	return podstatus.Patch(ctx, pods, pod, status)
}

// event tells of a pod's deletion, or of one that is called off. Upstream:
// emitPodDeletionEvent, emitCancelPodDeletionEvent.
func (tc *Controller) event(pod namespacedName, message string) {
	ref := corev1.ObjectReference{APIVersion: "v1", Kind: "Pod", Namespace: pod.namespace, Name: pod.name}
	tc.recorder.Event(ref, corev1.EventTypeNormal, "TaintManagerEviction", message)
}
