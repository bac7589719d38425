package fakeapi

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/sim"
)

const node0 = "system:node:node-0"

// The figures are ceil(600 * shares / sum), as in upstream's metric
// apiserver_flowcontrol_nominal_limit_seats with the default flags.
func TestLevelsShareTheSeatsAsUpstreamDoes(t *testing.T) {
	for nodeHigh, want := range map[bool]map[string]int{
		true:  {"system": 74, "node-high": 98, "leader-election": 25, "workload-high": 98, "workload-low": 245, "global-default": 49, "catch-all": 13},
		false: {"system": 88, "leader-election": 30, "workload-high": 118, "workload-low": 293, "global-default": 59, "catch-all": 15},
	} {
		f := newPriorityAndFairness(nil, &FlowControl{MaxRequestsInflight: 400, MaxMutatingRequestsInflight: 200, NodeHigh: nodeHigh})
		have := map[string]int{}
		for _, level := range f.order {
			have[level.name] = level.seats
		}
		require.Equal(t, want, have)
	}
}

func TestRequestsAreOfTheLevelsThatUpstreamHasThemIn(t *testing.T) {
	l := newLab(t, Options{})
	for _, test := range []struct {
		user, namespace string
		op              op
		table           *table
		subresource     string
		level, before   string // with and without node-high
	}{
		{node0, ns, opUpdate, l.s.leases, "", "node-high", "system"},
		{node0, "", opPatch, l.s.nodes, "status", "node-high", "system"},
		{node0, "", opGet, l.s.nodes, "", "node-high", "system"},
		{node0, "default", opGet, l.s.pods, "", "system", "system"},
		{node0, "default", opCreate, l.s.events, "", "system", "system"},
		{node0, "", opList, l.s.leases, "", "system", "system"}, // of all namespaces
		{"system:kube-controller-manager", "kube-system", opUpdate, l.s.leases, "", "leader-election", "leader-election"},
		{"system:kube-controller-manager", "", opWatch, l.s.leases, "", "workload-high", "workload-high"},
		{"system:kube-controller-manager", "", opUpdate, l.s.nodes, "status", "workload-high", "workload-high"},
		{"system:kube-scheduler", "default", opCreate, l.s.pods, "binding", "workload-high", "workload-high"},
		{"system:serviceaccount:kube-system:node-controller", "", opUpdate, l.s.nodes, "status", "workload-high", "workload-high"},
		{"system:serviceaccount:kube-system:x", "kube-system", opUpdate, l.s.leases, "", "leader-election", "leader-election"},
		{"system:serviceaccount:default:operator", ns, opUpdate, l.s.leases, "", "workload-low", "workload-low"},
		{"tenant", "default", opList, l.s.pods, "", "global-default", "global-default"},
		{"admin", "", opDelete, l.s.nodes, "", "exempt", "exempt"},
	} {
		c := l.client(ClientOptions{Name: "test", User: test.user})
		r := l.s.newRequest(c, test.table, nil, test.namespace, test.op)
		r.setSubresource(test.subresource)
		for nodeHigh, want := range map[bool]string{true: test.level, false: test.before} {
			f := newPriorityAndFairness(l.s, &FlowControl{MaxRequestsInflight: 400, MaxMutatingRequestsInflight: 200, NodeHigh: nodeHigh})
			require.Equal(t, want, f.classify(r).level, "%+v", test)
		}
	}
}

// The hands are what upstream's Dealer (apiserver v0.37.1) deals these flows.
func TestFlowsAreDealtUpstreamsHands(t *testing.T) {
	for _, test := range []struct {
		schema, flow string
		hash         uint64
		of64, of128  []int
		of16         []int
	}{
		{"system-node-high", node0, 14696090929083495904, []int{32, 39, 63, 54, 58, 45}, []int{96, 26, 88, 121, 18, 64}, []int{0, 5, 12, 7}},
		{"global-default", "tenant", 11041623788493814885, []int{37, 46, 41, 15, 28, 45}, []int{101, 62, 87, 99, 119, 56}, []int{5, 6, 11, 10}},
		{"kube-controller-manager", "", 14257900033262264633, []int{57, 29, 61, 56, 39, 18}, []int{57, 103, 71, 102, 95, 91}, []int{9, 15, 7, 3}},
	} {
		hash := hashFlow(test.schema, test.flow)
		require.Equal(t, test.hash, hash)
		require.Equal(t, test.of64, deal(hash, 64, make([]int, 6)))
		require.Equal(t, test.of128, deal(hash, 128, make([]int, 6)))
		require.Equal(t, test.of16, deal(hash, 16, make([]int, 4)))
	}
}

func TestHandHoldsNoCardTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seen := map[int]bool{}
		for _, card := range deal(rapid.Uint64().Draw(t, "hash"), 64, make([]int, 6)) {
			if card < 0 || card >= 64 || seen[card] {
				t.Fatalf("card %d", card)
			}
			seen[card] = true
		}
	})
}

func TestRetryAfterDoublesWhileRequestsAreDroppedAndFallsByOneAfter(t *testing.T) {
	d := newDroppedRequests()
	var have []int64
	for second := int64(1000); second < 1070; second++ {
		for range 3 {
			d.record(second)
		}
		have = append(have, d.retryAfter)
	}
	// Doubled with the second second, then after as many seconds as it was.
	require.Equal(t, []int64{1, 2, 2, 4, 4, 4, 4, 8}, have[:8])
	require.EqualValues(t, 32, have[len(have)-1])
	d.record(1200)
	require.EqualValues(t, 31, d.retryAfter)
	d.record(1201)
	require.EqualValues(t, 30, d.retryAfter)
}

