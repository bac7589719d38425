package nodelifecycle

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/sim"
)

// expiry is the pass that finds a node expired which was last heard of at the
// first pass.
const expiry = firstPass + grace + period

// blindLab has a node n whose changes no longer reach the controller.
func blindLab(t *testing.T) *lab {
	l := newLab(t)
	l.cluster("other", 1)
	l.put("n", corev1.ConditionTrue)
	l.run()
	l.to(20 * time.Second)
	l.rule(fakeapi.Rule{HoldWatch: true, Match: fakeapi.Match{Resources: []string{"nodes"}}})
	return l
}

func TestConflictWithAHeartbeatRescuesTheNode(t *testing.T) {
	l := blindLab(t)
	l.to(30 * time.Second)
	l.report("n", 30*time.Second, 0)
	l.to(expiry + time.Second)
	require.Equal(t, []string{"update nodes/status n: Conflict", "get nodes n: ok"}, l.sent(30*time.Second), "the second try finds a heartbeat and writes nothing")
	require.Empty(t, l.when("n", "Ready Unknown"))
	require.Empty(t, l.when("n", "+unreachable:NoExecute"))
	again := l.nc.nodeHealthMap["n"].probeTimestamp.Sub(l.engine.Start())
	require.Equal(t, expiry+retrySleepTime, again, "the try came with the first tick")
}

func TestConflictWithSomethingElseIsWrittenAtTheSecondTry(t *testing.T) {
	l := blindLab(t)
	touched := l.server.Node("n").DeepCopy()
	touched.Labels["touched"] = "yes"
	l.server.Put(touched)
	l.to(expiry + time.Second)
	sent := l.sent(30 * time.Second)
	require.Equal(t, []string{"update nodes/status n: Conflict", "get nodes n: ok", "update nodes/status n: ok"}, sent[:3])
	require.Equal(t, []time.Duration{expiry + retrySleepTime}, l.when("n", "Ready Unknown"))
	require.Equal(t, "yes", l.server.Node("n").Labels["touched"])
}

func TestUpdateIsTriedAtEveryTickFor100Milliseconds(t *testing.T) {
	l := newLab(t)
	l.cluster("other", 1)
	l.put("n", corev1.ConditionTrue)
	l.run()
	l.rule(failUpdates)
	l.to(expiry + time.Second)
	var tries []time.Duration
	for _, c := range l.callsOf("update nodes/status") {
		tries = append(tries, c.Sent.Duration()-expiry)
	}
	ms := time.Millisecond
	require.Equal(t, []time.Duration{0, 20 * ms, 40 * ms, 60 * ms, 80 * ms, 100 * ms}, tries)
	require.Len(t, l.callsOf("get nodes"), 6, "each failure is followed by a GET")
	require.Contains(t, l.decisions, "update-failed n")
	require.Empty(t, l.when("n", "+unreachable:NoExecute"), "nothing comes of it in this pass")

	l.to(expiry + period + time.Second)
	require.Len(t, l.callsOf("update nodes/status"), 12, "the next pass begins anew")
}

func TestGetThatFailsEndsTheTries(t *testing.T) {
	l := newLab(t)
	l.cluster("other", 1)
	l.put("n", corev1.ConditionTrue)
	l.run()
	l.rule(failUpdates)
	l.rule(fakeapi.Rule{Match: fakeapi.Match{Verbs: []string{"get"}, Resources: []string{"nodes"}}, Respond: respond(500, "")})
	l.to(expiry + time.Second)
	require.Equal(t, []string{"update nodes/status n: ", "get nodes n: "}, l.sent(30*time.Second))
}

// A node whose update fails to the end counts for nothing in its zone: here
// the only other node is ready, so the zone is normal and stays so.
func TestNodeThatCannotBeUpdatedDoesNotCountInItsZone(t *testing.T) {
	l := newLab(t)
	l.put("n", corev1.ConditionTrue)
	l.run()
	l.rule(failUpdates)
	l.to(expiry + time.Second)
	require.Empty(t, l.nc.zoneStates, "a zone without a node that counts is forgotten")
}

func TestPassGoesByTheNodesKnownAtItsStart(t *testing.T) {
	l := newLab(t)
	names := l.cluster("zone", 9)
	l.run()
	l.to(5 * time.Second)
	l.stop(names...)
	pass := nextPass(firstPass + grace + 1) // they were last seen at 0.1
	l.to(pass - time.Second)
	l.rule(fakeapi.Rule{Match: fakeapi.Match{Verbs: []string{"update"}}, Latency: ptrTo(sim.Fixed(100 * time.Millisecond))})
	l.engine.After(time.Second+50*time.Millisecond, func() { l.report("zone08", l.now(), 0) })
	l.to(pass + time.Second)
	require.Equal(t, pass+200*time.Millisecond, l.callsTo("update nodes/status", "zone08")[0].Sent.Duration(), "the ninth waits for one of eight workers")
	require.Contains(t, l.sent(pass), "update nodes/status zone08: Conflict", "and is looked at as it was known when the pass began")
	require.Empty(t, l.when("zone08", "Ready Unknown"))
	require.Len(t, l.when("zone07", "Ready Unknown"), 1)
}

func ptrTo[T any](v T) *T { return &v }

func (l *lab) callsTo(what, name string) []fakeapi.Call {
	var out []fakeapi.Call
	for _, c := range l.callsOf(what) {
		if c.Name == name {
			out = append(out, c)
		}
	}
	return out
}
