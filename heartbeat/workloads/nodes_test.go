package workloads

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/fakeapi"
)

// A DaemonSet that failed waits for its pause, and no heartbeat ends it sooner.
func TestHeartbeatsOfNodesHaveNoDaemonSetLook(t *testing.T) {
	for change, looks := range map[string]bool{"a heartbeat": false, "a taint that goes": true} {
		l := newLab(t, &Workload{Kind: DaemonSet, Name: "agent"})
		l.node("a", corev1.Taint{Key: "x", Effect: corev1.TaintEffectNoSchedule})
		l.node("b")
		l.server.Network().Add(fakeapi.Rule{
			Match:   fakeapi.Match{Verbs: []string{"create"}, Resources: []string{"pods"}},
			Respond: &metav1.Status{Code: http.StatusInternalServerError},
		})
		l.to(10 * time.Second) // the pauses are 10.24 s by now
		before := len(l.sent())
		require.Greater(t, before, 5)
		node := l.server.Node("a").DeepCopy()
		if node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, LastHeartbeatTime: metav1.Unix(1, 0)}}; looks {
			node.Spec.Taints = nil
		}
		l.server.Put(node)
		l.to(10*time.Second + 100*time.Millisecond)
		require.Equal(t, looks, len(l.sent()) > 0, change)
	}
}

func TestNodeThatLosesOrGetsATaintHasThoseDaemonSetsLookThatItConcerns(t *testing.T) {
	tolerant := &Workload{Kind: DaemonSet, Name: "tolerant"}
	tolerant.Template.Tolerations = AddDaemonTolerations(nil)
	strict := &Workload{Kind: DaemonSet, Name: "strict"}
	l := newLab(t, tolerant, strict)
	l.node("a")
	l.to(time.Second)
	require.ElementsMatch(t, []string{"create tolerant-a 201", "create strict-a 201"}, l.sent())
	l.runs("tolerant-a", "a", yes)
	l.runs("strict-a", "a", yes)
	l.node("a", corev1.Taint{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute})
	l.to(2 * time.Second)
	require.Equal(t, []string{"delete strict-a 200"}, l.sent())
	l.server.Remove(l.pod("strict-a"))
	l.to(time.Minute)
	require.Empty(t, l.sent())
	l.node("a")
	l.to(2 * time.Minute)
	require.Equal(t, []string{"create strict-a 201"}, l.sent())
}

// Deletions go by name. One that comes too late is over for the controller, and
// is not waited for.
func TestPodThatIsGoneAlreadyIsNoFailure(t *testing.T) {
	w := &Workload{Kind: Deployment, Name: "web", Replicas: 2}
	l := newLab(t, w)
	l.to(time.Second)
	l.sent()
	w.Replicas = 1
	l.runs("web-1", "n", yes) // a change of a pod has the set looked at
	l.server.Network().Add(fakeapi.Rule{
		Match:   fakeapi.Match{Verbs: []string{"delete"}, Resources: []string{"pods"}},
		Respond: &metav1.Status{Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound},
	})
	l.to(time.Second + 3*latency + time.Millisecond)
	require.Equal(t, []string{"delete web-2 404"}, l.sent())
	w.Replicas = 3
	l.runs("web-1", "n", no)
	l.to(2 * time.Second)
	require.Equal(t, []string{"create web-3 201"}, l.sent(), "nothing is waited for")
}
