package scenario

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTwoPodsOfOneNameAreRefused(t *testing.T) {
	for lists, refused := range map[string]string{
		"workloads: [{kind: DaemonSet, name: a}, {kind: StatefulSet, name: a-node, replicas: 2}]":                 `spec.workloads[1].name: "a-node" leads to a pod a-node-0, which spec.workloads[0] has too; accepted: another name`,
		"workloads: [{kind: Deployment, name: a-node}, {kind: DaemonSet, name: a}]":                               `spec.workloads[0].name: "a-node" leads to a pod a-node-1, which spec.workloads[1] has too`,
		"pods: [{name: p, static: true}]\n  workloads: [{kind: DaemonSet, name: p}]":                              `spec.workloads[0].name: "p" leads to a pod p-node-0, which spec.pods[0] has too`,
		"pods: [{name: p}]\n  workloads: [{kind: StatefulSet, name: p-node-1}]":                                   `spec.workloads[0].name: "p-node-1" leads to a pod p-node-1-0, which spec.pods[0] has too`,
		"pods: [{name: p}]\n  workloads: [{kind: StatefulSet, name: p-node-1, namespace: other}]":                 "",
		"pods: [{name: p}]\n  workloads: [{kind: StatefulSet, name: p, replicas: 9}]":                             "",
		"workloads: [{kind: StatefulSet, name: a}, {kind: StatefulSet, name: a-0}, {kind: DaemonSet, name: a-1}]": "",
	} {
		s, _, err := Decode([]byte(fmt.Sprintf(`
apiVersion: holter/v1alpha1
kind: Scenario
metadata: {name: names}
spec:
  kubernetesVersion: "1.36"
  duration: 1m
  nodes: [{count: 2}]
  %s
`, lists)), "names.yaml")
		require.NoError(t, err)
		err = s.Validate()
		if refused == "" {
			require.NoError(t, err, lists)
		} else {
			require.ErrorContains(t, err, refused, lists)
		}
	}
}

// A Deployment of 200 pods: 100 get a node at once, and 50 a second after that.
func TestSchedulerBindsAHundredPodsAndThenFiftyASecond(t *testing.T) {
	s, _, err := Decode([]byte(`
apiVersion: holter/v1alpha1
kind: Scenario
metadata: {name: many}
spec:
  kubernetesVersion: "1.36"
  duration: 1m
  nodes: [{count: 4}]
  controllerManager: {kube-api-qps: 1000, kube-api-burst: 2000}
  workloads: [{kind: Deployment, name: web, replicas: 200, at: 30s}]
  expect:
    - {pod: web-90, becomes: scheduled, within: [30s, 31s]}
    - {pod: web-150, becomes: scheduled, within: [30.5s, 32s]}
    - {pod: web-200, becomes: scheduled, within: [31.8s, 33s]}
`), "many.yaml")
	require.NoError(t, err)
	r, err := Run(s, Options{}, nil)
	require.NoError(t, err)
	for _, v := range r.Expectations {
		require.True(t, v.OK, "%s: want %s, got %s", v.Name, v.Want, v.Got)
	}
}
