package scenario

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestEachClientOfTheControllerManagerSends20RequestsASecondAnd30AtOnce(t *testing.T) {
	m := effectiveOf(t).ControllerManager
	require.Equal(t, float32(20), m.KubeAPIQPS)
	require.Equal(t, int32(30), m.KubeAPIBurst)

	m = effectiveOf(t, "controllerManager: {kube-api-qps: 2.5}", "controllerManagerFlags: [--kube-api-burst=7]").ControllerManager
	require.Equal(t, float32(2.5), m.KubeAPIQPS)
	require.Equal(t, int32(7), m.KubeAPIBurst)
}

func TestTaintManagerAndItsTimeoutAreFlagsUpTo1_26(t *testing.T) {
	e := effectiveOf(t, "controllerManager: {version: '1.26', enable-taint-manager: false}", "controllerManagerFlags: [--pod-eviction-timeout=2m]")
	m := e.ControllerManager
	require.False(t, m.EnableTaintManager)
	require.False(t, m.runsTaintEviction())
	require.Equal(t, 2*time.Minute, m.PodEvictionTimeout)
	require.Equal(t, "false", settingOf(t, e, "controllerManager.enable-taint-manager").Value)

	m = effectiveOf(t, "controllerManager: {version: '1.26'}").ControllerManager
	require.True(t, m.runsTaintEviction())
	require.Equal(t, 5*time.Minute, m.PodEvictionTimeout)
	for _, s := range effectiveOf(t).Settings {
		require.NotContains(t, s.Path, "taint-manager", "1.36 has no such flag")
	}
}

func TestTaintEvictionIsSwitchedOffByItsNameFrom1_29(t *testing.T) {
	off := "controllers: '*,-taint-eviction-controller'"
	m := effectiveOf(t, "controllerManager: {"+off+"}").ControllerManager
	require.False(t, m.runsTaintEviction())
	require.True(t, m.PodGCController)
	m = effectiveOf(t, "controllerManager: {controllers: 'node-lifecycle-controller'}").ControllerManager
	require.False(t, m.runsTaintEviction())
	require.False(t, m.PodGCController)
	m = effectiveOf(t, "controllerManager: {controllers: '-podgc,*'}").ControllerManager
	require.True(t, m.runsTaintEviction())
	require.False(t, m.PodGCController)
	m = effectiveOf(t, "controllerManager: {version: '1.28', controllers: 'nodelifecycle'}").ControllerManager
	require.True(t, m.runsTaintEviction(), "part of the node lifecycle controller")
}

func TestGatesOfTheNodeLifecycleController(t *testing.T) {
	m := effectiveOf(t, "controllerManager: {version: '1.17', feature-gates: TaintBasedEvictions=false}").ControllerManager
	require.False(t, m.TaintBasedEvictions)
	require.True(t, m.runsTaintEviction(), "taints of others still delete pods")
	m = effectiveOf(t, "controllerManager: {version: '1.37', feature-gates: NodeControllerLeaseCircuitBreaker=false}").ControllerManager
	require.True(t, m.TaintBasedEvictions)
	require.False(t, m.Behaviors.NodeLifecycle.NodeLeaseCircuitBreaker)
}

func TestFlagsThatAVersionHasNotGotAreRefused(t *testing.T) {
	for spec, want := range map[string]string{ // order: each is its own case
		"controllerManager: {pod-eviction-timeout: 5m}": `small.yaml:7: spec.controllerManager.pod-eviction-timeout: "pod-eviction-timeout" is no flag of a kube-controller-manager from 1.27 on: ` +
			`a pod's tolerationSeconds say how long it stays; accepted: a version up to 1.26, or nothing`,
		"controllerManagerFlags: [--enable-taint-manager=false]": `small.yaml:7: spec.controllerManagerFlags[0]: "--enable-taint-manager=false" is no flag of a kube-controller-manager from 1.27 on: ` +
			`pods are always evicted by taint; accepted: a version up to 1.26, or nothing`,
		"controllerManager: {version: '1.18', feature-gates: TaintBasedEvictions=false}": `small.yaml:7: spec.controllerManager.feature-gates: "TaintBasedEvictions=false" is no value of a gate that is locked to true since 1.18; ` +
			`accepted: true, or a version up to 1.17`,
		"controllerManager: {feature-gates: NodeControllerLeaseCircuitBreaker=false}": `small.yaml:7: spec.controllerManager.feature-gates: "NodeControllerLeaseCircuitBreaker=false" is no gate of a kube-controller-manager before 1.37; ` +
			`accepted: a version from 1.37 on, or nothing`,
		"controllerManager: {version: '1.28', controllers: '*,-taint-eviction-controller'}": `small.yaml:7: spec.controllerManager.controllers: "-taint-eviction-controller" is no controller of a kube-controller-manager before 1.29, ` +
			`where taint eviction is part of the node lifecycle controller; accepted: a version from 1.29 on; up to 1.26 there is enable-taint-manager`,
		"controllerManager: {controllers: '*,-node-lifecycle-controller'}": `small.yaml:7: spec.controllerManager.controllers: "*,-node-lifecycle-controller" switches the node lifecycle controller off, ` +
			`and nothing here would look at the nodes; accepted: a list with * or node-lifecycle-controller`,
		"controllerManager: {kube-api-qps: 0.0001}": `small.yaml:7: spec.controllerManager.kube-api-qps: "0.0001" is too few: the controller would do nothing else than wait; ` +
			`accepted: a number from 0.001; 0 is 5, and under 0 is no limit`,
		"controllerManager: {kube-api-burst: 0}": `small.yaml:7: spec.controllerManager.kube-api-burst: "0" is no burst; kube-controller-manager does not start with it; ` +
			`accepted: a whole number from 1, or a kube-api-qps under 0, which is no limit`,
	} {
		_, err := small(t, spec).Effective()
		require.EqualError(t, err, want)
	}
}
