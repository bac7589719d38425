package fakeapi

import (
	"context"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Namespaces is a client for namespaces, with the methods of client-go's
// NamespaceInterface but for Finalize. A namespace is a name and no more: none
// is there at first, objects may be created in one that is not there, and since
// no controller empties it, it is created without a finalizer and deleted at
// once, whatever is in it.
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
	named(ns)
}

// prepareUpdate keeps spec and status apart.
func (namespaceStrategy) prepareUpdate(obj, old object, subresource string) {
	ns, from := obj.(*corev1.Namespace), old.(*corev1.Namespace)
	ns.Spec = from.Spec
	if subresource != "status" {
		ns.Status = from.Status
	}
	named(ns)
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
