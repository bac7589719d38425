package scenario

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	// slowestEnd is the longest that a kubelet takes to end a pod, and to say so:
	// 2 s for its container, 300 ms for its volumes.
	slowestEnd = 2500 * time.Millisecond
	// statusTurn is how often a kubelet sends again what failed.
	statusTurn = 10 * time.Second
)

// podsScenario is a death of node-1 with two pods on each node.
const podsScenario = `
apiVersion: holter/v1alpha1
kind: Scenario
metadata: {name: pods}
spec:
  kubernetesVersion: %q
  duration: 3m
  nodes: [{count: 2}]
  pods: [{name: web, perNode: 2, tolerationSeconds: %d}]
  faults:
    - {name: death, at: 30s, kill: {node: node-1}, for: 2m}
  expect: [%s]
`

func runPods(t *testing.T, version string, seconds int, expect string) *Result {
	t.Helper()
	s, _, err := Decode([]byte(fmt.Sprintf(podsScenario, version, seconds, expect)), "pods.yaml")
	require.NoError(t, err)
	r, err := Run(s, Options{Check: true}, nil)
	require.NoError(t, err)
	return r
}

func TestEvictionsSayWhenWhyAndWhenThePodWasGone(t *testing.T) {
	for _, version := range []string{"1.13", "1.17", "1.26.0", "1.28", "1.36", "1.37"} {
		r := runPods(t, version, 10, "")
		within := slowestEnd
		if version == "1.13" || version == "1.17" {
			within += statusTurn // the deletion waits for the status manager's turn
		}
		require.Len(t, r.Evictions, 2, version)
		for i, e := range r.Evictions {
			require.Equal(t, fmt.Sprintf("default/web-node-1-%d", i), e.Pod, version)
			require.Equal(t, "node-1", e.Node)
			require.Equal(t, "node.kubernetes.io/unreachable:NoExecute tolerated for 10s", e.Why)
			require.NotNil(t, e.Gone, "%s: the kubelet is back at 150 s", version)
			require.Less(t, e.Gone.Duration()-150*time.Second, within, version)
		}
	}
}

func TestPodsOfANodeThatReturnsAreNoEvictions(t *testing.T) {
	r := runPods(t, "1.36", 200, "")
	require.NotNil(t, r.Evictions, "an empty list is a list")
	require.Empty(t, r.Evictions)
}

func TestPodThatMayTakeNoTimeToEndIsGoneAtOnce(t *testing.T) {
	s, _, err := Decode([]byte(fmt.Sprintf(podsScenario, "1.36", 10, "")), "pods.yaml")
	require.NoError(t, err)
	s.Spec.Pods[0].TerminationGracePeriodSeconds = new(int32)
	r, err := Run(s, Options{Check: true}, nil)
	require.NoError(t, err)
	require.Len(t, r.Evictions, 2)
	require.Equal(t, r.Evictions[0].At, *r.Evictions[0].Gone, "the API server waits for no kubelet")
}

func TestKubeletThatCannotConfirmTriesAgainWithItsNextTurn(t *testing.T) {
	s, _, err := Decode([]byte(fmt.Sprintf(podsScenario, "1.36", 10, "")), "pods.yaml")
	require.NoError(t, err)
	s.Spec.Faults = append(s.Spec.Faults, Fault{At: s.Spec.Faults[0].At, Respond: &RespondFault{
		RequestTarget: RequestTarget{Nodes: []string{"node-1"}, Verbs: []string{"delete"}, Resources: []string{"pods"}}, Code: 500, Count: 2,
	}})
	r, err := Run(s, Options{Check: true}, nil)
	require.NoError(t, err)
	require.Len(t, r.Evictions, 2)
	for _, e := range r.Evictions {
		require.GreaterOrEqual(t, e.Gone.Duration(), 150*time.Second+statusTurn)
		require.Less(t, e.Gone.Duration(), 150*time.Second+statusTurn+time.Second)
	}
}

func TestExpectationsOfPodsFailWhereTheyShould(t *testing.T) {
	r := runPods(t, "1.36", 10, `
    {pod: web-node-1-0, stays: present},
    {pod: web-node-1-0, stays: present, since: death, to: 30s},
    {pod: web-node-0-0, becomes: deleted, within: [0s, 3m]},
    {pod: web-node-1-1, becomes: terminating, since: death, within: [0s, 10s]}`)
	require.False(t, r.Expectations[0].OK)
	require.Contains(t, r.Expectations[0].Got, "terminating 0000")
	require.True(t, r.Expectations[1].OK, r.Expectations[1].Got)
	require.False(t, r.Expectations[2].OK)
	require.Equal(t, "never", r.Expectations[2].Got)
	require.False(t, r.Expectations[3].OK)
	require.Contains(t, r.Expectations[3].Got, "only")
}

func TestBadPodsAreNamed(t *testing.T) {
	for pods, want := range map[string]string{
		"{name: a, tolerationSeconds: -1}":                                                  "spec.pods[0].tolerationSeconds",
		"{name: a, terminationGracePeriodSeconds: 1000000}":                                 "spec.pods[0].terminationGracePeriodSeconds",
		"{name: a, tolerations: [{effect: NoExecute}]}":                                     "spec.pods[0].tolerations[0].key",
		"{name: a, tolerations: [{key: a b, operator: Exists}]}":                            "spec.pods[0].tolerations[0].key",
		"{name: a, tolerations: [{key: k, operator: Is}]}":                                  "spec.pods[0].tolerations[0].operator",
		"{name: a, tolerations: [{key: k, operator: Exists, value: v}]}":                    "spec.pods[0].tolerations[0].value",
		"{name: a, tolerations: [{key: k, effect: Evict}]}":                                 "spec.pods[0].tolerations[0].effect",
		"{name: a, tolerations: [{key: k, effect: NoSchedule, tolerationSeconds: 5}]}":      "spec.pods[0].tolerations[0].tolerationSeconds",
		"{name: a, tolerations: [{key: k, effect: NoExecute, tolerationSeconds: 1000000}]}": "spec.pods[0].tolerations[0].tolerationSeconds",
	} {
		text := "apiVersion: holter/v1alpha1\nkind: Scenario\nmetadata: {name: x}\nspec:\n  duration: 1m\n  nodes: [{count: 1}]\n  pods: [" + pods + "]\n"
		requireProblem(t, text, want)
	}
	for expect, want := range map[string]string{
		"{pod: b-node-0-0, stays: present}":                                    "spec.expect[0].pod",
		"{pod: a-node-0-0, node: node-0, stays: present}":                      "spec.expect[0].node",
		"{pod: a-node-0-0, stays: Running}":                                    "spec.expect[0].stays",
		"{pod: a-node-0-0, becomes: Failed, within: [0s, 1s]}":                 "spec.expect[0].becomes",
		"{pod: a-node-0-0, condition: Ready, becomes: True, within: [0s, 1s]}": "spec.expect[0].pod",
	} {
		text := "apiVersion: holter/v1alpha1\nkind: Scenario\nmetadata: {name: x}\nspec:\n  duration: 1m\n  nodes: [{count: 1}]\n  pods: [{name: a}]\n  expect: [" + expect + "]\n"
		requireProblem(t, text, want)
	}
}

func requireProblem(t *testing.T, text, field string) {
	t.Helper()
	s, _, err := Decode([]byte(text), "x.yaml")
	if err == nil {
		err = s.Validate()
	}
	var problem *InputError
	require.ErrorAs(t, err, &problem, text)
	require.Equal(t, field, problem.Field, text)
}
