package fakeapi

import (
	"context"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
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
// Upstream: BindingREST.Create and setPodNodeAndMetadata (v1.37).
func (r *request) bind() *apierrors.StatusError {
	res, name, binding := r.table.res, r.call.Name, r.body.(*corev1.Binding)
	if errs := validateBinding(binding); len(errs) > 0 {
		return unknown(errs.ToAggregate())
	}
	found := r.space.get(name)
	if found == nil {
		return res.notFound(name)
	}
	old := found.(*corev1.Pod)
	if err := r.storagePrecondition(binding.UID, binding.ResourceVersion, &old.ObjectMeta); err != nil {
		return err
	}
	refuse := func(format string, args ...any) *apierrors.StatusError {
		return apierrors.NewConflict(schema.GroupResource{Resource: "pods/binding"}, name, fmt.Errorf(format, args...))
	}
	switch {
	case old.DeletionTimestamp != nil:
		return refuse("pod %s is being deleted, cannot be assigned to a host", name)
	case old.Spec.NodeName != "":
		return refuse("pod %v is already assigned to node %q", name, old.Spec.NodeName)
	case len(old.Spec.SchedulingGates) > 0:
		return refuse("pod %v has non-empty .spec.schedulingGates", name)
	}
	next := old.DeepCopy()
	next.Spec.NodeName, next.Status.NominatedNodeName = binding.Target.Name, ""
	next.Annotations = merged(next.Annotations, binding.Annotations)
	next.Labels = merged(next.Labels, binding.Labels)
	setPodCondition(next, corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: r.table.s.now()})
	r.obj, r.created = next, true
	if !r.dryRun {
		r.obj = r.commit(r.space.row(name), next)
	}
	return nil
}

// merged adds more to a map, which is the caller's own.
func merged(m, more map[string]string) map[string]string {
	if len(more) == 0 {
		return m
	}
	if m == nil {
		m = map[string]string{}
	}
	maps.Copy(m, more)
	return m
}

// validateBinding is ValidatePodBinding.
func validateBinding(binding *corev1.Binding) field.ErrorList {
	var errs field.ErrorList
	target := field.NewPath("target")
	node := binding.Target.Kind == "" || binding.Target.Kind == "Node"
	if !node {
		errs = append(errs, field.NotSupported(target.Child("kind"), binding.Target.Kind, []string{"Node", "<empty>"}))
	}
	switch {
	case binding.Target.Name == "":
		errs = append(errs, field.Required(target.Child("name"), ""))
	case node:
		for _, msg := range validation.NameIsDNSSubdomain(binding.Target.Name, false) {
			errs = append(errs, field.Invalid(target.Child("name"), binding.Target.Name, msg))
		}
	}
	return errs
}
