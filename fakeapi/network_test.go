package fakeapi

import (
	"context"
	"errors"
	"net"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/holter-sim/holter/sim"
)

const second = sim.Time(time.Second)

func TestARequestTakesTheLatencyThereAndBack(t *testing.T) {
	l := newLab(t, Options{Latency: sim.Fixed(3 * time.Millisecond)})
	l.do(func() { l.c.createNode("a") })
	c := l.last()
	ms := sim.Time(time.Millisecond)
	require.Equal(t, []sim.Time{0, 3 * ms, 3 * ms, 6 * ms}, []sim.Time{c.Sent, c.Arrived, c.Answered, c.Received})
	require.Equal(t, []any{uint64(1), "test/host", "create", "", "nodes", "a", "2", 201},
		[]any{c.ID, c.Client, c.Verb, c.Group, c.Resource, c.Name, c.ResourceVersion, c.Code})

	l.s.Network().SetLatency(sim.Fixed(time.Second))
	l.do(func() { l.c.mustGetNode("a") })
	require.Equal(t, 2*second, l.last().Received-l.last().Sent)
}

func TestAClientsLatenciesDependOnNobodyElse(t *testing.T) {
	run := func(crowd bool) (out []sim.Time) {
		l := newLab(t, Options{Latency: sim.Uniform(0, time.Second)})
		if crowd {
			h := l.e.NewHost("crowd")
			c := l.client(ClientOptions{Host: h, Name: "crowd"})
			l.start(h, func() {
				for range 20 {
					must(c.Nodes().List(ctx, metav1.ListOptions{}))
				}
			})
		}
		l.do(func() {
			for range 10 {
				must(l.c.Nodes().List(ctx, metav1.ListOptions{}))
				out = append(out, l.last().Received)
			}
		})
		return out
	}
	require.Equal(t, run(false), run(true))
}

func TestALostRequestChangesNothingAndTimesOut(t *testing.T) {
	l := newLab(t, Options{Latency: sim.Fixed(time.Millisecond)})
	c := l.client(ClientOptions{Name: "kubelet/n", Timeout: 10 * time.Second})
	l.do(func() {
		lease := l.c.createLease("x")
		remove := l.s.Network().Add(Rule{Name: "drop", LoseRequest: true, Match: Match{Clients: []string{"n"}, Verbs: []string{"update"}, Resources: []string{"leases"}}})
		sent := l.e.Now()
		_, err := c.renew(lease)
		require.EqualError(t, err, `Put "https://kube-apiserver:6443/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/x?timeout=10s": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`)
		requireTimeout(t, err)
		require.Equal(t, sent+10*second, l.e.Now())
		require.Same(t, lease, l.s.Lease(ns, "x"))
		call := l.last()
		require.Equal(t, []any{"drop", 0, sim.Never, sim.Never, sent + 10*second, err}, []any{call.Fault, call.Code, call.Arrived, call.Answered, call.Received, call.Err})

		remove()
		remove()
		must(c.renew(lease))
		require.Empty(t, l.last().Fault)
	})
}

func requireTimeout(t *testing.T, err error) {
	t.Helper()
	var timeout net.Error
	require.True(t, errors.As(err, &timeout) && timeout.Timeout(), "%v", err)
	require.True(t, utilnet.IsTimeout(err))
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestALostReplyWasCommitted(t *testing.T) {
	l := newLab(t, Options{Latency: sim.Fixed(time.Millisecond)})
	c := l.client(ClientOptions{Name: "kubelet/n", Timeout: 10 * time.Second})
	l.do(func() {
		lease := l.c.createLease("x")
		l.s.Network().Add(Rule{Name: "deaf", LoseReply: true, Count: 1})
		_, err := c.renew(lease)
		requireTimeout(t, err)
		call := l.last()
		require.Equal(t, []any{"deaf", 200, "3"}, []any{call.Fault, call.Code, call.ResourceVersion})
		require.Equal(t, "3", l.s.Lease(ns, "x").ResourceVersion)
		_, err = c.renew(lease)
		require.True(t, apierrors.IsConflict(err), "the client's copy is stale: %v", err)
		require.Empty(t, l.last().Fault, "the rule has touched its one call")
	})
}

func TestWithoutATimeoutTheConnectionIsFoundLostAfter45Seconds(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		lease := l.c.createLease("x")
		l.s.Network().Add(Rule{Name: "drop", LoseRequest: true})
		_, err := l.c.renew(lease)
		require.EqualError(t, err, `Put "https://kube-apiserver:6443/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/x": http2: client connection lost`)
		require.Equal(t, 45*second, l.e.Now())
		require.True(t, utilnet.IsHTTP2ConnectionLost(err))
	})
}

