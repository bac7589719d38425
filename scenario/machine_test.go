package scenario

import (
	"cmp"
	"context"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/heartbeat/kubelet"
	"github.com/holter-sim/holter/traces"
)

func TestOverlappingFaultsOfAMachineEndWithTheLast(t *testing.T) {
	for verb, holds := range map[string]func(kubelet.Inputs) bool{
		"runtimeDown: {node: node-0}":                         func(in kubelet.Inputs) bool { return in.RuntimeDown },
		"networkNotReady: {node: node-0}":                     func(in kubelet.Inputs) bool { return in.NetworkNotReady != "" },
		"plegStalled: {node: node-0}":                         func(in kubelet.Inputs) bool { return in.PLEGStalled },
		"pressure: {node: node-0, condition: MemoryPressure}": func(in kubelet.Inputs) bool { return in.MemoryPressure },
		"pressure: {node: node-0, condition: DiskPressure}":   func(in kubelet.Inputs) bool { return in.DiskPressure },
		"pressure: {node: node-0, condition: PIDPressure}":    func(in kubelet.Inputs) bool { return in.PIDPressure },
	} {
		c := clusterWith(t, "[{at: 60s, "+verb+", for: 20s}, {at: 70s, "+verb+", for: 30s}, {at: 75s, restart: {node: node-0}}]")
		up := func() bool { return holds(c.Node("node-0").Inputs()) }
		require.Equal(t, []bool{false, true, true, true, false}, states(t, c, up, 59, 61, 71, 81, 101), verb)
	}
}

func TestAMachineThatIsOffStaysOffUntilARestart(t *testing.T) {
	c := clusterWith(t, "[{at: 60s, shutdown: {node: node-0}, for: 10s}, {at: 65s, kill: {node: node-0}, for: 20s}, {at: 100s, restart: {node: node-0}}]")
	n := c.Node("node-0")
	require.Equal(t, []bool{true, false, false, false, true}, states(t, c, n.Host().Alive, 61, 66, 71, 90, 101))
	require.False(t, n.Inputs().ShuttingDown)
}

func TestARebootIsToldByTheKubeletAndAKillIsNot(t *testing.T) {
	for faults, want := range map[string]int{
		"[{at: 60s, kill: {node: node-0}, for: 10s}]":                                              0,
		"[{at: 60s, reboot: {node: node-0}, for: 10s}]":                                            1,
		"[{at: 60s, reboot: {node: node-0}, for: 10s}, {at: 90s, restart: {node: node-0}}]":        1,
		"[{at: 60s, reboot: {node: \"*\"}, for: 10s}, {at: 90s, reboot: {node: node-0}, for: 1s}]": 2,
		"[{at: 60s, shutdown: {node: node-0}, for: 10s}, {at: 90s, restart: {node: node-0}}]":      1,
	} {
		c := clusterWith(t, faults)
		require.NoError(t, c.RunUntil(2*time.Minute))
		told := 0
		host := c.newHost("reader")
		host.Go("read", func() {
			events, err := c.server.NewClient(fakeapi.ClientOptions{Host: host, Name: "reader"}).Events("default").List(context.Background(), metav1.ListOptions{})
			require.NoError(t, err)
			for _, ev := range events.Items {
				if ev.Reason == "NodeRebooted" {
					told++
				}
			}
		})
		require.NoError(t, c.RunUntil(2*time.Minute+time.Second))
		require.Equal(t, want, told, faults)
	}
}

func TestAShutdownIsNoSilenceUntilTheMachineIsOff(t *testing.T) {
	for faults, want := range map[string][]bool{
		"[{at: 60s, shutdown: {node: node-0}, for: 20s}]":   {true},
		"[{at: 60s, shutdown: {node: node-0}, for: 10m}]":   nil,
		"[{at: 60s, reboot: {node: node-0}, for: 2m}]":      {true},
		"[{at: 60s, runtimeDown: {node: node-0}, for: 2m}]": nil,
	} {
		s := newSilences()
		for _, ev := range eventsOf(t, `{count: 1}`, faults, func(*traces.Event) bool { return true }) {
			s.take(&ev)
		}
		var heard []bool
		for _, d := range s.detections {
			heard = append(heard, !d.False)
		}
		require.Equal(t, want, heard, faults)
	}
}

func TestASettersNewsAreReportedByEveryKubeletOfTheNode(t *testing.T) {
	c := clusterWith(t, "[{at: 60s, restart: {node: node-0}}]")
	n := c.Node("node-0")
	n.AddSetter(func(node *corev1.Node) { node.Status.NodeInfo.MachineID = "rack-7" })
	require.NoError(t, c.RunUntil(30*time.Second))
	require.Equal(t, "rack-7", c.Server().Node("node-0").Status.NodeInfo.MachineID)
	n.AddSetter(func(node *corev1.Node) { node.Status.NodeInfo.SystemUUID = "slot-3" })
	require.NoError(t, c.RunUntil(50*time.Second))
	require.Equal(t, "slot-3", c.Server().Node("node-0").Status.NodeInfo.SystemUUID)
	n.SetInputs(kubelet.Inputs{Images: []corev1.ContainerImage{{Names: []string{"pause"}}}})
	require.NoError(t, c.RunUntil(2*time.Minute))
	require.Len(t, c.Server().Node("node-0").Status.Images, 1)
}

func TestPulledImagesAreListedBySizeAndCollectedAfterTheFault(t *testing.T) {
	c := clusterWith(t, "[{at: 30s, pullImages: {node: node-0, count: 3}}, {at: 60s, pullImages: {node: node-0, count: 60}, for: 40s}]")
	images := func(at time.Duration) []corev1.ContainerImage {
		require.NoError(t, c.RunUntil(at))
		return c.Server().Node("node-0").Status.Images
	}
	require.Empty(t, images(29*time.Second))
	require.Len(t, images(45*time.Second), 3)
	many := images(75 * time.Second)
	require.Len(t, many, 50, "nodeStatusMaxImages")
	require.True(t, slices.IsSortedFunc(many, func(a, b corev1.ContainerImage) int { return cmp.Compare(b.SizeBytes, a.SizeBytes) }))
	left := images(2 * time.Minute)
	require.Len(t, left, 3)
	require.Equal(t, []string{"registry.example.org/image-2:v1"}, left[0].Names)
}

// Device plugins and volumes have no fault: Go code drives them.
func TestDevicePluginsAndVolumesOfANodeAreDrivenFromGo(t *testing.T) {
	c := clusterWith(t, "[{at: 60s, restart: {node: node-0}}]")
	n := c.Node("node-0")
	require.NoError(t, c.RunUntil(20*time.Second))
	in := n.Inputs()
	in.DevicePlugins = []kubelet.DevicePlugin{{Resource: "example.com/gpu", Devices: 2}}
	in.VolumesInUse = []corev1.UniqueVolumeName{"csi/a"}
	n.SetInputs(in)
	require.NoError(t, c.RunUntil(90*time.Second))
	status := c.Server().Node("node-0").Status
	gpus := status.Allocatable["example.com/gpu"]
	require.EqualValues(t, 2, gpus.Value())
	require.Equal(t, in.VolumesInUse, status.VolumesInUse)
}
