package kubelet

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/sim"
)

func TestStatusIsComputedTenToTenPointFourSecondsAfterTheLastUpdateEnded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLab(t, rapid.Uint64().Draw(t, "seed"))
		l.server.Network().SetLatency(sim.Uniform(0, time.Second))
		l.run()
		l.ready()
		l.to(l.tickAfter(2*time.Minute) + 3*time.Second) // past the fast path
		var ended time.Duration
		var gaps []time.Duration
		for len(gaps) < 20 {
			l.put(unknown) // so that each tick sends something
			tick := l.tickAfter(l.now())
			if ended > 0 {
				gaps = append(gaps, tick-ended)
			}
			l.to(tick + 3*time.Second)
			sent := l.reports(tick)
			require.Len(t, sent, 1)
			ended = sent[0].Received.Duration()
		}
		for _, gap := range gaps {
			require.GreaterOrEqual(t, gap, updates)
			require.Less(t, gap, updates*104/100)
		}
	})
}

func TestStatusJitterFillsItsFourPercent(t *testing.T) {
	l := newLab(t, 1)
	l.run()
	l.to(time.Minute)
	l.ticks = nil
	l.to(2000 * time.Second)
	counts := quarters(gapsOf(l.ticks), updates, updates*4/100)
	require.Len(t, counts, 4)
	for quarter := range 4 {
		require.Greater(t, counts[quarter], 25, "of about 190 pauses, quarter %d", quarter)
	}
}

func TestUpdateFrequencyIsTheConfigured(t *testing.T) {
	for _, frequency := range []time.Duration{time.Second, 4 * time.Second, time.Minute} {
		l := newLab(t, 1, func(c *Config) { c.NodeStatusUpdateFrequency = frequency })
		l.run()
		l.to(2 * time.Minute)
		l.ticks = nil
		l.to(20 * time.Minute)
		for _, gap := range gapsOf(l.ticks) {
			require.GreaterOrEqual(t, gap, frequency)
			require.Less(t, gap, frequency*104/100)
		}
	}
}

func gapsOf(all []time.Duration) []time.Duration {
	var out []time.Duration
	for i := 1; i < len(all); i++ {
		out = append(out, all[i]-all[i-1])
	}
	return out
}

func TestFirstTickIsAtOnceAndRegisters(t *testing.T) {
	l := newLab(t, 1, func(c *Config) { c.RegisterNode = false })
	l.server.Put(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}})
	l.run()
	l.to(ms)
	require.Zero(t, l.ticks[0])
	require.Equal(t, []time.Duration{0}, instants(l.reports(0)))

	l = newLab(t, 1)
	l.run()
	l.to(100 * ms)
	require.Equal(t, []time.Duration{100 * ms}, instants(l.callsOf("create nodes")), "registration waits, not the tick")
}

func TestStatusIsReadFromTheListerAndNothingIsAskedWhileNothingChanges(t *testing.T) {
	l := newLab(t, 1)
	l.run()
	l.to(15 * time.Second)
	ticks := len(l.ticks)
	l.to(2 * time.Minute)
	require.GreaterOrEqual(t, len(l.ticks)-ticks, 10)
	require.Empty(t, l.sent(heartbeatClient, 15*time.Second))
}

func TestFailedUpdateIsTriedFourTimesMoreFromTheAPIServerAndAtOnce(t *testing.T) {
	l := newLab(t, 1)
	l.run()
	l.to(15 * time.Second)
	remove := l.rule(heartbeatClient, "patch", "nodes/status", refuse)
	l.kl.cfg.Machine.NodeInfo.KernelVersion = "7"
	l.decisions, l.repeated = nil, 0
	tick := l.tickAfter(15 * time.Second)
	want := []string{"patch nodes/status: 500"}
	for range 4 {
		want = append(want, "get nodes: ok", "patch nodes/status: 500")
	}
	require.Equal(t, want, l.sent(heartbeatClient, tick))
	for _, c := range l.reports(tick) {
		require.Equal(t, tick, c.Sent.Duration(), "no wait between them")
	}
	require.Equal(t, 4, l.repeated, "every failure but the first")
	require.Equal(t, []string{heartbeat.DecisionStatusFailed}, l.decisions)

	remove()
	next := l.tickAfter(tick + time.Second)
	require.GreaterOrEqual(t, next-tick, updates)
	require.Equal(t, []string{"patch nodes/status: ok"}, l.sent(heartbeatClient, next), "the loop goes on, by the lister again")
}