func TestAClientKilledInTheMiddleStillCommits(t *testing.T) {
	l := newLab(t, Options{Latency: sim.Fixed(time.Second)})
	other := l.e.NewHost("other")
	c := l.client(ClientOptions{Host: other, Name: "victim"})
	returned := false
	l.start(other, func() { c.createNode("a"); returned = true })
	l.do(func() {
		l.h.Sleep(500 * time.Millisecond)
		other.Kill()
		require.Nil(t, l.s.Node("a"))
		require.Len(t, l.received, 1)
		require.Equal(t, sim.Never, l.received[0].Received)
		require.EqualError(t, l.received[0].Err, "the client was killed while it awaited the answer: io: read/write on closed pipe")
		l.h.Sleep(5 * time.Second)
		require.NotNil(t, l.s.Node("a"))
	})
	require.False(t, returned)
	require.Len(t, l.answered, 1)
	require.Equal(t, 201, l.answered[0].Code)
	require.Len(t, l.received, 1)
}

func TestAClientKilledWithTheAnswerInItsHandsIsReportedOnce(t *testing.T) {
	l := newLab(t, Options{})
	other := l.e.NewHost("other")
	c := l.client(ClientOptions{Host: other, Name: "victim"})
	l.start(other, func() { c.createNode("a") })
	l.do(func() {
		other.Pause()
		l.h.Sleep(time.Second)
	})
	require.NoError(t, l.e.RunUntil(l.e.Now()+second))
	other.Kill()
	require.Len(t, l.received, len(l.answered))
}

func TestAPausedClient(t *testing.T) {
	for _, c := range []struct {
		name  string
		reply time.Duration // when the answer comes, after the client was sent to sleep for a minute
		fails bool
	}{{"has its answer if that came in time", 9 * time.Second, false}, {"has timed out if it came too late", 11 * time.Second, true}} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t, Options{Latency: sim.Fixed(c.reply / 2)})
			other := l.e.NewHost("other")
			client := l.client(ClientOptions{Host: other, Name: "sleeper", Timeout: 10 * time.Second})
			var err error
			var at sim.Time
			l.start(other, func() {
				_, err = client.Nodes().Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
				at = l.e.Now()
			})
			l.do(func() {
				l.h.Sleep(time.Second)
				other.Pause()
				l.h.Sleep(time.Minute)
				require.Zero(t, at)
				other.Resume()
				l.h.Sleep(time.Second)
			})
			require.Equal(t, 61*second, at)
			require.Equal(t, 61*second, l.last().Received)
			require.NotNil(t, l.s.Node("a"), "either way the write was committed")
			if c.fails {
				requireTimeout(t, err)
			} else {
				require.NoError(t, err)
			}
		})
	}
}

