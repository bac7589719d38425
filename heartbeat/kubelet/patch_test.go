package kubelet

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	typedv1 "k8s.io/client-go/kubernetes/typed/core/v1"
	nodeutil "k8s.io/component-helpers/node/util"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestPatchIsUpstreamsByteForByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		original, node := drawNode(t, "original"), drawNode(t, "node")
		data, err := patchBytes(original, node, true)
		require.NoError(t, err)
		core := &recordingCore{}
		_, _, err = nodeutil.PatchNodeStatus(core, types.NodeName(node.Name), original, node)
		require.NoError(t, err)
		require.Equal(t, string(core.patch), string(data))
	})
}

func TestPatchMakesTheNewStatusOfTheOldOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		original, node := drawNode(t, "original"), drawNode(t, "node")
		data, err := patchBytes(original, node, true)
		require.NoError(t, err)
		patched := apply(t, original, data)

		want := node.DeepCopy()
		want.Spec = original.Spec                                                    // is never touched
		for _, status := range []*corev1.NodeStatus{&want.Status, &patched.Status} { // the server groups addresses by type
			slices.SortStableFunc(status.Addresses, func(a, b corev1.NodeAddress) int { return cmp.Compare(a.Type, b.Type) })
		}
		require.True(t, apiequality.Semantic.DeepEqual(want, patched), "patch %s\nwant %+v\ngot  %+v", data, want.Status, patched.Status)
	})
}

func TestPatchOfAHeartbeatIsNothingButTheTimes(t *testing.T) {
	original := twoConditions(time.Unix(1000, 0))
	data, err := patchBytes(original, twoConditions(time.Unix(1010, 0)), true)
	require.NoError(t, err)
	require.JSONEq(t, `{"status":{
		"$setElementOrder/conditions":[{"type":"MemoryPressure"},{"type":"Ready"}],
		"conditions":[
			{"lastHeartbeatTime":"1970-01-01T00:16:50Z","type":"MemoryPressure"},
			{"lastHeartbeatTime":"1970-01-01T00:16:50Z","type":"Ready"}]}}`, string(data))
}

func TestTwoReportsInOneSecondMakeAnEmptyPatch(t *testing.T) {
	data, err := patchBytes(twoConditions(time.Unix(1000, 1)), twoConditions(time.Unix(1000, 999_999_999)), true)
	require.NoError(t, err)
	require.Equal(t, "{}", string(data))
}

func TestChangedAddressesReplaceTheWholeList(t *testing.T) {
	old := []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "10.0.0.1"}, {Type: corev1.NodeInternalIP, Address: "fd00::1"}}
	moved := []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "10.0.0.2"}}
	whole := `{"status":{"addresses":[{"type":"InternalIP","address":"10.0.0.2"},{"$patch":"replace"}]}}`
	for name, c := range map[string]struct {
		from, to []corev1.NodeAddress
		want     string
	}{
		"moved": {old, moved, whole},
		"none":  {moved, nil, `{"status":{"addresses":[{"$patch":"replace"}]}}`},
		"same":  {old, old, `{}`},
		"first": {nil, moved, `{"status":{"addresses":[{"type":"InternalIP","address":"10.0.0.2"}]}}`},
	} {
		t.Run(name, func(t *testing.T) {
			original, node := &corev1.Node{}, &corev1.Node{}
			original.Status.Addresses, node.Status.Addresses = c.from, c.to
			data, err := patchBytes(original, node, true)
			require.NoError(t, err)
			require.JSONEq(t, c.want, string(data))
			require.True(t, apiequality.Semantic.DeepEqual(c.to, apply(t, original, data).Status.Addresses))
		})
	}
}

func TestServerHasTheNewAddressesAndNoOldOnes(t *testing.T) {
	l := newLab(t, 1, func(c *Config) {
		c.Machine.Addresses = append([]corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "fd00::1"}}, c.Machine.Addresses...)
	})
	l.run()
	l.to(15 * time.Second)
	require.Len(t, l.server.Node("n").Status.Addresses, 3)

	moved := []corev1.NodeAddress{
		{Type: corev1.NodeInternalIP, Address: "10.0.0.2"}, {Type: corev1.NodeInternalIP, Address: "fd00::2"}, {Type: corev1.NodeHostName, Address: "n"},
	}
	l.kl.cfg.Machine.Addresses = moved
	tick := l.tickAfter(15 * time.Second)
	require.Len(t, l.reports(tick), 1)
	require.Contains(t, string(l.reports(tick)[0].Patch), `{"$patch":"replace"}`)
	require.Equal(t, moved, l.server.Node("n").Status.Addresses)
}

func TestPatchHasNoVersionAndSoNoConflict(t *testing.T) {
	l := newLab(t, 1)
	l.run()
	l.to(15 * time.Second)
	l.rule(kubeClient, "watch", "nodes", holdWatch)
	for range 3 {
		l.put(func(n *corev1.Node) { n.Spec.PodCIDR += "1" }) // and the kubelet does not know
	}
	l.kl.cfg.Machine.NodeInfo.KernelVersion = "7"
	tick := l.tickAfter(15 * time.Second)
	require.Equal(t, []string{"patch nodes/status: ok"}, l.sent(heartbeatClient, tick))
	require.NotContains(t, string(l.reports(tick)[0].Patch), "resourceVersion")
	require.NotContains(t, string(l.reports(tick)[0].Patch), "uid")
	require.Equal(t, "111", l.server.Node("n").Spec.PodCIDR)
	require.Equal(t, "7", l.server.Node("n").Status.NodeInfo.KernelVersion)
}

