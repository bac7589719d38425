package tainteviction

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/fakeapi"
)

func TestPodGoesWhenItsTolerationIsOver(t *testing.T) {
	l := newLab(t, behaviors(36))
	l.node("n")
	l.pod("p", "n", tolerate(notReady, 300), tolerate(unreachable, 300))
	l.to(10 * time.Second)
	l.node("n", unreachable)
	l.to(10 * time.Minute)
	require.Equal(t, []string{
		"5m10s get pods p: ok", "5m10s patch pods/status p: ok", "5m10s delete pods p: ok",
	}, l.sent())
	pod := l.server.Pod("default", "p")
	require.EqualValues(t, 30, *pod.DeletionGracePeriodSeconds, "its own grace period")
	require.Equal(t, corev1.PodCondition{
		Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: "DeletionByTaintManager",
		Message:            "Taint manager: deleting due to NoExecute taint",
		LastTransitionTime: metav1.Time{Time: l.engine.Start().Add(310 * time.Second)},
	}, pod.Status.Conditions[0])
	require.Equal(t, []string{
		"eviction-set n default/p: node.kubernetes.io/unreachable:NoExecute tolerated for 5m0s",
		"evicting n default/p: node.kubernetes.io/unreachable:NoExecute tolerated for 5m0s",
	}, l.decisions)
}

func TestOrderOfRequestsIsThatOfTheVersion(t *testing.T) {
	for _, c := range []struct {
		minor int
		want  []string
	}{
		{13, []string{"1s delete pods p: ok"}},
		{25, []string{"1s delete pods p: ok"}},
		{27, []string{"1s get pods p: ok", "1s patch pods/status p: ok", "1s delete pods p: ok"}},
		{37, []string{"1s get pods p: ok", "1s patch pods/status p: ok", "1s delete pods p: ok"}},
	} {
		l := newLab(t, behaviors(c.minor))
		l.pod("p", "n")
		l.to(time.Second)
		l.node("n", unreachable)
		l.to(2 * time.Second)
		require.Equal(t, c.want, l.sent(), "1.%d", c.minor)
	}
}

func TestEventTellsOfTheDeletionByTheNameOfTheVersion(t *testing.T) {
	for minor, source := range map[int]string{28: "taint-controller", 29: "taint-eviction-controller"} {
		l := newLab(t, behaviors(minor))
		l.pod("p", "n")
		l.to(time.Second)
		l.node("n", unreachable)
		l.to(2 * time.Second)
		events := l.events()
		require.Len(t, events, 1)
		require.Equal(t, source, events[0].Source.Component)
		require.Equal(t, "TaintManagerEviction", events[0].Reason)
		require.Equal(t, "Marking for deletion Pod default/p", events[0].Message)
		require.Equal(t, corev1.EventTypeNormal, events[0].Type)
	}
}

func TestTaintThatGoesCancelsWithAnEvent(t *testing.T) {
	l := newLab(t, behaviors(36))
	l.node("n", unreachable)
	l.pod("p", "n", tolerate(unreachable, 60))
	l.to(59 * time.Second)
	l.node("n")
	l.to(10 * time.Minute)
	require.Empty(t, l.sent())
	require.Equal(t, "Cancelling deletion of Pod default/p", l.events()[0].Message)
	l.node("n", unreachable)
	l.to(20 * time.Minute)
	require.Equal(t, "11m0s get pods p: ok", l.sent()[0], "time counts anew")
}

func TestSwapOfTaintsKeepsTheTime(t *testing.T) {
	l := newLab(t, behaviors(36))
	l.node("n", notReady)
	l.pod("p", "n", tolerate(notReady, 300), tolerate(unreachable, 10))
	l.to(time.Minute)
	l.node("n", notReady, unreachable)
	l.to(2 * time.Minute)
	require.Empty(t, l.sent(), "a shorter toleration shortens nothing")
	l.node("n", unreachable)
	l.to(10 * time.Minute)
	require.Equal(t, "5m0.1s get pods p: ok", l.sent()[0])
	require.Empty(t, l.events()[1:], "and nothing was called off")
}

// A pod that was deleted, and that nobody ends, is on a node which gets another
// taint that it tolerates for a minute.
func TestPodThatWasDeletedIsDeletedAgainForAnotherTaintSince1_33(t *testing.T) {
	for minor, again := range map[int]bool{13: false, 32: false, 33: true, 36: true} {
		l := newLab(t, behaviors(minor))
		l.node("n", unreachable)
		l.pod("p", "n", tolerate(notReady, 60), tolerate(unreachable, 60))
		l.to(2 * time.Minute)
		require.True(t, l.ending("p"))
		sent := len(l.sent())
		l.node("n", notReady)
		l.to(3*time.Minute - time.Second)
		require.Len(t, l.sent(), sent)
		l.to(4 * time.Minute)
		require.Equal(t, again, len(l.sent()) > sent, "1.%d", minor)
		l.server.Remove(l.server.Pod("default", "p"))
		l.to(5 * time.Minute)
		require.Empty(t, l.tc.taintEvictionQueue.workers, "1.%d: one that is gone is forgotten", minor)
	}
}

func TestTaintThatIsNotToleratedEndsTheWaiting(t *testing.T) {
	l := newLab(t, behaviors(36))
	l.node("n", unreachable)
	l.pod("p", "n", tolerate(unreachable, 300))
	l.to(time.Minute)
	l.node("n", unreachable, "other")
	l.to(10 * time.Minute)
	require.Equal(t, "1m0s get pods p: ok", l.sent()[0])
	require.Len(t, l.sent(), 3, "once")
}