func TestAPausedServerAnswersInOrderWhenItResumes(t *testing.T) {
	l := newLab(t, Options{Latency: sim.Uniform(time.Millisecond, 9*time.Millisecond)})
	const clients = 20
	for i := range clients {
		h := l.e.NewHost("h" + strconv.Itoa(i))
		c := l.client(ClientOptions{Host: h, Name: "c" + strconv.Itoa(i), Timeout: time.Minute})
		l.start(h, func() {
			h.Sleep(time.Second + time.Duration(i)*10*time.Millisecond)
			c.createNode("n" + strconv.Itoa(i))
		})
	}
	l.do(func() {
		l.h.Sleep(time.Second)
		l.s.Host().Pause()
		l.h.Sleep(20 * time.Second)
		require.Empty(t, l.answered)
		l.s.Host().Resume()
		l.h.Sleep(time.Second)
	})
	require.Len(t, l.answered, clients)
	for i, c := range l.answered {
		require.Equal(t, "n"+strconv.Itoa(i), c.Name)
		require.Equal(t, 21*second, c.Arrived)
	}
}

func TestAServerThatComesToARequestTooLateDoesNotApplyIt(t *testing.T) {
	l := newLab(t, Options{})
	other := l.e.NewHost("other")
	c := l.client(ClientOptions{Host: other, Name: "kubelet/n", Timeout: 10 * time.Second})
	var err error
	l.start(other, func() {
		other.Sleep(time.Second)
		_, err = c.Nodes().Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
	})
	l.do(func() {
		l.s.Host().Pause()
		l.h.Sleep(30 * time.Second)
		l.s.Host().Resume()
		l.h.Sleep(time.Second)
	})
	requireTimeout(t, err)
	require.Nil(t, l.s.Node("a"))
	require.Len(t, l.answered, 1)
	require.Equal(t, 504, l.answered[0].Code)
	require.Equal(t, "Timeout: request did not complete within requested timeout - context deadline exceeded", l.answered[0].Message)
	require.Equal(t, 30*second, l.answered[0].Arrived)
	require.Equal(t, 11*second, l.last().Received)
}

func TestAKilledServerResetsWhatHungAndRefusesTheRest(t *testing.T) {
	l := newLab(t, Options{Latency: sim.Fixed(time.Millisecond)})
	other := l.e.NewHost("other")
	c := l.client(ClientOptions{Host: other, Name: "hanging", Timeout: time.Minute})
	var put, get error
	l.start(other, func() {
		other.Sleep(time.Second)
		_, put = c.Nodes().Update(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.UpdateOptions{})
	})
	l.start(other, func() {
		other.Sleep(time.Second)
		_, get = c.Nodes().Get(ctx, "a", metav1.GetOptions{})
	})
	l.do(func() {
		l.s.Host().Pause()
		l.h.Sleep(2 * time.Second)
		l.s.Host().Kill()
		l.h.Sleep(2 * time.Millisecond)
		require.EqualError(t, put, `Put "https://kube-apiserver:6443/api/v1/nodes/a?timeout=1m0s": read tcp: read: connection reset by peer`)
		require.ErrorIs(t, put, syscall.ECONNRESET)
		require.NoError(t, get, "client-go tries a GET again")
		_, err := l.c.Nodes().Get(ctx, "a", metav1.GetOptions{})
		require.EqualError(t, err, `Get "https://kube-apiserver:6443/api/v1/nodes/a": dial tcp: connect: connection refused`)
		require.True(t, utilnet.IsConnectionRefused(err))
		require.Equal(t, 2*second+4*sim.Time(time.Millisecond), l.e.Now())
		l.h.Sleep(time.Second)
		require.EqualError(t, get, `Get "https://kube-apiserver:6443/api/v1/nodes/a?timeout=1m0s": dial tcp: connect: connection refused - error from a previous attempt: read tcp: read: connection reset by peer`)
	})
	require.Empty(t, l.answered)
}

