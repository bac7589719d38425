package fakeapi

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/sim"
)

// Whether seats are upstream's is held in conformance, by v1.37; here it is what
// changed before.
func TestListsTakeSeatsByVersion(t *testing.T) {
	v1_23 := SeatRules{Lists: true}
	v1_31 := SeatRules{Lists: true, ListsByName: true, Writes: true, ByLevel: true, FromCache: true}
	v1_34 := SeatRules{Lists: true, ListsByName: true, Writes: true, ByLevel: true, FromCache: true, InitialEvents: true, BySize: true}
	for _, test := range []struct {
		name  string
		rules SeatRules
		cost  ListCost
		want  int
	}{
		{"one up to 1.22", SeatRules{}, ListCost{Objects: 5000}, 1},
		{"two for each hundred read from etcd", v1_23, ListCost{Objects: 150}, 3},
		{"one for each hundred in the cache", v1_23, ListCost{Objects: 150, Options: metav1.ListOptions{ResourceVersion: "0"}}, 2},
		{"ten at most", v1_23, ListCost{Objects: 5000}, 10},
		{"by name like a whole list", v1_23, ListCost{Objects: 5000, ByName: true, Options: metav1.ListOptions{ResourceVersion: "0"}}, 10},
		{"by name one", v1_31, ListCost{Objects: 5000, ByName: true, Options: metav1.ListOptions{ResourceVersion: "0"}}, 1},
		{"a page is read twice", v1_23, ListCost{Objects: 5000, Options: metav1.ListOptions{Limit: 100}}, 2},
		{"what a selection looks at and what it finds", v1_23, ListCost{Objects: 450, Options: metav1.ListOptions{LabelSelector: "a=b", Limit: 100}}, 6},
		{"a page comes from the cache", v1_31, ListCost{Objects: 500, Options: metav1.ListOptions{Limit: 100}}, 5},
		{"the level's most", v1_31, ListCost{Objects: 5000, Most: 4}, 4},
		{"a watch one", v1_31, ListCost{Objects: 5000, Watch: true}, 1},
		{"a stream like a list", v1_34, ListCost{Objects: 50, Size: 10_000, Watch: true, Options: metav1.ListOptions{SendInitialEvents: new(true)}}, 5},
		{"one for each 100 kB", v1_34, ListCost{Objects: 500, Size: 1000}, 5},
		{"as much as is streamed at once", v1_34, ListCost{Objects: 5000, Size: 5000}, 10},
	} {
		require.Equal(t, Seats{Initial: test.want}, test.rules.OfList(&test.cost), test.name)
	}
}

func TestAWideRequestWaitsForAllItsSeatsAndTheOthersWithIt(t *testing.T) {
	level := newPriorityLevel(levelConfig{queueCount: 1, handSize: 1}, 4)
	three, two, one := &place{seats: Seats{Initial: 3}}, &place{seats: Seats{Initial: 2}}, &place{seats: Seats{Initial: 1}}
	require.True(t, level.enqueue(three, 0))
	require.Same(t, three, level.next())
	require.True(t, level.enqueue(two, 0))
	require.True(t, level.enqueue(one, 0))
	require.Nil(t, level.next(), "one of the four seats is free")
	level.finish(three, 0)
	level.release(three)
	require.Same(t, two, level.next())
	require.Same(t, one, level.next())
}

func TestWritesLingerByHowManyWatch(t *testing.T) {
	rules := SeatRules{Lists: true, Writes: true}
	require.Equal(t, Seats{Initial: 1}, rules.OfWrite(9, 0))
	require.Equal(t, Seats{Initial: 1, Final: 2, Lingers: 5 * time.Millisecond}, rules.OfWrite(11, 0))
	require.Equal(t, Seats{Initial: 1, Final: 10, Lingers: 250 * time.Millisecond}, rules.OfWrite(5000, 0), "5000 kube-proxies")
	require.Equal(t, Seats{Initial: 1}, SeatRules{Lists: true}.OfWrite(5000, 0), "1.23")
}

func TestWatchesOfAnIndexedFieldOrAnotherNameAreNotInterested(t *testing.T) {
	l := newLab(t, Options{})
	c := l.client(ClientOptions{Name: "test", User: "tenant"})
	for _, field := range []string{"", "metadata.name=a", "metadata.name=b", "spec.nodeName=node-0", "status.phase=Running"} {
		for _, namespace := range []string{"", ns, "other"} {
			l.start(l.h, func() {
				_, err := c.Pods(namespace).Watch(ctx, metav1.ListOptions{ResourceVersion: "1", FieldSelector: field})
				require.NoError(t, err)
			})
		}
	}
	l.runUntil(0)
	r := l.s.newRequest(c, l.s.pods, l.s.pods.space(ns), ns, opUpdate)
	r.call.Name = "a"
	require.Equal(t, 5, r.interested(), "those of all and by phase, in all namespaces and in this, and that of the name")
	r.op = opCreate
	require.Equal(t, 4, r.interested(), "without that of the name")
}

