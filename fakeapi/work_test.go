package fakeapi

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/sim"
)

func TestWriteIsCommittedAtTheEndOfTheWork(t *testing.T) {
	l := newLab(t, Options{Work: sim.Fixed(3 * time.Second), Latency: sim.Fixed(time.Second)})
	l.start(l.h, func() { l.c.createLease("node-0") })
	l.runUntil(3999 * time.Millisecond)
	require.Nil(t, l.s.Lease(ns, "node-0"))
	l.runUntil(4 * time.Second)
	require.NotNil(t, l.s.Lease(ns, "node-0"))
	l.runUntil(5 * time.Second)
	c := l.last()
	require.Equal(t, []sim.Time{1 * second, 4 * second, 5 * second}, []sim.Time{c.Arrived, c.Answered, c.Received})
}

func TestRuleAddsItsWorkToTheRequestsThatItMatches(t *testing.T) {
	l := newLab(t, Options{Work: sim.Fixed(time.Second)})
	work := sim.Fixed(2 * time.Second)
	remove := l.s.Network().Add(Rule{Name: "webhook", Match: Match{Verbs: []string{"create"}}, Work: &work})
	l.do(func() { l.c.createNode("node-0") })
	require.Equal(t, 3*second, l.last().Received)
	require.Equal(t, "webhook", l.last().Fault)
	l.do(func() { must(l.c.Nodes().Get(ctx, "node-0", metav1.GetOptions{})) })
	require.Equal(t, 4*second, l.last().Received)
	remove()
	l.do(func() { l.c.createNode("node-1") })
	require.Equal(t, 5*second, l.last().Received)
}

func TestServerThatIsKilledInTheMiddleOfTheWorkCommitsNothing(t *testing.T) {
	l := newLab(t, Options{Work: sim.Fixed(3 * time.Second), FlowControl: &FlowControl{MaxRequestsInflight: 1, MaxMutatingRequestsInflight: 1, PriorityAndFairness: true}})
	for i := range 5 { // some of them are worked on, the others wait
		l.start(l.h, func() { _, _ = l.c.Nodes().Create(ctx, newNode(fmt.Sprint("node-", i)), metav1.CreateOptions{}) })
	}
	l.runUntil(time.Second)
	l.s.Host().Kill()
	l.s.Host().Restart()
	l.runUntil(10 * time.Second)
	require.Len(t, l.received, 5)
	for _, c := range l.received {
		require.ErrorContains(t, c.Err, "connection reset by peer")
		require.Equal(t, sim.Never, c.Answered)
	}
	require.Empty(t, l.changed)
	l.do(func() { l.c.createNode("node-9") })
	require.Equal(t, 13*second, l.last().Received, "all its seats are free")
}

func TestServerThatIsPausedInTheMiddleOfTheWorkFinishesItLater(t *testing.T) {
	l := newLab(t, Options{Work: sim.Fixed(3 * time.Second)})
	l.start(l.h, func() { l.c.createNode("node-0") })
	l.runUntil(time.Second)
	l.s.Host().Pause()
	l.runUntil(20 * time.Second)
	require.Empty(t, l.received)
	l.s.Host().Resume()
	l.runUntil(20 * time.Second)
	require.Equal(t, http.StatusCreated, l.last().Code)
	require.Equal(t, 20*second, l.last().Received)
}

func TestWorkBeyondADeadlineIsAnswered504AndCommitsNothing(t *testing.T) {
	for name, test := range map[string]struct {
		timeout        time.Duration
		read           bool
		answered, code int
	}{
		"the client's": {timeout: 10 * time.Second, answered: 11, code: 0},
		"of a write":   {answered: 35, code: http.StatusGatewayTimeout},
		"of a read":    {read: true, answered: 61, code: http.StatusGatewayTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, Options{Work: sim.Fixed(100 * time.Second), Latency: sim.Fixed(time.Second)})
			c := l.client(ClientOptions{Name: "test/other", Timeout: test.timeout})
			var err error
			l.do(func() {
				if test.read {
					_, err = c.Nodes().Get(ctx, "node-0", metav1.GetOptions{})
				} else {
					_, err = c.Nodes().Create(ctx, newNode("node-0"), metav1.CreateOptions{})
				}
			})
			if test.timeout > 0 {
				require.ErrorIs(t, err, errTimeout)
				require.Equal(t, 10*second, l.last().Received)
			} else {
				require.True(t, apierrors.IsTimeout(err), "%v", err)
			}
			require.Equal(t, test.code, l.last().Code)
			l.runUntil(200 * time.Second)
			require.Len(t, l.answered, 1)
			require.Equal(t, http.StatusGatewayTimeout, l.answered[0].Code)
			require.Equal(t, sim.Time(test.answered)*second, l.answered[0].Answered)
			require.Empty(t, l.changed)
		})
	}
}

