// Package remediation is an example of a controller that reacts to node health: it
// fences nodes that have been lost for a while, so that their volumes and the pods
// of StatefulSets can move. Its test is what the example is about.
package remediation

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/retry"
	"k8s.io/client-go/util/workqueue"
)

// Controller fences a node with the taint node.kubernetes.io/out-of-service when it
// has not been Ready for as long as After, and takes the taint away when it is.
type Controller struct {
	Client kubernetes.Interface
	// After is how long a node has to be lost.
	After time.Duration
	// MaxUnhealthy is how many nodes may be lost at once. With more of them the
	// trouble is not the nodes', and nothing is fenced.
	MaxUnhealthy int

	nodes listers.NodeLister
	queue workqueue.TypedRateLimitingInterface[string]
}

var fence = corev1.Taint{Key: corev1.TaintNodeOutOfService, Value: "remediation", Effect: corev1.TaintEffectNoExecute}

// Run works until the context ends.
func (c *Controller) Run(ctx context.Context) {
	factory := informers.NewSharedInformerFactory(c.Client, 0)
	informer := factory.Core().V1().Nodes()
	c.nodes = informer.Lister()
	c.queue = workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	enqueue := func(obj any) { c.queue.Add(obj.(*corev1.Node).Name) }
	_, _ = informer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    enqueue,
		UpdateFunc: func(_, obj any) { enqueue(obj) },
	})
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	factory.WaitForCacheSync(ctx.Done())
	stop := context.AfterFunc(ctx, c.queue.ShutDown)
	defer stop()
	for c.next(ctx) {
	}
}

func (c *Controller) next(ctx context.Context) bool {
	name, shutdown := c.queue.Get()
	if shutdown {
		return false
	}
	defer c.queue.Done(name)
	again, err := c.reconcile(ctx, name)
	switch {
	case err != nil:
		c.queue.AddRateLimited(name)
	case again > 0:
		c.queue.Forget(name)
		c.queue.AddAfter(name, again)
	default:
		c.queue.Forget(name)
	}
	return true
}

// reconcile brings a node's fence in line with its health, and says when to look
// again.
func (c *Controller) reconcile(ctx context.Context, name string) (again time.Duration, err error) {
	node, err := c.nodes.Get(name)
	if err != nil {
		return 0, nil // it is gone
	}
	lost, since := notReady(node)
	if !lost {
		return 0, c.setFence(ctx, name, false)
	}
	if left := c.After - time.Since(since); left > 0 {
		return left, nil
	}
	all, err := c.nodes.List(labels.Everything())
	if err != nil {
		return 0, err
	}
	unhealthy := 0
	for _, n := range all {
		if lost, _ := notReady(n); lost {
			unhealthy++
		}
	}
	if unhealthy > c.MaxUnhealthy {
		return c.After, nil
	}
	return 0, c.setFence(ctx, name, true)
}

// notReady tells whether a node is lost, and since when.
func notReady(node *corev1.Node) (bool, time.Time) {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status != corev1.ConditionTrue, condition.LastTransitionTime.Time
		}
	}
	return true, node.CreationTimestamp.Time
}

// setFence adds the taint or removes it. Others write the node as well, so it reads
// again after a conflict.
func (c *Controller) setFence(ctx context.Context, name string, want bool) error {
	isFence := func(t corev1.Taint) bool { return t.MatchTaint(&fence) }
	cached, err := c.nodes.Get(name)
	if err != nil || slices.ContainsFunc(cached.Spec.Taints, isFence) == want {
		return nil
	}
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		node, err := c.Client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, isFence)
		if want {
			node.Spec.Taints = append(node.Spec.Taints, fence)
		}
		_, err = c.Client.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
		return err
	})
}
