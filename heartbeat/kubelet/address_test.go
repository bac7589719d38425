package kubelet

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/stretchr/testify/require"
)

var bothAddresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "10.0.0.1"}, {Type: corev1.NodeHostName, Address: "n"}}

func externalCloud(nodeIPs ...string) func(*Config) {
	return func(c *Config) { c.Machine.ExternalCloud, c.Machine.NodeIPs = true, nodeIPs }
}

func TestAnExternalCloudSetsTheAddressesAndTheKubeletTheFirst(t *testing.T) {
	for _, c := range []struct {
		version string
		nodeIPs []string
		want    []corev1.NodeAddress
	}{
		{"1.15", []string{"10.0.0.1"}, nil},
		{"1.16", nil, bothAddresses},
		{"1.28", nil, bothAddresses},
		{"1.29", nil, nil},
		{"1.31", []string{"10.0.0.1"}, bothAddresses},
		{"1.32", nil, bothAddresses[1:]},
		{"1.36", []string{"10.0.0.1"}, bothAddresses},
	} {
		l := newLab(t, 1, of(t, c.version), externalCloud(c.nodeIPs...))
		l.run()
		l.to(15 * time.Second)
		node := l.server.Node("n")
		require.Equal(t, c.want, node.Status.Addresses, c.version)
		require.Contains(t, node.Spec.Taints, corev1.Taint{Key: uninitializedTaint, Value: "true", Effect: corev1.TaintEffectNoSchedule})
		if len(c.nodeIPs) > 0 {
			require.Equal(t, "10.0.0.1", node.Annotations[providedNodeIPAnnotation])
		}
		cloud := []corev1.NodeAddress{{Type: corev1.NodeExternalIP, Address: "192.0.2.1"}}
		l.put(func(n *corev1.Node) { n.Status.Addresses = cloud })
		l.to(time.Minute)
		require.Equal(t, cloud, l.server.Node("n").Status.Addresses, c.version)
	}
}

func TestTheAnnotationOfANodeIPThatIsGoneIsRemovedSince1_26(t *testing.T) {
	for name, left := range map[string]bool{"1.25": true, "1.26": false} {
		l := newLab(t, 1, of(t, name), externalCloud("10.0.0.1"))
		l.run()
		l.to(30 * time.Second)
		l.cfg.Machine.NodeIPs = nil
		l.restart()
		l.to(time.Minute)
		_, has := l.server.Node("n").Annotations[providedNodeIPAnnotation]
		require.Equal(t, left, has, name)
	}
}

func TestAHostNameThatIsOverriddenIsLabelAndAddress(t *testing.T) {
	l := newLab(t, 1, func(c *Config) {
		c.Machine.Hostname, c.Machine.Addresses = "other", Addresses([]string{"10.0.0.1", "fd00::1"}, "other")
	})
	l.run()
	l.to(15 * time.Second)
	node := l.server.Node("n")
	require.Equal(t, "other", node.Labels[corev1.LabelHostname])
	require.Equal(t, []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "10.0.0.1"}, {Type: corev1.NodeInternalIP, Address: "fd00::1"},
		{Type: corev1.NodeHostName, Address: "other"}}, node.Status.Addresses)
}
