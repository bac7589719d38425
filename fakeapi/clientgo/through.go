package clientgo

import (
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
	coreclient "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"

	"github.com/holter-sim/holter/fakeapi"
)

// Through makes every client of a server speak over the wire: each call is one
// of a typed client of client-go, over the Transport of the client that was
// asked. contentType is what bodies are encoded in, "" being protobuf.
func Through(contentType string) fakeapi.Through {
	return func(c *fakeapi.Client) func(context.Context, *fakeapi.TypedCall) error {
		var t *typed
		return func(ctx context.Context, call *fakeapi.TypedCall) error {
			if t == nil { // most clients of a large cluster make a call sooner or later
				t = newTyped(c, contentType)
			}
			return t.make(ctx, call)
		}
	}
}

// typed are the typed clients of one client.
type typed struct {
	core         rest.Interface
	coordination rest.Interface
}

func newTyped(c *fakeapi.Client, contentType string) *typed {
	config := Config()
	config.ContentType = contentType
	core, err := coreclient.NewForConfigAndClient(config, HTTPClient(c))
	if err != nil {
		panic(err) // the configuration is ours
	}
	coordination, err := coordinationclient.NewForConfigAndClient(config, HTTPClient(c))
	if err != nil {
		panic(err)
	}
	return &typed{core: Interface(core.RESTClient(), c), coordination: Interface(coordination.RESTClient(), c)}
}

func (t *typed) make(ctx context.Context, call *fakeapi.TypedCall) error {
	switch call.Resource {
	case "nodes":
		nodes := coreclient.New(t.core).Nodes()
		return verb(ctx, call, t.core, nodes, nodes.UpdateStatus)
	case "pods":
		pods := coreclient.New(t.core).Pods(call.Namespace)
		if call.Subresource == "binding" {
			return pods.Bind(ctx, call.Object.(*corev1.Binding), metav1.CreateOptions{DryRun: dryRun(call)})
		}
		return verb(ctx, call, t.core, pods, pods.UpdateStatus)
	case "events":
		return verb(ctx, call, t.core, coreclient.New(t.core).Events(call.Namespace), (func(context.Context, *corev1.Event, metav1.UpdateOptions) (*corev1.Event, error))(nil))
	case "namespaces":
		namespaces := coreclient.New(t.core).Namespaces()
		return verb(ctx, call, t.core, namespaces, namespaces.UpdateStatus)
	case "leases":
		leases := coordinationclient.New(t.coordination).Leases(call.Namespace)
		return verb(ctx, call, t.coordination, leases, (func(context.Context, *coordinationv1.Lease, metav1.UpdateOptions) (*coordinationv1.Lease, error))(nil))
	}
	return fmt.Errorf("clientgo: no typed client for %s", call.Resource)
}

// client is what the typed clients have in common.
type client[T, L runtime.Object] interface {
	Create(ctx context.Context, obj T, opts metav1.CreateOptions) (T, error)
	Update(ctx context.Context, obj T, opts metav1.UpdateOptions) (T, error)
	Patch(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string) (T, error)
	Get(ctx context.Context, name string, opts metav1.GetOptions) (T, error)
	List(ctx context.Context, opts metav1.ListOptions) (L, error)
	Delete(ctx context.Context, name string, opts metav1.DeleteOptions) error
}

// verb makes the call by the typed client of its resource.
func verb[T, L runtime.Object](ctx context.Context, call *fakeapi.TypedCall, r rest.Interface, c client[T, L],
	updateStatus func(context.Context, T, metav1.UpdateOptions) (T, error)) (err error) {
	switch call.Verb {
	case "create":
		call.Result, err = c.Create(ctx, call.Object.(T), metav1.CreateOptions{DryRun: dryRun(call), FieldManager: call.FieldManager, FieldValidation: call.FieldValidation})
	case "update":
		update := c.Update
		if call.Subresource == "status" {
			update = updateStatus
		}
		call.Result, err = update(ctx, call.Object.(T), metav1.UpdateOptions{DryRun: dryRun(call), FieldManager: call.FieldManager, FieldValidation: call.FieldValidation})
	case "patch":
		var sub []string
		if call.Subresource != "" {
			sub = []string{call.Subresource}
		}
		options := metav1.PatchOptions{DryRun: dryRun(call), FieldManager: call.FieldManager, FieldValidation: call.FieldValidation}
		if call.Force {
			options.Force = &call.Force
		}
		call.Result, err = c.Patch(ctx, call.Name, call.Type, call.Patch, options, sub...)
	case "get":
		call.Result, err = c.Get(ctx, call.Name, metav1.GetOptions{ResourceVersion: call.Version})
	case "list":
		call.Result, err = c.List(ctx, call.List)
	case "delete":
		err = c.Delete(ctx, call.Name, *call.Delete)
	case "watch":
		call.Watch, err = open(ctx, call, r)
	default:
		err = fmt.Errorf("clientgo: no typed client has the verb %q", call.Verb)
	}
	return err
}

// open opens a watch, as the Watch of typed clients does but for the goroutine.
func open(ctx context.Context, call *fakeapi.TypedCall, r rest.Interface) (*fakeapi.WireWatch, error) {
	options := call.List
	options.Watch = true
	q := r.Get().UseProtobufAsDefaultIfPreferred(true).
		NamespaceIfScoped(call.Namespace, call.Namespace != "").Resource(call.Resource).
		VersionedParams(&options, scheme.ParameterCodec)
	if s := options.TimeoutSeconds; s != nil {
		q = q.Timeout(time.Duration(*s) * time.Second)
	}
	return fakeapi.WatchOver(q.Stream(ctx))
}

func dryRun(call *fakeapi.TypedCall) []string {
	if call.DryRun {
		return []string{metav1.DryRunAll}
	}
	return nil
}