func TestOverTheLimitReadsAndWritesAre429OnTheirOwn(t *testing.T) {
	l := newLab(t, Options{Work: sim.Fixed(time.Second), FlowControl: &FlowControl{MaxRequestsInflight: 2, MaxMutatingRequestsInflight: 1}})
	tenant := l.client(ClientOptions{Name: "tenant", User: "tenant", Timeout: 500 * time.Millisecond})
	admin := l.client(ClientOptions{Name: "admin", User: "admin"})
	for i := range 3 {
		l.start(l.h, func() { _, _ = tenant.Nodes().Get(ctx, "node-0", metav1.GetOptions{}) })
		l.start(l.h, func() { _, _ = tenant.Nodes().Create(ctx, newNode(fmt.Sprint("node-", i)), metav1.CreateOptions{}) })
	}
	l.start(l.h, func() { _, _ = admin.Nodes().Create(ctx, newNode("node-9"), metav1.CreateOptions{}) })
	l.start(l.h, func() { _, _ = tenant.Nodes().Watch(ctx, metav1.ListOptions{ResourceVersion: "1"}) })
	l.runUntil(time.Millisecond)
	codes := map[string]int{}
	for _, c := range l.answered {
		codes[fmt.Sprint(c.Verb, " ", c.Code)]++
	}
	require.Equal(t, map[string]int{"get 429": 1, "create 429": 2}, codes)
	var refused *apierrors.StatusError
	require.ErrorAs(t, l.received[0].Err, &refused)
	require.Equal(t, "Too many requests, please try again later.", refused.ErrStatus.Details.Causes[0].Message)
	require.EqualValues(t, 1, refused.ErrStatus.Details.RetryAfterSeconds)
}

// load is a level of one seat that tenants compete for with requests of 100 ms.
func load(t *testing.T, flow FlowControl) *lab {
	flow.MaxRequestsInflight, flow.MaxMutatingRequestsInflight, flow.PriorityAndFairness = 1, 0, true
	return newLab(t, Options{Work: sim.Fixed(100 * time.Millisecond), FlowControl: &flow})
}

func TestFlowsOfOneLevelTakeTurns(t *testing.T) {
	l := load(t, FlowControl{NodeHigh: true})
	many, few := l.client(ClientOptions{Name: "many", User: "many"}), l.client(ClientOptions{Name: "few", User: "few"})
	for range 40 {
		l.start(l.h, func() { _, _ = many.Nodes().Get(ctx, "node-0", metav1.GetOptions{}) })
	}
	l.runUntil(50 * time.Millisecond)
	l.start(l.h, func() { _, _ = few.Nodes().Get(ctx, "node-0", metav1.GetOptions{}) })
	l.runUntil(10 * time.Second)
	require.Len(t, l.received, 41)
	for i, c := range l.received {
		if c.Client == "few" {
			require.Less(t, i, 9, "it waits for one request of each of the six queues that the other has, not for all forty")
		}
	}
}

func TestAFloodInOneLevelLeavesTheSeatsOfAnotherAlone(t *testing.T) {
	l := load(t, FlowControl{NodeHigh: true})
	tenant, kubelet := l.client(ClientOptions{Name: "tenant", User: "tenant"}), l.client(ClientOptions{Name: "kubelet/node-0", User: node0, Timeout: 10 * time.Second})
	l.s.Put(kubeletLease("node-0"))
	for range 200 {
		l.start(l.h, func() { _, _ = tenant.Nodes().Get(ctx, "node-0", metav1.GetOptions{}) })
	}
	l.runUntil(50 * time.Millisecond)
	l.start(l.h, func() { _, _ = kubelet.renew(l.s.Lease(ns, "node-0")) })
	l.runUntil(150 * time.Millisecond)
	require.Equal(t, "kubelet/node-0", l.last().Client)
	require.Equal(t, http.StatusOK, l.last().Code)
}

func TestRequestWaitsForAQuarterOfItsDeadline(t *testing.T) {
	for _, test := range []struct {
		byDeadline bool
		timeout    time.Duration
		want       sim.Time
	}{
		{true, 10 * time.Second, 2500 * second / 1000},
		{true, 0, 15 * second},
		{false, 30 * time.Second, 15 * second},
		{false, 0, 15 * second},
	} {
		l := newLab(t, Options{Work: sim.Fixed(100 * time.Second), FlowControl: &FlowControl{MaxRequestsInflight: 1, PriorityAndFairness: true, WaitsByDeadline: test.byDeadline}})
		first := l.client(ClientOptions{Name: "first", User: "tenant"})
		second := l.client(ClientOptions{Name: "second", User: "tenant", Timeout: test.timeout})
		l.start(l.h, func() { _, _ = first.Nodes().Get(ctx, "node-0", metav1.GetOptions{}) })
		l.start(l.h, func() { _, _ = second.Nodes().Get(ctx, "node-0", metav1.GetOptions{}) })
		l.runUntil(20 * time.Second)
		require.NotEmpty(t, l.answered, "%+v", test)
		require.Equal(t, http.StatusTooManyRequests, l.answered[0].Code)
		require.Equal(t, test.want, l.answered[0].Answered)
	}
}

func TestQueueThatIsFullRefuses(t *testing.T) {
	l := load(t, FlowControl{AdaptiveRetryAfter: true})
	tenant := l.client(ClientOptions{Name: "tenant", User: "tenant", Timeout: 500 * time.Millisecond})
	for range 1 + 6*50 + 10 {
		l.start(l.h, func() { _, _ = tenant.Nodes().Get(ctx, "node-0", metav1.GetOptions{}) })
	}
	l.runUntil(0)
	require.Len(t, l.answered, 10, "six queues of fifty, and one that is worked on")
}
