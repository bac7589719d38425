package heartbeat

import (
	"context"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// NodeClient is the part of client-go's NodeInterface that heartbeats use.
type NodeClient interface {
	Create(ctx context.Context, node *corev1.Node, opts metav1.CreateOptions) (*corev1.Node, error)
	Get(ctx context.Context, name string, opts metav1.GetOptions) (*corev1.Node, error)
	UpdateStatus(ctx context.Context, node *corev1.Node, opts metav1.UpdateOptions) (*corev1.Node, error)
	Patch(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string) (*corev1.Node, error)
}

// LeaseClient is the part of client-go's LeaseInterface that heartbeats use.
type LeaseClient interface {
	Create(ctx context.Context, lease *coordinationv1.Lease, opts metav1.CreateOptions) (*coordinationv1.Lease, error)
	Get(ctx context.Context, name string, opts metav1.GetOptions) (*coordinationv1.Lease, error)
	Update(ctx context.Context, lease *coordinationv1.Lease, opts metav1.UpdateOptions) (*coordinationv1.Lease, error)
}

// PodClient is the part of client-go's PodInterface that heartbeats use.
type PodClient interface {
	UpdateStatus(ctx context.Context, pod *corev1.Pod, opts metav1.UpdateOptions) (*corev1.Pod, error)
	Delete(ctx context.Context, name string, opts metav1.DeleteOptions) error
}

// PodDeleter is the part of client-go's PodInterface that deletes a pod, and
// says in its status why.
type PodDeleter interface {
	Get(ctx context.Context, name string, opts metav1.GetOptions) (*corev1.Pod, error)
	Patch(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string) (*corev1.Pod, error)
	Delete(ctx context.Context, name string, opts metav1.DeleteOptions) error
}

// PodCreator is the part of client-go's PodInterface that creates pods.
type PodCreator interface {
	Create(ctx context.Context, pod *corev1.Pod, opts metav1.CreateOptions) (*corev1.Pod, error)
}

// PodBinder is the part of client-go's PodInterface that gives a pod its node.
type PodBinder interface {
	Bind(ctx context.Context, binding *corev1.Binding, opts metav1.CreateOptions) error
}

// EventClient is the part of client-go's EventInterface that heartbeats use.
type EventClient interface {
	Create(ctx context.Context, event *corev1.Event, opts metav1.CreateOptions) (*corev1.Event, error)
	Patch(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string) (*corev1.Event, error)
}

// Watch is a stream of changes that is pulled, so that a process can wait on
// it and a watcher with nothing to do holds no stack.
type Watch interface {
	// TryNext returns the next change if one has arrived. It never blocks.
	// The error ends the stream: io.EOF if the server closed it.
	TryNext() (ev watch.Event, ok bool, err error)

	// OnReady calls f once, as soon as TryNext has something to return.
	OnReady(f func())

	// Stop ends the stream. TryNext and OnReady must not be used after it.
	Stop()
}

// WatchFunc opens a watch, as the Watch method of a client-go interface does.
type WatchFunc func(ctx context.Context, opts metav1.ListOptions) (Watch, error)

// ListFunc lists a resource, as the List method of a client-go interface does.
type ListFunc func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error)
