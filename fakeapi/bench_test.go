package fakeapi

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	quantity "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/holter-sim/holter/sim"
)

// The cost of what a simulation does most: renewing leases, one after another,
// through client, network, server and back.
func BenchmarkLeaseUpdate(b *testing.B) {
	for _, bench := range []struct {
		name    string
		leases  int
		latency sim.Dist
	}{
		{"10k", 10_000, sim.Dist{}},
		{"100k", 100_000, sim.Dist{}},
		{"100k,latency", 100_000, sim.Uniform(time.Millisecond, 5*time.Millisecond)},
	} {
		b.Run(bench.name, func(b *testing.B) {
			e := sim.New(sim.Options{Seed: 1})
			defer e.Close()
			s := New(e, Options{Latency: bench.latency})
			h := e.NewHost("kubelets")
			c := s.NewClient(ClientOptions{Host: h, Name: "kubelet/all", Timeout: 10 * time.Second})
			leases := make([]*coordinationv1.Lease, bench.leases)
			for i := range leases {
				leases[i] = s.Put(kubeletLease(fmt.Sprintf("node-%06d", i))).(*coordinationv1.Lease)
			}
			b.ReportAllocs()
			b.ResetTimer()
			h.Go("renew", func() {
				client, ctx := c.Leases("kube-node-lease"), context.Background()
				for i := range b.N {
					renewed := *leases[i%len(leases)]
					renewed.Spec.RenewTime = &metav1.MicroTime{Time: h.Now().Add(time.Duration(i) * time.Microsecond)}
					stored, err := client.Update(ctx, &renewed, metav1.UpdateOptions{})
					if err != nil {
						panic(err)
					}
					leases[i%len(leases)] = stored
				}
			})
			if err := e.RunUntil(sim.Never); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// A controller that watches all leases doubles the work of a renewal.
func BenchmarkLeaseUpdateWatched(b *testing.B) {
	e := sim.New(sim.Options{Seed: 1})
	defer e.Close()
	s := New(e, Options{})
	h := e.NewHost("kubelets")
	c := s.NewClient(ClientOptions{Host: h, Name: "kubelet/all"})
	lease := s.Put(kubeletLease("node-0")).(*coordinationv1.Lease)
	seen := 0
	h.Go("watch", func() {
		w, err := c.Leases("").Watch(context.Background(), metav1.ListOptions{ResourceVersion: "2", TimeoutSeconds: ptr.To[int64](1e6)})
		if err != nil {
			panic(err)
		}
		var take func()
		take = func() {
			for {
				if _, ok, _ := w.TryNext(); !ok {
					w.OnReady(take)
					return
				}
				seen++
			}
		}
		take()
	})
	if err := e.RunUntil(1); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	h.Go("renew", func() {
		client, ctx := c.Leases("kube-node-lease"), context.Background()
		for i := range b.N {
			renewed := *lease
			renewed.Spec.RenewTime = &metav1.MicroTime{Time: h.Now().Add(time.Duration(i+1) * time.Microsecond)}
			var err error
			if lease, err = client.Update(ctx, &renewed, metav1.UpdateOptions{}); err != nil {
				panic(err)
			}
		}
	})
	if err := e.RunUntil(2); err != nil {
		b.Fatal(err)
	}
	if seen < b.N {
		b.Fatalf("the watch saw %d of %d renewals", seen, b.N)
	}
}

func BenchmarkNodeStatusPatch(b *testing.B) {
	for _, bench := range []struct {
		name   string
		patch  func(i int) []byte
		images int
	}{
		{"heartbeat,0 images", heartbeatOf, 0},
		{"heartbeat,50 images", heartbeatOf, 50},
		{"strategic,50 images", func(i int) []byte {
			return []byte(strings.Replace(string(heartbeatOf(i)), `"conditions"`, `"phase":"Running","conditions"`, 1))
		}, 50},
	} {
		b.Run(bench.name, func(b *testing.B) {
			e := sim.New(sim.Options{Seed: 1})
			defer e.Close()
			s := New(e, Options{})
			h := e.NewHost("kubelets")
			c := s.NewClient(ClientOptions{Host: h, Name: "kubelet/all"})
			s.Put(kubeletNode("node-0", bench.images))
			patches := make([][]byte, 60)
			for i := range patches {
				patches[i] = bench.patch(i)
			}
			b.ReportAllocs()
			b.ResetTimer()
			h.Go("report", func() {
				for i := range b.N {
					if _, err := c.Nodes().Patch(context.Background(), "node-0", types.StrategicMergePatchType, patches[i%60], metav1.PatchOptions{}, "status"); err != nil {
						panic(err)
					}
				}
			})
			if err := e.RunUntil(sim.Never); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// heartbeatOf is what a kubelet sends when nothing but the time has changed.
func heartbeatOf(second int) []byte {
	at := fmt.Sprintf("2026-01-01T00:00:%02dZ", second)
	var order, list []string
	for _, typ := range []string{"MemoryPressure", "DiskPressure", "PIDPressure", "Ready"} {
		order = append(order, fmt.Sprintf(`{"type":%q}`, typ))
		list = append(list, fmt.Sprintf(`{"lastHeartbeatTime":%q,"type":%q}`, at, typ))
	}
	return []byte(`{"status":{"$setElementOrder/conditions":[` + strings.Join(order, ",") + `],"conditions":[` + strings.Join(list, ",") + `]}}`)
}

func kubeletLease(name string) *coordinationv1.Lease {
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "kube-node-lease",
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: name, UID: "e8c8b8c0-0000-4000-8000-000000000000"}}},
		Spec: coordinationv1.LeaseSpec{HolderIdentity: ptr.To(name), LeaseDurationSeconds: ptr.To[int32](40),
			RenewTime: &metav1.MicroTime{Time: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}},
	}
}

func kubeletNode(name string, images int) *corev1.Node {
	start := metav1.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"kubernetes.io/hostname": name, "kubernetes.io/os": "linux"}},
		Status: corev1.NodeStatus{
			Capacity:    corev1.ResourceList{"cpu": quantity.MustParse("4"), "memory": quantity.MustParse("16Gi"), "pods": quantity.MustParse("110")},
			Allocatable: corev1.ResourceList{"cpu": quantity.MustParse("4"), "memory": quantity.MustParse("16Gi"), "pods": quantity.MustParse("110")},
			Addresses:   []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "10.0.0.1"}, {Type: corev1.NodeHostName, Address: name}},
			NodeInfo:    corev1.NodeSystemInfo{KubeletVersion: "v1.36.3", OperatingSystem: "linux", Architecture: "amd64"},
		},
	}
	for _, c := range []struct {
		typ    corev1.NodeConditionType
		status corev1.ConditionStatus
		reason string
	}{
		{corev1.NodeMemoryPressure, corev1.ConditionFalse, "KubeletHasSufficientMemory"},
		{corev1.NodeDiskPressure, corev1.ConditionFalse, "KubeletHasNoDiskPressure"},
		{corev1.NodePIDPressure, corev1.ConditionFalse, "KubeletHasSufficientPID"},
		{corev1.NodeReady, corev1.ConditionTrue, "KubeletReady"},
	} {
		node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{
			Type: c.typ, Status: c.status, Reason: c.reason, Message: "as expected", LastHeartbeatTime: start, LastTransitionTime: start})
	}
	for i := range images {
		node.Status.Images = append(node.Status.Images, corev1.ContainerImage{Names: []string{fmt.Sprintf("registry.k8s.io/image-%d@sha256:0123", i), fmt.Sprintf("registry.k8s.io/image-%d:v1", i)}, SizeBytes: int64(i)})
	}
	return node
}