func TestARuleMayAnswerInsteadOfTheServer(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		lease := l.c.createLease("x")
		l.s.Network().Add(Rule{Name: "full", Count: 2, Match: Match{Resources: []string{"leases"}, Names: []string{"x"}},
			Respond: &metav1.Status{Status: metav1.StatusFailure, Code: 500, Reason: metav1.StatusReasonInternalError, Message: "etcdserver: no space"}})
		for range 2 {
			_, err := l.c.renew(lease)
			require.EqualError(t, err, "etcdserver: no space")
			require.Equal(t, []any{"full", 500}, []any{l.last().Fault, l.last().Code})
		}
		must(l.c.renew(lease))
	})
}

func TestClientsTryAgainAfterRetryAfter(t *testing.T) {
	busy := &metav1.Status{Status: metav1.StatusFailure, Code: 429, Reason: metav1.StatusReasonTooManyRequests,
		Message: "too many requests", Details: &metav1.StatusDetails{RetryAfterSeconds: 2}}
	t.Run("until it works", func(t *testing.T) {
		l := newLab(t, Options{})
		l.do(func() {
			l.s.Network().Add(Rule{Name: "busy", Respond: busy, Count: 3})
			l.c.createNode("a")
			require.Equal(t, 6*second, l.e.Now())
		})
		require.Len(t, l.received, 4)
		require.Equal(t, []int{429, 429, 429, 201}, []int{l.received[0].Code, l.received[1].Code, l.received[2].Code, l.received[3].Code})
	})
	t.Run("ten times", func(t *testing.T) {
		l := newLab(t, Options{})
		l.do(func() {
			l.s.Network().Add(Rule{Respond: busy})
			_, err := l.c.Nodes().Get(ctx, "a", metav1.GetOptions{})
			require.True(t, apierrors.IsTooManyRequests(err))
			require.Equal(t, 20*second, l.e.Now())
		})
		require.Len(t, l.received, 11)
	})
	t.Run("within their timeout", func(t *testing.T) {
		l := newLab(t, Options{})
		c := l.client(ClientOptions{Name: "kubelet/n", Timeout: 5 * time.Second})
		l.do(func() {
			l.s.Network().Add(Rule{Respond: busy})
			_, err := c.Nodes().Get(ctx, "a", metav1.GetOptions{})
			require.EqualError(t, err, `Get "https://kube-apiserver:6443/api/v1/nodes/a?timeout=5s": context deadline exceeded`)
			require.Equal(t, 5*second, l.e.Now())
		})
		require.Len(t, l.received, 3)
	})
}

func TestRulesTakeEffectOnRequestsUnderWay(t *testing.T) {
	l := newLab(t, Options{Latency: sim.Fixed(time.Second)})
	c := l.client(ClientOptions{Name: "kubelet/n", Timeout: 10 * time.Second})
	var errs []error
	create := func(name string) func() {
		return func() {
			_, err := c.Nodes().Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
			errs = append(errs, err)
		}
	}
	l.start(l.h, create("lost-on-its-way-there"))
	l.runUntil(500 * time.Millisecond)
	remove := l.s.Network().Add(Rule{LoseRequest: true, LoseReply: true})
	l.runUntil(1500 * time.Millisecond)
	remove()
	l.start(l.h, create("passes-after-the-rule"))
	l.runUntil(3 * time.Second)
	remove = l.s.Network().Add(Rule{LoseRequest: true, LoseReply: true})
	l.runUntil(4 * time.Second)
	remove()
	l.runUntil(time.Minute)
	require.Len(t, errs, 2)
	requireTimeout(t, errs[0])
	requireTimeout(t, errs[1])
	require.Nil(t, l.s.Node("lost-on-its-way-there"))
	require.NotNil(t, l.s.Node("passes-after-the-rule"), "its answer was lost")
}

