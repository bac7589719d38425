package lease_test

import (
	"cmp"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/ptr"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/heartbeat/lease"
	"github.com/holter-sim/holter/heartbeat/version"
	"github.com/holter-sim/holter/sim"
)

const (
	node     = "node-0"
	duration = 40 * time.Second
	interval = duration / 4
	timeout  = 10 * time.Second
)

// tester is a test, or one case of a property.
type tester interface {
	require.TestingT
	Helper()
	Cleanup(func())
}

// lab is an API server and the lease controllers of some nodes.
type lab struct {
	t        tester
	engine   *sim.Engine
	server   *fakeapi.Server
	repeated int       // calls of OnRepeatedFailure
	failed   int       // retryUpdateLease gave up
	calls    calls     // that were answered or given up
	host     *sim.Host // of the first node
}

func newLab(t tester, seed uint64, latency sim.Dist) *lab {
	l := &lab{t: t, engine: sim.New(sim.Options{Seed: seed})}
	l.server = fakeapi.New(l.engine, fakeapi.Options{Latency: latency, Observer: l, CheckImmutable: true})
	t.Cleanup(l.engine.Close)
	return l
}

// start runs the controller of a node on a host of its own.
func (l *lab) start(name string) *sim.Host { return l.startOf("1.36", name) }

// startOf is start for the controller of a version.
func (l *lab) startOf(release, name string) *sim.Host {
	v, err := version.Parse(release)
	require.NoError(l.t, err)
	host := l.engine.NewHost(name)
	client := l.server.NewClient(fakeapi.ClientOptions{Host: host, Name: name, Timeout: timeout})
	lease.New(host, client.Leases(lease.Namespace), lease.Config{
		Behaviors:         version.Lookup(v).Lease,
		Name:              name,
		Duration:          duration,
		RenewInterval:     interval,
		SetOwner:          lease.SetNodeOwner(client.Nodes(), name),
		OnRepeatedFailure: func() { l.repeated++ },
	}, l).Run()
	if l.host == nil {
		l.host = host
	}
	return host
}

// startRegistered is start for a node that exists and has a lease.
func (l *lab) startRegistered(name string) {
	l.putNode(name)
	l.putLease(name, time.Time{})
	l.start(name)
}

func (l *lab) putNode(name string) *corev1.Node {
	return l.server.Put(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}).(*corev1.Node)
}

// putLease writes a lease with its owner, as somebody else would.
func (l *lab) putLease(name string, renewed time.Time) *coordinationv1.Lease {
	owner := l.server.Node(name)
	return l.server.Put(&coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: lease.Namespace, OwnerReferences: []metav1.OwnerReference{
			{APIVersion: "v1", Kind: "Node", Name: name, UID: owner.UID}}},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity:       ptr.To(name),
			LeaseDurationSeconds: ptr.To(int32(duration / time.Second)),
			RenewTime:            &metav1.MicroTime{Time: renewed},
		},
	}).(*coordinationv1.Lease)
}

func (l *lab) stored() *coordinationv1.Lease { return l.server.Lease(lease.Namespace, node) }

// fail has requests answered with a status until the function returned is called.
func (l *lab) fail(code int32, reason metav1.StatusReason, verb, resource string, count int) (remove func()) {
	return l.server.Network().Add(fakeapi.Rule{
		Match:   fakeapi.Match{Verbs: []string{verb}, Resources: []string{resource}},
		Respond: &metav1.Status{Status: metav1.StatusFailure, Code: code, Reason: reason},
		Count:   count,
	})
}

// to runs the engine to so long after its start.
func (l *lab) to(d time.Duration) {
	l.t.Helper()
	require.NoError(l.t, l.engine.RunUntil(sim.Time(d)))
}

// between returns the calls sent at or after from and before to.
func (l *lab) between(from, to time.Duration) calls {
	return slices.DeleteFunc(l.all(), func(c fakeapi.Call) bool {
		return c.Sent.Duration() < from || c.Sent.Duration() >= to
	})
}

func (l *lab) since(from time.Duration) calls { return l.between(from, time.Duration(sim.Never)) }

// all returns the calls in the order of sending.
func (l *lab) all() calls {
	all := slices.Clone(l.calls)
	slices.SortFunc(all, func(a, b fakeapi.Call) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

type calls []fakeapi.Call

// what says of each call what was asked and how it was answered.
func (cs calls) what() []string {
	var out []string
	for _, c := range cs {
		answer := c.Reason
		switch {
		case c.Err == nil:
			answer = "ok"
		case c.Code == 0:
			answer = "no answer"
		case answer == "":
			answer = "error"
		}
		out = append(out, c.Verb+" "+c.Resource+": "+string(answer))
	}
	return out
}

// of returns the calls of one verb and resource.
func (cs calls) of(verb, resource string) calls {
	return slices.DeleteFunc(slices.Clone(cs), func(c fakeapi.Call) bool { return c.Verb != verb || c.Resource != resource })
}

// pauses are the times from each answer to the next request.
func (cs calls) pauses() []time.Duration {
	var out []time.Duration
	for i := 1; i < len(cs); i++ {
		out = append(out, cs[i].Sent.Sub(cs[i-1].Received))
	}
	return out
}

func (cs calls) sent() []sim.Time {
	var out []sim.Time
	for _, c := range cs {
		out = append(out, c.Sent)
	}
	return out
}

func (l *lab) Received(c *fakeapi.Call)                               { l.calls = append(l.calls, *c) }
func (l *lab) Answered(*fakeapi.Call)                                 {}
func (l *lab) Delivered(string, string, watch.Event, sim.Time)        {}
func (l *lab) Decided(_, _, _ string)                                 { l.failed++ }
func (l *lab) Changed(_ string, _, _ runtime.Object, _ *fakeapi.Call) {}

// repeat returns n copies of the lines.
func repeat(n int, lines ...string) []string { return slices.Repeat(lines, n) }
