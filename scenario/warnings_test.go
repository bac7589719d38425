package scenario

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/traces"
)

func TestDangerousSettingsAreWarnedOfWithTheirNumbers(t *testing.T) {
	for _, c := range []struct {
		claim, spec string
		want        []string
	}{
		{"defaults are not warned of", "seed: 1", nil},
		{"the grace period of 1.31 is not over what HTTP/2 takes", "controllerManager: {node-monitor-grace-period: 40s}", []string{
			"small.yaml:7: spec.controllerManager.node-monitor-grace-period: 40s is less than the 5 tries of one heartbeat, 50s with 10s each (the heartbeat timeout): a renewal that gets no answer outlasts it",
			"small.yaml:7: spec.controllerManager.node-monitor-grace-period: 40s is not over the 45s that HTTP/2 takes to give up a dead connection (30s idle, 15s ping): when the controller-manager's own connection dies, every node turns Unknown",
		}},
		{"less than two renewals", "controllerManager: {node-monitor-grace-period: 90s}\n  kubelet: {nodeLeaseDurationSeconds: 240}", []string{
			"small.yaml:7: spec.controllerManager.node-monitor-grace-period: 1m30s is less than two heartbeats (the Lease is renewed every 1m): one that is lost turns a healthy node Unknown",
		}},
		{"no more than one renewal", "kubelet: {nodeLeaseDurationSeconds: 200}", []string{
			"small.yaml: controllerManager.node-monitor-grace-period: 50s is not over the 52s between two heartbeats (the Lease is renewed every 50s, and up to 4% later): healthy nodes turn Unknown without a fault",
		}},
		{"status reports count as heartbeats", "kubelet: {nodeLeaseDurationSeconds: 200, nodeStatusReportFrequency: 10s}", []string{
			"small.yaml: controllerManager.node-monitor-grace-period: 50s is not over the renew interval of 52s plus the heartbeat timeout of 10s: one request that gets no answer turns a healthy node Unknown",
		}},
		{"an update frequency that has heartbeats hang", "kubelet: {nodeStatusUpdateFrequency: 40s, nodeStatusReportFrequency: 5m}", []string{
			"small.yaml: controllerManager.node-monitor-grace-period: 50s is not over the renew interval of 10.4s plus the heartbeat timeout of 40s: one request that gets no answer turns a healthy node Unknown",
		}},
		{"a monitor period over the grace period", "controllerManager: {node-monitor-period: 1m}", []string{
			"small.yaml:7: spec.controllerManager.node-monitor-period: 1m is no shorter than node-monitor-grace-period 50s: a dead node turns Unknown up to 1m50s after its last heartbeat",
		}},
		{"the trap of the report frequency", "kubelet: {nodeStatusUpdateFrequency: 5s}", []string{
			"small.yaml:7: spec.kubelet.nodeStatusUpdateFrequency: setting it to 5s sets nodeStatusReportFrequency to 5s too, which is 5m only where neither is set: 3 nodes send 36 status PATCHes a minute, not 0.6",
		}},
		{"a flag is no trap", "kubeletFlags: [--node-status-update-frequency=5s]", nil},
		{"a flag that hides a setting", "kubelet: {nodeStatusUpdateFrequency: 20s, nodeStatusReportFrequency: 5m}\n  kubeletFlags: [--node-status-update-frequency=5s]", []string{
			"small.yaml:8: spec.kubeletFlags[0]: --node-status-update-frequency=5s wins over nodeStatusUpdateFrequency: 20s of the configuration",
		}},
		{"a flag that hides a flag", "controllerManager: {node-monitor-period: 2s}\n  controllerManagerFlags: [--node-monitor-period=4s]", []string{
			"small.yaml:8: spec.controllerManagerFlags[0]: --node-monitor-period=4s wins over node-monitor-period: 2s of spec.controllerManager",
		}},
		{"a network slower than the timeout", "network: {latency: {p50: 1s, p99: 6s}}", []string{
			"small.yaml:7: spec.network.latency: a round trip takes up to 2 x 6s, and heartbeats time out after 10s (the lesser of nodeStatusUpdateFrequency and nodeLeaseDurationSeconds)",
		}},
		{"rates that switch eviction off", "controllerManager: {node-eviction-rate: 0, unhealthy-zone-threshold: 1.5}", []string{
			"small.yaml:7: spec.controllerManager.node-eviction-rate: 0 nodes a second: in a healthy zone the NoExecute taint comes to one node, and then to none",
			"small.yaml:7: spec.controllerManager.unhealthy-zone-threshold: 1.5 is over 1: no zone ever counts as partially disrupted, and none is evicted from more slowly",
		}},
		{"a pass that takes longer than its period", "controllerManager: {node-monitor-period: 1ms}", []string{
			"small.yaml:7: spec.controllerManager.node-monitor-period: a pass over 3 nodes takes 1.2ms, which is more than the 1ms between two: each node is looked at every 2.2ms",
		}},
		{"controllers that cannot be switched", "controllerManager: {controllers: \"*,-podgcx,-deployment-controller,-podgc\"}", []string{
			"small.yaml:7: spec.controllerManager.controllers: \"-podgcx\" is no controller that can be switched here; it has no effect, did you mean podgc?",
			"small.yaml:7: spec.controllerManager.controllers: \"-deployment-controller\" is no controller that can be switched here; it has no effect",
		}},
		{"faults that a kubelet is too old for", "faults: [{at: 1s, for: 1s, storageError: {node: node-0}}, {at: 1s, for: 1s, shutdown: {node: \"*\"}}]\n  kubernetesVersion: \"1.13\"\n  controllerManager: {version: \"1.36\"}", []string{
			"small.yaml:9: spec.controllerManager.version: a controller-manager of 1.36 is newer than its API server of 1.13, which Kubernetes does not support",
			"small.yaml:7: spec.faults[0].storageError: changes nothing on kubelets of 1.13, which do not look at their storage before they are ready",
			"small.yaml:7: spec.faults[1].shutdown: kubelets of 1.13 are not told that their machine shuts down: the nodes are ready until it is off",
		}},
		{"seconds that pods do not heed", "pods: [{name: a, static: true, tolerationSeconds: 5}]\n  workloads: [{kind: DaemonSet, name: b, tolerationSeconds: 5, at: 10m}]", []string{
			"small.yaml:8: spec.workloads[0].at: is created at 10m, after the end of the run (spec.duration: 5m)",
			"small.yaml:7: spec.pods[0].tolerationSeconds: static pods tolerate nodes that are not ready or not reachable for ever; it has no effect",
			"small.yaml:8: spec.workloads[0].tolerationSeconds: the pods of a DaemonSet tolerate nodes that are not ready or not reachable for ever; it has no effect",
		}},
		{"requests that no kubelet sends", "expect: [{node: node-0, requests: {verb: delete, resource: pods}, count: [0, 0]}, {node: node-0, requests: {resource: pods}, count: [0, 0]}, {node: node-0, requests: {verb: patch}, count: [1, 9]}]", []string{
			"small.yaml:7: spec.expect[0].requests: no kubelet of the model sends delete of pods: there is nothing to count",
			"small.yaml:7: spec.expect[1].requests: no kubelet of the model sends any request about pods: there is nothing to count",
		}},
		{"faults of requests that nobody sends", "faults: [{at: 1s, for: 1s, respond: {code: 500, verbs: [delete]}}, {at: 1s, for: 1s, loseReply: {nodes: [node-0], verbs: [update, watch], resources: [pods, nodes/status]}}, " +
			"{at: 1s, for: 1s, latency: {fixed: 1s, verbs: [update], resources: [leases, pods]}}, {at: 1s, for: 1s, loseRequest: {}}]", []string{
			"small.yaml:7: spec.faults[0].respond: no client of the model sends delete: the fault touches nothing",
			"small.yaml:7: spec.faults[1].loseReply: no kubelet of the model sends update or watch of pods or nodes/status: the fault touches nothing",
		}},
		{"what comes after the end", "faults: [{name: late, at: {from: 4m, to: 6m}, kill: {node: node-0}}]\n  expect: [{node: node-0, condition: Ready, becomes: Unknown, within: [40s, 60s], since: late}]", []string{
			"small.yaml:7: spec.faults[0].at: strikes at 6m, after the end of the run (spec.duration: 5m)",
			"small.yaml:8: spec.expect[0].within: the window closes at 7m, after the end of the run (spec.duration: 5m)",
		}},
	} {
		t.Run(c.claim, func(t *testing.T) {
			s := small(t, c.spec)
			require.NoError(t, s.Validate())
			require.Equal(t, c.want, warningLines(s.Warnings()))
		})
	}
}

