package fakeapi

import (
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
)

// machines registers a type that the server does not know of itself.
func (l *lab) machines() *Registered[*appsv1.DaemonSet, *appsv1.DaemonSetList] {
	return Register[*appsv1.DaemonSet, *appsv1.DaemonSetList](l.s, Resource[*appsv1.DaemonSet]{
		Kind: appsv1.SchemeGroupVersion.WithKind("DaemonSet"), Plural: "daemonsets", Namespaced: true, Status: true,
		Validate: func(obj, _ *appsv1.DaemonSet) field.ErrorList {
			if obj.Spec.MinReadySeconds < 0 {
				return field.ErrorList{field.Invalid(field.NewPath("spec", "minReadySeconds"), obj.Spec.MinReadySeconds, "must not be negative")}
			}
			return nil
		}})
}

func TestARegisteredResourceIsOneLikeTheOthers(t *testing.T) {
	l := newLab(t, Options{})
	machines := l.machines()
	l.do(func() {
		c := machines.Client(l.c, "default")
		w := must(c.Watch(ctx, metav1.ListOptions{}))
		in := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: "m"}, Status: appsv1.DaemonSetStatus{NumberReady: 9}}
		got := must(c.Create(ctx, in, metav1.CreateOptions{}))
		require.Zero(t, got.Status.NumberReady, "a status is written by itself")
		require.EqualValues(t, 1, got.Generation)

		change := got.DeepCopy()
		change.Spec.MinReadySeconds, change.Status.NumberReady = 5, 3
		got = must(c.Update(ctx, change, metav1.UpdateOptions{}))
		require.EqualValues(t, 2, got.Generation)
		require.Zero(t, got.Status.NumberReady)
		change.ResourceVersion, change.Spec.MinReadySeconds = got.ResourceVersion, 7
		got = must(c.UpdateStatus(ctx, change, metav1.UpdateOptions{}))
		require.EqualValues(t, 3, got.Status.NumberReady)
		require.EqualValues(t, 5, got.Spec.MinReadySeconds)
		require.EqualValues(t, 2, got.Generation)

		_, err := c.Patch(ctx, "m", types.MergePatchType, []byte(`{"spec":{"minReadySeconds":-1}}`), metav1.PatchOptions{})
		require.True(t, apierrors.IsInvalid(err), "%v", err)
		got = must(c.Patch(ctx, "m", types.JSONPatchType, []byte(`[{"op":"add","path":"/metadata/labels","value":{"k":"v"}}]`), metav1.PatchOptions{}))
		require.Equal(t, "v", got.Labels["k"])
		require.Len(t, must(c.List(ctx, metav1.ListOptions{LabelSelector: "k=v"})).Items, 1)
		require.NoError(t, c.Delete(ctx, "m", metav1.DeleteOptions{}))
		require.Nil(t, machines.Get("default", "m"))
		l.h.Sleep(1)
		require.Equal(t, []string{"ADDED m@2", "MODIFIED m@3", "MODIFIED m@4", "MODIFIED m@5", "DELETED m@6"}, must(drain(w)))
	})
	require.Panics(t, func() { l.machines() })
}

func TestApplyTakesAwayWhatItNoLongerSays(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		apply := func(manager, config string) (*corev1.Node, error) {
			return l.c.Nodes().Patch(ctx, "a", types.ApplyYAMLPatchType, []byte(config), metav1.PatchOptions{FieldManager: manager})
		}
		node := must(apply("m", `{"apiVersion":"v1","kind":"Node","metadata":{"name":"a","labels":{"k":"v","l":"w"}}}`))
		require.Equal(t, l.e.Start(), node.ManagedFields[0].Time.Time, "on virtual time")
		node = must(apply("m", `{"apiVersion":"v1","kind":"Node","metadata":{"name":"a","labels":{"k":"v"}}}`))
		require.Equal(t, map[string]string{"k": "v"}, node.Labels)
		again := must(apply("m", `{"apiVersion":"v1","kind":"Node","metadata":{"name":"a","labels":{"k":"v"}}}`))
		require.Equal(t, node.ResourceVersion, again.ResourceVersion, "nothing has changed")
		_, err := apply("other", `{"apiVersion":"v1","kind":"Node","metadata":{"name":"a","labels":{"k":"x"}}}`)
		require.True(t, apierrors.IsConflict(err), "%v", err)
	})
}

