package podworkers

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/fakeapi"
)

// A container starts within 1.5 s, and what becomes of it is listed within
// another second. Its pod's end does not wait for that list.
func TestPodThatIsDeletedWhileItStartsEndsWithoutAnotherLook(t *testing.T) {
	for seed := range uint64(20) {
		l := newLabWith(t, 36, seed, 0)
		l.bind("a", func(pod *corev1.Pod) { *pod.Spec.TerminationGracePeriodSeconds = 1 })
		l.to(fastestStart / 2)
		l.delete("a", metav1.DeleteOptions{})
		l.to(fastestStart / 2)
		p := l.workers.list[0]
		for at := fastestStart / 2; !p.terminated && at < time.Minute; at += 10 * time.Millisecond {
			l.to(at)
			require.True(t, p.terminating, "seed %d: at %s it is to live again", seed, at)
		}
		require.True(t, p.terminated)
	}
}

func TestMirrorPodThatCouldNotBeCreatedIsWithinAMinuteAndAHalf(t *testing.T) {
	for _, verb := range []string{"create", "delete"} {
		l := newLab(t, 36)
		refuse := func() (end func()) {
			return l.server.Network().Add(fakeapi.Rule{
				Match:   fakeapi.Match{Clients: []string{"kubelet"}, Verbs: []string{verb}},
				Respond: &metav1.Status{Code: http.StatusInternalServerError},
			})
		}
		end := func() {}
		if verb == "create" {
			end = refuse()
		}
		l.workers.RunStatic(proxy())
		l.to(20 * time.Second)
		if verb == "delete" {
			end = refuse()
			l.delete("proxy-n", metav1.DeleteOptions{})
			l.to(30 * time.Second)
			require.Equal(t, "Running ready terminating", l.is("proxy-n"))
		} else {
			require.Equal(t, "gone", l.is("proxy-n"))
		}
		end()
		l.to(30*time.Second + 3*resyncInterval/2 + syncPeriod)
		require.Equal(t, "Running ready", l.is("proxy-n"), verb)
		require.LessOrEqual(t, len(l.sent(verb)), 3, "%s: one look leads to one other", verb)
	}
}

// The node lifecycle controller calls a pod lost (up to 1.26), and its kubelet
// starts anew. Since 1.22 that takes the reason for its own.
func TestReasonThatAnotherWroteStaysSince1_22(t *testing.T) {
	for minor, stays := range map[int]bool{13: false, 21: false, 22: true, 26: true} {
		l := newLab(t, minor)
		l.bind("a")
		l.to(15 * time.Second)
		l.host.Kill()
		lost := l.pod("a").DeepCopy()
		lost.Status.Reason, lost.Status.Message = "NodeLost", "Node n which was running pod a is unresponsive"
		l.server.Put(lost)
		l.host.Restart()
		l.start()
		l.to(time.Minute)
		require.Equal(t, "Running ready", l.is("a"))
		require.Equal(t, stays, l.pod("a").Status.Reason != "", "1.%d", minor)
	}
}

// A kubelet that lives puts right what it says of a pod, the reason too. What
// comes to another phase has the reason of no other.
func TestReasonOfAPhaseGoesWithThePhase(t *testing.T) {
	l := newLab(t, 36)
	l.bind("a", sleeps("60", corev1.RestartPolicyNever), func(pod *corev1.Pod) { pod.Status.Reason = "Waiting" })
	l.to(time.Second / 4)
	require.Equal(t, "Waiting", l.pod("a").Status.Reason)
	l.to(10 * time.Second)
	require.Equal(t, "Running ready", l.is("a"))
	require.Empty(t, l.pod("a").Status.Reason)
}
