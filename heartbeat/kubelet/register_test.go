package kubelet

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/sim"
)

const ms = time.Millisecond

func TestRegistrationIsTriedUpToEverySevenSeconds(t *testing.T) {
	l := newLab(t, 1)
	l.rule(kubeClient, "create", "nodes", fakeapi.Rule{Respond: respond(500, ""), Count: 8})
	l.run()
	l.to(time.Minute)
	require.Equal(t, []time.Duration{100 * ms, 300 * ms, 700 * ms, 1500 * ms, 3100 * ms, 6300 * ms, 12700 * ms, 19700 * ms, 26700 * ms}, instants(l.callsOf("create nodes")))
	require.Equal(t, []string{heartbeat.DecisionRegistered}, l.decisions)
	require.Equal(t, instants(l.callsOf("create nodes"))[8], instants(l.callsOf("patch nodes/status"))[0], "the first report follows at once, and not before")
}

func TestWaitsBetweenRegistrationsCountFromTheAnswer(t *testing.T) {
	l := newLab(t, 1)
	l.server.Network().SetLatency(sim.Fixed(30 * ms))
	l.rule(kubeClient, "create", "nodes", fakeapi.Rule{Respond: respond(500, ""), Count: 2})
	l.run()
	l.to(10 * time.Second)
	require.Equal(t, []time.Duration{100 * ms, 360 * ms, 820 * ms}, instants(l.callsOf("create nodes")))
}

func TestRegisteredNodeCarriesItsStatus(t *testing.T) {
	l := newLab(t, 1, func(c *Config) {
		c.NodeLabels = map[string]string{"topology.kubernetes.io/zone": "a"}
		c.Machine.ProviderID = "cloud://1"
	})
	l.run()
	l.to(time.Second)
	node := l.callsOf("create nodes")[0].Object.(*corev1.Node)
	require.Equal(t, map[string]string{
		"kubernetes.io/hostname": "n", "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
		"beta.kubernetes.io/os": "linux", "beta.kubernetes.io/arch": "amd64", "topology.kubernetes.io/zone": "a",
	}, node.Labels)
	require.Equal(t, map[string]string{"volumes.kubernetes.io/controller-managed-attach-detach": "true"}, node.Annotations)
	require.Equal(t, "cloud://1", node.Spec.ProviderID)
	require.Equal(t, l.cfg.Machine.Addresses, node.Status.Addresses)
	require.Len(t, node.Status.Capacity, 4)
	var kinds []corev1.NodeConditionType
	for _, c := range node.Status.Conditions {
		kinds = append(kinds, c.Type)
		require.Equal(t, corev1.ConditionFalse, c.Status)
	}
	require.Equal(t, []corev1.NodeConditionType{corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure, corev1.NodeReady}, kinds)
	require.Equal(t, "CSINode is not yet initialized", node.Status.Conditions[3].Message)
}

func TestNodeThatExistsIsReadAndLeftAsItIs(t *testing.T) {
	l := newLab(t, 1)
	l.run()
	l.to(30 * time.Second)
	l.restart()
	l.to(31 * time.Second)
	registration := []string{"create nodes: AlreadyExists", "get nodes: ok"}
	var own []string
	for _, what := range l.sent(kubeClient, 30*time.Second+100*ms) {
		own = append(own, what)
	}
	require.Equal(t, registration, own[:2])
	require.NotContains(t, own, "patch nodes/status: ok", "nothing to reconcile")
	require.Equal(t, []string{"patch nodes/status: ok"}, l.sent(heartbeatClient, 30*time.Second), "the first report")
	require.Len(t, l.callsOf("create nodes"), 2)
}

