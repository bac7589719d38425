package fakeapi

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"
)

// TestAdmitGivesAPodWhatItDoesNotSay holds for any tolerations: what the pod
// says stays, and each of the two taints is then tolerated, for 300 s where the
// pod did not speak of it. Upstream: DefaultTolerationSeconds.
func TestAdmitGivesAPodWhatItDoesNotSay(t *testing.T) {
	keys := []string{"", corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable, "other"}
	effects := []corev1.TaintEffect{"", corev1.TaintEffectNoExecute, corev1.TaintEffectNoSchedule}
	rapid.Check(t, func(t *rapid.T) {
		var own []corev1.Toleration
		for range rapid.IntRange(0, 4).Draw(t, "tolerations") {
			own = append(own, corev1.Toleration{
				Key: rapid.SampledFrom(keys).Draw(t, "key"), Operator: corev1.TolerationOpExists,
				Effect: rapid.SampledFrom(effects).Draw(t, "effect"),
			})
		}
		pod := &corev1.Pod{Spec: corev1.PodSpec{Tolerations: own}}
		Admit(pod)
		var want []corev1.Toleration
		want = append(want, own...)
		for _, key := range keys[1:3] {
			said := false
			for _, tol := range own {
				said = said || (tol.Key == key || tol.Key == "") && tol.Effect != corev1.TaintEffectNoSchedule
			}
			if !said {
				want = append(want, corev1.Toleration{
					Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: ptr.To[int64](300),
				})
			}
		}
		require.Equal(t, want, pod.Spec.Tolerations)
	})
}

func TestAdmitTaintsANewNode(t *testing.T) {
	node := &corev1.Node{}
	Admit(node)
	require.Equal(t, []corev1.Taint{{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule}}, node.Spec.Taints)
}

func TestNewNodesAreLeftUntaintedByAServerWithoutThePlugin(t *testing.T) {
	for untainted, taints := range map[bool]int{false: 1, true: 0} {
		l := newLab(t, Options{UntaintedNodes: untainted})
		l.do(func() { require.Len(t, l.c.createNode("n").Spec.Taints, taints) })
	}
}

func TestAServerWithoutBookmarksSendsNone(t *testing.T) {
	for without, want := range map[bool]watch.EventType{false: watch.Bookmark, true: watch.Added} {
		l := newLab(t, Options{NoBookmarks: without})
		l.do(func() {
			l.c.createNode("a")
			w := must(l.c.Nodes().Watch(ctx, metav1.ListOptions{ResourceVersion: "2", AllowWatchBookmarks: true}))
			l.c.createLease("elsewhere") // the version moves on, or else there is nothing to be told
			l.h.Sleep(2 * bookmarkPeriod)
			l.c.createNode("b")
			ev := must(w.Next())
			require.Equal(t, want, ev.Type)
		})
	}
}

func TestLeasesOfBetaAreTheSameAndShowInTheURL(t *testing.T) {
	l := newLab(t, Options{})
	beta := l.client(ClientOptions{Name: "old", Timeout: second.Duration(), LeaseAPI: "v1beta1"})
	l.s.Network().Add(partition)
	l.do(func() {
		_, err := beta.Leases(ns).Get(ctx, "n", metav1.GetOptions{})
		require.ErrorContains(t, err, "/apis/coordination.k8s.io/v1beta1/namespaces/kube-node-lease/leases/n")
	})
}