func TestARuleSlowsDownWhatItMatches(t *testing.T) {
	l := newLab(t, Options{})
	slow := sim.Fixed(2 * time.Second)
	l.do(func() {
		w := must(l.c.Nodes().Watch(ctx, metav1.ListOptions{ResourceVersion: "1"}))
		l.s.Network().Add(Rule{Name: "slow", Latency: &slow, Match: Match{Resources: []string{"nodes"}}})
		l.c.createLease("x")
		require.Zero(t, l.e.Now())
		l.c.createNode("a")
		require.Equal(t, 4*second, l.e.Now())
		require.Equal(t, "slow", l.last().Fault)
		must(w.Next())
		require.Equal(t, 4*second, l.e.Now(), "sent at 2 s, arrived with the answer")
		_, err := l.client(ClientOptions{Name: "kubelet/n", Timeout: 3 * time.Second}).Nodes().Get(ctx, "a", metav1.GetOptions{})
		requireTimeout(t, err)
		require.Equal(t, 7*second, l.e.Now())
	})
}

func TestSubresourcesAreMatchedByTheirOwnName(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		node := l.c.createNode("a")
		l.s.Network().Add(Rule{Match: Match{Resources: []string{"nodes/status"}}, Respond: &metav1.Status{Code: 403, Reason: metav1.StatusReasonForbidden, Message: "no"}})
		_, err := l.c.Nodes().UpdateStatus(ctx, node, metav1.UpdateOptions{})
		require.True(t, apierrors.IsForbidden(err))
		must(l.c.Nodes().Update(ctx, node, metav1.UpdateOptions{}))
	})
}

func TestHeldWatchEventsArriveInOrderWhenTheRuleIsRemoved(t *testing.T) {
	l := newLab(t, Options{Latency: sim.Fixed(time.Millisecond)})
	l.do(func() {
		held := must(l.c.Leases("").Watch(ctx, metav1.ListOptions{ResourceVersion: "1"}))
		free := must(l.c.Nodes().Watch(ctx, metav1.ListOptions{ResourceVersion: "1"}))
		remove := l.s.Network().Add(Rule{HoldWatch: true, Match: Match{Resources: []string{"leases"}}})
		lease := l.c.createLease("x")
		lease = must(l.c.renew(lease))
		l.c.createNode("n")
		l.h.Sleep(time.Hour / 2)
		require.Empty(t, must(drain(held)))
		require.Len(t, must(drain(free)), 1)
		remove()
		must(l.c.renew(lease))
		l.h.Sleep(1)
		require.Equal(t, []string{"ADDED x@2", "MODIFIED x@3", "MODIFIED x@5"}, must(drain(held)))
	})
}

func TestTwoRulesThatHoldAWatchMustBothGo(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		w := must(l.c.Nodes().Watch(ctx, metav1.ListOptions{ResourceVersion: "1"}))
		first := l.s.Network().Add(Rule{HoldWatch: true})
		second := l.s.Network().Add(Rule{HoldWatch: true, Match: Match{Clients: []string{"host"}, Verbs: []string{"watch"}}})
		l.c.createNode("a")
		l.h.Sleep(1)
		first()
		l.h.Sleep(1)
		require.Empty(t, must(drain(w)))
		second()
		l.h.Sleep(1)
		require.Len(t, must(drain(w)), 1)
	})
}

func TestAWatchThatIsNotEstablishedIsNotLeftBehind(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		remove := l.s.Network().Add(Rule{LoseReply: true, Match: Match{Verbs: []string{"watch"}}})
		_, err := l.c.Nodes().Watch(ctx, metav1.ListOptions{})
		require.ErrorContains(t, err, "http2: client connection lost")
		require.Zero(t, l.s.Stats().Watches)
		remove()
	})
	require.Equal(t, "watch", l.last().Verb)
	require.Equal(t, 200, l.last().Code)
}

func TestACancelledContextSendsNothing(t *testing.T) {
	l := newLab(t, Options{})
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	l.do(func() {
		_, err := l.c.Leases(ns).Create(cancelled, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "x"}}, metav1.CreateOptions{})
		require.ErrorIs(t, err, context.Canceled)
	})
	require.Zero(t, l.s.Stats().Calls)
}
