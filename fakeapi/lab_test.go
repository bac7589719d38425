package fakeapi

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/ptr"

	"github.com/holter-sim/holter/sim"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// lab is a server, one host, and what the observer was told.
type lab struct {
	t testing.TB
	e *sim.Engine
	s *Server
	h *sim.Host
	c *Client // on h, no timeout

	answered, received []Call
	changed            []string
	delivered          []string
}

var ctx = context.Background()

const ns = "kube-node-lease"

func newLab(t testing.TB, o Options) *lab { return newSeededLab(t, o, 1) }

func newSeededLab(t testing.TB, o Options, seed uint64) *lab {
	l := &lab{t: t, e: sim.New(sim.Options{Seed: seed})}
	t.Cleanup(l.e.Close)
	o.CheckImmutable = true
	o.Observer = (*labObserver)(l)
	l.s = New(l.e, o)
	l.h = l.e.NewHost("host")
	l.c = l.client(ClientOptions{Name: "test/host"})
	return l
}

// client returns a client on the lab's host, or on o.Host.
func (l *lab) client(o ClientOptions) *Client {
	if o.Host == nil {
		o.Host = l.h
	}
	return l.s.NewClient(o)
}

// do runs f as a process to its end.
func (l *lab) do(f func()) {
	l.t.Helper()
	done := false
	l.h.Go("test", func() { f(); done = true })
	err := l.e.RunWhile(func() bool { return !done }, sim.Never)
	if p := (*sim.ProcessPanic)(nil); errors.As(err, &p) {
		if !strings.HasPrefix(fmt.Sprintf("%T", p.Value), "rapid.") {
			l.t.Logf("%s", p.Stack)
		}
		panic(p.Value) // rapid's own panics must reach it
	}
	require.NoError(l.t, err)
	require.True(l.t, done, "the process never came to its end")
}

// start runs f as a process that the test does not wait for.
func (l *lab) start(h *sim.Host, f func()) { h.Go("test", f) }

// runUntil runs every event up to t.
func (l *lab) runUntil(d time.Duration) {
	l.t.Helper()
	require.NoError(l.t, l.e.RunUntil(sim.Time(d)))
}

// last returns the last call the observer saw received.
func (l *lab) last() Call {
	l.t.Helper()
	require.NotEmpty(l.t, l.received)
	return l.received[len(l.received)-1]
}

type labObserver lab

func (o *labObserver) Answered(c *Call) { o.answered = append(o.answered, *c) }
func (o *labObserver) Received(c *Call) { o.received = append(o.received, *c) }

func (o *labObserver) Changed(resource string, old, new runtime.Object, c *Call) {
	verb, obj := "modified", new
	switch {
	case old == nil:
		verb = "added"
	case new == nil:
		verb, obj = "deleted", old
	}
	o.changed = append(o.changed, verb+" "+resource+" "+obj.(metav1.Object).GetName())
}

func (o *labObserver) Delivered(client, resource string, ev watch.Event, _ sim.Time) {
	o.delivered = append(o.delivered, client+" "+resource+" "+string(ev.Type))
}

// hash is a hash of every call, in the order they were answered and received.
func (l *lab) hash() uint64 {
	h := fnv.New64a()
	for _, list := range [][]Call{l.answered, l.received} {
		for _, c := range list {
			fmt.Fprintln(h, c.ID, c.Client, c.Verb, c.Resource, c.Subresource, c.Namespace, c.Name, c.ResourceVersion,
				c.Sent, c.Arrived, c.Answered, c.Received, c.Code, c.Message, c.Err, c.Fault)
		}
	}
	fmt.Fprintln(h, l.changed, l.delivered)
	return h.Sum64()
}

// shorthand for requests that must succeed

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func (c *Client) createNode(name string) *corev1.Node {
	return must(c.Nodes().Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}))
}

func (c *Client) createLease(name string) *coordinationv1.Lease {
	return must(c.Leases(ns).Create(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: coordinationv1.LeaseSpec{HolderIdentity: ptr.To(name), LeaseDurationSeconds: ptr.To[int32](40)}}, metav1.CreateOptions{}))
}

// containers are what every pod has.
var containers = []corev1.Container{{Name: "main", Image: "main"}}

func (c *Client) createPod(namespace, name, node string) *corev1.Pod {
	return must(c.Pods(namespace).Create(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{NodeName: node, Containers: containers}}, metav1.CreateOptions{}))
}

// renew returns a copy of l renewed at that time.
func renew(l *coordinationv1.Lease, at time.Time) *coordinationv1.Lease {
	l = l.DeepCopy()
	l.Spec.RenewTime = &metav1.MicroTime{Time: at}
	return l
}

func (c *Client) renew(l *coordinationv1.Lease) (*coordinationv1.Lease, error) {
	return c.Leases(ns).Update(ctx, renew(l, c.host.Now()), metav1.UpdateOptions{})
}

// drain takes everything a watch has, as "TYPE name@version".
func drain(w *Watch) (out []string, err error) {
	for {
		ev, ok, err := w.TryNext()
		if !ok || err != nil {
			return out, err
		}
		m := ev.Object.(metav1.Object)
		out = append(out, fmt.Sprintf("%s %s@%s", ev.Type, m.GetName(), m.GetResourceVersion()))
	}
}
