package fakeapi

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	goruntime "runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"

	"github.com/holter-sim/holter/sim"
)

// The wire surface beside client-go alone: the same call of the same typed
// client, answered with bytes that were made before. What is measured is the
// whole way of a renewal, with 10,000 leases in the store.
func BenchmarkWireLeaseUpdate(b *testing.B) {
	s, h, leases := leaseStore(b, 10_000)
	c := s.NewClient(ClientOptions{Host: h, Name: "kubelet/all"})
	wired := c.clientset(b, "").CoordinationV1().Leases(ns)
	answer := &recorder{to: Transport(c)}
	recorded, err := kubernetes.NewForConfigAndClient(&rest.Config{Host: Endpoint, QPS: -1}, &http.Client{Transport: answer})
	require.NoError(b, err)
	process(b, h, func() { must(recorded.CoordinationV1().Leases(ns).Get(ctx, leases[0].Name, metav1.GetOptions{})) })
	alone, err := kubernetes.NewForConfigAndClient(&rest.Config{Host: Endpoint, QPS: -1}, &http.Client{Transport: answer.replay()})
	require.NoError(b, err)

	base, ours := &renewals{h: h, leases: leases}, &renewals{h: h, leases: leases}
	b.Run("10k", func(b *testing.B) {
		baseCost, cost := beside(b, 1,
			func(n int) { base.run(b, alone.CoordinationV1().Leases(ns), n, false) },
			func(n int) { ours.run(b, wired, n, true) })
		b.ReportMetric(cost/baseCost, "x-client-go-alone")
	})
}

// The native surface beside client-go's fake clientset, which keeps no versions,
// conflicts or watches of its own. Each has 100,000 leases, and the heap for
// itself.
func BenchmarkNativeLeaseUpdate(b *testing.B) {
	theirs := fakeLeaseUpdate(b, 100_000)
	goruntime.GC()
	s, h, leases := leaseStore(b, 100_000)
	ours := &renewals{h: h, leases: leases}
	c := s.NewClient(ClientOptions{Host: h, Name: "kubelet/all"})
	b.Run("100k", func(b *testing.B) {
		b.ReportAllocs()
		start := cpuTime(b)
		ours.run(b, c.Leases(ns), b.N, true)
		cost := float64(cpuTime(b)-start) / float64(b.N)
		b.ReportMetric(cost, "cpu-ns/op")
		b.ReportMetric(theirs/cost, "x-cheaper-than-fake")
	})
}

// fakeLeaseUpdate is what an update costs with the fake clientset.
func fakeLeaseUpdate(b *testing.B, n int) float64 {
	_, h, leases := leaseStore(b, 0)
	objects := make([]runtime.Object, n)
	for i := range objects {
		leases = append(leases, kubeletLease(fmt.Sprintf("node-%06d", i)))
		objects[i] = leases[i].DeepCopy()
	}
	cs := fake.NewSimpleClientset(objects...)
	theirs := &forgetful{LeaseInterface: cs.CoordinationV1().Leases(ns), cs: cs}
	start := cpuTime(b)
	(&renewals{h: h, leases: leases}).run(b, theirs, n, false)
	return float64(cpuTime(b)-start) / float64(n)
}

// The status patch of a kubelet whose node has 50 images.
func BenchmarkNativeStatusPatch(b *testing.B) {
	s, h, _ := leaseStore(b, 0)
	c := s.NewClient(ClientOptions{Host: h, Name: "kubelet/all"})
	node := s.Put(kubeletNode("node-0", 50))
	cs := fake.NewSimpleClientset(node.DeepCopyObject())
	patches := make([][]byte, 60)
	for i := range patches {
		patches[i] = heartbeatOf(i)
	}
	patch := func(b *testing.B, n int, nodes interface {
		Patch(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string) (*corev1.Node, error)
	}) {
		process(b, h, func() {
			for i := range n {
				must(nodes.Patch(ctx, "node-0", types.StrategicMergePatchType, patches[i%60], metav1.PatchOptions{}, "status"))
				if i%64 == 0 {
					cs.ClearActions()
				}
			}
		})
	}
	b.Run("50 images", func(b *testing.B) {
		baseCost, cost := beside(b, 50, func(n int) { patch(b, n, cs.CoreV1().Nodes()) }, func(n int) { patch(b, n, c.Nodes()) })
		b.ReportMetric(baseCost/cost, "x-cheaper-than-fake")
	})
}

