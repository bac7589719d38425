package scenario

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/holter-sim/holter/traces"
)

// taintNeedsCondition: the controller taints a node unreachable only if its
// Ready condition was Unknown at some time, and not-ready only if it was not
// True. (It may be late: the node can be Ready again when the taint comes.)
type taintNeedsCondition struct {
	broken
	unknown map[string]bool
}

func newTaintNeedsCondition() *taintNeedsCondition {
	return &taintNeedsCondition{unknown: map[string]bool{}}
}

func (t *taintNeedsCondition) observe(ev *traces.Event) {
	switch {
	case ev.Kind == traces.KindTransition && ev.Name == string(corev1.NodeReady):
		if ev.To == string(corev1.ConditionUnknown) {
			t.unknown[ev.Node] = true
		}
	case ev.Kind == traces.KindTaint && ev.Name == corev1.TaintNodeUnreachable && ev.To == TaintAdded:
		if !t.unknown[ev.Node] {
			t.add("taint-needs-condition", ev, fmt.Sprintf("taint %s:%s on a node that was never Unknown", ev.Name, ev.Reason))
		}
	}
}
