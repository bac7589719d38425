package scenario

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/heartbeat/version"
	"pgregory.net/rapid"
)

func effectiveOf(t testing.TB, spec ...string) Effective {
	t.Helper()
	e, err := small(t, spec...).Effective()
	require.NoError(t, err)
	return e
}

func settingOf(t testing.TB, e Effective, path string) Setting {
	t.Helper()
	for _, s := range e.Settings {
		if s.Path == path {
			return s
		}
	}
	t.Fatalf("no setting %s", path)
	return Setting{}
}

func TestDefaultsAreThoseOfKubernetes136(t *testing.T) {
	e := effectiveOf(t)
	require.Equal(t, Kubelet{
		NodeStatusUpdateFrequency: 10 * time.Second,
		NodeStatusReportFrequency: 5 * time.Minute,
		reportByDefault:           true,
		NodeLeaseDurationSeconds:  40,
		NodeLeaseDuration:         40 * time.Second,
		RenewInterval:             10 * time.Second,
		HeartbeatTimeout:          10 * time.Second,
		RegisterNode:              true,
		NodeStatusMaxImages:       50,
		ClientLimits:              ClientLimits{KubeAPIQPS: 50, KubeAPIBurst: 100, EventRecordQPS: 50, EventBurst: 100},
	}, e.Kubelet)
	require.Equal(t, version.Lookup(version.Version{Minor: 36, Patch: version.Newest}), e.Behaviors)
	require.Equal(t, ControllerManager{
		Behaviors:                 e.Behaviors,
		NodeMonitorGracePeriod:    50 * time.Second,
		NodeMonitorPeriod:         5 * time.Second,
		NodeStartupGracePeriod:    time.Minute,
		NodeEvictionRate:          0.1,
		SecondaryNodeEvictionRate: 0.01,
		UnhealthyZoneThreshold:    0.55,
		LargeClusterSizeThreshold: 50,
		TerminatedPodGCThreshold:  12500,
		KubeAPIQPS:                20,
		KubeAPIBurst:              30,
		EnableTaintManager:        true,
		TaintBasedEvictions:       true,
		PodEvictionTimeout:        5 * time.Minute,
		TaintEvictionController:   true,
		PodGCController:           true,
	}, e.ControllerManager)
	for _, s := range e.Settings {
		require.True(t, s.Derived || strings.HasPrefix(s.Source, "default"), s.Path)
	}
}

func TestReportFrequencyFollowsAnUpdateFrequencyOfTheConfigurationOnly(t *testing.T) {
	for _, c := range []struct {
		claim, spec    string
		update, report time.Duration
	}{
		{"neither is set", "kubelet: {}", 10 * time.Second, 5 * time.Minute},
		{"the update frequency is set", "kubelet: {nodeStatusUpdateFrequency: 5s}", 5 * time.Second, 5 * time.Second},
		{"it is set to its default", "kubelet: {nodeStatusUpdateFrequency: 10s}", 10 * time.Second, 10 * time.Second},
		{"both are set", "kubelet: {nodeStatusUpdateFrequency: 5s, nodeStatusReportFrequency: 3m}", 5 * time.Second, 3 * time.Minute},
		{"it is set to 0s, which is not set", "kubelet: {nodeStatusUpdateFrequency: 0s}", 10 * time.Second, 5 * time.Minute},
		{"it is set by flag", "kubeletFlags: [--node-status-update-frequency=5s]", 5 * time.Second, 5 * time.Minute},
		{"by flag over the configuration", "kubelet: {nodeStatusUpdateFrequency: 20s}\n  kubeletFlags: [--node-status-update-frequency=5s]", 5 * time.Second, 20 * time.Second},
	} {
		e := effectiveOf(t, c.spec)
		require.Equal(t, c.update, e.Kubelet.NodeStatusUpdateFrequency, c.claim)
		require.Equal(t, c.report, e.Kubelet.NodeStatusReportFrequency, c.claim)
	}
	trap := settingOf(t, effectiveOf(t, "kubelet: {nodeStatusUpdateFrequency: 5s}"), "kubelet.nodeStatusReportFrequency")
	require.Equal(t, "nodeStatusUpdateFrequency", trap.Source)
	require.NotEmpty(t, trap.Note)
}