func TestAnswerDoesNotWaitForWhatLingers(t *testing.T) {
	flow := FlowControl{MaxRequestsInflight: 1, PriorityAndFairness: true, Seats: SeatRules{Lists: true, Writes: true}}
	l := newLab(t, Options{Work: sim.Fixed(100 * time.Millisecond), FlowControl: &flow})
	watcher, tenant := l.client(ClientOptions{Name: "watcher", User: "admin"}), l.client(ClientOptions{Name: "tenant", User: "tenant"})
	for range 20 {
		l.start(l.h, func() { _, _ = watcher.Nodes().Watch(ctx, metav1.ListOptions{ResourceVersion: "1"}) })
	}
	l.runUntil(time.Second)
	l.answered = nil
	l.start(l.h, func() { _, _ = tenant.Nodes().Create(ctx, newNode("node-0"), metav1.CreateOptions{}) })
	l.start(l.h, func() { _, _ = tenant.Nodes().Get(ctx, "node-0", metav1.GetOptions{}) })
	l.runUntil(2 * time.Second)
	var at []time.Duration
	for _, c := range l.answered {
		at = append(at, c.Answered.Duration())
	}
	// Two seats for 5 ms are one for 10 ms, where there is but one.
	require.Equal(t, []time.Duration{1100 * time.Millisecond, 1210 * time.Millisecond}, at)
}

// The figures are upstream's of the same configuration: what the levels do not
// lend, times all seats over the sum of that.
func TestLevelsOfAnIdleServerShareByWhatTheyDoNotLend(t *testing.T) {
	l := newLab(t, Options{FlowControl: &FlowControl{MaxRequestsInflight: 400, MaxMutatingRequestsInflight: 200, PriorityAndFairness: true, NodeHigh: true, Borrowing: true}})
	f := l.s.flow.(*priorityAndFairness)
	have := map[string]int{}
	for _, level := range f.order {
		have[level.name] = level.seats
	}
	require.Equal(t, map[string]int{"system": 117, "node-high": 170, "leader-election": 58, "workload-high": 114, "workload-low": 56, "global-default": 56, "catch-all": 30}, have)
	before := fmt.Sprint(have)
	f.lender.catchUp(int64(1000 * time.Hour))
	for _, level := range f.order {
		have[level.name] = level.seats
	}
	require.Equal(t, before, fmt.Sprint(have), "and so it stays")
}

func TestDemandRisesAtOnceAndFallsByHalfIn5Minutes(t *testing.T) {
	var d demand
	d.set(0, 100)
	require.Equal(t, 100, d.close(int64(lendingPeriod)))
	require.InDelta(t, 100, d.smoothed, 1e-9)
	d.set(int64(lendingPeriod), 0)
	for i := range 30 {
		d.close(int64(lendingPeriod) * int64(i+2))
	}
	require.InDelta(t, 50, d.smoothed, 0.5)
	require.Equal(t, 0, d.close(int64(lendingPeriod)*32))
}

// A level that wants more gets what others do not use, but not what they keep.
func TestSeatsAreLentToWhoWantsThem(t *testing.T) {
	l := newLab(t, Options{Work: sim.Fixed(20 * time.Second), FlowControl: &FlowControl{MaxRequestsInflight: 60, PriorityAndFairness: true, NodeHigh: true, Borrowing: true}})
	f := l.s.flow.(*priorityAndFairness)
	tenant := l.client(ClientOptions{Name: "tenant", User: "tenant", Timeout: time.Hour})
	for range 200 {
		l.start(l.h, func() { _, _ = tenant.Nodes().Get(ctx, "node-0", metav1.GetOptions{}) })
	}
	level := f.levels[levelGlobalDefault]
	l.runUntil(9999 * time.Millisecond)
	alone := level.inUse
	l.runUntil(10001 * time.Millisecond)
	require.Greater(t, level.inUse, 2*alone, "at 10 s, though nothing is answered before 20 s")
	for _, other := range f.order {
		require.GreaterOrEqual(t, other.seats, other.least(), other.name)
	}
}
