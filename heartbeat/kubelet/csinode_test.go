package kubelet

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/sim"
)

// csiGets are the instants at which the CSI plugin asked for the node.
func (l *lab) csiGets() []time.Duration {
	var out []time.Duration
	for _, c := range l.callsOf("get nodes") {
		if c.Client == kubeClient {
			out = append(out, c.Sent.Duration())
		}
	}
	return out
}

// Two nested backoffs (csi_plugin.go and nodeinfomanager.go, v1.36.3): 10, 50,
// 250 ms within 30, 240 ms ... 123 s, each wait up to a tenth longer.
func TestCSIPluginBacksOffInTwoNestedWays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLab(t, rapid.Uint64().Draw(t, "seed"), func(c *Config) { c.RegisterNode = false })
		l.run()
		l.to(170 * time.Second)
		gets := l.csiGets()
		var want []time.Duration
		for _, outer := range []time.Duration{30, 240, 1920, 15360, 122880} {
			want = append(want, 10*ms, 50*ms, 250*ms, outer*ms)
		}
		want = append(want, 10*ms, 50*ms, 250*ms)
		require.GreaterOrEqual(t, len(gets), len(want)+1)
		require.Zero(t, gets[0])
		for i, least := range want {
			wait := gets[i+1] - gets[i]
			require.GreaterOrEqual(t, wait, least, "wait %d", i+1)
			require.Less(t, wait, least*11/10, "wait %d", i+1)
		}
		require.Equal(t, gets[len(want)], gets[len(want)+1], "where upstream's kubelet exits and is started anew")
	})
}

func TestCSIPluginsJitterFillsItsTenth(t *testing.T) {
	var waits []time.Duration
	for seed := range uint64(200) {
		l := newLab(t, seed, func(c *Config) { c.RegisterNode = false })
		l.run()
		l.to(time.Second)
		waits = append(waits, l.csiGets()[4]-l.csiGets()[3])
	}
	counts := quarters(waits, 30*ms, 3*ms)
	require.Len(t, counts, 4)
	for quarter := range 4 {
		require.Greater(t, counts[quarter], 25, "of 200, quarter %d", quarter)
	}
}

func TestNodeIsNotReadyUntilItsCSINodeIsThere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLab(t, rapid.Uint64().Draw(t, "seed"))
		l.run()
		l.to(100*ms + 1)
		require.Equal(t, corev1.ConditionFalse, l.status(corev1.NodeReady))
		require.Equal(t, "CSINode is not yet initialized", l.stored(corev1.NodeReady).Message)
		ready := l.ready()
		gets := l.csiGets()
		require.GreaterOrEqual(t, ready, gets[len(gets)-1])
		require.LessOrEqual(t, ready-gets[len(gets)-1], 100*ms)
		l.to(10 * time.Minute)
		require.Equal(t, gets, l.csiGets(), "no more of them")
	})
}

func TestReadySaysHowTheCSIPluginFailed(t *testing.T) {
	l := newLab(t, 1)
	l.rule(kubeClient, "get", "nodes", fakeapi.Rule{Respond: respond(404, metav1.StatusReasonNotFound)})
	l.run()
	l.to(11 * time.Second)
	require.Contains(t, l.stored(corev1.NodeReady).Message,
		"failed to initialize CSINode: error updating CSINode annotation: timed out waiting for the condition; caused by: ")
}

func TestCSIPluginAsksEverySecondUntilTheServerAnswers(t *testing.T) {
	l := newLab(t, 1)
	rule := refuse
	rule.Count = 5
	l.rule(kubeClient, "get", "nodes", rule)
	l.run()
	l.to(10 * time.Second)
	gets := l.csiGets()
	require.Equal(t, []time.Duration{0, time.Second, 2 * time.Second, 3 * time.Second, 4 * time.Second, 5 * time.Second}, gets)
	require.Less(t, l.ready(), 11*time.Second)
}

// A ticker whose tick nobody waits for drops it.
func TestCSIPluginAsksOnTheSecondHoweverLongAnAnswerTakes(t *testing.T) {
	l := newLab(t, 1)
	rule := refuse
	rule.Count = 4
	l.rule(kubeClient, "get", "nodes", rule)
	l.server.Network().SetLatency(sim.Fixed(600 * ms))
	l.run()
	l.to(10 * time.Second)
	// The first is answered after 1.2 s, and the ticker starts then.
	require.Equal(t, []time.Duration{0, 2200 * ms, 4200 * ms, 6200 * ms, 8200 * ms}, l.csiGets())
}

func TestNodeThatExistsNeedsOneGet(t *testing.T) {
	l := newLab(t, 1)
	l.run()
	l.to(time.Minute)
	l.restart()
	l.to(2 * time.Minute)
	var own []time.Duration
	for _, at := range l.csiGets() {
		if at >= time.Minute {
			own = append(own, at-time.Minute)
		}
	}
	require.Equal(t, []time.Duration{0, 100 * ms}, own, "the second is the registration's")
}

func TestBackoffTriesAsOftenAsItMayAndWaitsOnlyBetween(t *testing.T) {
	for steps := range 5 {
		l := newLab(t, 1)
		var tries []time.Duration
		var done bool
		l.host.Go("test", func() {
			require.False(t, backoff(l.host, l.host.Rand("x"), time.Second, 3, steps, func() bool {
				tries = append(tries, l.now())
				return false
			}))
			done = true
			if steps > 0 {
				require.Equal(t, tries[steps-1], l.now())
			}
		})
		l.to(time.Hour)
		require.True(t, done)
		require.Len(t, tries, steps)
	}
}
