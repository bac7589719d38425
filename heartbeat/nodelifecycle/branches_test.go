package nodelifecycle

import (
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/heartbeat/lease"
)

// The branches of tryUpdateNodeHealth, one call at a time.

// memory is what the controller remembers of a node, in time since the start.
type memory struct {
	probe, transition time.Duration
	lease             bool
}

func newBranchLab(t *testing.T) *lab {
	l := newLab(t)
	l.build(l.host)
	l.nc.nodes.Run()
	l.nc.leases.Run()
	l.to(10 * time.Second)
	return l
}

// look has the controller look at node n once.
func (l *lab) look() (observed corev1.NodeCondition, current *corev1.NodeCondition, err error) {
	l.t.Helper()
	l.to(l.now()) // the watches
	l.do(func() {
		node, ok := l.nc.nodes.Store().Get("n")
		require.True(l.t, ok)
		_, observed, current, err = l.nc.tryUpdateNodeHealth(node)
	})
	return observed, current, err
}

func (l *lab) memory() memory {
	h := l.nc.nodeHealthMap["n"]
	return memory{h.probeTimestamp.Sub(l.engine.Start()), h.readyTransitionTimestamp.Sub(l.engine.Start()), h.lease != nil}
}

func at(s int) time.Duration { return time.Duration(s) * time.Second }

func TestNodeSeenFirstIsGivenTheTimeOfTheLook(t *testing.T) {
	l := newBranchLab(t)
	l.put("n", corev1.ConditionTrue)
	l.renew("n")
	l.to(at(200))
	_, _, err := l.look()
	require.NoError(t, err)
	require.Equal(t, memory{at(200), at(200), true}, l.memory(), "however old its heartbeats are")
	require.Empty(t, l.calls[2:])
}

func TestNodeWithoutAStatusCountsFromItsCreation(t *testing.T) {
	l := newBranchLab(t)
	l.put("n", "")
	l.to(at(70))
	observed, current, err := l.look()
	require.NoError(t, err)
	require.Nil(t, current, "no condition to act on, at the end of the startup grace period")
	require.Equal(t, corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionUnknown,
		LastHeartbeatTime: l.server.Node("n").CreationTimestamp, LastTransitionTime: l.server.Node("n").CreationTimestamp}, observed)
	require.Equal(t, memory{at(10), at(10), false}, l.memory())

	l.to(at(70) + 1)
	_, current, err = l.look()
	require.NoError(t, err)
	require.Equal(t, corev1.ConditionUnknown, current.Status)
	require.Equal(t, "NodeStatusNeverUpdated", current.Reason)
}

func TestFirstStatusOfANodeIsAHeartbeat(t *testing.T) {
	l := newBranchLab(t)
	l.put("n", "")
	l.renew("n")
	l.look()
	l.to(at(30))
	l.put("n", corev1.ConditionFalse)
	l.to(at(40))
	l.look()
	require.Equal(t, memory{at(40), at(40), false}, l.memory(), "the lease is forgotten")
	l.to(at(45))
	l.look()
	require.Equal(t, memory{at(45), at(40), true}, l.memory(), "and news at the next look")
}

// Upstream replaces the saved status before it compares with it.
func TestReadyConditionThatWasRemovedIsNotNoticed(t *testing.T) {
	l := newBranchLab(t)
	l.put("n", corev1.ConditionTrue)
	l.look()
	l.to(at(40))
	l.put("n", "")
	observed, current, _ := l.look()
	require.Nil(t, current)
	require.Equal(t, corev1.ConditionUnknown, observed.Status)
	require.Equal(t, memory{at(10), at(10), false}, l.memory())
	l.to(at(70))
	_, current, _ = l.look()
	require.Nil(t, current, "it has the startup grace period now")
}

func TestNewHeartbeatTimeForgetsTheLeaseSoThatTheNextLookTakesItForNews(t *testing.T) {
	l := newBranchLab(t)
	l.put("n", corev1.ConditionTrue)
	l.renew("n")
	l.look()
	l.server.Remove(&coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "n", Namespace: lease.Namespace}})

	l.to(at(20))
	l.report("n", at(20), at(10))
	l.look()
	require.Equal(t, memory{at(20), at(10), false}, l.memory(), "branch 4")

	l.renewAs("n", l.engine.Start()) // as old as can be
	l.to(at(25))
	l.look()
	require.Equal(t, memory{at(25), at(10), true}, l.memory(), "the extra bump")
	l.to(at(30))
	l.look()
	require.Equal(t, memory{at(25), at(10), true}, l.memory(), "and only one")
}

