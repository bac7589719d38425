package manager

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/holter-sim/holter/bubble"
	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/holtertest"
)

// A node that is cut off for ten minutes is labelled two minutes after it turned
// Unknown, with an event, and no longer when it is back.
func TestALostNodeIsLabelledUntilItReturns(t *testing.T) {
	run(t, func(b *bubble.Bubble, client kubernetes.Interface) {
		start(b, "manager")
		time.Sleep(time.Minute)
		b.Do(func(c *holtertest.Cluster) { c.Partition(10*time.Minute, "node-1") })
		time.Sleep(2 * time.Minute)
		require.Empty(b.T(), labelled(b, client))
		time.Sleep(time.Minute)
		require.Equal(b.T(), map[string]string{"node-1": "2"}, labelled(b, client))
		events, err := client.CoreV1().Events("").List(b.Context(), metav1.ListOptions{FieldSelector: "reason=PodsStranded"})
		require.NoError(b.T(), err)
		require.Len(b.T(), events.Items, 1)
		require.Equal(b.T(), "2 pods are on a node that is lost", events.Items[0].Message)
		time.Sleep(9 * time.Minute)
		require.Empty(b.T(), labelled(b, client))
	})
}

// The label follows the pods, which the second source of the controller tells of.
func TestTheLabelCountsThePodsThatAreLeft(t *testing.T) {
	run(t, func(b *bubble.Bubble, client kubernetes.Interface) {
		start(b, "manager")
		time.Sleep(time.Minute)
		b.Do(func(c *holtertest.Cluster) { c.Partition(20*time.Minute, "node-1") })
		time.Sleep(5 * time.Minute)
		require.NoError(b.T(), client.CoreV1().Pods("default").Delete(b.Context(), "app-node-1-0", *metav1.NewDeleteOptions(0)))
		time.Sleep(time.Second)
		require.Equal(b.T(), map[string]string{"node-1": "1"}, labelled(b, client))
	})
}

// A manager that is cut off leads no longer when the other begins, which then
// labels what the first could not.
func TestTheOtherManagerTakesOverWhenTheLeaderIsCutOff(t *testing.T) {
	run(t, func(b *bubble.Bubble, client kubernetes.Interface) {
		first := start(b, "first")
		time.Sleep(time.Second)
		second := start(b, "second")
		time.Sleep(time.Minute)
		b.Do(func(c *holtertest.Cluster) {
			c.Server().Network().Add(fakeapi.Rule{Match: fakeapi.Match{Clients: []string{"first"}}, LoseRequest: true, LoseReply: true, HoldWatch: true})
			c.Partition(10*time.Minute, "node-1")
		})
		require.ErrorContains(b.T(), <-first.ended, "leader election lost")
		require.False(b.T(), isClosed(second.leads), "two leaders at once")
		time.Sleep(5 * time.Minute)
		require.True(b.T(), isClosed(second.leads))
		require.Equal(b.T(), map[string]string{"node-1": "2"}, labelled(b, client))
	})
}

// A manager asks the server what it serves before it is one, so that it cannot be
// made in an outage.
func TestAManagerCannotBeMadeInAnOutage(t *testing.T) {
	run(t, func(b *bubble.Bubble, client kubernetes.Interface) {
		b.Do(func(c *holtertest.Cluster) { c.Outage("refuse", time.Minute) })
		_, err := New(b.Config("manager"), 2*time.Minute, options())
		require.ErrorContains(b.T(), err, "connection refused")
		time.Sleep(time.Minute)
		m := start(b, "another")
		time.Sleep(time.Second)
		require.True(b.T(), isClosed(m.leads))
	})
}

// run gives f a cluster of three nodes with two pods each.
func run(t *testing.T, f func(b *bubble.Bubble, client kubernetes.Interface)) {
	bubble.Test(t, func(b *bubble.Bubble) {
		f(b, kubernetes.NewForConfigOrDie(b.Config("test")))
	}, holtertest.Nodes(3), holtertest.Set("pods", "[{name: app, perNode: 2}]"), holtertest.Latency(3*time.Millisecond))
}

// started is a manager that runs until the test ends, or it has lost its lease.
type started struct {
	leads <-chan struct{}
	ended chan error
}

func start(b *bubble.Bubble, name string) started {
	m, err := New(b.Config(name), 2*time.Minute, options())
	require.NoError(b.T(), err)
	s := started{leads: m.Elected(), ended: make(chan error, 1)}
	go func() { s.ended <- m.Start(b.Context()) }()
	return s
}

func options() ctrl.Options {
	again := true // each test has a controller of that name
	return ctrl.Options{
		Metrics:    metrics.Options{BindAddress: "0"}, // real I/O has no place in a bubble
		Controller: config.Controller{SkipNameValidation: &again},
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// labelled are the nodes with the label, and what it says.
func labelled(b *bubble.Bubble, client kubernetes.Interface) map[string]string {
	list, err := client.CoreV1().Nodes().List(b.Context(), metav1.ListOptions{LabelSelector: Stranded})
	require.NoError(b.T(), err)
	labels := map[string]string{}
	for _, node := range list.Items {
		labels[node.Name] = node.Labels[Stranded]
	}
	return labels
}