// recordingCore keeps the patch that upstream sends.
type recordingCore struct {
	typedv1.CoreV1Interface
	typedv1.NodeInterface
	patch []byte
}

func (c *recordingCore) Nodes() typedv1.NodeInterface { return c }

func (c *recordingCore) Patch(_ context.Context, _ string, _ types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string) (*corev1.Node, error) {
	c.patch = data
	return nil, nil
}

// apply patches a node as the API server does.
func apply(t require.TestingT, node *corev1.Node, data []byte) *corev1.Node {
	old, err := json.Marshal(node)
	require.NoError(t, err)
	out, err := strategicpatch.StrategicMergePatch(old, data, corev1.Node{})
	require.NoError(t, err)
	patched := &corev1.Node{}
	require.NoError(t, json.Unmarshal(out, patched))
	return patched
}

// twoConditions is a node with two conditions, seen at that time.
func twoConditions(seen time.Time) *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", ResourceVersion: "7", UID: "u"}}
	for _, kind := range []corev1.NodeConditionType{corev1.NodeMemoryPressure, corev1.NodeReady} {
		node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{
			Type: kind, Status: corev1.ConditionTrue, LastHeartbeatTime: metav1.Time{Time: seen}, LastTransitionTime: metav1.Unix(500, 0),
		})
	}
	return node
}

// drawNode draws a node, of few values, so that two of them have much in common.
func drawNode(t *rapid.T, label string) *corev1.Node {
	pick := func(what string, values ...string) string { return rapid.SampledFrom(values).Draw(t, label+" "+what) }
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", UID: "u", ResourceVersion: "1"}}
	if pick("labels", "", "x") != "" {
		node.Labels = map[string]string{"a": pick("a", "1", "2")}
	}
	node.Spec.PodCIDR = pick("pod CIDR", "", "10.0.0.0/24", "10.0.1.0/24")
	node.Spec.Unschedulable = rapid.Bool().Draw(t, label+" unschedulable")
	node.Status.Conditions = drawConditions(t, label)
	node.Status.NodeInfo.KernelVersion = pick("kernel", "", "6", "7")
	node.Status.NodeInfo.BootID = pick("boot", "", "a<b")
	node.Status.DaemonEndpoints.KubeletEndpoint.Port = int32(rapid.IntRange(0, 1).Draw(t, label+" port"))
	for _, name := range []corev1.ResourceName{"cpu", "example.com/gpu"} {
		if q := pick(string(name), "", "1", "1000m", "2"); q != "" {
			if node.Status.Capacity == nil {
				node.Status.Capacity = corev1.ResourceList{}
			}
			node.Status.Capacity[name] = resource.MustParse(q)
		}
	}
	kinds := []corev1.NodeAddressType{corev1.NodeInternalIP, corev1.NodeExternalIP, corev1.NodeHostName}
	for i := range rapid.IntRange(0, 3).Draw(t, label+" addresses") {
		node.Status.Addresses = append(node.Status.Addresses, corev1.NodeAddress{
			Type: rapid.SampledFrom(kinds).Draw(t, label+" address type"), Address: pick("address", "a", "b") + string(rune('0'+i)),
		})
	}
	for range rapid.IntRange(0, 2).Draw(t, label+" images") {
		node.Status.Images = append(node.Status.Images, corev1.ContainerImage{
			Names: []string{pick("image", "a", "b")}, SizeBytes: rapid.Int64Range(1<<30, 1<<30+1).Draw(t, label+" size"),
		})
	}
	return node
}

// drawConditions draws conditions of different types, in any order.
func drawConditions(t *rapid.T, label string) []corev1.NodeCondition {
	kinds := rapid.SliceOfNDistinct(rapid.SampledFrom(conditionKinds), 0, len(conditionKinds), rapid.ID).Draw(t, label+" types")
	var out []corev1.NodeCondition
	for _, kind := range kinds {
		of := label + " " + string(kind)
		out = append(out, corev1.NodeCondition{
			Type:               kind,
			Status:             rapid.SampledFrom([]corev1.ConditionStatus{corev1.ConditionTrue, corev1.ConditionFalse, corev1.ConditionUnknown}).Draw(t, of),
			Reason:             rapid.SampledFrom([]string{"", "A", "B"}).Draw(t, of+" reason"),
			Message:            rapid.SampledFrom([]string{"", "a & b"}).Draw(t, of+" message"),
			LastHeartbeatTime:  metav1.Unix(rapid.Int64Range(1000, 1002).Draw(t, of+" heartbeat"), 0),
			LastTransitionTime: metav1.Unix(rapid.Int64Range(500, 501).Draw(t, of+" transition"), 0),
		})
	}
	return out
}

// conditionKinds are the kubelet's four, and one of another's.
var conditionKinds = []corev1.NodeConditionType{
	corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure, corev1.NodeReady, corev1.NodeNetworkUnavailable,
}
