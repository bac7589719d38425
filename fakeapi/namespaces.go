package fakeapi

import (
	"context"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Namespaces is a client for namespaces, with the methods of client-go's
// NamespaceInterface. [StartNamespaces] are there at first. One that is deleted
// is Terminating, and takes no new objects, until somebody finalizes it: the
// namespace controller of a cluster, or Options.EmptyNamespaces.
type Namespaces struct {
	resourceClient[*corev1.Namespace, *corev1.NamespaceList]
}

// Namespaces returns the client for namespaces.
func (c *Client) Namespaces() *Namespaces {
	return &Namespaces{newResourceClient[*corev1.Namespace](c, c.s.namespaces, "", namespaceList)}
}

// UpdateStatus replaces the status of a namespace; its spec stays as it is.
func (n *Namespaces) UpdateStatus(ctx context.Context, namespace *corev1.Namespace, opts metav1.UpdateOptions) (*corev1.Namespace, error) {
	return n.update(ctx, namespace, "status", opts)
}

// Finalize replaces the finalizers in the spec of a namespace. One that is being
// deleted goes with the last of them.
func (n *Namespaces) Finalize(ctx context.Context, namespace *corev1.Namespace, opts metav1.UpdateOptions) (*corev1.Namespace, error) {
	return n.update(ctx, namespace, finalizeSubresource, opts)
}

const finalizeSubresource = "finalize"

func namespaceList(version string, objects []object) *corev1.NamespaceList {
	list := &corev1.NamespaceList{ListMeta: metav1.ListMeta{ResourceVersion: version}, Items: make([]corev1.Namespace, len(objects))}
	for i, obj := range objects {
		list.Items[i] = *obj.(*corev1.Namespace)
	}
	return list
}

func namespaceResource() *resource {
	return &resource{
		strategy:             namespaceStrategy{},
		plural:               "namespaces",
		status:               "namespaces/status",
		kind:                 corev1.SchemeGroupVersion.WithKind("Namespace"),
		group:                schema.GroupResource{Resource: "namespaces"},
		storageKey:           "/registry/namespaces/",
		path:                 "/api/v1",
		unconditionalUpdate:  true,
		fields:               []string{"metadata.name", "status.phase", "name"},
		unknownFieldTemplate: unknownField,
		removal:              terminateNamespace,
		held:                 func(obj object) bool { return len(obj.(*corev1.Namespace).Spec.Finalizers) > 0 },
	}
}

var namespaceType = metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}

type namespaceStrategy struct{ common }

func (namespaceStrategy) blank() object { return &corev1.Namespace{TypeMeta: namespaceType} }

func (namespaceStrategy) shallow(obj object) object {
	out := *obj.(*corev1.Namespace)
	return &out
}

func (s namespaceStrategy) take(in, _ object) object {
	out := in.(*corev1.Namespace).DeepCopy()
	s.clean(out)
	return out
}

func (namespaceStrategy) clean(obj object) {
	ns := obj.(*corev1.Namespace)
	ns.TypeMeta = namespaceType
	cleanMeta(&ns.ObjectMeta)
	for i := range ns.Status.Conditions {
		cleanSeconds(&ns.Status.Conditions[i].LastTransitionTime)
	}
}

// prepareCreate gives a new namespace the status it begins with, and the label
// with its name that upstream's defaults give it.
func (namespaceStrategy) prepareCreate(obj object) {
	ns := obj.(*corev1.Namespace)
	ns.Status = corev1.NamespaceStatus{Phase: corev1.NamespaceActive}
	if !slices.Contains(ns.Spec.Finalizers, corev1.FinalizerKubernetes) {
		ns.Spec.Finalizers = append(slices.Clip(ns.Spec.Finalizers), corev1.FinalizerKubernetes)
	}
	named(ns)
}

// prepareUpdate keeps spec and status apart.
func (namespaceStrategy) prepareUpdate(obj, old object, subresource string) {
	ns, from := obj.(*corev1.Namespace), old.(*corev1.Namespace)
	if subresource != finalizeSubresource {
		ns.Spec = from.Spec
	}
	if subresource != "status" {
		ns.Status = from.Status
	}
	named(ns)
}

// validate is ValidateNamespace and its fellows for updates.
func (namespaceStrategy) validate(obj, old object, subresource string) field.ErrorList {
	m := metaOf(obj)
	if old == nil {
		return append(validateCoreMeta(m, false, validation.ValidateNamespaceName), validateNamespaceFinalizers(obj)...)
	}
	var errs field.ErrorList
	if om := metaOf(old); metaChanged(m, om) {
		if subresource == "" {
			errs = validateCoreMeta(m, false, validation.ValidateNamespaceName)
		}
		errs = append(errs, validateMetaUpdate(m, om)...)
	}
	if subresource == "status" {
		return append(errs, validateNamespacePhase(obj.(*corev1.Namespace))...)
	}
	return append(errs, validateNamespaceFinalizers(obj)...)
}

func validateNamespaceFinalizers(obj object) field.ErrorList {
	var errs field.ErrorList
	for i, f := range obj.(*corev1.Namespace).Spec.Finalizers {
		path := field.NewPath("spec", "finalizers").Index(i)
		for _, msg := range utilvalidation.IsQualifiedName(string(f)) {
			errs = append(errs, field.Invalid(path, string(f), msg))
		}
	}
	return errs
}

// validateNamespacePhase is ValidateNamespaceStatusUpdate.
func validateNamespacePhase(ns *corev1.Namespace) field.ErrorList {
	path := field.NewPath("status", "Phase")
	switch {
	case ns.DeletionTimestamp == nil && ns.Status.Phase != corev1.NamespaceActive:
		return field.ErrorList{field.Invalid(path, ns.Status.Phase, "may only be 'Active' if `deletionTimestamp` is empty")}
	case ns.DeletionTimestamp != nil && ns.Status.Phase != corev1.NamespaceTerminating:
		return field.ErrorList{field.Invalid(path, ns.Status.Phase, "may only be 'Terminating' if `deletionTimestamp` is not empty")}
	}
	return nil
}

// terminateNamespace is a namespace whose deletion begins, or waits for its
// finalizers; nil once it has none left. Upstream: REST.Delete of
// pkg/registry/core/namespace/storage (v1.37).
func terminateNamespace(r *request, old object, o *metav1.DeleteOptions) object {
	ns := old.(*corev1.Namespace)
	switch {
	case ns.DeletionTimestamp == nil:
		next := ns.DeepCopy()
		now := r.table.s.now()
		next.DeletionTimestamp, next.Status.Phase = &now, corev1.NamespaceTerminating
		next.Finalizers, _ = r.table.res.deletionFinalizers(&next.ObjectMeta, o)
		return next
	case len(ns.Spec.Finalizers) > 0:
		return ns
	}
	return nil
}

func named(ns *corev1.Namespace) {
	if ns.Labels[corev1.LabelMetadataName] == ns.Name {
		return
	}
	labels := maps.Clone(ns.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	labels[corev1.LabelMetadataName] = ns.Name
	ns.Labels = labels
}

func (s namespaceStrategy) selectable(obj object) fields.Set {
	ns, set := obj.(*corev1.Namespace), s.common.selectable(obj)
	set["status.phase"] = string(ns.Status.Phase)
	set["name"] = ns.Name
	return set
}
