package fakeapi

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// encodings are what a real clientset can be told to speak; "" is what it
// speaks if it is told nothing, which is protobuf.
var encodings = map[string]string{"json": runtime.ContentTypeJSON, "protobuf": ""}

// clientset returns a real one that speaks over the client's transport.
func (c *Client) clientset(t testing.TB, contentType string) *kubernetes.Clientset {
	t.Helper()
	config := &rest.Config{Host: Endpoint, QPS: -1, WarningHandler: rest.NoWarnings{}, ContentConfig: rest.ContentConfig{ContentType: contentType}}
	cs, err := kubernetes.NewForConfigAndClient(config, &http.Client{Transport: Transport(c)})
	require.NoError(t, err)
	return cs
}

// overWire runs f with a real clientset, in each encoding.
func overWire(t *testing.T, o Options, f func(t *testing.T, l *lab, cs *kubernetes.Clientset)) {
	for name, contentType := range encodings { // order: the runs are apart
		t.Run(name, func(t *testing.T) {
			l := newLab(t, o)
			f(t, l, l.c.clientset(t, contentType))
		})
	}
}

// verbsOf is what native and wire clients of one resource have in common.
type verbsOf[T any, L any] interface {
	Create(ctx context.Context, obj T, opts metav1.CreateOptions) (T, error)
	Update(ctx context.Context, obj T, opts metav1.UpdateOptions) (T, error)
	Patch(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string) (T, error)
	Get(ctx context.Context, name string, opts metav1.GetOptions) (T, error)
	List(ctx context.Context, opts metav1.ListOptions) (L, error)
	Delete(ctx context.Context, name string, opts metav1.DeleteOptions) error
}

type nodeVerbs interface {
	verbsOf[*corev1.Node, *corev1.NodeList]
	UpdateStatus(ctx context.Context, node *corev1.Node, opts metav1.UpdateOptions) (*corev1.Node, error)
}

// verbClients are the clients that a test calls, native or over the wire.
type verbClients struct {
	nodes  nodeVerbs
	leases func(ns string) verbsOf[*coordinationv1.Lease, *coordinationv1.LeaseList]
	pods   func(ns string) interface {
		verbsOf[*corev1.Pod, *corev1.PodList]
		UpdateStatus(ctx context.Context, pod *corev1.Pod, opts metav1.UpdateOptions) (*corev1.Pod, error)
		Bind(ctx context.Context, binding *corev1.Binding, opts metav1.CreateOptions) error
	}
	events     func(ns string) verbsOf[*corev1.Event, *corev1.EventList]
	namespaces interface {
		verbsOf[*corev1.Namespace, *corev1.NamespaceList]
		UpdateStatus(ctx context.Context, namespace *corev1.Namespace, opts metav1.UpdateOptions) (*corev1.Namespace, error)
	}
}

func (c *Client) native() verbClients {
	v := verbClients{nodes: c.Nodes(), namespaces: c.Namespaces()}
	v.leases = func(ns string) verbsOf[*coordinationv1.Lease, *coordinationv1.LeaseList] { return c.Leases(ns) }
	v.events = func(ns string) verbsOf[*corev1.Event, *corev1.EventList] { return c.Events(ns) }
	v.pods = func(ns string) interface {
		verbsOf[*corev1.Pod, *corev1.PodList]
		UpdateStatus(ctx context.Context, pod *corev1.Pod, opts metav1.UpdateOptions) (*corev1.Pod, error)
		Bind(ctx context.Context, binding *corev1.Binding, opts metav1.CreateOptions) error
	} {
		return c.Pods(ns)
	}
	return v
}

func wired(cs *kubernetes.Clientset) verbClients {
	v := verbClients{nodes: cs.CoreV1().Nodes(), namespaces: cs.CoreV1().Namespaces()}
	v.leases = func(ns string) verbsOf[*coordinationv1.Lease, *coordinationv1.LeaseList] {
		return cs.CoordinationV1().Leases(ns)
	}
	v.events = func(ns string) verbsOf[*corev1.Event, *corev1.EventList] { return cs.CoreV1().Events(ns) }
	v.pods = func(ns string) interface {
		verbsOf[*corev1.Pod, *corev1.PodList]
		UpdateStatus(ctx context.Context, pod *corev1.Pod, opts metav1.UpdateOptions) (*corev1.Pod, error)
		Bind(ctx context.Context, binding *corev1.Binding, opts metav1.CreateOptions) error
	} {
		return cs.CoreV1().Pods(ns)
	}
	return v
}

// watchOver opens a watch of a resource of core/v1 over the wire.
func watchOver(c rest.Interface, resource, namespace string, o metav1.ListOptions) (*WireWatch, error) {
	o.Watch = true
	return WatchOver(c.Get().Resource(resource).NamespaceIfScoped(namespace, namespace != "").
		VersionedParams(&o, scheme.ParameterCodec).Stream(ctx))
}