func TestTolerationForEverTakesAPodOffTheListSince1_20(t *testing.T) {
	for minor, cancels := range map[int]bool{13: false, 15: false, 20: true, 36: true} {
		l := newLab(t, behaviors(minor))
		l.node("n", unreachable)
		l.pod("p", "n", tolerate(unreachable, 60))
		l.to(30 * time.Second)
		l.pod("p", "n", tolerate(unreachable))
		l.to(2 * time.Minute)
		require.Equal(t, cancels, !l.ending("p"), "1.%d", minor)
	}
}

func TestPodThatComesToATaintedNodeIsSeenTo(t *testing.T) {
	l := newLab(t, behaviors(36))
	l.node("n", unreachable)
	l.to(time.Minute)
	l.pod("static", "n", corev1.Toleration{Operator: corev1.TolerationOpExists})
	l.pod("late", "n", tolerate(unreachable, 5))
	l.pod("elsewhere", "other")
	l.to(2 * time.Minute)
	require.Equal(t, []string{"1m5s get pods late: ok", "1m5s patch pods/status late: ok", "1m5s delete pods late: ok"}, l.sent())
}

func TestDeletionIsTriedFiveTimesTenMillisecondsApart(t *testing.T) {
	l := newLab(t, behaviors(25))
	l.pod("p", "n")
	l.to(time.Second)
	l.node("n", unreachable)
	l.server.Network().Add(fakeapi.Rule{
		Match:   fakeapi.Match{Verbs: []string{"delete"}},
		Respond: &metav1.Status{Status: metav1.StatusFailure, Code: 500, Reason: metav1.StatusReasonInternalError},
	})
	l.to(time.Minute)
	require.Equal(t, []string{
		"1s delete pods p: InternalError", "1.01s delete pods p: InternalError", "1.02s delete pods p: InternalError",
		"1.03s delete pods p: InternalError", "1.04s delete pods p: InternalError",
	}, l.sent())
	require.Contains(t, l.decisions[1], "eviction-failed n default/p: ")
	require.Empty(t, l.tc.taintEvictionQueue.workers, "and it is given up")
}

// A starting controller hears of a node and then of each of its pods. Upstream's
// CancelWork forgets what runs already, so the second word deletes once more.
func TestPodThatIsHeardOfTwiceIsDeletedTwice(t *testing.T) {
	l := newLab(t, behaviors(25))
	l.node("n", unreachable)
	l.pod("p", "n")
	l.to(time.Second)
	require.Equal(t, []string{"100ms delete pods p: ok", "100ms delete pods p: ok"}, l.sent())
}

func TestNodeThatIsDeletedCancelsNothing(t *testing.T) {
	l := newLab(t, behaviors(36))
	l.node("n", unreachable)
	l.pod("p", "n", tolerate(unreachable, 60))
	l.to(30 * time.Second)
	l.server.Remove(l.server.Node("n"))
	l.to(2 * time.Minute)
	require.True(t, l.ending("p"))
}

func TestPodThatIsGoneIsNoLongerOnTheList(t *testing.T) {
	l := newLab(t, behaviors(36))
	l.node("n", unreachable)
	l.pod("p", "n", tolerate(unreachable, 60))
	l.to(30 * time.Second)
	l.server.Remove(l.server.Pod("default", "p"))
	l.to(2 * time.Minute)
	require.Empty(t, l.sent())
}

// TestPodGoesAfterTheLeastOfWhatItTolerates holds the time against the rule of
// getMinTolerationTime, for any tolerations of two taints.
func TestPodGoesAfterTheLeastOfWhatItTolerates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLab(t, behaviors(36))
		defer l.engine.Close()
		never := time.Duration(-1)
		least := never
		var tolerations []corev1.Toleration
		for _, key := range []string{notReady, unreachable} {
			switch seconds := rapid.Int64Range(-3, 20).Draw(t, key); seconds {
			case -3: // not tolerated: at once
				least = 0
			case -2: // for ever
				tolerations = append(tolerations, tolerate(key))
			default:
				tolerations = append(tolerations, tolerate(key, seconds))
				if d := time.Duration(max(0, seconds)) * time.Second; least == never || d < least {
					least = d
				}
			}
		}
		l.node("n", notReady, unreachable)
		l.pod("p", "n", tolerations...)
		if least == never {
			l.to(time.Minute)
			require.False(t, l.ending("p"))
			return
		}
		l.to(started + least - 1)
		require.False(t, l.ending("p"))
		l.to(started + least)
		require.True(t, l.ending("p"))
	})
}

// TestIdleControllerHoldsNoProcess counts on an engine that runs dry: who sleeps
// would keep it going.
func TestIdleControllerHoldsNoProcess(t *testing.T) {
	l := newLab(t, behaviors(36))
	l.node("n")
	l.pod("p", "n", tolerate(unreachable, 60))
	l.to(time.Second)
	require.Zero(t, l.tc.taintEvictionQueue.sleepers)
	for range 100 {
		l.node("n", unreachable)
		l.to(l.engine.Now().Duration() + time.Second)
		l.node("n")
		l.to(l.engine.Now().Duration() + time.Second)
	}
	require.LessOrEqual(t, l.tc.taintEvictionQueue.sleepers, 4, "one at a time, also for what was called off")
}

// TestWorkersShareNodesAsUpstreamDoes has the values of FNV-1a, 32 bits, modulo 8.
func TestWorkersShareNodesAsUpstreamDoes(t *testing.T) {
	var got []int
	for _, name := range []string{"", "a", "b", "foobar"} {
		got = append(got, workerOf(name))
	}
	require.Equal(t, []int{0x811c9dc5 % 8, 0xe40c292c % 8, 0xe70c2de5 % 8, 0xbf9cf968 % 8}, got)
}
