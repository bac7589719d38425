package remediation

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/holter-sim/holter/bubble"
	"github.com/holter-sim/holter/holtertest"
)

// A node that is cut off for three minutes is called Unknown and comes back; the
// controller waits five, and does nothing.
func TestAShortPartitionFencesNobody(t *testing.T) {
	bubble.Test(t, func(b *bubble.Bubble) {
		client := start(b)
		partition(b, 3*time.Minute, "node-1")
		time.Sleep(10 * time.Minute)
		require.Empty(b.T(), fencings(b), "was fenced")
		require.Empty(b.T(), fenced(b, client))
	}, holtertest.Nodes(5))
}

// A node that is cut off for ten minutes is fenced five minutes after it turned
// Unknown, and no longer when it is back.
func TestALongPartitionFencesTheNodeUntilItReturns(t *testing.T) {
	bubble.Test(t, func(b *bubble.Bubble) {
		client := start(b)
		partition(b, 10*time.Minute, "node-1")
		time.Sleep(7 * time.Minute)
		require.Equal(b.T(), []string{"node-1"}, fenced(b, client))
		b.Do(func(c *holtertest.Cluster) { require.Equal(b.T(), "Unknown", c.Ready("node-1")) })
		time.Sleep(5 * time.Minute)
		require.Empty(b.T(), fenced(b, client))
		b.Do(func(c *holtertest.Cluster) { require.Equal(b.T(), "True", c.Ready("node-1")) })
	}, holtertest.Nodes(5))
}

// When most nodes are lost at once the trouble is the network's: none is fenced.
func TestALostMajorityFencesNobody(t *testing.T) {
	bubble.Test(t, func(b *bubble.Bubble) {
		client := start(b)
		partition(b, 15*time.Minute, "node-0", "node-1", "node-2")
		time.Sleep(12 * time.Minute)
		require.Empty(b.T(), fenced(b, client))
	}, holtertest.Nodes(5))
}

// An API server that is down for a minute does not lose the controller its watch for
// good.
func TestAnOutageOfTheServerDelaysNothing(t *testing.T) {
	bubble.Test(t, func(b *bubble.Bubble) {
		client := start(b)
		b.Do(func(c *holtertest.Cluster) { c.Outage("refuse", time.Minute) })
		time.Sleep(3 * time.Minute)
		partition(b, 20*time.Minute, "node-4")
		time.Sleep(7 * time.Minute)
		require.Equal(b.T(), []string{"node-4"}, fenced(b, client))
	}, holtertest.Nodes(5))
}

// start runs the controller until the test ends, and lets the cluster come up.
func start(b *bubble.Bubble) kubernetes.Interface {
	controller := &Controller{Client: kubernetes.NewForConfigOrDie(b.Config("remediation")), After: 5 * time.Minute, MaxUnhealthy: 2}
	go controller.Run(b.Context())
	time.Sleep(time.Minute)
	return kubernetes.NewForConfigOrDie(b.Config("test"))
}

func partition(b *bubble.Bubble, d time.Duration, nodes ...string) {
	b.Do(func(c *holtertest.Cluster) { c.Partition(d, nodes...) })
}

// fenced lists the nodes that have the fence now.
func fenced(b *bubble.Bubble, client kubernetes.Interface) (names []string) {
	list, err := client.CoreV1().Nodes().List(b.Context(), metav1.ListOptions{})
	require.NoError(b.T(), err)
	for _, node := range list.Items {
		if slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.MatchTaint(&fence) }) {
			names = append(names, node.Name)
		}
	}
	return names
}

// fencings lists what the trace tells of the fence, now or before.
func fencings(b *bubble.Bubble) (lines []string) {
	b.Do(func(c *holtertest.Cluster) {
		for _, taint := range c.History().Taints {
			if strings.Contains(taint.Key, fence.Key) {
				lines = append(lines, taint.Node+" "+taint.Op)
			}
		}
	})
	return lines
}
