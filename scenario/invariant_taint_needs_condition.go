package scenario

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/holter-sim/holter/traces"
)

// taintNeedsCondition: the controller taints a node unreachable no more often
// than its Ready condition turned Unknown, and not-ready no more often than it
// turned False or was so in a new Node. (The taint may be late: the node can be
// Ready again when it comes.) Where patches of taints do not name a version, one
// that was slow puts back what another has removed meanwhile: upstream's lost
// update, which gives no reason, and needs one that was there.
type taintNeedsCondition struct {
	broken
	versioned bool // patches of taints name the version that they are made for
	nodes     map[string]*taintReasons
}

// taintReasons are what one Node's conditions gave reason for since it was
// created, and the taints that came, by key and effect.
type taintReasons struct {
	unknown, notReady int
	added             map[string]int
}

func newTaintNeedsCondition(versioned bool) *taintNeedsCondition {
	return &taintNeedsCondition{versioned: versioned, nodes: map[string]*taintReasons{}}
}

func (t *taintNeedsCondition) observe(ev *traces.Event) {
	switch {
	case ev.Kind == traces.KindRegister:
		t.nodes[ev.Node] = &taintReasons{notReady: 1, added: map[string]int{}}
	case ev.Kind == traces.KindTransition && ev.Name == string(corev1.NodeReady) && ev.From != "":
		switch corev1.ConditionStatus(ev.To) {
		case corev1.ConditionUnknown:
			t.of(ev.Node).unknown++
		case corev1.ConditionFalse:
			t.of(ev.Node).notReady++
		}
	case ev.Kind == traces.KindTaint && ev.To == TaintAdded:
		t.added(ev)
	}
}

func (t *taintNeedsCondition) of(node string) *taintReasons {
	if t.nodes[node] == nil {
		t.nodes[node] = &taintReasons{added: map[string]int{}}
	}
	return t.nodes[node]
}

func (t *taintNeedsCondition) added(ev *traces.Event) {
	n := t.of(ev.Node)
	reasons, status := n.unknown, "Unknown"
	switch ev.Name {
	case corev1.TaintNodeUnreachable:
	case corev1.TaintNodeNotReady:
		reasons, status = n.notReady, "False"
	default:
		return
	}
	taint := ev.Name + ":" + ev.Reason
	n.added[taint]++
	if count := n.added[taint]; count > reasons && (t.versioned || reasons == 0) {
		t.add("taint-needs-condition", ev, fmt.Sprintf("taint %s added %d times, and Ready turned %s %d times", taint, count, status, reasons))
	}
}
