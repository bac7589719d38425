package kubelet

import (
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/heartbeat/version"
)

// of gives the kubelet the behaviour of a version.
func of(t tester, name string) func(*Config) {
	v, err := version.Parse(name)
	require.NoError(t, err)
	return func(c *Config) { c.Behaviors = version.Lookup(v) }
}

// says is the message of Ready that a kubelet of a version computes.
func says(t *testing.T, name string, spoil func(*lab)) string {
	t.Helper()
	l := idle(t, of(t, name))
	spoil(l)
	node, _ := l.kl.updateNode(&corev1.Node{})
	return condition(&node.Status, corev1.NodeReady).Message
}

func TestReasonsAgainstReadyAreWordedAsInTheirVersion(t *testing.T) {
	silent := func(l *lab) { l.to(time.Minute) }
	silentAndSpoilt := func(l *lab) {
		silent(l)
		l.kl.runtimeState.storageError = errors.New("no CSINode")
		l.kl.cfg.Machine.Capacity = withoutMemory()
	}
	network := func(l *lab) { l.kl.cfg.Inputs.NetworkNotReady = NoCNI; l.kl.updateRuntimeUp() }
	runtime := func(l *lab) {
		l.kl.cfg.Inputs.RuntimeNotReady = "RuntimeReady=false reason:Starting message:"
		l.kl.updateRuntimeUp()
	}
	stalled := func(l *lab) {
		l.kl.pleg.fail(true, l.host.Now())
		l.to(4 * time.Minute)
		l.kl.updateRuntimeUp()
	}
	const ready = "kubelet is posting ready status"
	for _, c := range []struct {
		version string
		spoil   func(*lab)
		want    string
	}{
		{"1.13", silent, "container runtime is down"},
		{"1.14", silent, "container runtime is down."},
		{"1.15", silent, "container runtime is down"},
		{"1.14", stalled, "PLEG is not healthy: pleg was last seen active 4m0s ago; threshold is 3m0s."},
		{"1.15", stalled, "PLEG is not healthy: pleg was last seen active 4m0s ago; threshold is 3m0s"},
		{"1.13", silentAndSpoilt, "container runtime is down,Missing node capacity for resources: memory, ephemeral-storage"},
		{"1.14", silentAndSpoilt, "[container runtime is down., no CSINode, Missing node capacity for resources: memory, ephemeral-storage]"},
		{"1.16", silentAndSpoilt, "[container runtime is down, no CSINode, missing node capacity for resources: memory, ephemeral-storage]"},
		{"1.20", network, "runtime network not ready: " + NoCNI},
		{"1.21", network, "container runtime network not ready: " + NoCNI},
		{"1.15", runtime, ready},
		{"1.16", runtime, "Container runtime not ready: RuntimeReady=false reason:Starting message:"},
		{"1.21", runtime, "container runtime not ready: RuntimeReady=false reason:Starting message:"},
		{"1.29", func(l *lab) { l.kl.cfg.Machine.AppArmor = true }, ready + ". AppArmor enabled"},
		{"1.29", func(*lab) {}, ready},
		{"1.30", func(l *lab) { l.kl.cfg.Machine.AppArmor = true }, ready},
		{"1.29", func(l *lab) { silent(l); l.kl.cfg.Machine.AppArmor = true }, "container runtime is down"},
		{"1.20", func(l *lab) { l.kl.cfg.Inputs.ShuttingDown = true }, ready},
		{"1.21", func(l *lab) { l.kl.cfg.Inputs.ShuttingDown = true }, "node is shutting down"},
	} {
		require.Equal(t, c.want, says(t, c.version, c.spoil), c.version)
	}
}

func TestRuntimeThatCallsItselfNotReadyIsAlsoDownInTime(t *testing.T) {
	for name, want := range map[string]string{
		"1.15": "container runtime is down",
		"1.36": "[container runtime is down, container runtime not ready: RuntimeReady=false]",
	} {
		l := newLab(t, 1, of(t, name))
		l.run()
		l.change(time.Minute, func(in *Inputs) { in.RuntimeNotReady = "RuntimeReady=false" })
		l.tickAfter(time.Minute + 36*time.Second)
		require.Equal(t, want, l.stored(corev1.NodeReady).Message)
	}
}

func TestShutdownIsNothingToAKubeletBefore1_21(t *testing.T) {
	l := newLab(t, 1, of(t, "1.20"))
	l.run()
	l.change(time.Minute, func(in *Inputs) { in.ShuttingDown = true })
	l.to(80 * time.Second)
	require.Equal(t, corev1.ConditionTrue, l.status(corev1.NodeReady))
	require.Empty(t, l.events(time.Minute))
}

func TestOutOfDiskIsRemovedFrom1_13_4To1_15(t *testing.T) {
	for name, stays := range map[string]bool{"1.13.3": true, "1.13.4": false, "1.14": false, "1.15": false, "1.16": true} {
		original := &corev1.Node{Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: outOfDisk}, {Type: corev1.NodeMemoryPressure}}}}
		l := idle(t, of(t, name))
		node, _ := l.kl.updateNode(original)
		require.Equal(t, stays, condition(&node.Status, outOfDisk) != nil, name)
		require.NotNil(t, condition(&node.Status, corev1.NodeMemoryPressure))
		require.NotNil(t, condition(&original.Status, outOfDisk), "the original is shared")
	}
}

func TestVersionInfoHasAKubeProxyVersionUntilItIsCleared(t *testing.T) {
	for name, want := range map[string]string{"1.30": "v1.36.3", "1.31.0": "", "1.32": "v1.36.3", "1.33": ""} {
		l := idle(t, of(t, name))
		node, _ := l.kl.updateNode(&corev1.Node{})
		require.Equal(t, want, node.Status.NodeInfo.KubeProxyVersion, name)
	}
}

func TestWhatAMachineCanDoIsReportedByVersionsThatHaveAFieldForIt(t *testing.T) {
	yes, limit := true, resource.MustParse("25")
	machine := func(c *Config) {
		c.Machine.VolumeLimits = corev1.ResourceList{"attachable-volumes-aws-ebs": limit}
		c.Machine.RuntimeHandlers = []corev1.NodeRuntimeHandler{{Name: "runc"}}
		c.Machine.Features = &corev1.NodeFeatures{SupplementalGroupsPolicy: &yes}
		c.Machine.DeclaredFeatures = []string{"GuaranteedQoSPodCPUResize"}
		c.Machine.NodeInfo.RunningInUserNamespace = &yes
	}
	for name, want := range map[string][]bool{
		"1.30": {true, false, false, false, false},
		"1.31": {false, true, false, false, false},
		"1.33": {false, true, true, false, false},
		"1.36": {false, true, true, true, false},
		"1.37": {false, true, true, true, true},
	} {
		l := idle(t, of(t, name), machine)
		node, _ := l.kl.updateNode(&corev1.Node{})
		s := &node.Status
		_, limited := s.Capacity["attachable-volumes-aws-ebs"]
		require.Equal(t, want, []bool{limited, s.RuntimeHandlers != nil, s.Features != nil, s.DeclaredFeatures != nil, s.NodeInfo.RunningInUserNamespace != nil}, name)
		require.Len(t, defaultResources, 4, "the machine's own list is shared")
	}
}
