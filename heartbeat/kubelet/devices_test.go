package kubelet

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/stretchr/testify/require"
)

// gpus are capacity and allocatable of the extended resource, -1 for none.
func (l *lab) gpus() [2]int64 {
	node := l.server.Node("n")
	out := [2]int64{-1, -1}
	for i, list := range []corev1.ResourceList{node.Status.Capacity, node.Status.Allocatable} {
		if quantity, has := list[gpu]; has {
			out[i] = quantity.Value()
		}
	}
	return out
}

func plugin(devices, unhealthy int64) func(*Inputs) {
	return func(in *Inputs) {
		in.DevicePlugins = []DevicePlugin{{Resource: gpu, Devices: devices, Unhealthy: unhealthy}}
	}
}

func stopped(in *Inputs) { in.DevicePlugins = nil }

func TestADevicePluginsDevicesAreToldWithTheNextStatus(t *testing.T) {
	l := newLab(t, 1)
	l.run()
	l.change(30*time.Second, plugin(4, 1))
	l.tickAfter(30 * time.Second)
	require.Equal(t, [2]int64{4, 3}, l.gpus())
	require.Len(t, l.reports(30*time.Second), 1)
}

func TestAPluginThatStoppedIsWaitedForFiveMinutesAndThenItsResourceIsZero(t *testing.T) {
	l := newLab(t, 1)
	l.run()
	l.change(30*time.Second, plugin(4, 0))
	l.change(60*time.Second, stopped)
	l.to(80 * time.Second)
	require.Equal(t, [2]int64{4, 0}, l.gpus(), "its devices are unhealthy")
	l.to(6 * time.Minute)
	require.Equal(t, [2]int64{4, 0}, l.gpus())
	l.to(6*time.Minute + 11*time.Second)
	require.Equal(t, [2]int64{0, 0}, l.gpus(), "the resource stays, and there is nothing of it")
}

func TestAPluginThatComesBackInTimeHasItsDevicesAgain(t *testing.T) {
	l := newLab(t, 1)
	l.run()
	l.change(30*time.Second, plugin(4, 0))
	l.change(60*time.Second, stopped)
	l.change(4*time.Minute, plugin(4, 0))
	l.to(10 * time.Minute)
	require.Equal(t, [2]int64{4, 4}, l.gpus())
}

// A kubelet that starts without the plugin does not know of its resource, and
// leaves on the node what is there.
func TestARestartForgetsAPluginThatDoesNotRun(t *testing.T) {
	l := newLab(t, 1)
	l.run()
	l.change(30*time.Second, plugin(4, 0))
	l.to(60 * time.Second)
	l.restart()
	l.to(10 * time.Minute)
	require.Equal(t, [2]int64{4, 4}, l.gpus())
}

func TestAMachineWithoutADeviceCheckpointHasItsExtendedResourcesZeroed(t *testing.T) {
	for name, want := range map[string]int64{"1.14.9": 0, "1.36": 0} {
		list := corev1.ResourceList{gpu: resource.MustParse("2"), "cpu": resource.MustParse("4")}
		node := registered(t, name, &corev1.Node{Status: corev1.NodeStatus{Capacity: list, Allocatable: list.DeepCopy()}}, func(c *Config) {
			c.Machine.NoDeviceCheckpoint = true
		})
		gpus := node.Status.Capacity[gpu]
		require.Equal(t, want, gpus.Value(), name)
	}
}

func TestHugePagesAreTakenOutOfTheMemoryThatPodsCanHave(t *testing.T) {
	l := newLab(t, 1, func(c *Config) {
		c.Machine.Capacity = withResources(defaultResources, corev1.ResourceList{hugePages: resource.MustParse("4Gi")})
		c.Machine.Reserved = corev1.ResourceList{"memory": resource.MustParse("1Gi")}
	})
	l.run()
	l.to(30 * time.Second)
	memory, pages := l.server.Node("n").Status.Allocatable["memory"], l.server.Node("n").Status.Allocatable[hugePages]
	require.Equal(t, "11Gi", memory.String())
	require.Equal(t, "4Gi", pages.String())
}

func TestVolumesInUseAreToldOnceTheVolumeManagerKnowsThem(t *testing.T) {
	l := newLab(t, 1, func(c *Config) { c.Inputs.VolumesNotSynced = true })
	l.run()
	l.to(15 * time.Second)
	l.put(func(n *corev1.Node) { n.Status.VolumesInUse = []corev1.UniqueVolumeName{"csi/left"} })
	l.to(30 * time.Second)
	require.Equal(t, []corev1.UniqueVolumeName{"csi/left"}, l.server.Node("n").Status.VolumesInUse)
	l.change(30*time.Second, func(in *Inputs) {
		in.VolumesNotSynced, in.VolumesInUse = false, []corev1.UniqueVolumeName{"csi/a", "csi/b"}
	})
	tick := l.tickAfter(30 * time.Second)
	require.Len(t, l.reports(tick), 1)
	require.Equal(t, []corev1.UniqueVolumeName{"csi/a", "csi/b"}, l.server.Node("n").Status.VolumesInUse)
	l.change(60*time.Second, func(in *Inputs) { in.VolumesInUse = nil })
	l.to(75 * time.Second)
	require.Empty(t, l.server.Node("n").Status.VolumesInUse)
}

func TestImagesAreCutAtTheSettingAndMinusOneIsAllOfThem(t *testing.T) {
	for limit, want := range map[int]int{50: 50, 0: 0, 3: 3, -1: 60, 100: 60} {
		l := newLab(t, 1, func(c *Config) { c.NodeStatusMaxImages = limit })
		l.run()
		l.change(30*time.Second, func(in *Inputs) { in.Images = make([]corev1.ContainerImage, 60) })
		l.to(45 * time.Second)
		require.Len(t, l.server.Node("n").Status.Images, want, limit)
	}
}
