package conformance

import (
	"fmt"
	"time"

	cadvisor "github.com/google/cadvisor/lib/model"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/kubelet/container"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/kubelet"
	"github.com/holter-sim/holter/heartbeat/lease"
	"github.com/holter-sim/holter/heartbeat/version"
)

const (
	kubeletName, address        = "node-0", "10.0.0.1"
	kubeClient, heartbeatClient = "kube", "heartbeat"
)

// kubeletPlan is a node with a history, the machine its kubelet starts on, and
// what others write while it runs.
type kubeletPlan struct {
	plan
	start    time.Duration
	machine  kubelet.Machine
	cores    int
	reserved corev1.ResourceList
	images   []container.Image

	hugePages []cadvisor.HugePagesInfo
	plugins   []kubelet.DevicePlugin
	synced    bool // the volume manager
	volumes   []corev1.UniqueVolumeName
}

func drawKubeletPlan(r *rapid.T) *kubeletPlan {
	d := newDraft(r, 3*time.Minute, 0)
	p := &kubeletPlan{start: d.instant("start", 0, 5*time.Second), cores: d.number("cores", 1, 64)}
	if d.odds("reserved", 50) {
		p.reserved = corev1.ResourceList{
			corev1.ResourceCPU:    pick(d, "reserved cpu", resource.MustParse("100m"), resource.MustParse("2")),
			corev1.ResourceMemory: pick(d, "reserved memory", resource.MustParse("1Gi"), resource.MustParse("12Gi")),
		}
	}
	var images []corev1.ContainerImage
	for i := range d.number("images", 0, 3) {
		name := fmt.Sprintf("example.org/image-%d:v1", i)
		p.images = append(p.images, container.Image{RepoTags: []string{name}, Size: int64(3 - i)})
		images = append(images, corev1.ContainerImage{Names: []string{name}, SizeBytes: int64(3 - i)})
	}
	if d.odds("huge pages", 30) {
		p.hugePages = []cadvisor.HugePagesInfo{{PageSize: 2048, NumPages: uint64(d.number("pages", 0, 10000))}}
	}
	if d.odds("plugin", 30) {
		devices := d.number("devices", 0, 8)
		p.plugins = []kubelet.DevicePlugin{{Resource: "example.org/gpu", Devices: int64(devices), Unhealthy: int64(d.number("unhealthy", 0, devices))}}
	}
	if p.synced = d.odds("volumes", 50); p.synced {
		p.volumes = pick(d, "in use", nil, []corev1.UniqueVolumeName{"csi/a"}, []corev1.UniqueVolumeName{"csi/a", "csi/b"})
	}
	p.machine = machineOf(p.cores, p.hugePages, p.reserved, images, pick(d, "boot", "boot-1", "boot-2"))
	if d.odds("cloud", 30) {
		p.machine.ExternalCloud = true
		p.machine.NodeIPs = pick(d, "node-ip", nil, []string{address})
	}
	if d.odds("existing", 70) {
		d.existingNode()
	}
	for range d.number("writes", 0, 8) {
		d.statusWrite()
	}
	p.plan = d.plan
	p.plan.cast = []string{fmt.Sprintf("a machine of %v, reserved %v, boot %s; its kubelet starts at %v", asJSON(p.machine.Capacity),
		asJSON(p.reserved), p.machine.NodeInfo.BootID, p.start)}
	return p
}

// existingNode adds what an earlier kubelet has left.
func (d *draft) existingNode() {
	writes := make([]func(*corev1.Node), d.number("history", 0, 8))
	for i := range writes {
		writes[i] = d.statusEdit()
	}
	d.add(0, fmt.Sprintf("the node is there, with %d edits", len(writes)), func(s *stage) {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: kubeletName, Labels: map[string]string{}}}
		for _, edit := range writes {
			edit(node)
		}
		s.server.Put(node)
	})
}

