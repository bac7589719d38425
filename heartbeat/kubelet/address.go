package kubelet

import (
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/holter-sim/holter/heartbeat/version"
)

// Addresses are those that a kubelet finds of its machine: its IPs, two at most,
// and its host name, which --hostname-override may have changed. Upstream:
// nodestatus.NodeAddress (v1.36.3).
func Addresses(ips []string, hostname string) []corev1.NodeAddress {
	addresses := make([]corev1.NodeAddress, 0, len(ips)+1)
	for _, ip := range ips {
		addresses = append(addresses, corev1.NodeAddress{Type: corev1.NodeInternalIP, Address: ip})
	}
	return append(addresses, corev1.NodeAddress{Type: corev1.NodeHostName, Address: hostname})
}

// setNodeAddress leaves the addresses to an external cloud once there are any,
// and tells it of --node-ip by an annotation. Upstream: nodestatus.NodeAddress
// (v1.36.3).
func (kl *Kubelet) setNodeAddress(node *corev1.Node) {
	m := &kl.cfg.Machine
	provided := strings.Join(m.NodeIPs, ",")
	switch {
	case m.ExternalCloud && provided != "":
		if node.Annotations[providedNodeIPAnnotation] != provided {
			node.Annotations = withLabels(node.Annotations, providedNodeIPAnnotation, provided)
		}
	case node.Annotations[providedNodeIPAnnotation] != "" && kl.cfg.Behaviors.Kubelet.ForgetsNodeIP:
		node.Annotations = maps.Clone(node.Annotations)
		delete(node.Annotations, providedNodeIPAnnotation)
	}
	if !m.ExternalCloud {
		node.Status.Addresses = m.Addresses
	} else if len(node.Status.Addresses) == 0 {
		node.Status.Addresses = kl.firstAddresses()
	}
}

// firstAddresses are those for a node whose cloud has set none yet.
func (kl *Kubelet) firstAddresses() []corev1.NodeAddress {
	m := &kl.cfg.Machine
	rule := kl.cfg.Behaviors.Kubelet.ExternalAddresses
	switch {
	case rule == version.OwnAddresses, rule != version.NoAddresses && len(m.NodeIPs) > 0:
		return m.Addresses
	case rule == version.NodeIPOrHostAddress:
		return m.Addresses[len(m.Addresses)-1:]
	}
	return nil
}