// report moves the times of the Ready condition.
func (l *lab) report(name string, beat, transition time.Duration) {
	node := l.server.Node(name).DeepCopy()
	ready := condition(&node.Status, corev1.NodeReady)
	ready.LastHeartbeatTime = metav1.Time{Time: l.engine.Start().Add(beat)}
	ready.LastTransitionTime = metav1.Time{Time: l.engine.Start().Add(transition)}
	l.server.Put(node)
}

func TestHeartbeatInTheStatusCountsHoweverItsTimesMove(t *testing.T) {
	for name, c := range map[string]struct {
		beat, transition int
		want             memory
	}{
		"later":                        {20, 10, memory{at(30), at(10), false}},
		"earlier":                      {5, 10, memory{at(30), at(10), false}},
		"with a transition":            {20, 20, memory{at(30), at(30), false}},
		"transition alone":             {10, 20, memory{at(10), at(10), false}},
		"in the controller's far past": {-3600, 10, memory{at(30), at(10), false}},
	} {
		t.Run(name, func(t *testing.T) {
			l := newBranchLab(t)
			l.put("n", corev1.ConditionTrue)
			l.look()
			l.to(at(30))
			l.report("n", at(c.beat), at(c.transition))
			l.look()
			require.Equal(t, c.want, l.memory())
		})
	}
}

func TestRenewalCountsIfItsTimeWentForward(t *testing.T) {
	for name, c := range map[string]struct {
		renewed time.Duration
		want    int
	}{
		"forward":          {at(20), 30},
		"by a microsecond": {at(10) + time.Microsecond, 30},
		"not at all":       {at(10), 10},
		"back":             {at(10) - time.Microsecond, 10},
		"back by an hour":  {-time.Hour, 10},
		"into the future":  {time.Hour, 30},
	} {
		t.Run(name, func(t *testing.T) {
			l := newBranchLab(t)
			l.put("n", corev1.ConditionTrue)
			l.renew("n")
			l.look()
			l.to(at(30))
			l.renewAs("n", l.engine.Start().Add(c.renewed))
			l.look()
			require.Equal(t, memory{at(c.want), at(10), true}, l.memory())
		})
	}
}

func TestLeaseThatIsGoneIsRemembered(t *testing.T) {
	l := newBranchLab(t)
	l.put("n", corev1.ConditionTrue)
	l.renew("n")
	l.look()
	l.server.Remove(&coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "n", Namespace: lease.Namespace}})
	l.to(at(20))
	l.look()
	require.Equal(t, memory{at(10), at(10), true}, l.memory())
	l.renewAs("n", l.engine.Start())
	l.to(at(30))
	l.look()
	require.Equal(t, memory{at(10), at(10), true}, l.memory(), "one that comes back older is no news")
}

func TestGracePeriodEndsAfterItsLastInstant(t *testing.T) {
	l := newBranchLab(t)
	l.put("n", corev1.ConditionTrue)
	l.look()
	l.to(at(10) + grace)
	_, current, _ := l.look()
	require.Equal(t, corev1.ConditionTrue, current.Status, "at its end")
	l.to(at(10) + grace + 1)
	observed, current, _ := l.look()
	require.Equal(t, corev1.ConditionUnknown, current.Status, "a nanosecond later")
	require.Equal(t, corev1.ConditionTrue, observed.Status)
	require.Equal(t, memory{at(10), at(10) + grace + 1, false}, l.memory(), "the probe stays, the transition is now")
}

func TestWhatWasLearntIsKeptWhereTheWriteFails(t *testing.T) {
	l := newBranchLab(t)
	l.put("n", corev1.ConditionTrue)
	l.look()
	l.rule(failUpdates)
	l.to(at(61))
	_, current, err := l.look()
	require.Error(t, err)
	require.Equal(t, corev1.ConditionUnknown, current.Status)
	require.Equal(t, memory{at(10), at(10), false}, l.memory())
}
