package nodelifecycle

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/stretchr/testify/require"
)

// tainted returns how many of the nodes have the NoExecute taint.
func (l *lab) tainted(names []string) int {
	n := 0
	for _, name := range names {
		if hasTaint(l.server.Node(name).Spec.Taints, &unreachableTaint) {
			n++
		}
	}
	return n
}

// silence stops the heartbeats of nodes at 5 s and runs to so long after they
// are called Unknown.
func (l *lab) silence(after time.Duration, names ...string) (unknown time.Duration) {
	l.t.Helper()
	l.to(5 * time.Second)
	l.stop(names...)
	l.to(70 * time.Second)
	require.Len(l.t, l.when(names[0], "Ready Unknown"), 1)
	unknown = l.when(names[0], "Ready Unknown")[0]
	l.to(unknown + after)
	return unknown
}

func TestStateOfAZone(t *testing.T) {
	nc := &Controller{cfg: defaults()}
	for _, c := range []struct {
		ready, notReady int
		want            zoneState
	}{
		{0, 0, stateNormal}, {1, 0, stateNormal}, {0, 1, stateFullDisruption}, {0, 9, stateFullDisruption},
		{1, 2, stateNormal}, // two are too few
		{1, 3, statePartialDisruption}, {3, 3, stateNormal},
		{9, 11, statePartialDisruption}, // 0.55, the threshold itself
		{10, 12, stateNormal},
	} {
		require.Equal(t, c.want, nc.computeZoneState(&zoneCount{c.ready, c.notReady}), "%+v", c)
	}
}

func TestSmallZoneThatIsPartiallyDisruptedIsNotTainted(t *testing.T) {
	l := newLab(t)
	names := l.cluster("zone", 4)
	l.run()
	l.silence(5*time.Minute, names[:3]...)
	// The queue is looked at in the instant in which the pass ends, and has
	// its first token.
	require.LessOrEqual(t, l.tainted(names), 1)
	require.Equal(t, statePartialDisruption, l.nc.zoneStates[l.nc.zoneKey(l.server.Node(names[0]))])
}

func TestLargeZoneThatIsPartiallyDisruptedIsTaintedAtTheSecondaryRate(t *testing.T) {
	for size, rate := range map[int]time.Duration{50: 0, 51: 100 * time.Second} {
		l := newLab(t)
		names := l.cluster("zone", size)
		l.run()
		unknown := l.silence(0, names[:40]...)
		l.to(unknown + time.Second)
		first := l.tainted(names)
		for i := 1; i <= 5; i++ {
			l.to(unknown + time.Second + time.Duration(i)*100*time.Second)
			if rate == 0 {
				require.Equal(t, first, l.tainted(names))
			} else {
				require.InDelta(t, first+i, l.tainted(names), 0)
			}
		}
	}
}

func TestFullDisruptionStopsTheTaintsAndTakesThemAway(t *testing.T) {
	l := newLab(t)
	a, b := l.cluster("a", 2), l.cluster("b", 2)
	l.run()
	l.to(5 * time.Second)
	l.stop(a...)
	l.to(30 * time.Second)
	l.stop(b...)
	l.to(66 * time.Second)
	require.Equal(t, 2, l.tainted(append(a, b...)), "one zone is disrupted: its nodes are tainted at the usual rate")

	l.to(100 * time.Second)
	entered := l.when(b[0], "Ready Unknown")[0]
	require.Zero(t, l.tainted(append(a, b...)))
	require.Equal(t, []time.Duration{entered}, l.when(a[0], "-unreachable:NoExecute"), "in the pass that finds all zones disrupted")
	l.to(10 * time.Minute)
	require.Empty(t, l.when(b[0], "+unreachable:NoExecute"))
	require.Empty(t, l.when(b[1], "+unreachable:NoExecute"))
}

func TestEndOfFullDisruptionGivesEverybodyANewGracePeriod(t *testing.T) {
	l := newLab(t)
	names := l.cluster("zone", 3)
	l.run()
	l.silence(0, names...)
	l.to(200 * time.Second)
	l.put(names[0], corev1.ConditionTrue)
	l.beat(names[0])
	l.put(names[1], corev1.ConditionTrue) // it says so once, and is silent
	l.to(300 * time.Second)
	left := nextPass(200 * time.Second)
	require.Equal(t, []time.Duration{left + period + grace + period}, l.when(names[1], "Ready Unknown")[1:],
		"counted from the pass after, which took its old lease for news")
	require.Equal(t, left, l.nc.nodeHealthMap[names[2]].probeTimestamp.Sub(l.engine.Start()), "one that is silent still")
	require.Equal(t, stateNormal, l.nc.zoneStates[l.nc.zoneKey(l.server.Node(names[0]))])
	require.Len(t, l.when(names[2], "Ready Unknown"), 1)
	require.Len(t, l.when(names[2], "+unreachable:NoExecute"), 1, "it is tainted now, at last")
}

func TestClusterWhereNobodyIsReadyAtTheFirstPassIsFullyDisruptedAtOnce(t *testing.T) {
	l := newLab(t)
	for _, name := range []string{"a", "b"} {
		l.put(name, corev1.ConditionFalse)
		l.beat(name)
	}
	l.run()
	l.to(5 * time.Minute)
	require.Equal(t, map[string]zoneState{"": stateFullDisruption}, l.nc.zoneStates)
	require.Empty(t, l.when("a", "+not-ready:NoExecute"))
	require.Empty(t, l.when("b", "+not-ready:NoExecute"))
}

func TestFullyDisruptedZoneBesideALivingOneIsTaintedAtTheUsualRate(t *testing.T) {
	l := newLab(t)
	l.cluster("living", 1)
	names := l.cluster("zone", 5)
	l.run()
	l.silence(time.Minute, names...)
	require.Equal(t, 5, l.tainted(names))
	require.Equal(t, stateFullDisruption, l.nc.zoneStates[l.nc.zoneKey(l.server.Node(names[0]))])
}

func TestExcludedNodesDoNotCountInTheirZone(t *testing.T) {
	l := newLab(t)
	names := l.cluster("zone", 6)
	for _, name := range names[:3] {
		node := l.server.Node(name).DeepCopy()
		node.Labels[labelNodeDisruptionExclusion] = ""
		l.server.Put(node)
	}
	l.run()
	// All that count are silent, and three that do not are well.
	l.silence(5*time.Minute, names[3:]...)
	require.Zero(t, l.tainted(names), "full disruption")
	require.Len(t, l.when(names[3], "Ready Unknown"), 1)
}

func TestNodeThatMovesToANewZoneIsTaintedThere(t *testing.T) {
	l := newLab(t)
	l.cluster("old", 2)
	l.put("n", corev1.ConditionTrue, inZone("old"))
	l.run()
	l.to(20 * time.Second)
	moved := l.server.Node("n").DeepCopy()
	moved.Labels[corev1.LabelTopologyZone] = "new"
	l.server.Put(moved)
	l.to(expiry + time.Second)
	require.Len(t, l.nc.zoneStates, 2)
	require.Equal(t, 1, l.tainted([]string{"n"}))
}

func TestZoneWithoutNodesIsForgotten(t *testing.T) {
	l := newLab(t)
	l.cluster("old", 1)
	l.put("n", corev1.ConditionTrue, inZone("new"))
	l.beat("n")
	l.run()
	l.to(time.Second)
	require.Len(t, l.nc.zoneStates, 2)
	l.server.Remove(l.server.Node("n"))
	l.to(6 * time.Second)
	require.Len(t, l.nc.zoneStates, 1)
}
