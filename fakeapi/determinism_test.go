package fakeapi

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/sim"
)

// eventful is a minute with everything in it: renewals, watches, losses, a
// partition, pauses, kills.
func eventful(t testing.TB, seed uint64) uint64 {
	latency, err := sim.LogNormal(4*time.Millisecond, 20*time.Millisecond)
	require.NoError(t, err)
	l := newSeededLab(t, Options{Latency: latency, WatchLog: 50}, seed)
	for i := range 10 {
		name := fmt.Sprint("node-", i)
		h := l.e.NewHost(name)
		c := l.client(ClientOptions{Host: h, Name: "kubelet/" + name, Timeout: 3 * time.Second, ObserveWatches: true})
		l.start(h, func() {
			c.createNode(name)
			lease := c.createLease(name)
			for {
				h.Sleep(time.Second)
				if renewed, err := c.renew(lease); err == nil {
					lease = renewed
				} else if current, err := c.Leases(ns).Get(ctx, name, metav1.GetOptions{}); err == nil {
					lease = current
				}
			}
		})
		l.start(h, func() { c.follow(map[string]string{}, "metadata.name="+name) })
	}
	n := l.s.Network()
	l.e.At(10*second, func() {
		p := partition
		p.Match.Clients = []string{"node-1", "node-2"}
		l.e.After(10*time.Second, n.Add(p))
	})
	l.e.At(12*second, func() { n.Add(Rule{Name: "deaf", LoseReply: true, Count: 7}) })
	l.e.At(25*second, l.s.Host().Pause)
	l.e.At(30*second, l.s.Host().Resume)
	l.e.At(40*second, l.s.Host().Kill)
	l.e.At(45*second, l.s.Host().Restart)
	l.runUntil(time.Minute)
	require.Greater(t, len(l.received), 300)
	l.e.Close()
	return l.hash()
}

func TestTheSameSeedGivesTheSameCalls(t *testing.T) {
	first := eventful(t, 7)
	require.Equal(t, first, eventful(t, 7))
	require.NotEqual(t, first, eventful(t, 8))
}

func TestShuffledTiesLeaveEachConnectionInOrder(t *testing.T) {
	for seed := range uint64(20) {
		l := &lab{t: t, e: sim.New(sim.Options{Seed: seed, ShuffleTies: true})}
		l.s = New(l.e, Options{Latency: sim.Fixed(time.Millisecond)})
		l.h = l.e.NewHost("host")
		l.c = l.client(ClientOptions{Name: "test"})
		l.do(func() {
			watches := []*Watch{}
			for range 3 {
				watches = append(watches, must(l.c.Nodes().Watch(ctx, metav1.ListOptions{ResourceVersion: "1"})))
			}
			for i := range 5 {
				l.start(l.h, func() { l.c.createNode(fmt.Sprint("n", i)) })
			}
			l.s.Host().Pause()
			l.h.Sleep(10 * time.Millisecond)
			l.s.Host().Resume()
			l.h.Sleep(10 * time.Millisecond)
			for _, w := range watches {
				for v := range 5 {
					require.Equal(t, fmt.Sprint(v+2), must(w.Next()).Object.(metav1.Object).GetResourceVersion())
				}
			}
		})
		l.e.Close()
	}
}