func TestGarbageIsCollectedIfAskedFor(t *testing.T) {
	l := newLab(t, Options{CollectGarbage: true})
	l.do(func() {
		node := l.c.createNode("a")
		owner := metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: "a", UID: node.UID, BlockOwnerDeletion: ptr.To(true)}
		lease := l.c.createLease("a").DeepCopy()
		lease.OwnerReferences = []metav1.OwnerReference{owner}
		must(l.c.Leases(ns).Update(ctx, lease, metav1.UpdateOptions{}))
		require.NoError(t, l.c.Nodes().Delete(ctx, "a", metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationForeground)}))
		l.h.Sleep(1)
		require.Nil(t, l.s.Lease(ns, "a"))
		require.Nil(t, l.s.Node("a"))

		must(l.c.Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "n"}}, metav1.CreateOptions{}))
		l.c.createPod("n", "p", "")
		require.NoError(t, l.c.Namespaces().Delete(ctx, "n", metav1.DeleteOptions{}))
		l.h.Sleep(1)
		require.Nil(t, l.s.Pod("n", "p"))
		_, err := l.c.Namespaces().Get(ctx, "n", metav1.GetOptions{})
		require.True(t, apierrors.IsNotFound(err), "%v", err)
	})
}

func TestNamespacesAreEmptiedAloneIfAskedFor(t *testing.T) {
	l := newLab(t, Options{EmptyNamespaces: true})
	l.do(func() {
		node := l.c.createNode("a")
		lease := l.c.createLease("a").DeepCopy()
		lease.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: "a", UID: node.UID}}
		must(l.c.Leases(ns).Update(ctx, lease, metav1.UpdateOptions{}))
		must(l.c.Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "n"}}, metav1.CreateOptions{}))
		l.c.createPod("n", "p", "a")
		require.NoError(t, l.c.Namespaces().Delete(ctx, "n", metav1.DeleteOptions{}))
		l.h.Sleep(1)
		require.NotNil(t, l.s.Pod("n", "p").DeletionTimestamp, "its kubelet is to end it")
		_, err := l.c.Namespaces().Get(ctx, "n", metav1.GetOptions{})
		require.NoError(t, err)
		require.NoError(t, l.c.Pods("n").Delete(ctx, "p", *metav1.NewDeleteOptions(0)))
		require.NoError(t, l.c.Nodes().Delete(ctx, "a", metav1.DeleteOptions{}))
		l.h.Sleep(1)
		_, err = l.c.Namespaces().Get(ctx, "n", metav1.GetOptions{})
		require.True(t, apierrors.IsNotFound(err), "%v", err)
		require.NotNil(t, l.s.Lease(ns, "a"), "owners are not looked after")
	})
}

func TestNothingIsCreatedInANamespaceThatIsNotThere(t *testing.T) {
	l := newLab(t, Options{})
	l.do(func() {
		_, err := l.c.Leases("nowhere").Create(ctx, l.c.createLease("a").DeepCopy(), metav1.CreateOptions{})
		require.True(t, apierrors.IsBadRequest(err), "%v", err)
		_, err = l.c.Pods("nowhere").Create(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: corev1.PodSpec{Containers: containers}}, metav1.CreateOptions{})
		require.EqualError(t, err, `namespaces "nowhere" not found`)
	})
}

func TestAKubeletIsRestrictedToItsNodeIfAskedFor(t *testing.T) {
	l := newLab(t, Options{NodeRestriction: true})
	kubelet := l.client(ClientOptions{Name: "kubelet/a", User: "system:node:a"})
	l.do(func() {
		l.c.createNode("b")
		kubelet.createNode("a")
		_, err := kubelet.Nodes().Patch(ctx, "b", types.MergePatchType, []byte(`{"status":{"phase":"Running"}}`), metav1.PatchOptions{}, "status")
		require.EqualError(t, err, `nodes "b" is forbidden: node "a" is not allowed to modify node "b"`)
		_, err = kubelet.Nodes().Patch(ctx, "a", types.MergePatchType, []byte(`{"spec":{"taints":null}}`), metav1.PatchOptions{})
		require.True(t, apierrors.IsForbidden(err), "%v", err)
		must(kubelet.Nodes().Patch(ctx, "a", types.MergePatchType, []byte(`{"status":{"phase":"Running"}}`), metav1.PatchOptions{}, "status"))
	})
}
