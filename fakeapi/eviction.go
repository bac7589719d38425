package fakeapi

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const evictionSubresource = "eviction"

// Evict deletes a pod as kubectl drain does: with the options in the eviction,
// and a condition that says why. There are no PodDisruptionBudgets that would
// forbid it. Upstream: the subresource pods/eviction.
func (p *Pods) Evict(ctx context.Context, eviction *policyv1.Eviction) error {
	q := p.request(opCreate, eviction.Name)
	q.call.Subresource, q.resource = evictionSubresource, p.t.res.name(evictionSubresource)
	q.setBody(eviction.DeepCopy())
	q, err := q.do(ctx)
	q.drop()
	return err
}

// evict marks the pod as disrupted and deletes it. Upstream: EvictionREST.Create
// and addConditionAndDeletePod (v1.37).
func (r *request) evict() *apierrors.StatusError {
	name, eviction := r.call.Name, r.body.(*policyv1.Eviction)
	row := r.space.rows[name]
	if row == nil || row.obj == nil {
		return r.table.res.notFound(name)
	}
	o := eviction.DeleteOptions.DeepCopy()
	if o == nil {
		o = &metav1.DeleteOptions{}
	}
	r.dryRun = r.dryRun || len(o.DryRun) > 0
	if err := r.restrict(eviction, row.obj); err != nil {
		return err
	}
	if err := r.checkDelete(row.obj, o); err != nil {
		return err
	}
	if !r.dryRun {
		next := row.obj.(*corev1.Pod).DeepCopy()
		disrupted(next, r.table.s.now())
		r.store(row, next)
		if p := o.Preconditions; p != nil {
			p.ResourceVersion = nil // it has been met
		}
	}
	_, _, err := r.removeRow(row, o)
	r.created = err == nil
	return err
}

// disrupted gives a pod the condition DisruptionTarget. Upstream:
// podutil.UpdatePodCondition.
func disrupted(pod *corev1.Pod, now metav1.Time) {
	setPodCondition(pod, corev1.PodCondition{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue,
		Reason: "EvictionByEvictionAPI", Message: "Eviction API: evicting", LastTransitionTime: now})
}

// setPodCondition sets or adds a condition, which keeps its time of transition
// if its status does not change. pod must be fresh.
func setPodCondition(pod *corev1.Pod, c corev1.PodCondition) {
	for i := range pod.Status.Conditions {
		had := &pod.Status.Conditions[i]
		if had.Type != c.Type {
			continue
		}
		if had.Status == c.Status {
			c.LastTransitionTime = had.LastTransitionTime
		}
		*had = c
		return
	}
	pod.Status.Conditions = append(pod.Status.Conditions, c)
}

// storagePrecondition is the 409 for an object that is not the one that a
// binding names. Upstream: storage.Preconditions.Check.
func (r *request) storagePrecondition(uid types.UID, version string, m *metav1.ObjectMeta) *apierrors.StatusError {
	if uid != "" && uid != m.UID {
		return r.uidConflict(uid, m.UID)
	}
	if version == "" || version == m.ResourceVersion {
		return nil
	}
	return apierrors.NewConflict(r.table.res.group, m.Name, fmt.Errorf(
		"StorageError: invalid object, Code: 4, Key: %s, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ResourceVersion in precondition: %v, ResourceVersion in object meta: %v",
		r.table.res.storageKey+r.call.Namespace+"/"+m.Name, version, m.ResourceVersion))
}
