package kubelet

import (
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestReadySaysEveryReasonAgainstItInOrder(t *testing.T) {
	const unchecked, down, storage = "container runtime status check may not have completed yet", "container runtime is down", "no CSINode"
	const capacity = "missing node capacity for resources: memory, ephemeral-storage"
	for name, c := range map[string]struct {
		spoil func(*lab)
		want  string
	}{
		"nothing":   {func(*lab) {}, ""},
		"unchecked": {func(l *lab) { l.kl.runtimeState.lastBaseRuntimeSync = time.Time{} }, unchecked},
		"down":      {func(l *lab) { l.to(time.Minute) }, down},
		"storage":   {func(l *lab) { l.kl.runtimeState.storageError = errors.New(storage) }, storage},
		"capacity":  {func(l *lab) { l.kl.cfg.Machine.Capacity = withoutMemory() }, capacity},
		"all": {func(l *lab) {
			l.to(time.Minute)
			l.kl.runtimeState.storageError = errors.New(storage)
			l.kl.cfg.Machine.Capacity = withoutMemory()
		}, "[" + down + ", " + storage + ", " + capacity + "]"},
		"one thing twice": {func(l *lab) {
			l.to(time.Minute)
			l.kl.runtimeState.storageError = errors.New(down)
		}, down},
	} {
		t.Run(name, func(t *testing.T) {
			l := idle(t)
			c.spoil(l)
			node, _ := l.kl.updateNode(&corev1.Node{})
			ready := condition(&node.Status, corev1.NodeReady)
			if c.want == "" {
				require.Equal(t, []any{corev1.ConditionTrue, "KubeletReady", "kubelet is posting ready status"}, []any{ready.Status, ready.Reason, ready.Message})
			} else {
				require.Equal(t, []any{corev1.ConditionFalse, "KubeletNotReady", c.want}, []any{ready.Status, ready.Reason, ready.Message})
			}
		})
	}
}

func withoutMemory() corev1.ResourceList {
	return corev1.ResourceList{"cpu": defaultResources["cpu"], "pods": defaultResources["pods"]}
}

func TestRuntimeIsDownAfterThirtySecondsOfSilence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		silence := time.Duration(rapid.OneOf(rapid.Int64Range(0, int64(time.Hour)), rapid.Int64Range(int64(30*time.Second)-2, int64(30*time.Second)+2)).Draw(t, "silence"))
		l := idle(t)
		l.kl.runtimeState.lastBaseRuntimeSync = l.host.Now().Add(-silence)
		errs := l.kl.runtimeErrors()
		if silence < 30*time.Second {
			require.Empty(t, errs)
		} else {
			require.Equal(t, []error{errors.New("container runtime is down")}, errs)
		}
	})
}

func TestRuntimeIsLookedAtEveryFiveSecondsFromTheStart(t *testing.T) {
	l := newLab(t, 1)
	l.run()
	for d := range 100 {
		l.to(time.Duration(d)*time.Second + ms)
		last := time.Duration(d/5*5) * time.Second
		require.Equal(t, last, l.kl.runtimeState.lastBaseRuntimeSync.Sub(l.engine.Start()).Truncate(5*time.Second), "after %d s", d)
	}
}

func TestFirstStatusKnowsTheRuntimeAlready(t *testing.T) {
	l := newLab(t, 1, func(c *Config) { c.RegisterNode = false }) // or the registration would leave time for it
	l.server.Put(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}})
	l.rule(kubeClient, "get", "nodes", refuse)
	l.run()
	l.to(ms)
	require.Equal(t, "CSINode is not yet initialized", l.stored(corev1.NodeReady).Message)
}

// A kubelet that was stopped for long finds its runtime silent if it computes
// a status before it asks the runtime: which of the two was due first decides.
func TestKubeletThatStoodStillMayFindItsRuntimeDown(t *testing.T) {
	var down, up int
	for i := range 100 {
		l := newLab(t, uint64(i))
		l.run()
		l.to(time.Minute)
		stop := time.Minute + time.Duration(i)*100*ms
		l.to(stop)
		asked := l.kl.runtimeState.lastBaseRuntimeSync.Sub(l.engine.Start())
		next := asked + 5*time.Second
		status := l.ticks[len(l.ticks)-1] + 10*time.Second // and up to 0.4 s
		l.host.Pause()
		l.to(stop + time.Minute)
		l.host.Resume()
		l.to(stop + time.Minute + 20*ms)
		words := l.stored(corev1.NodeReady).Message
		switch {
		case next < status:
			up++
			require.Equal(t, "kubelet is posting ready status", words)
		case next > status+400*ms:
			down++
			require.Equal(t, "container runtime is down", words)
			require.Equal(t, "NodeNotReady", l.events(stop)[0])
			l.to(stop + time.Minute + 11*time.Second)
			require.Equal(t, corev1.ConditionTrue, l.status(corev1.NodeReady), "the next tick mends it")
		}
	}
	require.Greater(t, up, 5)
	require.Greater(t, down, 5)
}

func TestClockThatJumpsDoesNotMakeTheRuntimeDown(t *testing.T) {
	l := newLab(t, 1)
	l.build(steady{l.host})
	l.kl.Run()
	l.to(time.Minute)
	l.host.Clock().Step(time.Hour)
	l.to(2 * time.Minute)
	require.NotContains(t, l.events(time.Minute), "NodeNotReady")
	require.Equal(t, corev1.ConditionTrue, l.status(corev1.NodeReady))
}
