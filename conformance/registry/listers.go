package registry

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core"
	corev1informers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	corev1listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// informersOf returns what admission plugins look things up in. Upstream's are
// informers, which are late; these read the registries at once, so that a
// plugin's answer does not depend on how late. What is not served here is not
// there.
func informersOf(r *registries) informers.SharedInformerFactory {
	return live{informers.NewSharedInformerFactory(fake.NewClientset(), 0), r}
}

type live struct {
	informers.SharedInformerFactory
	r *registries
}

func (l live) Core() coreinformers.Interface { return liveCore{l.SharedInformerFactory.Core(), l.r} }

type liveCore struct {
	coreinformers.Interface
	r *registries
}

func (l liveCore) V1() corev1informers.Interface { return liveV1{l.Interface.V1(), l.r} }

type liveV1 struct {
	corev1informers.Interface
	r *registries
}

func (l liveV1) Namespaces() corev1informers.TypedNamespaceInformer {
	return liveNamespaces{r: l.r}
}

func (l liveV1) Nodes() corev1informers.TypedNodeInformer { return liveNodes{r: l.r} }

func (l liveV1) Pods() corev1informers.TypedPodInformer { return livePods{r: l.r} }

// synced is an informer that has seen everything.
type synced struct{ cache.SharedIndexInformer }

func (synced) HasSynced() bool { return true }

type liveNamespaces struct {
	corev1informers.TypedNamespaceInformer
	corev1listers.NamespaceLister
	r *registries
}

func (l liveNamespaces) Informer() cache.SharedIndexInformer   { return synced{} }
func (l liveNamespaces) Lister() corev1listers.NamespaceLister { return l }

func (l liveNamespaces) Get(name string) (*corev1.Namespace, error) {
	return lookup(l.r.namespaces, "", name, &corev1.Namespace{})
}

func (l liveNamespaces) List(labels.Selector) ([]*corev1.Namespace, error) {
	panic("no plugin lists namespaces")
}

// liveClient is a client that reads namespaces, and nothing else.
type liveClient struct {
	kubernetes.Interface
	r *registries
}

func (l liveClient) CoreV1() corev1client.CoreV1Interface { return liveCoreClient{r: l.r} }

type liveCoreClient struct {
	corev1client.CoreV1Interface
	r *registries
}

func (l liveCoreClient) Namespaces() corev1client.NamespaceInterface {
	return liveNamespaceClient{r: l.r}
}

type liveNamespaceClient struct {
	corev1client.NamespaceInterface
	r *registries
}

func (l liveNamespaceClient) Get(_ context.Context, name string, _ metav1.GetOptions) (*corev1.Namespace, error) {
	return lookup(l.r.namespaces, "", name, &corev1.Namespace{})
}

type liveNodes struct {
	corev1informers.TypedNodeInformer
	corev1listers.NodeLister
	r *registries
}

func (l liveNodes) Informer() cache.SharedIndexInformer { return synced{} }
func (l liveNodes) Lister() corev1listers.NodeLister    { return l }

func (l liveNodes) Get(name string) (*corev1.Node, error) {
	return lookup(l.r.nodes, "", name, &corev1.Node{})
}

func (l liveNodes) List(labels.Selector) ([]*corev1.Node, error) { panic("no plugin lists nodes") }

type livePods struct {
	corev1informers.TypedPodInformer
	corev1listers.PodLister
	corev1listers.PodNamespaceLister
	r         *registries
	namespace string
}

func (l livePods) Informer() cache.SharedIndexInformer { return synced{} }
func (l livePods) Lister() corev1listers.PodLister     { return l }

func (l livePods) Pods(namespace string) corev1listers.PodNamespaceLister {
	l.namespace = namespace
	return l
}

func (l livePods) Get(name string) (*corev1.Pod, error) {
	return lookup(l.r.pods, l.namespace, name, &corev1.Pod{})
}

func (l livePods) List(labels.Selector) ([]*corev1.Pod, error) { panic("no plugin lists pods") }

// lookup reads an object from a registry, in its version of the API.
func lookup[T runtime.Object](from rest.Getter, namespace, name string, into T) (T, error) {
	ctx := request.WithNamespace(request.NewContext(), namespace)
	obj, err := from.Get(ctx, name, &metav1.GetOptions{})
	if err != nil {
		return into, err
	}
	return into, legacyscheme.Scheme.Convert(obj, into, nil)
}
