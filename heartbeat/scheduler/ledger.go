package scheduler

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// ledger counts the pods that are on each node, or on their way to it, and have
// not ended: those of each owner, and under the owner "" all.
type ledger map[ledgerEntry]int

type ledgerEntry struct {
	node  string
	owner types.UID
}

func (l ledger) add(pod *corev1.Pod, node string, n int) {
	l[ledgerEntry{node, ""}] += n
	if owner := ownerOf(pod); owner != "" {
		l[ledgerEntry{node, owner}] += n
	}
}

// less tells whether a pod goes to node a rather than to node b: there are fewer
// of its owner's, or fewer in all.
func (l ledger) less(pod *corev1.Pod, a, b string) bool {
	owner := ownerOf(pod)
	return cmp.Or(
		cmp.Compare(l[ledgerEntry{a, owner}], l[ledgerEntry{b, owner}]),
		cmp.Compare(l[ledgerEntry{a, ""}], l[ledgerEntry{b, ""}]),
	) < 0
}

func ownerOf(pod *corev1.Pod) types.UID {
	if owner := metav1.GetControllerOfNoCopy(pod); owner != nil {
		return owner.UID
	}
	return ""
}
