package fakeapi

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Bind gives a pod its node, once. Upstream: the subresource pods/binding
// (pkg/registry/core/pod/storage).
func (p *Pods) Bind(ctx context.Context, binding *corev1.Binding, opts metav1.CreateOptions) error {
	q := p.request(opCreate, binding.Name)
	q.call.Subresource, q.resource = bindingSubresource, p.t.res.name(bindingSubresource)
	q.setBody(binding.DeepCopy())
	q.dryRun = len(opts.DryRun) > 0
	q, err := q.do(ctx)
	q.drop()
	return err
}

const bindingSubresource = "binding"

// bind puts the node's name into the pod, and says that it is scheduled.
// Upstream: setPodNodeAndMetadata.
func (r *request) bind() *apierrors.StatusError {
	res, name := r.table.res, r.call.Name
	found, target := r.space.get(name), r.body.(*corev1.Binding).Target.Name
	if found == nil {
		return res.notFound(name)
	}
	old := found.(*corev1.Pod)
	switch {
	case old.DeletionTimestamp != nil:
		return apierrors.NewConflict(res.group, name, fmt.Errorf("pod %s is being deleted, cannot be assigned to a host", name))
	case old.Spec.NodeName != "":
		return apierrors.NewConflict(res.group, name, fmt.Errorf("pod %s is already assigned to node %q", name, old.Spec.NodeName))
	}
	next := old.DeepCopy()
	next.Spec.NodeName = target
	next.Status.Conditions = append(next.Status.Conditions, corev1.PodCondition{
		Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: r.table.s.now(),
	})
	r.obj, r.created = next, true
	if !r.dryRun {
		r.obj = r.table.commit(r.space.row(name), next, &r.call)
	}
	return nil
}
