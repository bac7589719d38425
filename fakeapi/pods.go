package fakeapi

import (
	"cmp"
	"context"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Pods is a client for pods, with the methods of client-go's PodInterface that
// heartbeats use.
type Pods struct {
	resourceClient[*corev1.Pod, *corev1.PodList]
}

// UpdateStatus replaces the status of a pod; its spec and owners stay as they are.
func (p *Pods) UpdateStatus(ctx context.Context, pod *corev1.Pod, opts metav1.UpdateOptions) (*corev1.Pod, error) {
	return p.update(ctx, pod, "status", opts)
}

func podList(version string, objects []object) *corev1.PodList {
	list := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: version}, Items: make([]corev1.Pod, len(objects))}
	for i, obj := range objects {
		list.Items[i] = *obj.(*corev1.Pod)
	}
	return list
}

func podResource() *resource {
	return &resource{
		strategy:            podStrategy{},
		plural:              "pods",
		status:              "pods/status",
		kind:                corev1.SchemeGroupVersion.WithKind("Pod"),
		group:               schema.GroupResource{Resource: "pods"},
		storageKey:          "/registry/pods/",
		path:                "/api/v1",
		namespaced:          true,
		unconditionalUpdate: true,
		graceful:            true,
		returnsDeleted:      true,
		index:               "spec.nodeName",
		fields: []string{"metadata.name", "metadata.namespace", "spec.nodeName", "spec.restartPolicy", "spec.schedulerName",
			"spec.serviceAccountName", "spec.hostNetwork", "status.phase", "status.podIP", "status.podIPs", "status.nominatedNodeName"},
		unknownFieldTemplate: unknownField,
	}
}

var podType = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}

type podStrategy struct{ common }

func (podStrategy) blank() object { return &corev1.Pod{TypeMeta: podType} }

func (podStrategy) graft(obj, from object, keys []string) bool {
	to, src := obj.(*corev1.Pod), from.(*corev1.Pod)
	for _, key := range keys {
		switch key {
		case "metadata":
			to.ObjectMeta = src.ObjectMeta
		case "spec":
			to.Spec = src.Spec
		case "status":
			to.Status = src.Status
		default:
			return false
		}
	}
	return true
}

func (podStrategy) shallow(obj object) object {
	out := *obj.(*corev1.Pod)
	return &out
}

func (s podStrategy) take(in, _ object) object {
	out := in.(*corev1.Pod).DeepCopy()
	s.clean(out)
	return out
}

func (podStrategy) clean(obj object) {
	pod := obj.(*corev1.Pod)
	pod.TypeMeta = podType
	cleanMeta(&pod.ObjectMeta)
	cleanSeconds(pod.Status.StartTime)
	for i := range pod.Status.Conditions {
		c := &pod.Status.Conditions[i]
		cleanSeconds(&c.LastProbeTime)
		cleanSeconds(&c.LastTransitionTime)
	}
	for _, list := range [][]corev1.ContainerStatus{pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses, pod.Status.EphemeralContainerStatuses} {
		for i := range list {
			cleanState(&list[i].State)
			cleanState(&list[i].LastTerminationState)
		}
	}
}

func cleanState(s *corev1.ContainerState) {
	if s.Running != nil {
		cleanSeconds(&s.Running.StartedAt)
	}
	if s.Terminated != nil {
		cleanSeconds(&s.Terminated.StartedAt)
		cleanSeconds(&s.Terminated.FinishedAt)
	}
}

// prepareCreate gives a new pod the status it begins with, whatever it brought
// along.
func (podStrategy) prepareCreate(obj object) {
	pod := obj.(*corev1.Pod)
	pod.Generation = 1
	pod.Status = corev1.PodStatus{Phase: corev1.PodPending, QOSClass: corev1.PodQOSBestEffort}
}

// defaults are those of SetDefaults_PodSpec that a pod's end depends on.
func (podStrategy) defaults(obj object) {
	pod := obj.(*corev1.Pod)
	if pod.Spec.TerminationGracePeriodSeconds == nil {
		period := int64(corev1.DefaultTerminationGracePeriodSeconds)
		pod.Spec.TerminationGracePeriodSeconds = &period
	}
	if pod.Spec.RestartPolicy == "" {
		pod.Spec.RestartPolicy = corev1.RestartPolicyAlways
	}
}

// prepareUpdate keeps spec and status apart; a status update touches neither
// owners nor deletion.
func (podStrategy) prepareUpdate(obj, old object, subresource string) {
	pod, from := obj.(*corev1.Pod), old.(*corev1.Pod)
	if subresource == "status" {
		pod.Spec = from.Spec
		pod.DeletionTimestamp = nil
		pod.OwnerReferences = from.OwnerReferences
		if pod.Status.QOSClass == "" {
			pod.Status.QOSClass = from.Status.QOSClass
		}
		return
	}
	pod.Status = from.Status
	if !equality.Semantic.DeepEqual(&pod.Spec, &from.Spec) {
		pod.Generation++
	}
}

func (podStrategy) indexed(obj object) string { return obj.(*corev1.Pod).Spec.NodeName }

func (s podStrategy) selectable(obj object) fields.Set {
	pod, set := obj.(*corev1.Pod), s.common.selectable(obj)
	set["spec.nodeName"] = pod.Spec.NodeName
	set["spec.restartPolicy"] = string(pod.Spec.RestartPolicy)
	set["spec.schedulerName"] = cmp.Or(pod.Spec.SchedulerName, corev1.DefaultSchedulerName)
	set["spec.serviceAccountName"] = pod.Spec.ServiceAccountName
	set["spec.hostNetwork"] = strconv.FormatBool(pod.Spec.HostNetwork)
	set["status.phase"] = string(pod.Status.Phase)
	set["status.podIP"] = pod.Status.PodIP
	set["status.nominatedNodeName"] = pod.Status.NominatedNodeName
	return set
}

// grace is CheckGracefulDelete (v1.37): a pod that was never scheduled or has
// ended goes at once.
func (podStrategy) grace(obj object, o *metav1.DeleteOptions) bool {
	pod := obj.(*corev1.Pod)
	var period int64
	switch {
	case o.GracePeriodSeconds != nil:
		period = *o.GracePeriodSeconds
	case pod.Spec.TerminationGracePeriodSeconds != nil:
		period = *pod.Spec.TerminationGracePeriodSeconds
	}
	if pod.Spec.NodeName == "" || pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded {
		period = 0
	}
	if period < 0 {
		period = 1
	}
	o.GracePeriodSeconds = &period
	return true
}
