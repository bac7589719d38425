package scenario

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// workloadsScenario is an absence of node-1 that is longer than its pods
// tolerate, with one workload of each kind.
const workloadsScenario = `
apiVersion: holter/v1alpha1
kind: Scenario
metadata: {name: workloads}
spec:
  kubernetesVersion: %q
  duration: 4m
  nodes: [{count: 3}]
  pods: [{name: proxy, static: true}]
  workloads:
    - {kind: Deployment, name: web, replicas: 3, at: 10s, tolerationSeconds: 10}
    - {kind: StatefulSet, name: db, replicas: 3, at: 20s, tolerationSeconds: 10}
    - {kind: DaemonSet, name: agent, at: 25s}
  faults:
    - {name: death, at: 50s, pause: {node: node-1}, for: 100s}
  expect:
    - {pod: web-2, becomes: terminating, since: death, within: [40s, 70s]}
    - {pod: web-4, becomes: ready, since: death, within: [40s, 73s]}
    - {pod: web-2, becomes: deleted, since: death, within: [100s, 112s]}
    - {pod: db-1, becomes: terminating, since: death, within: [40s, 70s]}
    - {pod: db-1, becomes: deleted, since: death, within: [100s, 112s]}
    - {pod: db-1, becomes: ready, since: death, within: [100s, 116s]}
    - {pod: agent-node-1, stays: present}
    - {pod: agent-node-1, becomes: ready, since: death, within: [100s, 111s]}
    - {pod: proxy-node-1, stays: present}
    - {pod: proxy-node-1, becomes: ready, since: death, within: [100s, 111s]}
`

func TestWorkloadsComeThroughADeathOnEveryVersion(t *testing.T) {
	for _, version := range []string{"1.13", "1.16", "1.18", "1.21", "1.22", "1.26", "1.27", "1.30", "1.34", "1.37"} {
		s, _, err := Decode([]byte(fmt.Sprintf(workloadsScenario, version)), "workloads.yaml")
		require.NoError(t, err)
		r, err := Run(s, Options{Check: true}, nil)
		require.NoError(t, err)
		require.Empty(t, r.Violations, version)
		for _, v := range r.Expectations {
			require.True(t, v.OK, "%s: %s: want %s, got %s", version, v.Name, v.Want, v.Got)
		}
	}
}

func TestControllersThatRestartReplaceNothingTwice(t *testing.T) {
	s, _, err := Decode([]byte(fmt.Sprintf(workloadsScenario, "1.36")), "workloads.yaml")
	require.NoError(t, err)
	s.Spec.Faults = append(s.Spec.Faults, Fault{
		At: &When{At: Duration{15 * time.Second}}, For: Duration{5 * time.Second}, RestartControllerManager: &ManagerRestartFault{},
	}, Fault{
		At: &When{At: Duration{130 * time.Second}}, For: Duration{5 * time.Second}, RestartControllerManager: &ManagerRestartFault{},
	})
	c, err := Build(s, Options{Check: true})
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, c.RunUntil(4*time.Minute))
	for name, want := range map[string]bool{"web-1": true, "web-2": false, "web-3": true, "web-4": true, "web-5": false, "db-2": true, "agent-node-1": true} {
		require.Equal(t, want, c.Server().Pod("default", name) != nil, name)
	}
}

func TestWorkloadIsCreatedWhileItsControllerIsDown(t *testing.T) {
	s, _, err := Decode([]byte(fmt.Sprintf(workloadsScenario, "1.36")), "workloads.yaml")
	require.NoError(t, err)
	s.Spec.Faults = []Fault{{At: &When{At: Duration{5 * time.Second}}, For: Duration{30 * time.Second}, RestartControllerManager: &ManagerRestartFault{}}}
	s.Spec.Expect = nil
	c, err := Build(s, Options{Check: true})
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, c.RunUntil(30*time.Second))
	require.Nil(t, c.Server().Pod("default", "web-1"))
	require.NoError(t, c.RunUntil(40*time.Second))
	require.NotNil(t, c.Server().Pod("default", "web-1"))
}

func TestCordonAndOutOfServiceEndWithTheirFault(t *testing.T) {
	s, _, err := Decode([]byte(fmt.Sprintf(workloadsScenario, "1.36")), "workloads.yaml")
	require.NoError(t, err)
	s.Spec.Expect, s.Spec.Faults = nil, nil
	c, err := Build(s, Options{Check: true})
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, c.RunUntil(30*time.Second))
	c.Inject(Fault{Cordon: &NodeFault{Node: "node-0"}, For: Duration{10 * time.Second}})
	c.Inject(Fault{OutOfService: &NodeFault{Node: "node-0"}, For: Duration{10 * time.Second}})
	require.NoError(t, c.RunUntil(31*time.Second))
	node := c.Server().Node("node-0")
	require.True(t, node.Spec.Unschedulable)
	require.Len(t, node.Spec.Taints, 2, "out-of-service, and unschedulable by the controller")
	require.NoError(t, c.RunUntil(41*time.Second))
	node = c.Server().Node("node-0")
	require.False(t, node.Spec.Unschedulable)
	require.Empty(t, node.Spec.Taints)
}

