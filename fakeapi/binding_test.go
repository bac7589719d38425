package fakeapi

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/sim"
)

func TestPodIsBoundOnceAndItsNodeIsTold(t *testing.T) {
	engine := sim.New(sim.Options{Seed: 1})
	defer engine.Close()
	server := New(engine, Options{CheckImmutable: true})
	host := engine.NewHost("scheduler")
	pods := server.NewClient(ClientOptions{Host: host, Name: "scheduler"}).Pods("default")
	server.Put(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "default"}})
	server.Put(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "going", Namespace: "default", Finalizers: []string{"x/y"}}})
	bind := func(name, node string) error {
		return pods.Bind(context.Background(), &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: name}, Target: corev1.ObjectReference{Name: node}}, metav1.CreateOptions{})
	}
	host.Go("test", func() {
		w, err := pods.Watch(context.Background(), metav1.ListOptions{FieldSelector: "spec.nodeName=n"})
		require.NoError(t, err)
		require.NoError(t, bind("p", "n"))
		ev, err := w.Next()
		require.NoError(t, err)
		require.EqualValues(t, "ADDED", ev.Type, "to who watches that node the pod is new")
		require.Equal(t, "n", ev.Object.(*corev1.Pod).Spec.NodeName)

		err = bind("p", "other")
		require.True(t, apierrors.IsConflict(err))
		require.ErrorContains(t, err, `pod p is already assigned to node "n"`)
		require.True(t, apierrors.IsNotFound(bind("none", "n")))
		require.NoError(t, pods.Delete(context.Background(), "going", metav1.DeleteOptions{}))
		require.ErrorContains(t, bind("going", "n"), "pod going is being deleted, cannot be assigned to a host")
	})
	require.NoError(t, engine.RunUntil(sim.Time(1e9)))
}