func TestAFaultsOwnRequestsCanBeTouched(t *testing.T) {
	require.Empty(t, small(t, "faults: [{at: 1s, deleteNode: {node: node-0}}, {at: 1s, for: 1s, respond: {code: 500, verbs: [delete]}}]").Warnings())
}

func TestARunThatWillNotEndSoonIsWarnedOf(t *testing.T) {
	s := small(t)
	require.NoError(t, s.Set("duration", "100h"))
	require.NoError(t, s.Set("nodes[0].count", "100000"))
	require.Contains(t, warningLines(s.Warnings()), "spec.duration: the run has about 8000 million turns of loops (renewals, status updates, looks at nodes), which takes long")
}

func TestEveryRequestOfTheSuiteIsOneThatItsClientIsKnownToSend(t *testing.T) {
	for _, path := range suiteFiles(t) {
		s, _, err := Load(path, nil)
		require.NoError(t, err)
		require.Empty(t, s.warnRequests(), path)
		known := map[bool][]string{true: s.kubeletRequests(), false: s.clientRequests()}
		_, err = Run(s, Options{Sinks: []traces.Sink{traces.SinkFunc(func(ev *traces.Event) error {
			if ev.Kind == traces.KindRequest {
				require.Contains(t, known[nodeOfClient(ev.Actor) != ""], ev.Verb+" "+ev.Resource, path)
			}
			return nil
		})}}, nil)
		require.NoError(t, err)
	}
}

func TestWarningsFollowWhatWasSet(t *testing.T) {
	s := small(t, "kubelet: {maxPods: 5}")
	require.Len(t, s.Warnings(), 1)
	require.NoError(t, s.Set("controllerManager.node-monitor-period", "2m"))
	require.Equal(t, []string{
		"small.yaml:7: spec.kubelet.maxPods: is a field of KubeletConfiguration that is not modelled; it has no effect here",
		"spec.controllerManager.node-monitor-period: 2m is no shorter than node-monitor-grace-period 50s: a dead node turns Unknown up to 2m50s after its last heartbeat",
	}, warningLines(s.Warnings()))
}
