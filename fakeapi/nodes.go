package fakeapi

import (
	"context"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Nodes is a client for nodes, with the methods of client-go's NodeInterface
// that heartbeats use.
type Nodes struct {
	resourceClient[*corev1.Node, *corev1.NodeList]
}

// UpdateStatus replaces the status of a node, and its labels, annotations and
// other metadata; the spec stays as it is.
func (n *Nodes) UpdateStatus(ctx context.Context, node *corev1.Node, opts metav1.UpdateOptions) (*corev1.Node, error) {
	return n.update(ctx, node, "status", opts)
}

func nodeList(version string, objects []object) *corev1.NodeList {
	list := &corev1.NodeList{ListMeta: metav1.ListMeta{ResourceVersion: version}, Items: make([]corev1.Node, len(objects))}
	for i, obj := range objects {
		list.Items[i] = *obj.(*corev1.Node)
	}
	return list
}

func nodeResource() *resource {
	return &resource{
		strategy:             nodeStrategy{},
		plural:               "nodes",
		status:               "nodes/status",
		kind:                 corev1.SchemeGroupVersion.WithKind("Node"),
		group:                schema.GroupResource{Resource: "nodes"},
		storageKey:           "/registry/minions/",
		path:                 "/api/v1",
		unconditionalUpdate:  true,
		fields:               []string{"metadata.name", "spec.unschedulable"},
		unknownFieldTemplate: unknownField,
	}
}

var nodeType = metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}

type nodeStrategy struct{ common }

func (nodeStrategy) blank() object { return &corev1.Node{TypeMeta: nodeType} }

func (nodeStrategy) graft(obj, from object, keys []string) bool {
	to, src := obj.(*corev1.Node), from.(*corev1.Node)
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

func (nodeStrategy) shallow(obj object) object {
	out := *obj.(*corev1.Node)
	return &out
}

func (s nodeStrategy) take(in, _ object) object {
	out := in.(*corev1.Node).DeepCopy()
	s.clean(out)
	return out
}

func (nodeStrategy) clean(obj object) {
	node := obj.(*corev1.Node)
	node.TypeMeta = nodeType
	cleanMeta(&node.ObjectMeta)
	for i := range node.Spec.Taints {
		cleanSeconds(node.Spec.Taints[i].TimeAdded)
	}
	for i := range node.Status.Conditions {
		c := &node.Status.Conditions[i]
		cleanSeconds(&c.LastHeartbeatTime)
		cleanSeconds(&c.LastTransitionTime)
	}
}

// defaults are SetDefaults_NodeStatus, what can be allocated is all there is, and
// Convert_v1_NodeSpec_To_core_NodeSpec: a pod range is the first of several.
func (nodeStrategy) defaults(obj object) {
	node := obj.(*corev1.Node)
	if node.Status.Allocatable == nil && node.Status.Capacity != nil {
		node.Status.Allocatable = node.Status.Capacity.DeepCopy()
	}
	spec := &node.Spec
	if spec.PodCIDR != "" && (len(spec.PodCIDRs) == 0 || spec.PodCIDRs[0] != spec.PodCIDR) {
		spec.PodCIDRs = []string{spec.PodCIDR}
	}
	if len(spec.PodCIDRs) > 0 {
		spec.PodCIDR = spec.PodCIDRs[0]
	}
}

// prepareUpdate keeps spec and status apart. Metadata may come through either.
func (nodeStrategy) prepareUpdate(obj, old object, subresource string) {
	node, from := obj.(*corev1.Node), old.(*corev1.Node)
	if subresource == "status" {
		node.Spec = from.Spec
	} else {
		node.Status = from.Status
	}
}

// same looks first at what heartbeats change.
func (s nodeStrategy) same(a, b object) bool {
	x, y := a.(*corev1.Node), b.(*corev1.Node)
	return sameConditions(x.Status.Conditions, y.Status.Conditions) && s.common.same(a, b)
}

func sameConditions(a, b []corev1.NodeCondition) bool {
	return slices.EqualFunc(a, b, func(x, y corev1.NodeCondition) bool {
		return x.Type == y.Type && x.Status == y.Status && x.Reason == y.Reason && x.Message == y.Message &&
			x.LastHeartbeatTime.Equal(&y.LastHeartbeatTime) && x.LastTransitionTime.Equal(&y.LastTransitionTime)
	})
}

func (s nodeStrategy) selectable(obj object) fields.Set {
	set := s.common.selectable(obj)
	set["spec.unschedulable"] = strconv.FormatBool(obj.(*corev1.Node).Spec.Unschedulable)
	return set
}
