package lease_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/sim"
)

func TestRenewalIsOnePutTenToTenPointFourSecondsAfterTheLastAnswer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLab(t, rapid.Uint64().Draw(t, "seed"), sim.Uniform(0, 2*time.Second))
		l.startRegistered(node)
		l.to(200 * time.Second)

		renewals := l.since(time.Nanosecond).of("update", "leases")
		require.Equal(t, []string{"get leases", "update leases"}, verbs(l.all()[:2]), "a restarted kubelet renews at once")
		require.GreaterOrEqual(t, len(renewals), 13)
		require.Len(t, l.all(), len(renewals)+1, "nothing but a PUT each time")
		for _, pause := range renewals.pauses() {
			require.GreaterOrEqual(t, pause, interval)
			require.Less(t, pause, interval*104/100)
		}
	})
}

func TestJitterFillsItsFourPercent(t *testing.T) {
	l := newLab(t, 1, sim.Dist{})
	l.startRegistered(node)
	l.to(2000 * time.Second)
	quarters := map[time.Duration]int{}
	for _, pause := range l.all().of("update", "leases").pauses() {
		quarters[(pause-interval)/(100*time.Millisecond)]++
	}
	require.Len(t, quarters, 4)
	for quarter, n := range quarters {
		require.Greater(t, n, 25, "of about 196 pauses, quarter %d", quarter)
	}
}

func TestRenewTimeIsTheHostsClockInMicroseconds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLab(t, rapid.Uint64().Draw(t, "seed"), sim.Dist{})
		l.startRegistered(node)
		offset := time.Duration(rapid.Int64Range(-1e12, 1e12).Draw(t, "offset"))
		l.host.Clock().SetOffset(offset)
		l.to(35 * time.Second)

		renewals := l.all().of("update", "leases")
		last := renewals[len(renewals)-1].Sent
		want := l.engine.Start().Add(last.Duration() + offset).Truncate(time.Microsecond)
		require.True(t, want.Equal(l.stored().Spec.RenewTime.Time), "want %s, is %s", want, l.stored().Spec.RenewTime)
	})
}

func TestRenewalKeepsWhatOthersWroteButNotTheDuration(t *testing.T) {
	l := newLab(t, 1, sim.Dist{})
	l.startRegistered(node)
	l.to(15 * time.Second)
	foreign := l.stored().DeepCopy()
	*foreign.Spec.LeaseDurationSeconds = 15
	foreign.Annotations = map[string]string{"example.com/touched": "yes"}
	l.server.Put(foreign)
	l.to(25 * time.Second)
	require.Equal(t, int32(40), *l.stored().Spec.LeaseDurationSeconds)
	require.Equal(t, "yes", l.stored().Annotations["example.com/touched"])
	require.Equal(t, node, *l.stored().Spec.HolderIdentity)
}

func TestOneNodesRenewalsDrawNothingFromAnothers(t *testing.T) {
	instants := func(others ...string) []sim.Time {
		l := newLab(t, 7, sim.Dist{})
		l.startRegistered(node)
		for _, name := range others {
			l.startRegistered(name)
		}
		l.to(300 * time.Second)
		var own calls
		for _, c := range l.all() {
			if c.Client == node {
				own = append(own, c)
			}
		}
		return own.sent()
	}
	alone := instants()
	require.Len(t, alone, 31)
	require.Equal(t, alone, instants("node-1", "node-2", "node-3"))
}

func verbs(cs calls) []string {
	var out []string
	for _, c := range cs {
		out = append(out, c.Verb+" "+c.Resource)
	}
	return out
}
