package podworkers_test

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/informer"
	"github.com/holter-sim/holter/heartbeat/kubelet"
	"github.com/holter-sim/holter/heartbeat/lease"
	"github.com/holter-sim/holter/heartbeat/podworkers"
	"github.com/holter-sim/holter/heartbeat/version"
	"github.com/holter-sim/holter/sim"
)

// A minimal kubelet, by hand: it registers, reports and renews its Lease, learns
// of the pods that are bound to it, runs them, and ends those that are deleted
// with the time that they are given. A scenario does all of this by itself.
func Example() {
	engine := sim.New(sim.Options{Seed: 1})
	defer engine.Close()
	server := fakeapi.New(engine, fakeapi.Options{})
	behaviors := version.Lookup(version.Version{Minor: 36, Patch: version.Newest})

	// The kubelet: heartbeats and pods on one machine, with one client.
	machine := engine.NewHost("kubelet/sample")
	client := server.NewClient(fakeapi.ClientOptions{Host: machine, Name: "kubelet/sample"})
	watch := func(open func(context.Context, metav1.ListOptions) (*fakeapi.Watch, error)) heartbeat.WatchFunc {
		return func(ctx context.Context, o metav1.ListOptions) (heartbeat.Watch, error) { return open(ctx, o) }
	}
	kubelet.New(machine, kubelet.Clients{
		Kube: client.Nodes(), Heartbeat: client.Nodes(), Leases: client.Leases(lease.Namespace),
		WatchNodes: watch(client.Nodes().Watch),
		ListNodes: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return client.Nodes().List(ctx, o)
		},
	}, kubelet.Config{
		NodeName: "sample", RegisterNode: true, Behaviors: behaviors,
		NodeStatusUpdateFrequency: 10 * time.Second, NodeStatusReportFrequency: 5 * time.Minute, NodeLeaseDuration: 40 * time.Second,
		Machine: kubelet.DefaultMachine("sample", "10.0.0.1", "v1.36.3"),
	}, nil).Run()
	pods := informer.New[*corev1.Pod](machine, informer.Config{
		Name: "pods", FieldSelector: "spec.nodeName=sample", Watch: watch(client.Pods("").Watch),
	})
	podworkers.New(machine, podworkers.Config{
		NodeName: "sample", Informer: pods, Runtime: podworkers.NewRuntime(), Behaviors: behaviors.PodWorkers,
		Pods: func(namespace string) podworkers.PodClient { return client.Pods(namespace) },
	})
	pods.Run()

	// Somebody creates two pods, binds them, and deletes the second.
	people := engine.NewHost("people")
	admin := server.NewClient(fakeapi.ClientOptions{Host: people, Name: "kubectl"}).Pods("default")
	ctx := context.Background()
	people.Go("demo", func() {
		people.Sleep(5 * time.Second)
		for i, ends := range []bool{true, false} {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("pod-%d", i), Namespace: "default"}}
			pod.Spec.Containers = []corev1.Container{{Name: "main", Image: "busybox"}}
			if ends {
				pod.Spec.Containers[0].Command, pod.Spec.RestartPolicy = []string{"sleep", "60"}, corev1.RestartPolicyNever
			}
			_, _ = admin.Create(ctx, pod, metav1.CreateOptions{})
			_ = admin.Bind(ctx, &corev1.Binding{ObjectMeta: pod.ObjectMeta, Target: corev1.ObjectReference{Name: "sample"}}, metav1.CreateOptions{})
		}
		people.Sleep(time.Minute)
		_ = admin.Delete(ctx, "pod-1", metav1.DeleteOptions{})
	})

	for _, at := range []time.Duration{5 * time.Second, 10 * time.Second, 65 * time.Second, 70 * time.Second} {
		if err := engine.RunUntil(sim.Time(at)); err != nil {
			panic(err)
		}
		fmt.Printf("%3.0fs  %s  %s\n", at.Seconds(), state(server.Pod("default", "pod-0")), state(server.Pod("default", "pod-1")))
	}
	fmt.Println("node registered:", server.Node("sample") != nil, " lease held:", server.Lease(lease.Namespace, "sample") != nil)
	// Output:
	//   5s  Pending  Pending
	//  10s  Running  Running
	//  65s  Running  Running, to end within 30s
	//  70s  Succeeded  gone
	// node registered: true  lease held: true
}

func state(pod *corev1.Pod) string {
	switch {
	case pod == nil:
		return "gone"
	case pod.DeletionTimestamp != nil:
		return fmt.Sprintf("%s, to end within %ds", pod.Status.Phase, *pod.DeletionGracePeriodSeconds)
	}
	return string(pod.Status.Phase)
}