func TestTheLaterSourceWins(t *testing.T) {
	const file = "kubeletConfigFile: prod/kubelet.yaml\n  kubeletConfig: |\n    apiVersion: kubelet.config.k8s.io/v1beta1\n    kind: KubeletConfiguration\n    nodeStatusUpdateFrequency: 4s\n    nodeLeaseDurationSeconds: 20"
	const spec = "kubelet: {nodeStatusUpdateFrequency: 6s}"
	const flag = "kubeletFlags: [--node-status-update-frequency, 7s, --node_status_update_frequency=8s]"

	e := effectiveOf(t, file)
	require.Equal(t, Setting{Path: "kubelet.nodeStatusUpdateFrequency", Value: "4s", Source: "kubelet.yaml"}, settingOf(t, e, "kubelet.nodeStatusUpdateFrequency"))
	e = effectiveOf(t, file, spec)
	require.Equal(t, Setting{Path: "kubelet.nodeStatusUpdateFrequency", Value: "6s", Source: "spec.kubelet"}, settingOf(t, e, "kubelet.nodeStatusUpdateFrequency"))
	require.Equal(t, "kubelet.yaml", settingOf(t, e, "kubelet.nodeLeaseDurationSeconds").Source)
	e = effectiveOf(t, file, spec, flag)
	require.Equal(t, Setting{Path: "kubelet.nodeStatusUpdateFrequency", Value: "8s", Source: "--node-status-update-frequency"}, settingOf(t, e, "kubelet.nodeStatusUpdateFrequency"))

	e = effectiveOf(t, "controllerManager: {node-monitor-grace-period: 40s, node-eviction-rate: 1}", "controllerManagerFlags: [--node-monitor-grace-period=60s]")
	require.Equal(t, "--node-monitor-grace-period", settingOf(t, e, "controllerManager.node-monitor-grace-period").Source)
	require.Equal(t, "spec.controllerManager", settingOf(t, e, "controllerManager.node-eviction-rate").Source)
	require.Equal(t, time.Minute, e.ControllerManager.NodeMonitorGracePeriod)
}

func TestDerivedIntervalsFollowTheirSettings(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		seconds := rapid.Int32Range(1, 100000).Draw(rt, "lease")
		update := time.Duration(rapid.Int64Range(int64(time.Millisecond), int64(time.Hour)).Draw(rt, "update"))
		s := New("derived")
		s.Spec.Kubelet = KubeletSpec{NodeLeaseDurationSeconds: &seconds, NodeStatusUpdateFrequency: &Duration{update}}
		e, err := s.Effective()
		require.NoError(rt, err)
		lease := time.Duration(seconds) * time.Second
		require.Equal(rt, time.Duration(float64(lease)*0.25), e.Kubelet.RenewInterval, "as the kubelet computes it")
		require.Equal(rt, min(update, lease), e.Kubelet.HeartbeatTimeout)
	})
}

func TestFlagsThatAreNotModelledAreWarnedOfAndWithoutEffect(t *testing.T) {
	s := small(t, "kubeletFlags: [--max-pods=250, --v, '2', --register-node=false]", "controllerManagerFlags: [--cluster-name, 'x', --leader_elect]")
	require.NoError(t, s.Validate())
	require.Equal(t, []string{
		"small.yaml:7: spec.kubeletFlags[0]: --max-pods is a flag of kubelet that is not modelled; it has no effect here",
		"small.yaml:7: spec.kubeletFlags[1]: --v is a flag of kubelet that is not modelled; it has no effect here",
		"small.yaml:8: spec.controllerManagerFlags[0]: --cluster-name is a flag of kube-controller-manager that is not modelled; it has no effect here",
		"small.yaml:8: spec.controllerManagerFlags[2]: --leader-elect is a flag of kube-controller-manager that is not modelled; it has no effect here",
		"small.yaml:7: spec.kubeletFlags[3]: false: no kubelet creates its Node, and nothing else does here, so there is no heartbeat to see",
	}, warningLines(s.Warnings()))
}

func TestFieldsThatAreNotModelledAreWarnedOfAndWithoutEffect(t *testing.T) {
	s := small(t, "kubelet: {maxPods: 250}", "controllerManager: {leader-elect: true}")
	require.NoError(t, s.Validate())
	require.Equal(t, []string{
		"small.yaml:7: spec.kubelet.maxPods: is a field of KubeletConfiguration that is not modelled; it has no effect here",
		"small.yaml:8: spec.controllerManager.leader-elect: is a flag of kube-controller-manager that is not modelled; it has no effect here",
	}, warningLines(s.Warnings()))
}

func TestFlagNamesAreInOrderSoThatTheyAreFound(t *testing.T) {
	for _, set := range []flagSet{kubeletFlagSet(), controllerManagerFlagSet()} {
		require.IsIncreasing(t, set.names)
		for _, name := range set.names {
			require.True(t, set.known(name), name)
			require.NotContains(t, set.modelled, name)
		}
	}
}

func TestFullScenarioHasTheSettingsOfItsGolden(t *testing.T) {
	s := loadFull(t)
	e, err := s.Effective()
	require.NoError(t, err)
	var b strings.Builder
	for _, setting := range e.Settings {
		fmt.Fprintf(&b, "%-46s %-8s %s\n", setting.Path, setting.Value, setting.Source)
	}
	for _, line := range warningLines(s.Warnings()) {
		fmt.Fprintln(&b, line)
	}
	const golden = "testdata/input/full.golden"
	if os.Getenv("HOLTER_GOLDEN") == "rewrite" {
		require.NoError(t, os.WriteFile(golden, []byte(b.String()), 0o644))
		return
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String())
}
