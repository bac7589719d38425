package kubelet

import (
	"errors"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/stretchr/testify/require"
)

// change sets inputs of the running kubelet at so long after the start.
func (l *lab) change(d time.Duration, edit func(*Inputs)) {
	l.to(d)
	in := l.kl.Inputs()
	edit(&in)
	l.kl.SetInputs(in)
}

func TestPressureIsToldWithTheNextStatusAndSoIsItsEnd(t *testing.T) {
	for _, c := range []struct {
		kind    corev1.NodeConditionType
		set     func(*Inputs, bool)
		yes, no []string // reason, message, event
	}{
		{corev1.NodeMemoryPressure, func(in *Inputs, on bool) { in.MemoryPressure = on },
			[]string{"KubeletHasInsufficientMemory", "kubelet has insufficient memory available", "NodeHasInsufficientMemory"},
			[]string{"KubeletHasSufficientMemory", "kubelet has sufficient memory available", "NodeHasSufficientMemory"}},
		{corev1.NodeDiskPressure, func(in *Inputs, on bool) { in.DiskPressure = on },
			[]string{"KubeletHasDiskPressure", "kubelet has disk pressure", "NodeHasDiskPressure"},
			[]string{"KubeletHasNoDiskPressure", "kubelet has no disk pressure", "NodeHasNoDiskPressure"}},
		{corev1.NodePIDPressure, func(in *Inputs, on bool) { in.PIDPressure = on },
			[]string{"KubeletHasInsufficientPID", "kubelet has insufficient PID available", "NodeHasInsufficientPID"},
			[]string{"KubeletHasSufficientPID", "kubelet has sufficient PID available", "NodeHasSufficientPID"}},
	} {
		t.Run(string(c.kind), func(t *testing.T) {
			l := newLab(t, 1)
			l.run()
			for i, on := range []bool{true, false} {
				from := time.Duration(i+1) * time.Minute
				l.change(from, func(in *Inputs) { c.set(in, on) })
				tick := l.tickAfter(from)
				words, status := c.no, corev1.ConditionFalse
				if on {
					words, status = c.yes, corev1.ConditionTrue
				}
				got := l.stored(c.kind)
				require.Equal(t, []any{status, words[0], words[1], l.wall(tick)}, []any{got.Status, got.Reason, got.Message, got.LastTransitionTime})
				require.Equal(t, words[2:], l.events(from))
				require.Equal(t, corev1.ConditionTrue, l.status(corev1.NodeReady))
				l.to(from + 50*time.Second)
				require.Len(t, l.reports(from), 1, "told once")
			}
		})
	}
}

func TestRuntimeThatDoesNotAnswerIsBorneForThirtySeconds(t *testing.T) {
	l := newLab(t, 1)
	l.run()
	l.change(time.Minute+ms, func(in *Inputs) { in.RuntimeDown = true }) // just after it answered
	l.to(89 * time.Second)
	require.Equal(t, corev1.ConditionTrue, l.status(corev1.NodeReady))
	l.tickAfter(time.Minute + 30*time.Second)
	require.Equal(t, "container runtime is down", l.stored(corev1.NodeReady).Message)
	l.tickAfter(5 * time.Minute)
	require.Regexp(t, `^\[container runtime is down, PLEG is not healthy: pleg was last seen active 4m\d+\.\d+s ago; threshold is 3m0s\]$`, l.stored(corev1.NodeReady).Message)
	l.change(6*time.Minute, func(in *Inputs) { in.RuntimeDown = false })
	l.tickAfter(6*time.Minute + 5*time.Second)
	require.Equal(t, corev1.ConditionTrue, l.status(corev1.NodeReady))
}

func TestKubeletThatStartsWithoutARuntimeSaysAllItDoesNotKnow(t *testing.T) {
	l := newLab(t, 1, func(c *Config) { c.Inputs.RuntimeDown = true })
	l.run()
	l.to(30 * time.Second)
	require.Equal(t, "[container runtime status check may not have completed yet, PLEG is not healthy: pleg has yet to be successful, network state unknown]",
		l.stored(corev1.NodeReady).Message)
}

func TestStorageErrorKeepsTheNodeNotReady(t *testing.T) {
	l := newLab(t, 1)
	l.run()
	l.change(time.Minute, func(in *Inputs) { in.StorageError = errors.New("no disk") })
	l.tickAfter(time.Minute)
	require.Equal(t, "no disk", l.stored(corev1.NodeReady).Message)
}

func TestShutdownIsReportedAtOnceAndItsCancellationWithTheNextStatus(t *testing.T) {
	l := newLab(t, 1)
	l.run()
	l.change(time.Minute, func(in *Inputs) { in.ShuttingDown = true })
	l.to(time.Minute + ms)
	require.Equal(t, "node is shutting down", l.stored(corev1.NodeReady).Message)
	require.Equal(t, []string{"Shutdown", "NodeNotReady"}, l.events(time.Minute))
	l.change(2*time.Minute, func(in *Inputs) { in.ShuttingDown = false })
	l.to(2*time.Minute + ms)
	require.Equal(t, corev1.ConditionFalse, l.status(corev1.NodeReady))
	l.tickAfter(2 * time.Minute)
	require.Equal(t, corev1.ConditionTrue, l.status(corev1.NodeReady))
}

func TestImagesAreReportedUpToFifty(t *testing.T) {
	l := newLab(t, 1)
	l.run()
	for i, n := range []int{2, 50, 51, 200, 0} {
		from := time.Duration(i+1) * time.Minute
		images := make([]corev1.ContainerImage, n)
		for j := range images {
			images[j] = corev1.ContainerImage{Names: []string{fmt.Sprint("image-", j)}, SizeBytes: int64(1000 - j)}
		}
		l.change(from, func(in *Inputs) { in.Images = images })
		l.tickAfter(from)
		require.Len(t, l.server.Node("n").Status.Images, min(n, 50))
		require.Len(t, images, n, "the list is not written to")
	}
}

func TestUsersSettersAreRunAfterUpstreams(t *testing.T) {
	rack := func(node *corev1.Node) {
		require.NotNil(t, condition(&node.Status, corev1.NodeReady))
		if condition(&node.Status, "RackPowered") == nil {
			node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{Type: "RackPowered", Status: corev1.ConditionTrue})
		}
	}
	l := newLab(t, 1, func(c *Config) { c.Setters = []func(*corev1.Node){rack} })
	l.run()
	l.to(time.Minute)
	require.Equal(t, corev1.ConditionTrue, l.status("RackPowered"))
	l.kl.AddSetter(func(node *corev1.Node) { node.Status.NodeInfo.MachineID = "rack-7" })
	l.tickAfter(time.Minute)
	require.Equal(t, "rack-7", l.server.Node("n").Status.NodeInfo.MachineID)
}
