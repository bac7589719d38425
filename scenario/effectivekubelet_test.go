package scenario

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// kubeletScenario decodes a scenario of one node with these lines in its spec.
func kubeletScenario(t *testing.T, version, lines string) (*Scenario, error) {
	t.Helper()
	s, _, err := Decode([]byte("apiVersion: holter/v1alpha1\nkind: Scenario\nmetadata: {name: small}\nspec:\n  kubernetesVersion: \""+version+
		"\"\n  duration: 1m\n  nodes: [{count: 1}]\n"+lines), "small.yaml")
	return s, err
}

func TestClientLimitsAreTheVersionsUnlessTheyAreSet(t *testing.T) {
	for _, c := range []struct {
		version, lines string
		want           ClientLimits
	}{
		{"1.26", "", ClientLimits{5, 10, 5, 10}},
		{"1.27", "", ClientLimits{50, 100, 50, 100}},
		{"1.27", "  kubelet: {kubeAPIQPS: 7, eventBurst: 9}\n", ClientLimits{7, 100, 50, 9}},
		{"1.27", "  kubelet: {kubeAPIQPS: 0, kubeAPIBurst: 0}\n", ClientLimits{0, 100, 50, 100}}, // 0 is client-go's 5; a burst is defaulted
		{"1.27", "  kubelet: {kubeAPIQPS: 7}\n  kubeletFlags: [--kube-api-qps=9, --event-burst=3]\n", ClientLimits{9, 100, 50, 3}},
	} {
		s, err := kubeletScenario(t, c.version, c.lines)
		require.NoError(t, err)
		e, err := s.Effective()
		require.NoError(t, err)
		require.Equal(t, c.want, e.Kubelet.ClientLimits, c)
	}
}

func TestANodeOfAnotherVersionHasItsOwnLimitsButForThoseThatAreSet(t *testing.T) {
	s, err := kubeletScenario(t, "1.36", "  kubelet: {eventRecordQPS: 1}\n")
	require.NoError(t, err)
	s.Spec.Nodes[0].Version = "1.26"
	c, err := Build(s, Options{})
	require.NoError(t, err)
	defer c.Close()
	settings := c.Effective().Kubelet
	require.Equal(t, ClientLimits{5, 10, 1, 10}, settings.limitsOf(&c.Nodes()[0].behaviors))
}

// What ValidateKubeletConfiguration refuses, and gates that cannot be set.
func TestKubeletSettingsThatItDoesNotStartWithAreRefused(t *testing.T) {
	for lines, want := range map[string]string{
		"  kubelet: {kubeAPIQPS: -1}\n":                                   "spec.kubelet.kubeAPIQPS",
		"  kubelet: {eventBurst: -1}\n":                                   "spec.kubelet.eventBurst",
		"  kubelet: {nodeStatusMaxImages: -2}\n":                          "spec.kubelet.nodeStatusMaxImages",
		"  kubelet: {featureGates: {NodeLease: false}}\n":                 "Leases are not optional since 1.17",
		"  kubelet: {featureGates: {Other: false}}\n":                     "Other",
		"  controllerManager: {feature-gates: \"NodeLease=false\"}\n":     "Leases are not optional since 1.17",
		"  controllerManager: {feature-gates: \"NodeLease\"}\n":           "is no gate with its value",
		"  faults: [{at: 1s, pullImages: {node: node-0, count: 0}}]\n":    "pullImages.count",
		"  faults: [{at: 1s, deadConnection: {node: node-9}}]\n":          "deadConnection.node",
		"  faults: [{at: 1s, deadConnection: {node: node-0}, for: 1s}]\n": "deadConnection is over at once",
		"  kubelet: {rotateCertificates: maybe}\n":                        "rotateCertificates",
		"  kubelet: {nodeLeaseDurationSeconds: -1}\n":                     "nodeLeaseDurationSeconds",
		"  kubeletFlags: [--kube-api-qps=-3]\n":                           "--kube-api-qps=-3",
	} {
		s, err := kubeletScenario(t, "1.36", lines)
		if err == nil {
			err = s.Validate()
		}
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "\n")
	}
}

func TestTheGateNodeLeaseCanBeSetUpTo1_16(t *testing.T) {
	for version, on := range map[string]bool{"1.13": true, "1.14": false, "1.16": false} {
		value := "false"
		if on {
			value = "true"
		}
		s, err := kubeletScenario(t, version, "  kubelet: {nodeLeaseDurationSeconds: 4, featureGates: {NodeLease: "+value+"}}\n")
		require.NoError(t, err)
		e, err := s.Effective()
		require.NoError(t, err)
		require.Equal(t, on, e.Behaviors.Lease.NodeLease)
		want := 10 * time.Second
		if on {
			want = 4 * time.Second // with Leases heartbeats give up after their duration
		}
		require.Equal(t, want, e.Kubelet.HeartbeatTimeout)
	}
}

// Which connections are closed after failures goes by version and by rotation.
func TestConnectionsAreClosedAsTheVersionDoesWithAndWithoutRotation(t *testing.T) {
	for version, closes := range map[string][2]bool{ // without rotation, with it
		"1.13.12": {true, true}, "1.14.0": {false, true}, "1.14.3": {true, true}, "1.22": {true, true},
		"1.23.0": {false, true}, "1.23.7": {false, false}, "1.36": {false, false},
	} {
		for i, rotate := range []string{"false", "true"} {
			s, err := kubeletScenario(t, version, "  kubelet: {rotateCertificates: "+rotate+"}\n")
			require.NoError(t, err)
			c, err := Build(s, Options{})
			require.NoError(t, err)
			require.NoError(t, c.RunUntil(10*time.Second))
			require.Equal(t, closes[i], c.Nodes()[0].onHeartbeatFailure() != nil, "%s %s", version, rotate)
			c.Close()
		}
	}
}