func TestUpdateIsNotTriedAgainOnceItSucceeded(t *testing.T) {
	for failures := range 5 {
		l := newLab(t, 1)
		l.run()
		l.to(15 * time.Second)
		if failures > 0 {
			rule := refuse
			rule.Count = failures
			l.rule(heartbeatClient, "patch", "nodes/status", rule)
		}
		l.kl.cfg.Machine.NodeInfo.KernelVersion = "7"
		l.decisions, l.repeated = nil, 0
		tick := l.tickAfter(15 * time.Second)
		require.Len(t, l.reports(tick), failures+1)
		require.Len(t, l.sent(heartbeatClient, tick), 2*failures+1)
		require.Equal(t, max(0, failures-1), l.repeated)
		require.Empty(t, l.decisions)
		require.Equal(t, "7", l.server.Node("n").Status.NodeInfo.KernelVersion)
	}
}

func TestGetThatFailsIsAFailedTry(t *testing.T) {
	l := newLab(t, 1)
	l.run()
	l.to(15 * time.Second)
	l.rule(heartbeatClient, "patch", "nodes/status", refuse)
	l.rule(heartbeatClient, "get", "nodes", refuse)
	l.kl.cfg.Machine.NodeInfo.KernelVersion = "7"
	l.decisions, l.repeated = nil, 0
	tick := l.tickAfter(15 * time.Second)
	require.Equal(t, []string{"patch nodes/status: 500", "get nodes: 500", "get nodes: 500", "get nodes: 500", "get nodes: 500"}, l.sent(heartbeatClient, tick))
	require.Equal(t, 4, l.repeated)
	require.Equal(t, []string{heartbeat.DecisionStatusFailed}, l.decisions)
}

func TestUpdateThatIsNeverAnsweredCostsTheClientsTimeoutEachTry(t *testing.T) {
	l := newLab(t, 1)
	l.run()
	l.to(15 * time.Second)
	l.rule(heartbeatClient, "patch", "nodes/status", fakeapi.Rule{LoseRequest: true})
	l.kl.cfg.Machine.NodeInfo.KernelVersion = "7"
	tick := l.tickAfter(15 * time.Second)
	l.to(tick + 5*timeout)
	want := []time.Duration{tick, tick + timeout, tick + 2*timeout, tick + 3*timeout, tick + 4*timeout}
	require.Equal(t, want, instants(l.reports(tick)))
	require.Equal(t, "get nodes: ok", l.sent(heartbeatClient, tick)[1])
	next := l.tickAfter(tick + 5*timeout)
	require.GreaterOrEqual(t, next-tick, 5*timeout+updates, "the wait counts from the end")
	require.Less(t, next-tick, 5*timeout+updates*104/100)
}

func TestUpdateWhoseAnswerIsLostIsDoneAndSentNoMore(t *testing.T) {
	l := newLab(t, 1)
	l.run()
	l.to(15 * time.Second)
	l.rule(heartbeatClient, "patch", "nodes/status", fakeapi.Rule{LoseReply: true, Count: 1})
	l.kl.cfg.Machine.NodeInfo.KernelVersion = "7"
	tick := l.tickAfter(15 * time.Second)
	require.Equal(t, "7", l.server.Node("n").Status.NodeInfo.KernelVersion)
	l.to(tick + timeout)
	require.Equal(t, []string{"patch nodes/status: no answer", "get nodes: ok"}, l.sent(heartbeatClient, tick), "it reads what it wrote, and nothing has changed")
	require.Zero(t, l.repeated)
}

func TestKubeletIsIndifferentToOthers(t *testing.T) {
	alone := func(others ...string) []time.Duration {
		l := newLab(t, 7)
		for _, name := range others {
			host, cfg := l.engine.NewHost("kubelet/"+name), l.cfg
			cfg.NodeName, cfg.Machine = name, DefaultMachine(name, "10.0.0.9", "v1.36.3")
			client := l.server.NewClient(fakeapi.ClientOptions{Host: host, Name: name})
			New(host, Clients{Kube: client.Nodes(), Heartbeat: client.Nodes(), Leases: client.Leases("kube-node-lease"), WatchNodes: l.watchBy(client)}, cfg, nil).Run()
		}
		l.run()
		l.to(20 * time.Minute)
		for _, name := range append(others, "n") {
			require.NotNil(t, l.server.Node(name))
		}
		return append(instants(l.reports(0)), l.ticks...)
	}
	require.Equal(t, alone(), alone("a", "b"))
}