// Whatever the limits, the work and the clients' patience: every request has one
// outcome, no limit is exceeded, and in the end nothing is held.
func TestLoadLosesNoRequestAndExceedsNoLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		flow := &FlowControl{
			MaxRequestsInflight:         rapid.IntRange(1, 30).Draw(t, "reads"),
			MaxMutatingRequestsInflight: rapid.IntRange(1, 30).Draw(t, "writes"),
			PriorityAndFairness:         rapid.Bool().Draw(t, "priority and fairness"),
			NodeHigh:                    rapid.Bool().Draw(t, "node-high"),
			AdaptiveRetryAfter:          rapid.Bool().Draw(t, "adaptive"),
			WaitsByDeadline:             rapid.Bool().Draw(t, "by deadline"),
		}
		e := sim.New(sim.Options{Seed: rapid.Uint64().Draw(t, "seed")})
		defer e.Close()
		o := &limitObserver{t: t}
		s := New(e, Options{Work: sim.Uniform(0, 2*time.Second), Latency: sim.Uniform(0, time.Millisecond), FlowControl: flow, Observer: o})
		o.s, o.flow = s, flow
		h := e.NewHost("host")
		outcomes, calls := 0, rapid.IntRange(1, 200).Draw(t, "calls")
		for i := range calls {
			user := rapid.SampledFrom([]string{"system:node:node-0", "system:node:node-1", "admin", "tenant", "system:kube-controller-manager"}).Draw(t, "user")
			timeout := rapid.SampledFrom([]time.Duration{0, time.Second, 10 * time.Second}).Draw(t, "timeout")
			write := rapid.Bool().Draw(t, "write")
			at := sim.Time(rapid.Int64Range(0, int64(10*time.Second)).Draw(t, "at"))
			c := s.NewClient(ClientOptions{Host: h, Name: fmt.Sprint("c", i), User: user, Timeout: timeout})
			h.At(at, func() {
				h.Go("call", func() {
					if write {
						_, _ = c.Nodes().Create(ctx, newNode(fmt.Sprint("node-", i)), metav1.CreateOptions{})
					} else {
						_, _ = c.Leases(ns).Get(ctx, "node-0", metav1.GetOptions{})
					}
					outcomes++
				})
			})
		}
		if rapid.Bool().Draw(t, "killed") {
			e.At(sim.Time(rapid.Int64Range(0, int64(10*time.Second)).Draw(t, "killed at")), func() { s.Host().Kill(); s.Host().Restart() })
		}
		if err := e.RunUntil(sim.Time(10 * time.Minute)); err != nil {
			t.Fatal(err)
		}
		if outcomes != calls {
			t.Fatalf("%d of %d calls have come back", outcomes, calls)
		}
		o.nothingHeld()
	})
}

// limitObserver looks at the limits whenever anything is answered.
type limitObserver struct {
	t    *rapid.T
	s    *Server
	flow *FlowControl
}

func (o *limitObserver) Received(*Call)                                   {}
func (o *limitObserver) Changed(_ string, _, _ runtime.Object, _ *Call)   {}
func (o *limitObserver) Delivered(_, _ string, _ watch.Event, _ sim.Time) {}

func (o *limitObserver) Answered(*Call) {
	switch f := o.s.flow.(type) {
	case *maxInFlight:
		if f.inFlight[0] > o.flow.MaxRequestsInflight || f.inFlight[1] > o.flow.MaxMutatingRequestsInflight {
			o.t.Fatalf("%v in flight", f.inFlight)
		}
	case *priorityAndFairness:
		for _, level := range f.order {
			inUse, waiting := 0, 0
			for _, q := range level.queues {
				inUse, waiting = inUse+q.inUse, waiting+len(q.waiting)
				if len(q.waiting) > queueLengthLimit {
					o.t.Fatalf("%d in a queue of level %s", len(q.waiting), level.name)
				}
			}
			if inUse != level.inUse || waiting != level.waiting || level.inUse > level.seats {
				o.t.Fatalf("level %s: %d of %d seats, %d by queue; %d wait, %d by queue", level.name, level.inUse, level.seats, inUse, level.waiting, waiting)
			}
			if waiting > 0 && inUse < level.seats && !level.dispatching {
				o.t.Fatalf("level %s: %d wait though %d of %d seats are free", level.name, waiting, level.seats-inUse, level.seats)
			}
		}
	}
}

