package nodelifecycle

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/holter-sim/holter/heartbeat"
)

// nodeUnreachablePodReason is what kubectl prints as the status of a pod whose
// node does not answer. Upstream: pkg/util/node.NodeUnreachablePodReason.
const nodeUnreachablePodReason = "NodeLost"

// deletePods calls the pods of a node lost and deletes them, one request after
// the other, but for those that are being deleted already or belong to a
// DaemonSet, which stay. A pod whose status meets a conflict is left for the next
// time, and so are all others when a deletion fails. why is for the trace.
// Upstream: nodeutil.DeletePods (v1.26).
func (nc *Controller) deletePods(pods []*corev1.Pod, node string, uid types.UID, why string) error {
	if len(pods) > 0 {
		ref := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node, UID: uid}}
		nc.recordNodeEvent(ref, "DeletingAllPods", fmt.Sprintf("Node %s event: Deleting all Pods from Node %s.", node, node))
	}
	var conflicts []error
	for _, pod := range pods {
		if err := nc.setPodTerminationReason(pod, node); apierrors.IsConflict(err) {
			conflicts = append(conflicts, fmt.Errorf("update status failed for pod %q: %w", pod.Namespace+"/"+pod.Name, err))
			continue
		}
		if pod.DeletionGracePeriodSeconds != nil || ofDaemonSet(pod) {
			continue
		}
		heartbeat.Decide(nc.tracer, heartbeat.DecisionEvicting, node, pod.Namespace+"/"+pod.Name+": "+why)
		nc.recorder.Event(podReference(pod), corev1.EventTypeNormal, "NodeControllerEviction",
			fmt.Sprintf("Marking for deletion Pod %s from Node %s", pod.Name, node))
		err := nc.clients.Pods(pod.Namespace).Delete(context.Background(), pod.Name, metav1.DeleteOptions{})
		if apierrors.IsNotFound(err) && nc.cfg.Behaviors.NodeLifecycle.IgnoresGonePods {
			continue
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(conflicts...)
}

// setPodTerminationReason writes why a pod is lost, unless it says so already.
// Upstream: nodeutil.SetPodTerminationReason.
func (nc *Controller) setPodTerminationReason(pod *corev1.Pod, node string) error {
	if pod.Status.Reason == nodeUnreachablePodReason {
		return nil
	}
	lost := *pod
	lost.Status.Reason = nodeUnreachablePodReason
	lost.Status.Message = fmt.Sprintf("Node %s which was running pod %s is unresponsive", node, pod.Name)
	_, err := nc.clients.Pods(pod.Namespace).UpdateStatus(context.Background(), &lost, metav1.UpdateOptions{})
	return err
}

// ofDaemonSet tells the pods that a DaemonSet owns. Upstream asks which
// DaemonSets select the pod by its labels: DaemonSetLister.GetPodDaemonSets.
func ofDaemonSet(pod *corev1.Pod) bool {
	owner := metav1.GetControllerOf(pod)
	return owner != nil && owner.Kind == "DaemonSet"
}

var errNoPodLister = errors.New("the controller cannot list pods")

// listPodsOf asks the API server for the pods of a node.
func (nc *Controller) listPodsOf(node string) ([]*corev1.Pod, error) {
	if nc.clients.ListPodsAssigned == nil {
		return nil, errNoPodLister
	}
	list, err := nc.clients.ListPodsAssigned(context.Background(), metav1.ListOptions{FieldSelector: "spec.nodeName=" + node})
	if err != nil {
		return nil, err
	}
	objects, err := meta.ExtractList(list)
	pods := make([]*corev1.Pod, 0, len(objects))
	for _, object := range objects {
		pods = append(pods, object.(*corev1.Pod))
	}
	return pods, err
}

// podReference is what an event about a pod names.
func podReference(pod *corev1.Pod) corev1.ObjectReference {
	return corev1.ObjectReference{APIVersion: "v1", Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID, ResourceVersion: pod.ResourceVersion}
}
