package fakeapi

import (
	"context"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/holter-sim/holter/sim"
)

// ClientOptions say who a client is.
type ClientOptions struct {
	// Host is where the client runs: its processes make the calls, and are
	// blocked by them.
	Host *sim.Host
	// Name is what the network's rules and the observer know it by:
	// "kubelet/node-1", "kube-controller-manager", "writer/node-0".
	Name string
	// User and UserAgent are what the audit log would show.
	User, UserAgent string
	// Timeout ends a call without an answer, as rest.Config.Timeout does; 0 is
	// none, and leaves the 45 s after which HTTP/2 finds the connection dead.
	// It does not limit how long a watch lasts once it is established.
	Timeout time.Duration
	// Limit is how many requests it sends; nil is all, at once.
	Limit *Limit
	// LeaseAPI is the version of coordination.k8s.io that its requests for Leases
	// name, "" being v1. The server takes v1beta1 for the same.
	LeaseAPI string
	// Share is a client of the same host whose connection this one uses as well,
	// as clients with one transport do; nil for one of its own.
	Share *Client
	// NoHealthCheck is HTTP2_READ_IDLE_TIMEOUT_SECONDS=0: no ping finds out that
	// the connection is dead, and who waits without a timeout waits for ever.
	NoHealthCheck bool
	// ObserveWatches has the observer told of what its watches receive.
	ObserveWatches bool
	// Panicked is told of a panic over a request of the client, which is then
	// answered with 500 while the run goes on; call has no answer yet. One in the
	// middle of a commit ends the run all the same. Nil is for tests: every panic
	// ends the run, and shows where it came from.
	// Upstream: WithPanicRecovery (apiserver v0.37, pkg/server/filters).
	Panicked func(call *Call, value any, stack []byte)
}

// Limit is a client's own limit of requests, as rest.Config has it. Watches are
// not counted.
type Limit struct {
	QPS   float32 // requests a second: 0 is 5, and less than that no limit
	Burst int     // requests at once: 0 is 10
}

// Client speaks to a Server for one component. Its calls block the calling
// process, which must be one of the client's host.
type Client struct {
	s               *Server
	host            *sim.Host
	name, shortName string
	user, userAgent string
	timeout         time.Duration
	unchecked       bool
	observed        bool
	panicked        func(call *Call, value any, stack []byte)

	transport *transport
	throttle  throttle
	leaseAPI  string
	through   func(ctx context.Context, call *TypedCall) error // nil: straight

	nodes  *Nodes
	leases *Leases // of the namespace asked for last

	rands     randPair
	randsLife int
}

// rand is a stream of draws.
type rand = interface{ Int64N(n int64) int64 }

// randPair are the streams a client's latencies come from.
type randPair struct{ requests, watches, work rand }

// NewClient returns a client. Clients need not be closed.
func (s *Server) NewClient(o ClientOptions) *Client {
	c := &Client{s: s, host: o.Host, name: o.Name, shortName: shortName(o.Name), user: o.User, userAgent: o.UserAgent,
		timeout: o.Timeout, observed: o.ObserveWatches, unchecked: o.NoHealthCheck, transport: &transport{}, leaseAPI: o.LeaseAPI, panicked: o.Panicked}
	if o.Limit != nil {
		c.throttle = newThrottle(o.Limit.QPS, o.Limit.Burst)
	}
	if o.Share != nil {
		c.transport = o.Share.transport
	}
	if s.through != nil {
		c.through = s.through(c)
	}
	return c
}

// Nodes returns the client for nodes.
func (c *Client) Nodes() *Nodes {
	if c.nodes == nil {
		c.nodes = &Nodes{newResourceClient[*corev1.Node](c, c.s.nodes, "", nodeList)}
	}
	return c.nodes
}

// Leases returns the client for the leases of a namespace; "" is all, for lists
// and watches.
func (c *Client) Leases(namespace string) *Leases {
	if c.leases == nil || c.leases.namespace != namespace {
		c.leases = &Leases{newResourceClient[*coordinationv1.Lease](c, c.s.leases, namespace, leaseList)}
	}
	return c.leases
}

// Pods returns the client for the pods of a namespace; "" is all, for lists and
// watches.
func (c *Client) Pods(namespace string) *Pods {
	return &Pods{newResourceClient[*corev1.Pod](c, c.s.pods, namespace, podList)}
}

// Events returns the client for the events of a namespace; "" is all, for lists
// and watches.
func (c *Client) Events(namespace string) *Events {
	return &Events{newResourceClient[*corev1.Event](c, c.s.events, namespace, eventList)}
}

// requestRand and watchRand return the streams of the client's latencies. They
// belong to the host's incarnation: neither another client nor a watch event
// more or less moves the latencies of requests.
func (c *Client) requestRand() rand { return c.streams().requests }
func (c *Client) watchRand() rand   { return c.streams().watches }

func (c *Client) streams() *randPair {
	if life := c.host.Incarnation(); c.rands.requests == nil || c.randsLife != life {
		c.rands = randPair{requests: c.host.Rand("network/" + c.name), watches: c.host.Rand("network/watch/" + c.name)}
		c.randsLife = life
	}
	return &c.rands
}

// resourceClient has the methods of client-go's typed clients for one resource
// and namespace. Objects it returns are shared with the store: they must not be
// changed, and never change. Objects it is given are copied.
type resourceClient[T object, L runtime.Object] struct {
	c         *Client
	t         *table
	space     *space // nil for all namespaces
	namespace string
	list      func(version string, objects []object) L
}

