package conformance

import (
	ordered "cmp"
	"context"
	"errors"
	"fmt"
	"net"
	goruntime "runtime"
	"testing"
	"time"

	cadvisor "github.com/google/cadvisor/lib/model"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	componentversion "k8s.io/component-base/version"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/kubelet/cm"
	"k8s.io/kubernetes/pkg/kubelet/container"
	"k8s.io/kubernetes/pkg/kubelet/nodestatus"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/heartbeat/kubelet"
	"github.com/holter-sim/holter/sim"
)

// TestKubeletsSettersMakeUpstreamsStatus holds every status that our kubelet
// sends against what upstream's setters make of the same node at that instant.
// Ours are reached through the kubelet, which has no other door: a status that
// it computes and does not send is not seen.
func TestKubeletsSettersMakeUpstreamsStatus(t *testing.T) {
	compared := 0
	rapid.Check(t, func(r *rapid.T) {
		plan := drawKubeletPlan(r)
		l := &statusLog{Log: NewLog(plan.length), t: r, plan: plan}
		plan.run(r, l)
		if l.difference != "" {
			r.Fatalf("%s", l.difference)
		}
		compared += l.compared
	})
	t.Logf("%d statuses equal", compared)
}

// statusLog compares what the kubelet writes with what upstream's setters do.
type statusLog struct {
	*Log
	t        require.TestingT
	plan     *kubeletPlan
	compared int
	// difference is the first one.
	difference string
}

// Changed is told of every write; the direct ones of other writers have no call.
func (l *statusLog) Changed(what string, before, after runtime.Object, c *fakeapi.Call) {
	if what != "nodes" || c == nil || after == nil || c.Client != heartbeatClient && c.Verb != "create" {
		return
	}
	original := &corev1.Node{}
	if before != nil {
		original = before.(*corev1.Node).DeepCopy()
	}
	written := after.(*corev1.Node)
	want := original.DeepCopy()
	for _, set := range l.plan.upstreamSetters(bubbleStart.Add(c.Sent.Duration()), notReadyText(written)) {
		require.NoError(l.t, set(context.Background(), want))
	}
	want, got := decoded(want), decoded(written)
	if !apiequality.Semantic.DeepEqual(want.Status, got.Status) {
		l.difference = ordered.Or(l.difference, fmt.Sprintf("at %v\n%s\nbefore:\n%s\n(- upstream, + ours)\n%s", c.Sent, l.plan, asJSON(original.Status),
			cmp.Diff(want.Status, got.Status, cmp.Comparer(func(x, y resource.Quantity) bool { return x.Cmp(y) == 0 }))))
	}
	l.compared++
}

// notReadyText is the one input of ours that is not chosen: why the node is not
// ready, which in the model is the CSINode that is still to be made.
func notReadyText(node *corev1.Node) error {
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady && c.Status == corev1.ConditionFalse {
			return errors.New(c.Message)
		}
	}
	return nil
}

// upstreamSetters are defaultNodeStatusFuncs (pkg/kubelet/kubelet_node_status.go,
// v1.37.1) for a kubelet on our machine.
func (p *kubeletPlan) upstreamSetters(now time.Time, storage error) []nodestatus.Setter {
	m := &p.machine
	clock := func() time.Time { return now }
	fine := func() error { return nil }
	no := func() bool { return false }
	event := func(klog.Logger, string, string) {}
	return []nodestatus.Setter{
		p.nodeAddress(),
		nodestatus.MachineInfo(kubeletName, 110, 0,
			func() (*cadvisor.MachineInfo, error) { return p.cadvisorInfo(), nil },
			func(klog.Logger, bool) corev1.ResourceList {
				return corev1.ResourceList{corev1.ResourceEphemeralStorage: m.Capacity[corev1.ResourceEphemeralStorage]}
			},
			func(klog.Logger) (corev1.ResourceList, corev1.ResourceList, []string) { return p.deviceCapacity() },
			func() corev1.ResourceList { return p.reserved },
			func(string, string, string) {}, func() *bool { return nil }, true),
		nodestatus.VersionInfo(func() (*cadvisor.VersionInfo, error) {
			return &cadvisor.VersionInfo{KernelVersion: m.NodeInfo.KernelVersion, ContainerOsVersion: m.NodeInfo.OSImage}, nil
		}, func() string { return "containerd" }, func(context.Context) (container.Version, error) { return runtimeVersion{}, nil }),
		nodestatus.DaemonEndpoints(&m.DaemonEndpoints),
		nodestatus.Images(50, func() ([]container.Image, error) { return p.images, nil }),
		nodestatus.GoRuntime(),
		nodestatus.RuntimeHandlers(func() []container.RuntimeHandler { return nil }),
		nodestatus.NodeFeatures(func() *container.RuntimeFeatures { return nil }),
		nodestatus.MemoryPressureCondition(clock, no, event),
		nodestatus.DiskPressureCondition(clock, no, event),
		nodestatus.PIDPressureCondition(clock, no, event),
		nodestatus.ReadyCondition(clock, fine, fine, func() error { return storage }, func() cm.Status { return cm.Status{} }, fine, event, true),
		nodestatus.VolumesInUse(func() bool { return p.synced }, func() []corev1.UniqueVolumeName { return p.volumes }),
	}
}

