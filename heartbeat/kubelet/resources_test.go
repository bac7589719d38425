package kubelet

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Upstream's MachineInfo (nodestatus/setters.go, v1.36.3) writes into the
// node's lists; the model replaces them and comes to the same.
func TestResourcesAreThoseOfUpstreamsMachineInfo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		own, reserved := drawResources(t, "own"), drawResources(t, "reserved")
		l := idle(t, func(c *Config) { c.Machine.Capacity, c.Machine.Reserved = own, reserved })
		node := &corev1.Node{}
		node.Status.Capacity, node.Status.Allocatable = drawResources(t, "capacity"), drawResources(t, "allocatable")

		shared := knowsAll(own, node.Status.Capacity) && knowsAll(own, node.Status.Allocatable)
		want := node.DeepCopy()
		upstreamResources(want, own, reserved)
		l.kl.setMachineInfo(node)
		require.True(t, apiequality.Semantic.DeepEqual(want.Status.Capacity, node.Status.Capacity), "want %v, got %v", want.Status.Capacity, node.Status.Capacity)
		require.True(t, apiequality.Semantic.DeepEqual(want.Status.Allocatable, node.Status.Allocatable), "want %v, got %v", want.Status.Allocatable, node.Status.Allocatable)
		if shared {
			node.Status.Capacity["x"] = resource.MustParse("1") // one map for all nodes unless there is more to say
			require.Contains(t, own, corev1.ResourceName("x"))
		}
	})
}

// upstreamResources is what MachineInfo does, without plugins.
func upstreamResources(node *corev1.Node, own, reserved corev1.ResourceList) {
	if node.Status.Capacity == nil {
		node.Status.Capacity = corev1.ResourceList{}
	}
	for name, quantity := range own {
		node.Status.Capacity[name] = quantity
	}
	if node.Status.Allocatable == nil {
		node.Status.Allocatable = corev1.ResourceList{}
	}
	for name := range node.Status.Allocatable {
		if _, found := node.Status.Capacity[name]; !found && name == gpu {
			delete(node.Status.Allocatable, name)
		}
	}
	for name, quantity := range less(node.Status.Capacity, reserved) {
		node.Status.Allocatable[name] = quantity
	}
	if pages, has := node.Status.Capacity[hugePages]; has {
		left := less(node.Status.Allocatable, corev1.ResourceList{"memory": pages})["memory"]
		node.Status.Allocatable["memory"] = left
	}
}

const hugePages = corev1.ResourceHugePagesPrefix + "2Mi"

const gpu = "example.com/gpu"

// drawResources draws some of a few resources: one extended, one that is named
// like it and is native, and three of the machine's.
func drawResources(t *rapid.T, label string) corev1.ResourceList {
	out := corev1.ResourceList{}
	for _, name := range []corev1.ResourceName{"cpu", "memory", "pods", gpu, "node.kubernetes.io/batch", hugePages} {
		if n := rapid.Int64Range(-1, 3).Draw(t, label+" "+string(name)); n >= 0 {
			out[name] = *resource.NewQuantity(n, resource.DecimalSI)
		}
	}
	return out
}

// less takes what is reserved from capacity, down to nothing.
func less(capacity, reserved corev1.ResourceList) corev1.ResourceList {
	out := corev1.ResourceList{}
	for name, quantity := range capacity {
		if quantity.Sub(reserved[name]); quantity.Sign() < 0 {
			quantity.Set(0)
		}
		out[name] = quantity
	}
	return out
}

func TestExtendedResourcesAreThoseOfOtherDomains(t *testing.T) {
	for name, extended := range map[corev1.ResourceName]bool{
		"cpu": false, "pods": false, "hugepages-2Mi": false, "attachable-volumes-x": false,
		"kubernetes.io/batch": false, "node.kubernetes.io/batch": false,
		gpu: true, "nvidia.com/gpu": true, "requests.nvidia.com/gpu": false,
	} {
		require.Equal(t, extended, isExtendedResource(name), name)
	}
}

func TestResourcesThatOthersAdvertiseAreKept(t *testing.T) {
	l := newLab(t, 1)
	l.run()
	l.to(15 * time.Second)
	l.put(func(n *corev1.Node) { n.Status.Capacity[gpu] = resource.MustParse("2") })
	tick := l.tickAfter(15 * time.Second)
	require.Len(t, l.reports(tick), 1, "allocatable follows")
	require.Contains(t, string(l.reports(tick)[0].Patch), `"allocatable":{"example.com/gpu":"2"}`)

	l.restart()
	l.to(2 * time.Minute)
	node := l.server.Node("n")
	require.Equal(t, "2", node.Status.Capacity.Name(gpu, resource.DecimalSI).String())
	require.Equal(t, "2", node.Status.Allocatable.Name(gpu, resource.DecimalSI).String())
	require.Len(t, node.Status.Capacity, 5)

	l.put(func(n *corev1.Node) { delete(n.Status.Capacity, gpu) })
	l.to(3 * time.Minute)
	require.NotContains(t, l.server.Node("n").Status.Allocatable, corev1.ResourceName(gpu), "gone with its capacity")
}

func TestWhatOthersWriteOverIsCorrectedAtTheNextTick(t *testing.T) {
	for name, spoil := range map[string]func(*corev1.Node){
		"capacity":   func(n *corev1.Node) { n.Status.Capacity["cpu"] = resource.MustParse("64") },
		"pods":       func(n *corev1.Node) { delete(n.Status.Allocatable, "pods") },
		"version":    func(n *corev1.Node) { n.Status.NodeInfo.KubeletVersion = "v1.0.0" },
		"proxy":      func(n *corev1.Node) { n.Status.NodeInfo.KubeProxyVersion = "v1.36.3" },
		"system":     func(n *corev1.Node) { n.Status.NodeInfo.OperatingSystem = "plan9" },
		"port":       func(n *corev1.Node) { n.Status.DaemonEndpoints.KubeletEndpoint.Port = 1 },
		"images":     func(n *corev1.Node) { n.Status.Images = []corev1.ContainerImage{{Names: []string{"x"}}} },
		"addresses":  func(n *corev1.Node) { n.Status.Addresses = n.Status.Addresses[:1] },
		"condition":  unknown,
		"os label":   func(n *corev1.Node) { delete(n.Labels, corev1.LabelOSStable) },
		"arch label": func(n *corev1.Node) { n.Labels[corev1.LabelArchStable] = "vax" },
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, 1)
			l.run()
			l.to(15 * time.Second)
			before := l.server.Node("n").DeepCopy()
			l.put(spoil)
			tick := l.tickAfter(15 * time.Second)
			require.Equal(t, []string{"patch nodes/status: ok"}, l.sent(heartbeatClient, tick))
			after := l.server.Node("n").DeepCopy()
			for _, n := range []*corev1.Node{before, after} {
				n.ResourceVersion = ""
				for i := range n.Status.Conditions {
					n.Status.Conditions[i].LastHeartbeatTime.Reset()
					n.Status.Conditions[i].LastTransitionTime.Reset()
				}
			}
			before.Status.Conditions, after.Status.Conditions = before.Status.Conditions[3:], after.Status.Conditions[3:] // words of pressure
			require.True(t, apiequality.Semantic.DeepEqual(before, after), "before %+v\nafter %+v", before, after)
		})
	}
}
