package fakeapi

import (
	"testing"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// kubeletA is a lab that restricts kubelets, with nodes a and b, and a's kubelet.
func kubeletA(t *testing.T) (*lab, *Client) {
	l := newLab(t, Options{NodeRestriction: true})
	l.do(func() {
		l.c.createNode("a")
		l.c.createNode("b")
	})
	return l, l.client(ClientOptions{Name: "kubelet/a", User: "system:node:a"})
}

func TestAKubeletChoosesNoLabelsThatSteerPods(t *testing.T) {
	l, kubelet := kubeletA(t)
	patch := func(c *Client, labels string) error {
		_, err := c.Nodes().Patch(ctx, "a", types.MergePatchType, []byte(`{"metadata":{"labels":`+labels+`}}`), metav1.PatchOptions{})
		return err
	}
	l.do(func() {
		require.NoError(t, patch(l.c, `{"node-restriction.kubernetes.io/secret":"x","x.k8s.io/y":"z"}`))
		require.NoError(t, patch(kubelet, `{"mine":"x","kubernetes.io/os":"linux","node.kubernetes.io/mine":"x"}`))
		require.NoError(t, patch(kubelet, `{"mine":null}`))
		for _, labels := range []string{`{"node-restriction.kubernetes.io/secret":null}`, `{"x.k8s.io/y":null}`, `{"x.k8s.io/y":"other"}`,
			`{"a.node-restriction.kubernetes.io/new":"x"}`, `{"new.kubernetes.io/new":"x"}`} {
			require.ErrorContains(t, patch(kubelet, labels), "is not allowed to modify labels", labels)
		}
		_, err := l.client(ClientOptions{Name: "kubelet/c", User: "system:node:c"}).Nodes().Create(ctx,
			&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "c", Labels: map[string]string{"node-restriction.kubernetes.io/x": "y"}}}, metav1.CreateOptions{})
		require.ErrorContains(t, err, `node "c" is not allowed to set the following labels: node-restriction.kubernetes.io/x`)
	})
}

func TestAKubeletHasOneLease(t *testing.T) {
	l, kubelet := kubeletA(t)
	l.do(func() {
		_, err := kubelet.Leases(ns).Create(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "b"}}, metav1.CreateOptions{})
		require.ErrorContains(t, err, "can only access node lease with the same name as the requesting node")
		_, err = kubelet.Leases("default").Create(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
		require.ErrorContains(t, err, `can only access leases in the "kube-node-lease" system namespace`)
		kubelet.createLease("a")
		l.c.createLease("b")
		require.True(t, apierrors.IsForbidden(kubelet.Leases(ns).Delete(ctx, "b", metav1.DeleteOptions{})))
		require.NoError(t, kubelet.Leases(ns).Delete(ctx, "a", metav1.DeleteOptions{}))
	})
}

func TestAKubeletHasThePodsThatAreBoundToIt(t *testing.T) {
	l, kubelet := kubeletA(t)
	pods := kubelet.Pods("default")
	l.do(func() {
		l.c.createPod("default", "mine", "a")
		other := l.c.createPod("default", "other", "b").DeepCopy()
		other.Status.Phase = corev1.PodRunning
		_, err := pods.UpdateStatus(ctx, other, metav1.UpdateOptions{})
		require.ErrorContains(t, err, `node "a" can only update pod status for pods with spec.nodeName set to itself`)
		_, err = pods.Update(ctx, l.s.Pod("default", "mine"), metav1.UpdateOptions{})
		require.ErrorContains(t, err, `unexpected operation "UPDATE", node "a" can only create and delete mirror pods`)
		_, err = pods.Patch(ctx, "mine", types.MergePatchType, []byte(`{"metadata":{"labels":{"x":"y"}}}`), metav1.PatchOptions{}, "status")
		require.ErrorContains(t, err, `node "a" cannot update labels through pod status`)
		must(pods.Patch(ctx, "mine", types.MergePatchType, []byte(`{"status":{"phase":"Running"}}`), metav1.PatchOptions{}, "status"))

		evict := func(name string) error {
			return pods.Evict(ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: name}})
		}
		require.ErrorContains(t, evict("other"), "node a can only evict pods with spec.nodeName set to itself")
		require.NoError(t, evict("mine"))
		require.ErrorContains(t, pods.Delete(ctx, "other", metav1.DeleteOptions{}), `node "a" can only delete pods with spec.nodeName set to itself`)
		require.NoError(t, pods.Delete(ctx, "mine", metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)}))
	})
}

func TestAKubeletCreatesMirrorPodsOfItsNode(t *testing.T) {
	l, kubelet := kubeletA(t)
	l.do(func() {
		create := func(c *Client, node string, change func(pod *corev1.Pod, owner *metav1.OwnerReference)) error {
			pod := owned("mirror", metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: node, UID: l.s.Node("a").UID, Controller: ptr.To(true)})
			pod.Annotations, pod.Spec.NodeName = map[string]string{corev1.MirrorPodAnnotationKey: "x"}, node
			change(pod, &pod.OwnerReferences[0])
			_, err := c.Pods("kube-system").Create(ctx, pod, metav1.CreateOptions{})
			return err
		}
		for text, change := range map[string]func(pod *corev1.Pod, owner *metav1.OwnerReference){ // order: each is refused
			`pod does not have "kubernetes.io/config.mirror" annotation`:       func(pod *corev1.Pod, _ *metav1.OwnerReference) { pod.Annotations = nil },
			`can only create pods with spec.nodeName set to itself`:            func(pod *corev1.Pod, _ *metav1.OwnerReference) { pod.Spec.NodeName = "b" },
			`can only create pods with an owner reference set to itself`:       func(_ *corev1.Pod, o *metav1.OwnerReference) { o.Name = "b" },
			`can only create pods with a controller owner reference`:           func(_ *corev1.Pod, o *metav1.OwnerReference) { o.Controller = nil },
			`must not set blockOwnerDeletion on an owner reference`:            func(_ *corev1.Pod, o *metav1.OwnerReference) { o.BlockOwnerDeletion = ptr.To(true) },
			`node a UID mismatch: expected u got ` + string(l.s.Node("a").UID): func(_ *corev1.Pod, o *metav1.OwnerReference) { o.UID = "u" },
		} {
			require.ErrorContains(t, create(kubelet, "a", change), text)
		}
		as := func(*corev1.Pod, *metav1.OwnerReference) {}
		gone := l.client(ClientOptions{Name: "kubelet/gone", User: "system:node:gone"})
		require.EqualError(t, create(gone, "gone", as), `nodes "gone" not found`)
		require.NoError(t, create(kubelet, "a", as))
	})
}
