package fakeapi

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	kubeletapis "k8s.io/kubelet/pkg/apis"
)

// Admission plugin NodeRestriction (v1.37, plugin/pkg/admission/noderestriction):
// a kubelet may write its own Node and Lease, the status of the pods that are
// bound to it, and mirror pods of its own. It is off unless Options say so.

// nodeUser is how a kubelet's user begins. Upstream asks for the group
// system:nodes as well, which users here have by their name.
const nodeUser = "system:node:"

// noSuchNode stands for the one reason that is a 404: a mirror pod of a node that
// is not there.
const noSuchNode = "not found"

// restrict refuses what a kubelet may not do: create obj (old is nil), update
// old to obj, or delete old (obj is nil).
func (r *request) restrict(obj, old object) *apierrors.StatusError {
	if !r.table.s.nodeRestriction {
		return nil
	}
	node, ok := strings.CutPrefix(r.client.user, nodeUser)
	if !ok {
		return nil
	}
	reason := ""
	switch r.table {
	case r.table.s.nodes:
		reason = r.restrictNode(node, obj, old)
	case r.table.s.leases:
		reason = r.restrictLease(node, obj, old)
	case r.table.s.pods:
		reason = r.restrictPod(node, obj, old)
	}
	switch reason {
	case "":
		return nil
	case noSuchNode:
		return r.table.s.nodes.res.notFound(node)
	}
	name := r.call.Name
	if obj != nil {
		name = metaOf(obj).Name
	}
	return apierrors.NewForbidden(r.group(), name, fmt.Errorf("%s", reason))
}

// restrictNode is admitNode.
func (r *request) restrictNode(name string, obj, old object) string {
	about := obj
	if about == nil {
		about = old
	}
	if asked := metaOf(about).Name; asked != name {
		return fmt.Sprintf("node %q is not allowed to modify node %q", name, asked)
	}
	node, _ := obj.(*corev1.Node)
	from, _ := old.(*corev1.Node)
	switch {
	case node == nil:
		return ""
	case from == nil:
		if forbidden := forbiddenLabels(node.Labels, nil); len(forbidden) > 0 {
			return fmt.Sprintf("node %q is not allowed to set the following labels: %s", name, strings.Join(forbidden, ", "))
		}
	case !equality.Semantic.DeepEqual(node.Spec.Taints, from.Spec.Taints):
		return fmt.Sprintf("node %q is not allowed to modify taints", name)
	case !equality.Semantic.DeepEqual(node.OwnerReferences, from.OwnerReferences):
		return fmt.Sprintf("node %q is not allowed to modify ownerReferences", name)
	default:
		if forbidden := forbiddenLabels(node.Labels, from.Labels); len(forbidden) > 0 {
			return "is not allowed to modify labels: " + strings.Join(forbidden, ", ")
		}
	}
	return ""
}

// forbiddenLabels lists the labels among those that change which a kubelet may
// not choose. Upstream: getModifiedLabels, getForbiddenLabels.
func forbiddenLabels(have, had map[string]string) []string {
	forbidden := map[string]bool{}
	for key, value := range have { // order: sorted below
		if before, ok := had[key]; (!ok || before != value) && forbiddenLabel(key) {
			forbidden[key] = true
		}
	}
	for key := range had { // order: sorted below
		if _, ok := have[key]; !ok && forbiddenLabel(key) {
			forbidden[key] = true
		}
	}
	return slices.Sorted(maps.Keys(forbidden))
}

func forbiddenLabel(key string) bool {
	domain, _, found := strings.Cut(key, "/")
	if !found {
		domain = ""
	}
	if domain == corev1.LabelNamespaceNodeRestriction || strings.HasSuffix(domain, "."+corev1.LabelNamespaceNodeRestriction) {
		return true
	}
	within := func(parent string) bool { return domain == parent || strings.HasSuffix(domain, "."+parent) }
	return (within("kubernetes.io") || within("k8s.io")) && !kubeletapis.IsKubeletLabel(key)
}

// restrictLease is admitLease.
func (r *request) restrictLease(name string, obj, old object) string {
	if r.call.Namespace != corev1.NamespaceNodeLease {
		return fmt.Sprintf("can only access leases in the %q system namespace", corev1.NamespaceNodeLease)
	}
	about := obj
	if about == nil {
		about = old
	}
	if about.(*coordinationv1.Lease).Name != name {
		return "can only access node lease with the same name as the requesting node"
	}
	return ""
}

// restrictPod is admitPod and admitPodStatus.
func (r *request) restrictPod(name string, obj, old object) string {
	pod, _ := obj.(*corev1.Pod)
	from, _ := old.(*corev1.Pod)
	switch sub := r.call.Subresource; {
	case sub == "status":
		if from.Spec.NodeName != name {
			return fmt.Sprintf("node %q can only update pod status for pods with spec.nodeName set to itself", name)
		}
		if !labels.Equals(from.Labels, pod.Labels) {
			return fmt.Sprintf("node %q cannot update labels through pod status", name)
		}
	case sub == evictionSubresource:
		if from.Spec.NodeName != name {
			return fmt.Sprintf("node %s can only evict pods with spec.nodeName set to itself", name)
		}
	case sub != "":
		return fmt.Sprintf("unexpected pod subresource %q, only 'status' and 'eviction' are allowed", sub)
	case from == nil:
		return r.restrictMirror(name, pod)
	case pod == nil:
		if from.Spec.NodeName != name {
			return fmt.Sprintf("node %q can only delete pods with spec.nodeName set to itself", name)
		}
	default:
		return fmt.Sprintf("unexpected operation %q, node %q can only create and delete mirror pods", "UPDATE", name)
	}
	return ""
}

// restrictMirror is admitPodCreate, but for pods that refer to other objects.
func (r *request) restrictMirror(name string, pod *corev1.Pod) string {
	if _, mirror := pod.Annotations[corev1.MirrorPodAnnotationKey]; !mirror {
		return fmt.Sprintf("pod does not have %q annotation, node %q can only create mirror pods", corev1.MirrorPodAnnotationKey, name)
	}
	if pod.Spec.NodeName != name {
		return fmt.Sprintf("node %q can only create pods with spec.nodeName set to itself", name)
	}
	if len(pod.OwnerReferences) > 1 {
		return fmt.Sprintf("node %q can only create pods with a single owner reference set to itself", name)
	}
	if len(pod.OwnerReferences) == 0 {
		return fmt.Sprintf("node %q can only create pods with an owner reference set to itself", name)
	}
	owner := &pod.OwnerReferences[0]
	switch {
	case owner.APIVersion != "v1" || owner.Kind != "Node" || owner.Name != name:
		return fmt.Sprintf("node %q can only create pods with an owner reference set to itself", name)
	case owner.Controller == nil || !*owner.Controller:
		return fmt.Sprintf("node %q can only create pods with a controller owner reference set to itself", name)
	case owner.BlockOwnerDeletion != nil && *owner.BlockOwnerDeletion:
		return fmt.Sprintf("node %q must not set blockOwnerDeletion on an owner reference", name)
	}
	switch have := r.table.s.Node(name); {
	case have == nil:
		return noSuchNode
	case have.UID != owner.UID:
		return fmt.Sprintf("node %s UID mismatch: expected %s got %s", name, owner.UID, have.UID)
	}
	return ""
}