func TestNodeThatExistsIsReconciled(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*corev1.Node)
		want  string
	}{
		"annotation": {func(n *corev1.Node) { n.Annotations = nil },
			`{"metadata":{"annotations":{"volumes.kubernetes.io/controller-managed-attach-detach":"true"}}}`},
		"label":       {func(n *corev1.Node) { n.Labels["kubernetes.io/hostname"] = "m" }, `{"metadata":{"labels":{"kubernetes.io/hostname":"n"}}}`},
		"other label": {func(n *corev1.Node) { n.Labels["example.com/role"] = "m" }, ""},
		"allocatable": {func(n *corev1.Node) { n.Status.Allocatable = nil },
			`{"status":{"allocatable":{"cpu":"4","ephemeral-storage":"100Gi","memory":"16Gi","pods":"110"}}}`},
		"condition": {func(n *corev1.Node) { condition(&n.Status, corev1.NodeReady).Status = corev1.ConditionUnknown }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, 1)
			l.run()
			l.to(30 * time.Second)
			l.host.Kill()
			node := l.server.Node("n").DeepCopy()
			c.spoil(node)
			l.server.Put(node)
			l.host.Restart()
			l.run()
			l.to(31 * time.Second)
			var patches []string
			for _, call := range l.callsOf("patch nodes/status") {
				if call.Client == kubeClient {
					patches = append(patches, string(call.Patch))
				}
			}
			if c.want == "" {
				require.Empty(t, patches)
			} else {
				require.Equal(t, []string{c.want}, patches)
			}
			require.Equal(t, corev1.ConditionTrue, l.status(corev1.NodeReady), "the conditions follow with the report")
		})
	}
}

func TestForbiddenCreateGoesOnToTheGet(t *testing.T) {
	l := newLab(t, 1)
	l.server.Put(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}})
	l.rule(kubeClient, "create", "nodes", fakeapi.Rule{Respond: respond(403, metav1.StatusReasonForbidden)})
	l.run()
	l.to(time.Second)
	require.Len(t, l.callsOf("create nodes"), 1)
	require.Equal(t, []string{heartbeat.DecisionRegistered}, l.decisions)
}

func TestFailureAfterTheConflictIsAFailedRegistration(t *testing.T) {
	l := newLab(t, 1)
	l.server.Put(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}})
	l.rule(kubeClient, "patch", "nodes/status", fakeapi.Rule{Respond: respond(500, ""), Count: 2})
	l.run()
	l.to(time.Second)
	require.Equal(t, []time.Duration{100 * ms, 300 * ms, 700 * ms}, instants(l.callsOf("create nodes")))
}

func TestKubeletRegistersOnceInItsLife(t *testing.T) {
	l := newLab(t, 1)
	l.run()
	l.to(time.Minute)
	l.server.Remove(l.server.Node("n"))
	l.server.Remove(l.server.Lease("kube-node-lease", "n"))
	l.decisions, l.repeated = nil, 0
	l.to(30 * time.Minute)
	require.Len(t, l.callsOf("create nodes"), 1)
	require.Nil(t, l.server.Node("n"))

	l.to(30*time.Minute + 11*time.Second)
	tick := []string{"get nodes: NotFound", "get nodes: NotFound", "get nodes: NotFound", "get nodes: NotFound"}
	lease := "get nodes: NotFound" // for the owner of a new lease
	require.Equal(t, append(tick, lease), l.sent(heartbeatClient, 30*time.Minute), "every status update fails: once by the lister, four times by GET")

	l.restart()
	l.to(31 * time.Minute)
	require.Len(t, l.callsOf("create nodes"), 2)
}

func TestKubeletThatMustNotRegisterDoesNot(t *testing.T) {
	l := newLab(t, 1, func(c *Config) { c.RegisterNode = false })
	l.run()
	l.to(time.Minute)
	require.Empty(t, l.callsOf("create nodes"))
	l.server.Put(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}})
	l.to(4 * time.Minute) // the CSI plugin has backed off to 123 s by then
	require.Equal(t, corev1.ConditionTrue, l.status(corev1.NodeReady))
}

func TestEmptyDefaultLabelIsTakenAway(t *testing.T) {
	existing := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{corev1.LabelHostname: "n", corev1.LabelTopologyZone: "a"}}}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{corev1.LabelHostname: "n", corev1.LabelTopologyZone: ""}}}
	require.True(t, updateDefaultLabels(node, existing, true))
	require.Equal(t, map[string]string{corev1.LabelHostname: "n"}, existing.Labels)
	require.False(t, updateDefaultLabels(node, existing, true))
}