func (o *limitObserver) nothingHeld() {
	if o.s.inside.n != 0 || o.s.inside.head != nil {
		o.t.Fatalf("%d requests are still in the server", o.s.inside.n)
	}
	switch f := o.s.flow.(type) {
	case *maxInFlight:
		if f.inFlight != [2]int{} {
			o.t.Fatalf("%v are still in flight", f.inFlight)
		}
	case *priorityAndFairness:
		if i := slices.IndexFunc(f.order, func(l *priorityLevel) bool { return l.inUse+l.waiting > 0 }); i >= 0 {
			o.t.Fatalf("level %s still has %d seats in use and %d requests waiting", f.order[i].name, f.order[i].inUse, f.order[i].waiting)
		}
	}
}

func newNode(name string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

// What load costs a renewal: nothing where no work is set, flow control or not.
func BenchmarkLeaseUpdateWithWork(b *testing.B) {
	fair := &FlowControl{MaxRequestsInflight: 400, MaxMutatingRequestsInflight: 200, PriorityAndFairness: true, NodeHigh: true}
	for name, o := range map[string]Options{
		"none":                  {},
		"none,flow control":     {FlowControl: fair},
		"1ms":                   {Work: sim.Fixed(time.Millisecond)},
		"1ms,max in flight":     {Work: sim.Fixed(time.Millisecond), FlowControl: &FlowControl{MaxRequestsInflight: 400, MaxMutatingRequestsInflight: 200}},
		"1ms,priority,fairness": {Work: sim.Fixed(time.Millisecond), FlowControl: fair},
	} {
		b.Run(name, func(b *testing.B) {
			e := sim.New(sim.Options{Seed: 1})
			defer e.Close()
			s := New(e, o)
			h := e.NewHost("kubelet")
			c := s.NewClient(ClientOptions{Host: h, Name: "kubelet/node-0", User: node0, Timeout: 10 * time.Second})
			lease := s.Put(kubeletLease("node-0")).(*coordinationv1.Lease)
			b.ReportAllocs()
			b.ResetTimer()
			h.Go("renew", func() {
				for i := range b.N {
					renewed := *lease
					renewed.Spec.RenewTime = &metav1.MicroTime{Time: h.Now().Add(time.Duration(i) * time.Microsecond)}
					lease = must(c.Leases(ns).Update(ctx, &renewed, metav1.UpdateOptions{}))
				}
			})
			if err := e.RunUntil(sim.Never); err != nil {
				b.Fatal(err)
			}
		})
	}
}

func TestAWatchIsWorkedOnBeyondTheDeadlineOfOtherRequests(t *testing.T) {
	l := newLab(t, Options{Work: sim.Fixed(requestTimeout + time.Second)})
	l.do(func() {
		w := must(l.c.Nodes().Watch(ctx, metav1.ListOptions{}))
		w.Stop()
		_, err := l.c.Nodes().List(ctx, metav1.ListOptions{})
		require.True(t, apierrors.IsTimeout(err), err)
	})
}

// restarting is an observer that starts the server anew at the first answer.
type restarting struct {
	Observer
	host *sim.Host
}

func (o *restarting) Answered(c *Call) {
	if o.Observer.Answered(c); o.host != nil {
		o.host.Kill()
		o.host.Restart()
		o.host = nil
	}
}

func TestAServerThatRestartsWhileItAnswersHasNoMorePlacesThanBefore(t *testing.T) {
	l := newLab(t, Options{Work: sim.Fixed(time.Second), FlowControl: &FlowControl{MaxRequestsInflight: 1, MaxMutatingRequestsInflight: 1}})
	l.s.observer = &restarting{l.s.observer, l.s.Host()}
	create := func(names ...string) {
		for _, name := range names {
			l.start(l.h, func() { _, _ = l.c.Nodes().Create(ctx, newNode(name), metav1.CreateOptions{}) })
		}
	}
	create("first")
	l.runUntil(2 * time.Second)
	l.received = nil
	create("a", "b")
	l.runUntil(2500 * time.Millisecond)
	require.Len(t, l.received, 1, "one of two is refused")
	require.Equal(t, http.StatusTooManyRequests, l.last().Code)
}