func newResourceClient[T object, L runtime.Object](c *Client, t *table, ns string, list func(string, []object) L) resourceClient[T, L] {
	r := resourceClient[T, L]{c: c, t: t, namespace: ns, list: list}
	if ns != "" || !t.res.namespaced {
		r.space = t.space(ns)
	}
	return r
}

func (r *resourceClient[T, L]) request(o op, name string) *request {
	q := r.c.s.newRequest(r.c, r.t, r.space, r.namespace, o)
	q.call.Name = name
	return q
}

// get sends a request that is answered with an object.
func (r *resourceClient[T, L]) get(ctx context.Context, q *request) (obj T, err error) {
	if q, err = q.do(ctx); err == nil {
		obj = q.obj.(T)
	}
	q.drop()
	return obj, err
}

// Create stores a new object, with generateName if it has no name.
func (r *resourceClient[T, L]) Create(ctx context.Context, obj T, opts metav1.CreateOptions) (T, error) {
	q := r.request(opCreate, obj.GetName())
	q.setBody(r.t.res.take(obj, nil))
	q.dryRun, q.fieldManager = len(opts.DryRun) > 0, opts.FieldManager
	return r.get(ctx, q)
}

// Update replaces an object, but for the part that belongs to its status. A
// resourceVersion that is not the stored one is a conflict.
func (r *resourceClient[T, L]) Update(ctx context.Context, obj T, opts metav1.UpdateOptions) (T, error) {
	return r.update(ctx, obj, "", opts)
}

func (r *resourceClient[T, L]) update(ctx context.Context, obj T, subresource string, opts metav1.UpdateOptions) (T, error) {
	name := obj.GetName()
	q := r.request(opUpdate, name)
	q.setSubresource(subresource)
	var like object
	if r.space != nil {
		if row := q.stored(); row != nil {
			like = row.obj
		}
	}
	q.setBody(r.t.res.take(obj, like))
	q.dryRun, q.fieldManager = len(opts.DryRun) > 0, opts.FieldManager
	return r.get(ctx, q)
}

// Patch changes an object by a strategic or JSON merge patch, of the object or
// of one subresource. A resourceVersion in the patch that is not the stored one
// is a conflict.
func (r *resourceClient[T, L]) Patch(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string) (T, error) {
	q := r.request(opPatch, name)
	if len(subresources) > 0 {
		q.setSubresource(subresources[0])
	}
	q.patchType, q.call.Patch = pt, slices.Clone(data)
	q.fieldManager, q.fieldValidation, q.force = opts.FieldManager, opts.FieldValidation, opts.Force != nil && *opts.Force
	q.dryRun = len(opts.DryRun) > 0
	return r.get(ctx, q)
}

// Get returns an object as it is when the request arrives. A resourceVersion
// asked for is the least that will do.
func (r *resourceClient[T, L]) Get(ctx context.Context, name string, opts metav1.GetOptions) (T, error) {
	q := r.request(opGet, name)
	q.listOptions.ResourceVersion = opts.ResourceVersion
	return r.get(ctx, q)
}

// List returns the objects that the selectors match, ordered by namespace and
// name, with the store's resourceVersion. With a limit it returns a page, and in
// Continue what the next is asked for with, unless resourceVersion is "0".
func (r *resourceClient[T, L]) List(ctx context.Context, opts metav1.ListOptions) (L, error) {
	q := r.request(opList, "")
	q.setOptions(opts)
	q, err := q.do(ctx)
	var list L
	if err == nil {
		list = r.list(q.listed, q.list)
		if m, ok := any(list).(metav1.ListInterface); ok && q.more != "" {
			m.SetContinue(q.more)
			m.SetRemainingItemCount(q.remaining)
		}
	}
	q.drop()
	return list, err
}

// DeleteCollection deletes the objects that a list would have.
func (r *resourceClient[T, L]) DeleteCollection(ctx context.Context, opts metav1.DeleteOptions, listOpts metav1.ListOptions) error {
	q := r.request(opDeleteCollection, "")
	q.setOptions(listOpts)
	q.delete = opts.DeepCopy()
	q.dryRun = len(opts.DryRun) > 0
	q, err := q.do(ctx)
	q.drop()
	return err
}

// Delete deletes an object, or marks it as being deleted if it is to go
// gracefully or has finalizers.
func (r *resourceClient[T, L]) Delete(ctx context.Context, name string, opts metav1.DeleteOptions) error {
	q := r.request(opDelete, name)
	q.delete = opts.DeepCopy()
	q.dryRun = len(opts.DryRun) > 0
	q, err := q.do(ctx)
	q.drop()
	return err
}

// Watch opens a watch: a request like any other, after whose answer events
// arrive. It begins after opts.ResourceVersion, or with the present state if
// that is "" or "0", or if SendInitialEvents is set; then a bookmark annotated
// "k8s.io/initial-events-end" follows it if bookmarks are allowed.
func (r *resourceClient[T, L]) Watch(ctx context.Context, opts metav1.ListOptions) (*Watch, error) {
	q := r.request(opWatch, "")
	q.setOptions(opts)
	q.watch = q.newWatch()
	q, err := q.do(ctx)
	w := q.watch
	q.drop()
	if err != nil {
		w.Stop()
		return nil, err
	}
	return w, nil
}

// Timeout is ClientOptions.Timeout.
func (c *Client) Timeout() time.Duration { return c.timeout }
