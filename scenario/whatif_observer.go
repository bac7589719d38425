package scenario

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/sim"
)

// whatIfObserver notes what happens to nodes, and what the model's controller
// did, when its request reached the server, as the audit log notes it
// (requestReceived).
type whatIfObserver struct {
	engine      *sim.Engine
	transitions []Transition
	changes     []Change
	nodes       map[string]*observedNode
	episodes    []*episode
}

// observedNode is what is known of a node by now.
type observedNode struct {
	ready string
	heard sim.Time // when its kubelet was last heard of
	now   *episode // the present or last one, nil if it never was other than ready
}

func newWhatIfObserver(e *sim.Engine) *whatIfObserver {
	return &whatIfObserver{engine: e, nodes: map[string]*observedNode{}}
}

// heard notes a sign of life of a node's kubelet.
func (o *whatIfObserver) heard(node string) {
	n := o.node(node)
	n.heard = o.engine.Now()
	if n.now != nil {
		n.now.silent = false
	}
}

// ready is the status of a node's Ready condition, "" for none.
func (o *whatIfObserver) ready(node string) string { return o.node(node).ready }

func (o *whatIfObserver) node(name string) *observedNode {
	n := o.nodes[name]
	if n == nil {
		n = &observedNode{}
		o.nodes[name] = n
	}
	return n
}

func (o *whatIfObserver) Answered(*fakeapi.Call)                          {}
func (o *whatIfObserver) Received(*fakeapi.Call)                          {}
func (o *whatIfObserver) Delivered(string, string, watch.Event, sim.Time) {}

func (o *whatIfObserver) Changed(resource string, old, new runtime.Object, c *fakeapi.Call) {
	before, _ := old.(*corev1.Node)
	after, _ := new.(*corev1.Node)
	switch {
	case resource != "nodes":
		return
	case after == nil:
		o.follow(before.Name, "")
		return
	case before == nil || c == nil:
		o.follow(after.Name, readyStatus(after))
		return
	}
	from, to, by := readyStatus(before), readyStatus(after), c.Client
	if from != to {
		if by == recordedClient {
			by = kubeletClient(after.Name)
		}
		o.follow(after.Name, to)
		o.transitions = append(o.transitions, Transition{
			At: c.Arrived, Node: after.Name, Type: string(corev1.NodeReady), From: from, To: to, Reason: readyReason(after), By: by,
		})
	}
	if c.Client != managerName {
		return
	}
	for _, what := range nodeChanges(before, after) {
		change := Change{At: c.Arrived, Node: after.Name, What: what}
		o.changes = append(o.changes, change)
		o.node(after.Name).attribute(change)
	}
}

// follow opens an episode when a node is ready no more, and closes it when it
// is again, or gone.
func (o *whatIfObserver) follow(name, to string) {
	n := o.node(name)
	open := n.now != nil && n.now.end == sim.Never
	n.ready = to
	switch ready := to == string(corev1.ConditionTrue) || to == ""; {
	case ready && open:
		n.now.end = o.engine.Now()
	case !ready && !open:
		begin := o.engine.Now()
		if to == string(corev1.ConditionUnknown) {
			begin = n.heard
		}
		n.now = &episode{node: name, begin: begin, end: sim.Never, silent: to == string(corev1.ConditionUnknown)}
		o.episodes = append(o.episodes, n.now)
	case !ready && to == string(corev1.ConditionUnknown):
		n.now.silent = true
	}
}

// attribute counts a change of the controller's as part of the episode that it
// belongs to: taints go after the node is ready again.
func (n *observedNode) attribute(c Change) {
	if n.now != nil && tellsOfReady(c.What) {
		n.now.changes = append(n.now.changes, c)
	}
}

// nodeChanges lists what counts of the difference between two versions of a
// node: its Ready status, and node-health taints added or removed.
func nodeChanges(before, after *corev1.Node) []string {
	var changes []string
	if to := readyStatus(after); readyStatus(before) != to {
		changes = append(changes, "Ready="+to)
	}
	return append(changes, taintChanges(before.Spec.Taints, after.Spec.Taints)...)
}

// someTaint is a change of taints of which the log does not say more.
const someTaint = "taints changed"

// taintChanges lists the health taints that were added and removed:
// "+node.kubernetes.io/unreachable:NoExecute".
func taintChanges(before, after []corev1.Taint) []string {
	var changes []string
	for i := range after {
		if t := &after[i]; isHealthTaint(t.Key) && !hasTaint(before, t) {
			changes = append(changes, "+"+t.Key+":"+string(t.Effect))
		}
	}
	for i := range before {
		if t := &before[i]; isHealthTaint(t.Key) && !hasTaint(after, t) {
			changes = append(changes, "-"+t.Key+":"+string(t.Effect))
		}
	}
	return changes
}

// isHealthTaint tells the taints that the node lifecycle controller manages.
func isHealthTaint(key string) bool {
	switch key {
	case corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable, corev1.TaintNodeMemoryPressure,
		corev1.TaintNodeDiskPressure, corev1.TaintNodePIDPressure, corev1.TaintNodeNetworkUnavailable:
		return true
	}
	return false
}

func readyStatus(node *corev1.Node) string {
	if c := readyCondition(node); c != nil {
		return string(c.Status)
	}
	return ""
}

func readyReason(node *corev1.Node) string {
	if c := readyCondition(node); c != nil {
		return c.Reason
	}
	return ""
}

func readyCondition(node *corev1.Node) *corev1.NodeCondition {
	for i := range node.Status.Conditions {
		if node.Status.Conditions[i].Type == corev1.NodeReady {
			return &node.Status.Conditions[i]
		}
	}
	return nil
}
