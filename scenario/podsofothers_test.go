package scenario

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/sim"
)

// othersLab is three nodes without pods, of which node-1 dies at 60 s, and a client
// that comes from outside.
type othersLab struct {
	*Cluster
	t    *testing.T
	host *sim.Host
	pods *fakeapi.Pods
}

func newOthersLab(t *testing.T, change func(s *Scenario)) *othersLab {
	t.Helper()
	s, _, err := Load("../testdata/scenarios/node-death.yaml", nil)
	require.NoError(t, err)
	if change != nil {
		change(s)
	}
	c, err := Build(s, Options{Check: true, PodsOfOthers: true})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	host := c.Engine().NewHost("http")
	client := c.Server().NewClient(fakeapi.ClientOptions{Host: host, Name: "http/kubectl", User: "admin"})
	return &othersLab{c, t, host, client.Pods("default")}
}

// at has the client do something then.
func (l *othersLab) at(when time.Duration, do func(ctx context.Context) error) {
	l.host.At(sim.Time(when), func() {
		l.host.Go("kubectl", func() { require.NoError(l.t, do(context.Background())) })
	})
}

// creates has it create a pod, on a node or on none.
func (l *othersLab) creates(when time.Duration, name, node string) {
	l.at(when, func(ctx context.Context) error {
		seconds := int64(10)
		_, err := l.pods.Create(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{
			NodeName: node, Containers: []corev1.Container{{Name: "main", Image: "main"}},
			Tolerations: []corev1.Toleration{{Key: corev1.TaintNodeUnreachable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds}},
		}}, metav1.CreateOptions{})
		return err
	})
}

// phase is that of a pod at that time, "" of one that is not there.
func (l *othersLab) phase(when time.Duration, name string) (corev1.PodPhase, string) {
	l.t.Helper()
	require.NoError(l.t, l.RunUntil(when))
	pod := l.Server().Pod("default", name)
	if pod == nil {
		return "", ""
	}
	return pod.Status.Phase, pod.Spec.NodeName
}

func TestPodsOfOthersAreScheduledRunAndDeletedOnEveryVersion(t *testing.T) {
	for _, version := range []string{"1.13", "1.16", "1.18", "1.21", "1.22", "1.26", "1.27", "1.30", "1.34", "1.37"} {
		l := newOthersLab(t, func(s *Scenario) { s.Spec.KubernetesVersion = version })
		l.creates(20*time.Second, "x", "")
		phase, node := l.phase(25*time.Second, "x")
		require.Equal(t, corev1.PodRunning, phase, version)
		require.Equal(t, "node-0", node)
		l.at(30*time.Second, func(ctx context.Context) error { return l.pods.Delete(ctx, "x", metav1.DeleteOptions{}) })
		phase, _ = l.phase(45*time.Second, "x")
		require.Empty(t, phase, version)
	}
}

func TestPodsOfOthersThatHaveANodeNeedNoScheduler(t *testing.T) {
	l := newOthersLab(t, nil)
	l.creates(20*time.Second, "x", "node-2")
	phase, node := l.phase(25*time.Second, "x")
	require.Equal(t, corev1.PodRunning, phase)
	require.Equal(t, "node-2", node)
	require.False(t, l.schedules)
	l.creates(26*time.Second, "y", "")
	phase, _ = l.phase(30*time.Second, "y")
	require.Equal(t, corev1.PodRunning, phase)
	require.True(t, l.schedules)
}

func TestPodsOfOthersAreEvictedFromANodeThatDied(t *testing.T) {
	l := newOthersLab(t, nil)
	l.creates(20*time.Second, "x", "node-1")
	l.creates(130*time.Second, "late", "node-1") // the taint is known before the pod
	require.NoError(t, l.RunUntil(150*time.Second))
	for _, name := range []string{"x", "late"} {
		require.NotNil(t, l.Server().Pod("default", name).DeletionTimestamp, name)
	}

	l = newOthersLab(t, nil)
	l.creates(130*time.Second, "first", "node-1")
	require.NoError(t, l.RunUntil(150*time.Second))
	require.NotNil(t, l.Server().Pod("default", "first").DeletionTimestamp, "a controller that begins late knows the taints")
}

func TestWhoIsDownSeesToPodsOfOthersOnceItIsUp(t *testing.T) {
	l := newOthersLab(t, func(s *Scenario) {
		s.Spec.Expect = nil
		s.Spec.Faults = []Fault{{At: &When{At: Duration{15 * time.Second}}, For: Duration{20 * time.Second}, Kill: &NodeFault{Node: "node-2"}}}
	})
	l.creates(20*time.Second, "x", "node-2")
	phase, _ := l.phase(30*time.Second, "x")
	require.Equal(t, corev1.PodPending, phase)
	phase, _ = l.phase(40*time.Second, "x")
	require.Equal(t, corev1.PodRunning, phase)
}

func TestARunWithoutPodsOfOthersIsTheOneOfItsScenario(t *testing.T) {
	s, _, err := Load("../testdata/scenarios/node-death.yaml", nil)
	require.NoError(t, err)
	want, err := Run(s, Options{}, nil)
	require.NoError(t, err)
	got, err := Run(s, Options{PodsOfOthers: true}, nil)
	require.NoError(t, err)
	require.Equal(t, want.TraceHash, got.TraceHash)

	s, _, err = Decode([]byte("apiVersion: holter/v1alpha1\nkind: Scenario\nmetadata: {name: pods}\nspec:\n  duration: 1m\n  nodes: [{}]\n  pods: [{name: a}, {name: b, static: true}]\n"), "pods.yaml")
	require.NoError(t, err)
	want, err = Run(s, Options{}, nil)
	require.NoError(t, err)
	got, err = Run(s, Options{PodsOfOthers: true}, nil)
	require.NoError(t, err)
	require.Equal(t, want.TraceHash, got.TraceHash, "its own pods have somebody")
}
