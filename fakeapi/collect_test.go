package fakeapi

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// owned returns a pod with that owner.
func owned(name string, owner metav1.OwnerReference) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, OwnerReferences: []metav1.OwnerReference{owner}}, Spec: corev1.PodSpec{Containers: containers}}
}

func TestGarbageIsCollectedAfterTheServerWasKilledOverIt(t *testing.T) {
	l := newLab(t, Options{CollectGarbage: true})
	l.do(func() {
		node := l.c.createNode("n")
		must(l.c.Pods("default").Create(ctx, owned("p", metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: "n", UID: node.UID}), metav1.CreateOptions{}))
		l.s.Remove(node)
		l.s.Host().Kill()
		l.h.Sleep(1)
		require.NotNil(t, l.s.Pod("default", "p"))
		l.s.Host().Restart()
		l.h.Sleep(1)
		l.c.createNode("another")
		l.h.Sleep(1)
		require.Nil(t, l.s.Pod("default", "p"))

		must(l.c.Pods("default").Create(ctx, owned("q", metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: "another", UID: l.s.Node("another").UID}), metav1.CreateOptions{}))
		require.NoError(t, l.c.Nodes().Delete(ctx, "another", metav1.DeleteOptions{}))
		l.h.Sleep(1)
		require.Nil(t, l.s.Pod("default", "q"))
	})
}

// The collector upstream cannot look for an owner of a kind that the server does
// not have, and leaves the object alone.
func TestObjectsOfOwnersThatTheServerDoesNotKnowStay(t *testing.T) {
	l := newLab(t, Options{CollectGarbage: true})
	l.do(func() {
		must(l.c.Pods("default").Create(ctx, owned("p", metav1.OwnerReference{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web", UID: "u", Controller: ptr.To(true)}), metav1.CreateOptions{}))
		must(l.c.Pods("default").Create(ctx, owned("q", metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: "none", UID: "v"}), metav1.CreateOptions{}))
		l.c.createNode("n")
		require.NoError(t, l.c.Nodes().Delete(ctx, "n", metav1.DeleteOptions{}))
		l.h.Sleep(1)
		require.NotNil(t, l.s.Pod("default", "p"))
		require.Nil(t, l.s.Pod("default", "q"))
	})
}

func TestAnObjectStaysAsLongAsOneOfItsOwnersDoes(t *testing.T) {
	l := newLab(t, Options{CollectGarbage: true})
	l.do(func() {
		pod := owned("p", metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: "a", UID: l.c.createNode("a").UID})
		pod.OwnerReferences = append(pod.OwnerReferences, metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: "b", UID: l.c.createNode("b").UID})
		must(l.c.Pods("default").Create(ctx, pod, metav1.CreateOptions{}))
		require.NoError(t, l.c.Nodes().Delete(ctx, "a", metav1.DeleteOptions{}))
		l.h.Sleep(1)
		require.NotNil(t, l.s.Pod("default", "p"))
		require.NoError(t, l.c.Nodes().Delete(ctx, "b", metav1.DeleteOptions{}))
		l.h.Sleep(1)
		require.Nil(t, l.s.Pod("default", "p"))
	})
}