// cadvisorInfo is the machine as cadvisor sees it.
func (p *kubeletPlan) cadvisorInfo() *cadvisor.MachineInfo {
	m := &p.machine
	return &cadvisor.MachineInfo{
		NumCores: p.cores, MemoryCapacity: uint64(m.Capacity.Memory().Value()),
		MachineID: m.NodeInfo.MachineID, SystemUUID: m.NodeInfo.SystemUUID, BootID: m.NodeInfo.BootID,
		HugePages: p.hugePages,
	}
}

// nodeAddress is given --node-ip where there is no cloud, or where it is drawn.
func (p *kubeletPlan) nodeAddress() nodestatus.Setter {
	ips := []net.IP{net.ParseIP(address)}
	if p.machine.ExternalCloud && len(p.machine.NodeIPs) == 0 {
		ips = nil
	}
	return nodestatus.NodeAddress(ips, func(net.IP) error { return nil }, kubeletName, p.machine.ExternalCloud, nil)
}

// deviceCapacity is what the device manager says of plugins that run all along.
func (p *kubeletPlan) deviceCapacity() (capacity, allocatable corev1.ResourceList, removed []string) {
	capacity, allocatable = corev1.ResourceList{}, corev1.ResourceList{}
	for _, plugin := range p.plugins {
		capacity[plugin.Resource] = *resource.NewQuantity(plugin.Devices, resource.DecimalSI)
		allocatable[plugin.Resource] = *resource.NewQuantity(plugin.Devices-plugin.Unhealthy, resource.DecimalSI)
	}
	return capacity, allocatable, nil
}

type runtimeVersion struct{}

func (runtimeVersion) String() string              { return "2.1.0" }
func (runtimeVersion) Compare(string) (int, error) { return 0, nil }

// machineOf is the machine of a plan as our kubelet is told of it.
func machineOf(cores int, pages []cadvisor.HugePagesInfo, reserved corev1.ResourceList, images []corev1.ContainerImage, boot string) kubelet.Machine {
	m := kubelet.DefaultMachine(kubeletName, address, componentversion.Get().String())
	m.Capacity = corev1.ResourceList{
		corev1.ResourceCPU:              resource.MustParse(fmt.Sprint(cores)),
		corev1.ResourceMemory:           resource.MustParse("16Gi"),
		corev1.ResourceEphemeralStorage: resource.MustParse("100Gi"),
		corev1.ResourcePods:             resource.MustParse("110"),
	}
	for _, p := range pages {
		name := corev1.ResourceName(corev1.ResourceHugePagesPrefix + resource.NewQuantity(int64(p.PageSize)*1024, resource.BinarySI).String())
		m.Capacity[name] = *resource.NewQuantity(int64(p.PageSize*p.NumPages)*1024, resource.BinarySI)
	}
	m.Reserved = reserved
	m.NodeInfo.OperatingSystem, m.NodeInfo.Architecture = goruntime.GOOS, goruntime.GOARCH
	m.NodeInfo.MachineID, m.NodeInfo.SystemUUID, m.NodeInfo.BootID = "machine", "system", boot
	m.Images = images
	return m
}

// run runs our kubelet through a plan.
func (p *kubeletPlan) run(t require.TestingT, observer fakeapi.Observer) {
	engine := sim.New(sim.Options{Seed: uint64(p.seed), Start: bubbleStart})
	defer engine.Close()
	server := fakeapi.New(engine, fakeapi.Options{Observer: observer, CheckImmutable: true})
	s := &stage{engine: engine, server: server}
	for _, step := range p.steps {
		engine.At(sim.Time(step.at), func() { step.do(s) })
	}
	engine.At(sim.Time(p.start), func() { p.startKubelet(s) })
	require.NoError(t, engine.RunUntil(sim.Time(p.length)))
}