// beside runs ours b.N times, and base once in fewer, in turns that are long
// enough for each to clean up its own garbage. It returns what a call of each
// costs in nanoseconds of CPU, whatever else the machine does.
func beside(b *testing.B, fewer int, base, ours func(n int)) (baseCost, cost float64) {
	const turn = 20_000
	var basics, calls int
	var basic, our time.Duration
	for calls < b.N {
		n := min(turn, b.N-calls)
		start := cpuTime(b)
		base(n/fewer + 1)
		middle := cpuTime(b)
		ours(n)
		basic, our = basic+middle-start, our+cpuTime(b)-middle
		basics, calls = basics+n/fewer+1, calls+n
	}
	baseCost, cost = float64(basic)/float64(basics), float64(our)/float64(calls)
	b.ReportMetric(baseCost, "base-cpu-ns/op")
	b.ReportMetric(cost, "cpu-ns/op")
	return baseCost, cost
}

// cpuTime is what the process has used so far, collector included.
func cpuTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// leaseStore is a server without latency with that many leases.
func leaseStore(b *testing.B, n int) (*Server, *sim.Host, []*coordinationv1.Lease) {
	e := sim.New(sim.Options{Seed: 1})
	b.Cleanup(e.Close)
	s := New(e, Options{})
	leases := make([]*coordinationv1.Lease, n)
	for i := range leases {
		leases[i] = s.Put(kubeletLease(fmt.Sprintf("node-%06d", i))).(*coordinationv1.Lease)
	}
	return s, e.NewHost("kubelets"), leases
}

// process runs f as a process of the host to its end.
func process(b *testing.B, h *sim.Host, f func()) {
	h.Go("benchmark", f)
	require.NoError(b, h.Engine().RunUntil(sim.Never))
}

type leaseUpdater interface {
	Update(ctx context.Context, lease *coordinationv1.Lease, opts metav1.UpdateOptions) (*coordinationv1.Lease, error)
}

// renewals renew one lease after the other, and know where they are.
type renewals struct {
	h      *sim.Host
	leases []*coordinationv1.Lease
	i      int
}

// run renews n leases, each written into the same struct: what is measured is
// the call. A client that does not store gives no new versions.
func (r *renewals) run(b *testing.B, c leaseUpdater, n int, stored bool) {
	process(b, r.h, func() {
		var renewed coordinationv1.Lease
		var at metav1.MicroTime
		for range n {
			r.i++
			stands := &r.leases[r.i%len(r.leases)]
			at.Time = r.h.Now().Add(time.Duration(r.i) * time.Microsecond)
			renewed = **stands
			renewed.Spec.RenewTime = &at
			got, err := c.Update(ctx, &renewed, metav1.UpdateOptions{})
			if err != nil {
				panic(err)
			}
			if stored {
				*stands = got
			}
		}
	})
}

// forgetful is a fake clientset that keeps few of its actions.
type forgetful struct {
	coordinationclient.LeaseInterface
	cs    *fake.Clientset
	calls int
}

func (f *forgetful) Update(ctx context.Context, lease *coordinationv1.Lease, opts metav1.UpdateOptions) (*coordinationv1.Lease, error) {
	if f.calls++; f.calls%1024 == 0 {
		f.cs.ClearActions()
	}
	return f.LeaseInterface.Update(ctx, lease, opts)
}

// recorder keeps the last answer, and replays it.
type recorder struct {
	to     http.RoundTripper
	header http.Header
	body   []byte
}

func (r *recorder) RoundTrip(h *http.Request) (*http.Response, error) {
	resp, err := r.to.RoundTrip(h)
	if err != nil {
		return nil, err
	}
	r.header = resp.Header
	r.body, err = io.ReadAll(resp.Body)
	resp.Body = io.NopCloser(bytes.NewReader(r.body))
	return resp, err
}

func (r *recorder) replay() http.RoundTripper { return replayed{r} }

type replayed struct{ *recorder }

func (r replayed) RoundTrip(h *http.Request) (*http.Response, error) {
	closeBody(h)
	return &http.Response{StatusCode: http.StatusOK, Status: "200 OK", Header: r.header.Clone(), ContentLength: int64(len(r.body)),
		Body: io.NopCloser(bytes.NewReader(r.body)), Request: h}, nil
}
