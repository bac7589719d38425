package kubelet

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stretchr/testify/require"
)

// registered registers a kubelet of a version on a node that is there, and
// returns what becomes of the node by the registration alone.
func registered(t *testing.T, name string, existing *corev1.Node, edit ...func(*Config)) *corev1.Node {
	t.Helper()
	l := newLab(t, 1, append([]func(*Config){of(t, name)}, edit...)...)
	existing.Name = "n"
	l.server.Put(existing)
	l.rule(heartbeatClient, "patch", "nodes/status", refuse)
	l.run()
	l.to(2 * time.Second)
	return l.server.Node("n")
}

func TestTopologyOfANodeThatIsThereIsCorrectedByItsStableNamesSince1_17(t *testing.T) {
	labels := func(c *Config) {
		c.NodeLabels = map[string]string{corev1.LabelTopologyZone: "b", corev1.LabelFailureDomainBetaZone: "b"}
	}
	for name, want := range map[string]string{"1.16": "a", "1.17": "b"} {
		node := registered(t, name, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{corev1.LabelTopologyZone: "a", corev1.LabelFailureDomainBetaZone: "a"}}}, labels)
		require.Equal(t, want, node.Labels[corev1.LabelTopologyZone], name)
		require.Equal(t, "b", node.Labels[corev1.LabelFailureDomainBetaZone], name)
	}
}

func TestNodeWithoutResourcesGetsThemWithItsRegistrationSince1_19_6(t *testing.T) {
	for name, want := range map[string]int{"1.18": 0, "1.19.5": 0, "1.19.6": 4, "1.36": 4} {
		require.Len(t, registered(t, name, &corev1.Node{}).Status.Capacity, want, name)
	}
}

func TestExtendedResourcesAreZeroedByARegistrationUpTo1_14_8(t *testing.T) {
	for name, want := range map[string]int64{"1.13": 0, "1.14.8": 0, "1.14.9": 2, "1.36": 2} {
		list := corev1.ResourceList{"example.com/gpu": resource.MustParse("2"), "cpu": resource.MustParse("4")}
		node := registered(t, name, &corev1.Node{Status: corev1.NodeStatus{Capacity: list, Allocatable: list.DeepCopy()}})
		gpus, cpus := node.Status.Capacity["example.com/gpu"], node.Status.Allocatable["cpu"]
		require.Equal(t, want, gpus.Value(), name)
		require.Equal(t, int64(4), cpus.Value(), name)
	}
}

func TestHugePagesOfANodeThatIsThereAreThoseOfItsMachineSince1_19(t *testing.T) {
	const small, large = corev1.ResourceHugePagesPrefix + "2Mi", corev1.ResourceHugePagesPrefix + "1Gi"
	for name, reconciled := range map[string]bool{"1.18": false, "1.19.0": true, "1.36": true} {
		list := corev1.ResourceList{large: resource.MustParse("1Gi"), "cpu": resource.MustParse("4")}
		node := registered(t, name, &corev1.Node{Status: corev1.NodeStatus{Capacity: list, Allocatable: list.DeepCopy()}}, func(c *Config) {
			c.Machine.Capacity = withResources(defaultResources, corev1.ResourceList{small: resource.MustParse("4Mi")})
		})
		_, has := node.Status.Capacity[small]
		_, had := node.Status.Allocatable[large]
		require.Equal(t, []bool{reconciled, !reconciled}, []bool{has, had}, name)
	}
}

func TestNodeIsRegisteredUnschedulableUpTo1_33(t *testing.T) {
	for name, want := range map[string]bool{"1.13": true, "1.33": true, "1.34": false} {
		l := newLab(t, 1, of(t, name), func(c *Config) { c.RegisterUnschedulable = true })
		l.run()
		l.to(time.Second)
		node := l.callsOf("create nodes")[0].Object.(*corev1.Node)
		require.Equal(t, want, node.Spec.Unschedulable, name)
		require.Equal(t, want, len(node.Spec.Taints) == 1 && node.Spec.Taints[0].Key == "node.kubernetes.io/unschedulable", name)
	}
}

func TestPodCIDRIsThatOfTheFieldWhichTheVersionKnows(t *testing.T) {
	for name, want := range map[string]string{"1.15": "10.0.0.0/24", "1.16": "10.0.0.0/24,fd00::/64", "1.36": "10.0.0.0/24,fd00::/64"} {
		l := newLab(t, 1, of(t, name))
		l.run()
		l.to(15 * time.Second)
		l.put(func(n *corev1.Node) {
			n.Spec.PodCIDR, n.Spec.PodCIDRs = "10.0.0.0/24", []string{"10.0.0.0/24", "fd00::/64"}
		})
		l.tickAfter(15 * time.Second)
		require.Equal(t, want, l.kl.runtimeState.cidr, name)
	}
}

// Merged, an address of a type that others have too can stay behind.
func TestAddressesThatChangedReplaceTheOldOnesSince1_16(t *testing.T) {
	for name, replaced := range map[string]bool{"1.15": false, "1.16": true} {
		l := newLab(t, 1, of(t, name))
		l.run()
		l.to(15 * time.Second)
		l.kl.cfg.Machine.Addresses = []corev1.NodeAddress{{Type: corev1.NodeExternalIP, Address: "192.0.2.1"}, {Type: corev1.NodeHostName, Address: "n"}}
		tick := l.tickAfter(15 * time.Second)
		require.Equal(t, replaced, strings.Contains(string(l.reports(tick)[0].Patch), `{"$patch":"replace"}`), name)
		require.ElementsMatch(t, l.kl.cfg.Machine.Addresses, l.server.Node("n").Status.Addresses)
	}
}

func TestCSINodeIsCalledByItsNameInTheVersion(t *testing.T) {
	for name, want := range map[string][2]string{
		"1.14": {"CSINodeInfo is not yet initialized", "Failed to initialize CSINodeInfo: error updating CSINode annotation"},
		"1.20": {"CSINode is not yet initialized", "Failed to initialize CSINode: error updating CSINode annotation"},
		"1.22": {"CSINode is not yet initialized", "failed to initialize CSINode: error updating CSINode annotation"},
	} {
		l := newLab(t, 1, of(t, name))
		l.rule(kubeClient, "get", "nodes", refuse)
		l.run()
		l.to(10 * ms)
		require.EqualError(t, l.kl.runtimeState.storageError, want[0], name)
		node := newLab(t, 1, of(t, name), func(c *Config) { c.Behaviors.Kubelet.CSINodeWaits = false })
		node.rule(kubeClient, "get", "nodes", refuse)
		node.run()
		node.to(30 * time.Second)
		require.ErrorContains(t, node.kl.runtimeState.storageError, want[1], name)
	}
}
