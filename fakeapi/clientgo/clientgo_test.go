package clientgo_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/fakeapi/clientgo"
	"github.com/holter-sim/holter/sim"
)

var ctx = context.Background()

// A real clientset on virtual time: the answer takes as long as the network
// does, and no time passes meanwhile.
func Example() {
	engine := sim.New(sim.Options{Seed: 1})
	defer engine.Close()
	server := fakeapi.New(engine, fakeapi.Options{Latency: sim.Fixed(20 * time.Millisecond)})
	host := engine.NewHost("controller")
	client := server.NewClient(fakeapi.ClientOptions{Host: host, Name: "controller"})
	clientset, err := kubernetes.NewForConfigAndClient(clientgo.Config(), clientgo.HTTPClient(client))
	if err != nil {
		panic(err)
	}
	host.Go("main", func() {
		node, err := clientset.CoreV1().Nodes().Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}, metav1.CreateOptions{})
		fmt.Println(engine.Now(), node.Name, node.Spec.Taints[0].Key, err)
		host.Sleep(time.Minute)
		_, err = clientset.CoreV1().Nodes().Get(ctx, "m", metav1.GetOptions{})
		fmt.Println(engine.Now(), err)
	})
	if err := engine.RunUntil(sim.Never); err != nil {
		panic(err)
	}
	// Output:
	// 000000.040000s n node.kubernetes.io/not-ready <nil>
	// 000060.080000s nodes "m" not found
}

// failures makes the calls whose errors have a URL in them.
func failures(t *testing.T, surface fakeapi.Through) []string {
	t.Helper()
	engine := sim.New(sim.Options{Seed: 1})
	defer engine.Close()
	server := fakeapi.New(engine, fakeapi.Options{Through: surface})
	host := engine.NewHost("host")
	client := server.NewClient(fakeapi.ClientOptions{Host: host, Name: "client", Timeout: 10 * time.Second})
	var texts []string
	told := func(err error) { texts = append(texts, fmt.Sprintf("%v %v", engine.Now(), err)) }
	host.Go("main", func() {
		told(nil)
		lost := server.Network().Add(fakeapi.Rule{LoseReply: true})
		_, err := client.Leases("ns").Create(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "l"}}, metav1.CreateOptions{DryRun: []string{"All"}})
		told(err)
		_, err = client.Nodes().UpdateStatus(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}, metav1.UpdateOptions{})
		told(err)
		told(client.Pods("ns").Bind(ctx, &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "p"}}, metav1.CreateOptions{}))
		told(client.Events("ns").Delete(ctx, "e", metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](1)}))
		lost()
		server.Host().Kill()
		_, err = client.Namespaces().List(ctx, metav1.ListOptions{LabelSelector: "a=b,c in (d,e)", Limit: 500, Continue: "x", ResourceVersion: "0"})
		told(err)
		_, err = client.Pods("").Watch(ctx, metav1.ListOptions{AllowWatchBookmarks: true, SendInitialEvents: ptr.To(true), TimeoutSeconds: ptr.To[int64](300),
			ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, FieldSelector: "spec.nodeName=n"})
		told(err)
		_, err = client.Nodes().Get(ctx, "n", metav1.GetOptions{ResourceVersion: "0"})
		told(err)
	})
	require.NoError(t, engine.RunUntil(sim.Never))
	require.Len(t, texts, 8)
	return texts
}

func TestErrorsHaveTheTextOfNativeOnes(t *testing.T) {
	native := failures(t, nil)
	require.Equal(t, native, failures(t, clientgo.Through("")))
	require.Equal(t, native, failures(t, clientgo.Through(runtime.ContentTypeJSON)))
	require.Contains(t, native[6], "/api/v1/pods?allowWatchBookmarks=true&fieldSelector=spec.nodeName%3Dn&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeout=5m0s&timeoutSeconds=300&watch=true")
}

func TestWhatComesOverTheWireIsTheCallersOwn(t *testing.T) {
	engine := sim.New(sim.Options{Seed: 1})
	defer engine.Close()
	server := fakeapi.New(engine, fakeapi.Options{Through: clientgo.Through(""), CheckImmutable: true})
	host := engine.NewHost("host")
	client := server.NewClient(fakeapi.ClientOptions{Host: host, Name: "client"})
	var made, seen *corev1.Node
	host.Go("main", func() {
		w, err := client.Nodes().Watch(ctx, metav1.ListOptions{})
		if err != nil {
			panic(err)
		}
		made, err = client.Nodes().Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}, metav1.CreateOptions{})
		if err != nil {
			panic(err)
		}
		ev, err := w.Next()
		if err != nil {
			panic(err)
		}
		seen = ev.Object.(*corev1.Node)
		made.Labels, seen.Labels = map[string]string{"a": "b"}, map[string]string{"c": "d"}
		w.Stop()
	})
	require.NoError(t, engine.RunUntil(sim.Time(time.Second)))
	server.CheckImmutable()
	require.Empty(t, server.Node("n").Labels)
	require.Equal(t, server.Node("n").UID, seen.UID)
	require.NotSame(t, made, server.Node("n"))
}
