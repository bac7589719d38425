package fakeapi

import (
	"maps"
	"slices"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Leases is a client for leases, with the methods of client-go's
// LeaseInterface that heartbeats use.
type Leases struct {
	resourceClient[*coordinationv1.Lease, *coordinationv1.LeaseList]
}

func leaseList(version string, objects []object) *coordinationv1.LeaseList {
	list := &coordinationv1.LeaseList{ListMeta: metav1.ListMeta{ResourceVersion: version}, Items: make([]coordinationv1.Lease, len(objects))}
	for i, obj := range objects {
		list.Items[i] = *obj.(*coordinationv1.Lease)
	}
	return list
}

func leaseResource() *resource {
	return &resource{
		strategy:             leaseStrategy{},
		plural:               "leases",
		kind:                 coordinationv1.SchemeGroupVersion.WithKind("Lease"),
		group:                schema.GroupResource{Group: coordinationv1.GroupName, Resource: "leases"},
		storageKey:           "/registry/leases/",
		path:                 "/apis/coordination.k8s.io/v1",
		namespaced:           true,
		createOnUpdate:       true,
		fields:               []string{"metadata.name", "metadata.namespace"},
		unknownFieldTemplate: unknownMetaField,
	}
}

var leaseType = metav1.TypeMeta{APIVersion: "coordination.k8s.io/v1", Kind: "Lease"}

type leaseStrategy struct{ common }

func (leaseStrategy) blank() object { return &coordinationv1.Lease{TypeMeta: leaseType} }

func (leaseStrategy) graft(obj, from object, keys []string) bool {
	to, src := obj.(*coordinationv1.Lease), from.(*coordinationv1.Lease)
	for _, key := range keys {
		switch key {
		case "metadata":
			to.ObjectMeta = src.ObjectMeta
		case "spec":
			to.Spec = src.Spec
		default:
			return false
		}
	}
	return true
}

func (leaseStrategy) shallow(obj object) object {
	out := *obj.(*coordinationv1.Lease)
	return &out
}

// renewal is a lease together with the one part of it that is always new.
type renewal struct {
	lease coordinationv1.Lease
	renew metav1.MicroTime
}

// take copies a lease. A renewal differs from what is stored in its renewTime
// alone, so that is all that is copied of it beside the struct.
func (s leaseStrategy) take(in, like object) object {
	from := in.(*coordinationv1.Lease)
	old, _ := like.(*coordinationv1.Lease)
	if old == nil || !sharable(from, old) {
		out := from.DeepCopy()
		s.clean(out)
		return out
	}
	out := &renewal{lease: *from}
	l := &out.lease
	l.TypeMeta = leaseType
	if l.CreationTimestamp != old.CreationTimestamp {
		l.CreationTimestamp = seconds(l.CreationTimestamp)
	}
	l.Labels, l.Annotations, l.OwnerReferences = old.Labels, old.Annotations, old.OwnerReferences
	l.Spec.HolderIdentity, l.Spec.LeaseDurationSeconds = old.Spec.HolderIdentity, old.Spec.LeaseDurationSeconds
	l.Spec.LeaseTransitions = old.Spec.LeaseTransitions
	if t := from.Spec.RenewTime; t != nil {
		out.renew = micros(*t)
		l.Spec.RenewTime = &out.renew
	}
	return l
}

func (leaseStrategy) clean(obj object) {
	l := obj.(*coordinationv1.Lease)
	l.TypeMeta = leaseType
	cleanMeta(&l.ObjectMeta)
	cleanMicros(l.Spec.AcquireTime)
	cleanMicros(l.Spec.RenewTime)
}

// sharable reports whether all that a lease refers to, but for its renewTime,
// is equal to what is stored.
func sharable(a, b *coordinationv1.Lease) bool {
	return a.DeletionTimestamp == nil && a.DeletionGracePeriodSeconds == nil &&
		a.Finalizers == nil && a.ManagedFields == nil && a.Spec.AcquireTime == nil &&
		a.Spec.Strategy == nil && a.Spec.PreferredHolder == nil &&
		equalPtr(a.Spec.HolderIdentity, b.Spec.HolderIdentity) &&
		equalPtr(a.Spec.LeaseDurationSeconds, b.Spec.LeaseDurationSeconds) &&
		equalPtr(a.Spec.LeaseTransitions, b.Spec.LeaseTransitions) &&
		maps.Equal(a.Labels, b.Labels) && maps.Equal(a.Annotations, b.Annotations) &&
		sameOwners(a.OwnerReferences, b.OwnerReferences)
}

func equalPtr[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// sameOwners compares owners, quickly where they are shared.
func sameOwners(a, b []metav1.OwnerReference) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.EqualFunc(a, b, equalOwner))
}

func equalOwner(a, b metav1.OwnerReference) bool {
	return a.APIVersion == b.APIVersion && a.Kind == b.Kind && a.Name == b.Name && a.UID == b.UID &&
		equalPtr(a.Controller, b.Controller) && equalPtr(a.BlockOwnerDeletion, b.BlockOwnerDeletion)
}

func (leaseStrategy) same(a, b object) bool {
	x, y := a.(*coordinationv1.Lease), b.(*coordinationv1.Lease)
	return x.Spec.RenewTime.Equal(y.Spec.RenewTime) && equality.Semantic.DeepEqual(x, y)
}

// prepareCreate and prepareUpdate drop what belongs to gate
// CoordinatedLeaderElection, which is off.
func (leaseStrategy) prepareCreate(obj object) {
	spec := &obj.(*coordinationv1.Lease).Spec
	spec.Strategy, spec.PreferredHolder = nil, nil
}

func (leaseStrategy) prepareUpdate(obj, old object, _ string) {
	spec, had := &obj.(*coordinationv1.Lease).Spec, &old.(*coordinationv1.Lease).Spec
	if had.Strategy == nil {
		spec.Strategy = nil
	}
	if had.PreferredHolder == nil {
		spec.PreferredHolder = nil
	}
}

// validate is ValidateLease and ValidateLeaseUpdate (v1.37).
func (leaseStrategy) validate(obj, old object, _ string) field.ErrorList {
	lease := obj.(*coordinationv1.Lease)
	var errs field.ErrorList
	if old == nil {
		errs = validateMeta(&lease.ObjectMeta, true, validation.NameIsDNSSubdomain)
	} else if om := metaOf(old); metaChanged(&lease.ObjectMeta, om) {
		errs = validateMetaUpdate(&lease.ObjectMeta, om)
	}
	spec := &lease.Spec
	if d := spec.LeaseDurationSeconds; d != nil && *d <= 0 {
		errs = append(errs, field.Invalid(field.NewPath("spec", "leaseDurationSeconds"), *d, "must be greater than 0"))
	}
	if n := spec.LeaseTransitions; n != nil && *n < 0 {
		errs = append(errs, field.Invalid(field.NewPath("spec", "leaseTransitions"), *n, "must be greater than or equal to 0"))
	}
	return errs
}