// statusWrite has somebody else write the node while the kubelet runs.
func (d *draft) statusWrite() {
	edit := d.statusEdit()
	d.add(d.instant("at", 0, d.length), "somebody writes the node", func(s *stage) { change(kubeletName, edit)(s) })
}

// statusEdit draws something that others do to a status.
func (d *draft) statusEdit() func(*corev1.Node) {
	kind := pick(d, "condition", corev1.NodeReady, corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure, corev1.NodeNetworkUnavailable)
	status := pick(d, "status", corev1.ConditionTrue, corev1.ConditionFalse, corev1.ConditionUnknown)
	name := pick(d, "resource", "example.org/gpu", "example.org/disk", "kubernetes.io/thing", "odd", "hugepages-2Mi", "hugepages-1Gi", "requests.example.org/x",
		string(corev1.ResourceCPU), string(corev1.ResourcePods), "attachable-volumes-csi")
	amount := *resource.NewQuantity(int64(d.number("amount", 0, 200)), resource.DecimalSI)
	edits := []func(*corev1.Node){
		func(n *corev1.Node) { setCondition(n, kind, status) },
		func(n *corev1.Node) { setCondition(n, kind, status) },
		func(n *corev1.Node) { n.Status.Conditions = nil },
		func(n *corev1.Node) { put(&n.Status.Capacity, name, amount) },
		func(n *corev1.Node) { put(&n.Status.Capacity, name, amount); put(&n.Status.Allocatable, name, amount) },
		func(n *corev1.Node) { put(&n.Status.Allocatable, name, amount) },
		func(n *corev1.Node) { delete(n.Status.Capacity, corev1.ResourceName(name)) },
		func(n *corev1.Node) { n.Status.NodeInfo.BootID = "boot-1" },
		func(n *corev1.Node) { n.Status.NodeInfo.KubeProxyVersion = "v1.30.0" },
		func(n *corev1.Node) { n.Status.Images = []corev1.ContainerImage{{Names: []string{"old"}}} },
		func(n *corev1.Node) {
			n.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "10.0.0.9"}}
		},
		func(n *corev1.Node) { n.Status.VolumesInUse = []corev1.UniqueVolumeName{"csi/old"} },
		func(n *corev1.Node) { n.Spec.Unschedulable = !n.Spec.Unschedulable },
	}
	return pick(d, "edit", edits...)
}

func put(list *corev1.ResourceList, name string, q resource.Quantity) {
	if *list == nil {
		*list = corev1.ResourceList{}
	}
	(*list)[corev1.ResourceName(name)] = q
}

// startKubelet starts ours.
func (p *kubeletPlan) startKubelet(s *stage) {
	host := s.engine.NewHost("kubelet/" + kubeletName)
	kube := s.server.NewClient(fakeapi.ClientOptions{Host: host, Name: kubeClient})
	beat := s.server.NewClient(fakeapi.ClientOptions{Host: host, Name: heartbeatClient, Timeout: clientTimeout})
	kubelet.New(host, kubelet.Clients{
		Kube: kube.Nodes(), Heartbeat: beat.Nodes(), Leases: beat.Leases(lease.Namespace),
		Events:     func(ns string) heartbeat.EventClient { return kube.Events(ns) },
		WatchNodes: watcher(kube.Nodes().Watch), ListNodes: lister(kube.Nodes().List),
	}, kubelet.Config{
		NodeName: kubeletName, NodeStatusUpdateFrequency: 10 * time.Second, NodeStatusReportFrequency: time.Minute,
		NodeLeaseDuration: leaseDuration, NodeStatusMaxImages: 50, RegisterNode: true, Machine: p.machine, CheckFastCompare: true,
		Inputs:    kubelet.Inputs{DevicePlugins: p.plugins, VolumesInUse: p.volumes, VolumesNotSynced: !p.synced},
		Behaviors: version.Lookup(upstreamVersion),
	}, nil).Run()
}
