package conformance

import (
	"context"
	"net/http"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
	coreclient "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"

	"github.com/holter-sim/holter/fakeapi"
)

// NewClientset returns a client-go clientset that speaks to a fakeapi server
// over a bridge. It has what node health asks for: nodes, leases and pods, and
// the REST client that events are sent through, which goes by the transport.
// Anything else is a nil interface.
func NewClientset(l Line, c *fakeapi.Client, events http.RoundTripper) kubernetes.Interface {
	return &clientset{line: l, client: c, events: events}
}

type clientset struct {
	kubernetes.Interface
	line   Line
	client *fakeapi.Client
	events http.RoundTripper
}

func (s *clientset) CoreV1() coreclient.CoreV1Interface { return &core{s: s} }

func (s *clientset) CoordinationV1() coordinationclient.CoordinationV1Interface {
	return &coordination{s: s}
}

type core struct {
	coreclient.CoreV1Interface
	s *clientset
}

func (c *core) Nodes() coreclient.NodeInterface {
	n := c.s.client.Nodes()
	return nodes{typed: newTyped(c.s.line, "nodes", n), status: n.UpdateStatus}
}

func (c *core) Pods(ns string) coreclient.PodInterface {
	p := c.s.client.Pods(ns)
	return pods{typed: newTyped(c.s.line, "pods/"+ns, p), status: p.UpdateStatus}
}

// RESTClient is what upstream makes its event sink of.
func (c *core) RESTClient() rest.Interface {
	config := &rest.Config{
		Host:          "https://kube-apiserver:6443",
		QPS:           -1,
		ContentConfig: rest.ContentConfig{ContentType: runtime.ContentTypeJSON},
	}
	client, err := coreclient.NewForConfigAndClient(config, &http.Client{Transport: c.s.events})
	if err != nil {
		panic(err) // a fixed configuration
	}
	return client.RESTClient()
}

type coordination struct {
	coordinationclient.CoordinationV1Interface
	s *clientset
}

func (c *coordination) Leases(ns string) coordinationclient.LeaseInterface {
	return leases{typed: newTyped(c.s.line, "leases/"+ns, c.s.client.Leases(ns))}
}

// The types that follow have all of an interface's methods, and the native ones
// win, being embedded less deep.

type (
	restOfNodes  struct{ coreclient.NodeInterface }
	restOfPods   struct{ coreclient.PodInterface }
	restOfLeases struct {
		coordinationclient.LeaseInterface
	}

	updateStatus[T any] func(context.Context, T, metav1.UpdateOptions) (T, error)

	nodes struct {
		restOfNodes
		typed[*corev1.Node, *corev1.NodeList]
		status updateStatus[*corev1.Node]
	}
	pods struct {
		restOfPods
		typed[*corev1.Pod, *corev1.PodList]
		status updateStatus[*corev1.Pod]
	}
	leases struct {
		restOfLeases
		typed[*coordinationv1.Lease, *coordinationv1.LeaseList]
	}
)

func (n nodes) UpdateStatus(ctx context.Context, node *corev1.Node, o metav1.UpdateOptions) (*corev1.Node, error) {
	return answer(n.line, n.what+"/status/"+node.Name, func() (*corev1.Node, error) { return n.status(ctx, node, o) })
}

func (p pods) UpdateStatus(ctx context.Context, pod *corev1.Pod, o metav1.UpdateOptions) (*corev1.Pod, error) {
	return answer(p.line, p.what+"/status/"+pod.Name, func() (*corev1.Pod, error) { return p.status(ctx, pod, o) })
}

// native is what fakeapi's clients have in common.
type native[T, L runtime.Object] interface {
	Create(context.Context, T, metav1.CreateOptions) (T, error)
	Update(context.Context, T, metav1.UpdateOptions) (T, error)
	Patch(context.Context, string, types.PatchType, []byte, metav1.PatchOptions, ...string) (T, error)
	Get(context.Context, string, metav1.GetOptions) (T, error)
	List(context.Context, metav1.ListOptions) (L, error)
	Delete(context.Context, string, metav1.DeleteOptions) error
	Watch(context.Context, metav1.ListOptions) (*fakeapi.Watch, error)
}

// typed has the verbs of one resource.
type typed[T, L runtime.Object] struct {
	line   Line
	what   string
	native native[T, L]
}

func newTyped[T, L runtime.Object](l Line, what string, n native[T, L]) typed[T, L] {
	return typed[T, L]{l, what, n}
}

func (t typed[T, L]) Create(ctx context.Context, obj T, o metav1.CreateOptions) (T, error) {
	return answer(t.line, t.what+"/"+nameOf(obj), func() (T, error) { return t.native.Create(ctx, obj, o) })
}

func (t typed[T, L]) Update(ctx context.Context, obj T, o metav1.UpdateOptions) (T, error) {
	return answer(t.line, t.what+"/"+nameOf(obj), func() (T, error) { return t.native.Update(ctx, obj, o) })
}

func (t typed[T, L]) Patch(ctx context.Context, name string, pt types.PatchType, data []byte, o metav1.PatchOptions, sub ...string) (T, error) {
	return answer(t.line, t.what+"/"+name, func() (T, error) { return t.native.Patch(ctx, name, pt, data, o, sub...) })
}

func (t typed[T, L]) Get(ctx context.Context, name string, o metav1.GetOptions) (T, error) {
	return answer(t.line, t.what+"/"+name, func() (T, error) { return t.native.Get(ctx, name, o) })
}

func (t typed[T, L]) List(ctx context.Context, o metav1.ListOptions) (L, error) {
	return answer(t.line, t.what, func() (L, error) { return t.native.List(ctx, o) })
}

func (t typed[T, L]) Delete(ctx context.Context, name string, o metav1.DeleteOptions) (err error) {
	if closed := t.line.Call(t.what+"/"+name, func() { err = t.native.Delete(ctx, name, o) }); closed != nil {
		return closed
	}
	return err
}

// Watch opens a watch. Upstream: rest.Request.Watch, where a failure of the
// connection is an empty watch.
func (t typed[T, L]) Watch(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
	var s *stream
	var err error
	closed := t.line.Call(t.what+"/watch", func() {
		var w *fakeapi.Watch
		if w, err = t.native.Watch(ctx, o); err == nil {
			s = newStream(t.line.bridge, w)
		}
	})
	switch {
	case closed != nil:
		return nil, closed
	case err == nil:
		return s, nil
	case utilnet.IsProbableEOF(err) || utilnet.IsTimeout(err):
		return watch.NewEmptyWatch(), nil
	}
	return nil, err
}

// answer makes a call and returns a copy of what it returns: client-go decodes
// an object of its own for every answer. In an error's company that is an empty
// one.
func answer[T runtime.Object](l Line, key string, f func() (T, error)) (T, error) {
	var out T
	var err error
	if closed := l.Call(key, func() { out, err = f() }); closed != nil {
		return empty[T](), closed
	}
	if err != nil {
		return empty[T](), err
	}
	return decoded(out), nil
}
