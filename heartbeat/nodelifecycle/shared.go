package nodelifecycle

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/holter-sim/holter/heartbeat/informer"
)

// The controllers of one kube-controller-manager share its informers, so what
// one of them knows all of them know at the same time. Upstream:
// ControllerContext.InformerFactory (cmd/kube-controller-manager/app).

// NodeInformer is what the controller knows of nodes.
func (nc *Controller) NodeInformer() *informer.Informer[*corev1.Node] { return nc.nodes }

// PodInformer is what the controller knows of pods.
func (nc *Controller) PodInformer() *informer.Informer[*corev1.Pod] { return nc.pods.informer }

// PodsAssignedTo lists the pods of a node, by name, as the informer knows them.
// Upstream: the indexer spec.nodeName.
func (nc *Controller) PodsAssignedTo(node string) []*corev1.Pod { return nc.pods.on(node) }
