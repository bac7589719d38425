package fakeapi

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/flowcontrol"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/sim"
)

func TestAClientSendsItsBurstAtOnceAndThenAsOftenAsItMay(t *testing.T) {
	l := newLab(t, Options{})
	c := l.client(ClientOptions{Name: "kubelet/n", Limit: &Limit{QPS: 5, Burst: 10}})
	l.do(func() {
		for range 16 {
			_, _ = c.Nodes().Get(ctx, "x", metav1.GetOptions{})
		}
		l.h.Sleep(time.Second) // five tokens come back
		for range 6 {
			_, _ = c.Nodes().Get(ctx, "x", metav1.GetOptions{})
		}
	})
	var sent []time.Duration
	for _, call := range l.received {
		sent = append(sent, call.Sent.Duration())
	}
	for i := range 10 {
		require.Zero(t, sent[i])
	}
	for i := range 6 {
		require.Equal(t, time.Duration(i+1)*200*time.Millisecond, sent[10+i])
	}
	require.Equal(t, []time.Duration{2200 * time.Millisecond, 2200 * time.Millisecond, 2200 * time.Millisecond,
		2200 * time.Millisecond, 2200 * time.Millisecond, 2400 * time.Millisecond}, sent[16:])
}

func TestWatchesAreNotThrottledAndWaitingIsNotPartOfTheTimeout(t *testing.T) {
	l := newLab(t, Options{})
	c := l.client(ClientOptions{Name: "kubelet/n", Timeout: time.Second, Limit: &Limit{QPS: 0.5, Burst: 1}})
	l.do(func() {
		_, _ = c.Nodes().Get(ctx, "x", metav1.GetOptions{})
		for range 3 {
			must(c.Nodes().Watch(ctx, metav1.ListOptions{})).Stop()
		}
		require.Zero(t, l.e.Now())
		c.createNode("after-two-seconds")
		require.Equal(t, 2*second, l.e.Now())
	})
}

func TestNoQPSIsClientGosDefaultAndANegativeOneIsNoLimit(t *testing.T) {
	limited, unlimited := newThrottle(0, 0), newThrottle(-1, 0)
	for range 10 {
		require.Zero(t, limited.take(0))
		require.Zero(t, unlimited.take(0))
	}
	require.Equal(t, 200*time.Millisecond, limited.take(0))
	require.Zero(t, unlimited.take(0))
}

// The bucket is client-go's, to the nanosecond that its floating point loses.
func TestThrottleIsUpstreamsTokenBucket(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		qps := rapid.Float32Range(0.5, 100).Draw(t, "qps")
		burst := rapid.IntRange(1, 100).Draw(t, "burst")
		ours := newThrottle(qps, burst)
		clock := &bucketClock{}
		upstream := flowcontrol.NewTokenBucketRateLimiterWithClock(qps, burst, clock)
		var drift time.Duration
		for _, pause := range rapid.SliceOfN(rapid.Int64Range(0, int64(3*time.Second)), 1, 80).Draw(t, "pauses") {
			clock.now += sim.Time(pause)
			now := clock.now
			wait := ours.take(now)
			upstream.Accept()
			drift += 4 * time.Nanosecond
			require.InDelta(t, clock.now.Sub(now), wait, float64(drift))
		}
	})
}

// bucketClock is a clock that sleeping moves.
type bucketClock struct{ now sim.Time }

func (c *bucketClock) Now() time.Time                  { return time.Unix(0, 0).Add(c.now.Duration()) }
func (c *bucketClock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }
func (c *bucketClock) Sleep(d time.Duration)           { c.now = c.now.Add(d) }
