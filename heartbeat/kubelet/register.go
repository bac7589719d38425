package kubelet

import (
	"cmp"
	"context"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/heartbeat"
)

const (
	// firstRegistrationStep is the wait before the first try to register.
	firstRegistrationStep = 100 * time.Millisecond
	// maxRegistrationStep caps the waits, which double.
	maxRegistrationStep = 7 * time.Second

	// uninitializedTaint and providedNodeIPAnnotation are of k8s.io/cloud-provider/api.
	uninitializedTaint       = "node.cloudprovider.kubernetes.io/uninitialized"
	providedNodeIPAnnotation = "alpha.kubernetes.io/provided-node-ip"

	controllerManagedAttachAnnotation = "volumes.kubernetes.io/controller-managed-attach-detach"

	operatingSystem, architecture = "linux", "amd64"
)

// registerWithAPIServer tries until the node is registered, holding the
// status lock: 0.1 s, 0.2 s ... 7 s between tries. A kubelet registers once in
// its life: a Node deleted later is not created again. Upstream:
// Kubelet.registerWithAPIServer.
func (kl *Kubelet) registerWithAPIServer() {
	if kl.registrationCompleted {
		return
	}
	step := firstRegistrationStep
	for {
		kl.host.Sleep(step)
		step *= 2
		if step >= maxRegistrationStep {
			step = maxRegistrationStep
		}

		node := kl.initialNode()
		if kl.tryRegisterWithAPIServer(node) {
			kl.registrationCompleted = true
			heartbeat.Decide(kl.tracer, heartbeat.DecisionRegistered, kl.cfg.NodeName, "")
			return
		}
	}
}

// tryRegisterWithAPIServer creates the node, or reconciles the one that is
// there. The fresh conditions are not part of that: they follow with the
// status update. Upstream: Kubelet.tryRegisterWithAPIServer.
func (kl *Kubelet) tryRegisterWithAPIServer(node *corev1.Node) bool {
	_, err := kl.clients.Kube.Create(context.Background(), node, metav1.CreateOptions{})
	if err == nil {
		return true
	}
	if !apierrors.IsAlreadyExists(err) && !(apierrors.IsForbidden(err) && kl.cfg.Behaviors.Kubelet.RegistersDespiteForbidden) {
		return false
	}

	existing, err := kl.clients.Kube.Get(context.Background(), kl.cfg.NodeName, metav1.GetOptions{})
	if err != nil {
		return false
	}
	reconciled := existing.DeepCopy()
	requiresUpdate := reconcileAnnotation(node, reconciled)
	requiresUpdate = updateDefaultLabels(node, reconciled, kl.cfg.Behaviors.Kubelet.StableTopologyLabels) || requiresUpdate
	requiresUpdate = kl.reconcileResources(node, reconciled) || requiresUpdate
	if requiresUpdate {
		if _, err := patchNodeStatus(kl.clients.Kube, existing, reconciled, kl.cfg.Behaviors.Kubelet.ReplacesAddresses); err != nil {
			return false
		}
	}
	return true
}

// initialNode is the Node object that registration creates, with its status
// filled in. Upstream: Kubelet.initialNode.
func (kl *Kubelet) initialNode() *corev1.Node {
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name:        kl.cfg.NodeName,
			Labels:      kl.initialLabels(),
			Annotations: map[string]string{controllerManagedAttachAnnotation: "true"},
		},
	}
	node.Spec.ProviderID = kl.cfg.Machine.ProviderID
	if kl.cfg.Machine.ExternalCloud {
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: uninitializedTaint, Value: "true", Effect: corev1.TaintEffectNoSchedule})
	}
	if kl.cfg.RegisterUnschedulable && kl.cfg.Behaviors.Kubelet.RegisterSchedulable {
		node.Spec.Unschedulable = true
		node.Spec.Taints = append([]corev1.Taint{{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}}, node.Spec.Taints...)
	}
	kl.setNodeStatus(node)
	return node
}

func (kl *Kubelet) initialLabels() map[string]string {
	labels := map[string]string{corev1.LabelHostname: cmp.Or(kl.cfg.Machine.Hostname, kl.cfg.NodeName)}
	if kl.cfg.Behaviors.Kubelet.StableOSLabels {
		labels[corev1.LabelOSStable], labels[corev1.LabelArchStable] = operatingSystem, architecture
	}
	if kl.cfg.Behaviors.Kubelet.BetaOSLabels {
		labels["beta.kubernetes.io/os"], labels["beta.kubernetes.io/arch"] = operatingSystem, architecture
	}
	maps.Copy(labels, kl.cfg.NodeLabels)
	return labels
}

// reconcileAnnotation. Upstream: reconcileCMADAnnotationWithExistingNode.
func reconcileAnnotation(node, existing *corev1.Node) bool {
	want := node.Annotations[controllerManagedAttachAnnotation]
	if existing.Annotations[controllerManagedAttachAnnotation] == want {
		return false
	}
	if existing.Annotations == nil {
		existing.Annotations = map[string]string{}
	}
	existing.Annotations[controllerManagedAttachAnnotation] = want
	return true
}

// updateDefaultLabels sets the labels that kubelets own; before v1.17 the
// stable names of zone, region and instance type were not among them. Upstream:
// Kubelet.updateDefaultLabels.
func updateDefaultLabels(node, existing *corev1.Node, stableTopology bool) bool {
	defaults := []string{
		corev1.LabelHostname,
		corev1.LabelFailureDomainBetaZone,
		corev1.LabelFailureDomainBetaRegion,
		corev1.LabelInstanceType,
		corev1.LabelOSStable,
		corev1.LabelArchStable,
		corev1.LabelWindowsBuild,
		"beta.kubernetes.io/os",
		"beta.kubernetes.io/arch",
	}
	if stableTopology {
		defaults = append(defaults, corev1.LabelTopologyZone, corev1.LabelTopologyRegion, corev1.LabelInstanceTypeStable)
	}
	changed := false
	if existing.Labels == nil {
		existing.Labels = map[string]string{}
	}
	for _, label := range defaults {
		value, set := node.Labels[label]
		if !set {
			continue
		}
		if existing.Labels[label] != value {
			existing.Labels[label] = value
			changed = true
		}
		if value == "" {
			delete(existing.Labels, label)
		}
	}
	return changed
}