func TestPodThatStaysReadyIsJudgedOverItsWindow(t *testing.T) {
	s, _, err := Decode([]byte(fmt.Sprintf(workloadsScenario, "1.36")), "workloads.yaml")
	require.NoError(t, err)
	stays := func(pod, state, since string, to time.Duration) Expectation {
		return Expectation{Pod: pod, Stays: state, Since: since, To: &Duration{to}}
	}
	s.Spec.Faults = append(s.Spec.Faults,
		Fault{Name: "early", At: &When{At: Duration{time.Second}}, Cordon: &NodeFault{Node: "node-0"}, For: Duration{time.Second}},
		Fault{Name: "late", At: &When{At: Duration{165 * time.Second}}, Cordon: &NodeFault{Node: "node-0"}, For: Duration{time.Second}})
	s.Spec.Expect = []Expectation{
		stays("agent-node-1", PodReady, "death", 39*time.Second),
		stays("agent-node-1", PodReady, "death", time.Minute),
		stays("agent-node-1", PodReady, "early", 80*time.Second),
		stays("agent-node-1", PodReady, "late", time.Minute),
		stays("agent-node-1", PodPresent, "death", 3*time.Minute),
		stays("web-2", PodPresent, "late", time.Minute),
		stays("web-9", PodPresent, "death", time.Minute),
	}
	r, err := Run(s, Options{}, nil)
	require.NoError(t, err)
	for i, want := range []bool{true, false, true, true, true, false, false} {
		require.Equal(t, want, r.Expectations[i].OK, "%d: %s", i, r.Expectations[i].Got)
	}
	require.Contains(t, r.Expectations[1].Got, "notReady")
}

func TestBadWorkloadsAreNamed(t *testing.T) {
	const head = "apiVersion: holter/v1alpha1\nkind: Scenario\nmetadata: {name: x}\nspec:\n  duration: 1m\n  nodes: [{count: 1}]\n"
	for text, want := range map[string]string{
		"  workloads: [{kind: Job, name: a}]":                                                                      "spec.workloads[0].kind",
		"  workloads: [{name: a}]":                                                                                 "spec.workloads[0].kind",
		"  workloads: [{kind: Deployment}]":                                                                        "spec.workloads[0].name",
		"  workloads: [{kind: Deployment, name: a, namespace: A}]":                                                 "spec.workloads[0].namespace",
		"  workloads: [{kind: Deployment, name: a, replicas: -1}]":                                                 "spec.workloads[0].replicas",
		"  workloads: [{kind: DaemonSet, name: a, replicas: 2}]":                                                   "spec.workloads[0].replicas",
		"  workloads: [{kind: Deployment, name: a, at: -1s}]":                                                      "spec.workloads[0].at",
		"  workloads: [{kind: Deployment, name: a, tolerationSeconds: -1}]":                                        "spec.workloads[0].tolerationSeconds",
		"  workloads: [{kind: Deployment, name: a}, {kind: DaemonSet, name: a}]":                                   "spec.workloads[1].name",
		"  pods: [{name: a, runFor: 100ms}]":                                                                       "spec.pods[0].runFor",
		"  pods: [{name: a, runFor: 0s}]":                                                                          "spec.pods[0].runFor",
		"  pods: [{name: a, static: true, perNode: 2}]":                                                            "spec.pods[0].perNode",
		"  faults: [{at: 1s, deletePod: {pod: a-1}}]":                                                              "spec.faults[0].deletePod.pod",
		"  pods: [{name: a}]\n  faults: [{at: 1s, deletePod: {pod: a-node-0-1}}]":                                  "spec.faults[0].deletePod.pod",
		"  pods: [{name: a}]\n  faults: [{at: 1s, for: 1s, deletePod: {pod: a-node-0-0}}]":                         "spec.faults[0].for",
		"  faults: [{at: 1s, cordon: {node: node-1}}]":                                                             "spec.faults[0].cordon.node",
		"  faults: [{at: 1s, outOfService: {node: node-1}}]":                                                       "spec.faults[0].outOfService.node",
		"  faults: [{at: 1s, storageError: {node: node-0}}]":                                                       "spec.faults[0].for",
		"  faults: [{at: 1s, for: 1s, storageError: {node: node-1}}]":                                              "spec.faults[0].storageError.node",
		"  workloads: [{kind: Deployment, name: a}]\n  expect: [{pod: a-0, stays: present}]":                       "spec.expect[0].pod",
		"  workloads: [{kind: Deployment, name: a}]\n  expect: [{pod: a-01, stays: present}]":                      "spec.expect[0].pod",
		"  workloads: [{kind: StatefulSet, name: a, replicas: 2}]\n  expect: [{pod: a-2, stays: present}]":         "spec.expect[0].pod",
		"  workloads: [{kind: DaemonSet, name: a}]\n  expect: [{pod: a-node-1, stays: present}]":                   "spec.expect[0].pod",
		"  workloads: [{kind: DaemonSet, name: a}]\n  expect: [{pod: a-node-0, becomes: Ready, within: [0s, 1s]}]": "spec.expect[0].becomes",
		"  controllerManager: {terminated-pod-gc-threshold: many}":                                                 "spec.controllerManager.terminated-pod-gc-threshold",
	} {
		requireProblem(t, head+text+"\n", want)
	}
}
