package scenario

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/holter-sim/holter/sim"
)

// follower goes through the writes and keeps what each node is.
type follower struct {
	recording *Recording
	known     []bool // the node has been met
	written   []bool // a write of the node itself has
	states    []nodeState
	reported  []conditionDelta // the Ready condition, as others than the controller wrote it last
	heartbeat []int64          // of that
	renewed   []int64          // the renewTime of the Lease
}

func newFollower(r *Recording) *follower {
	n := len(r.names)
	r.begun = make([]nodeBegun, n)
	return &follower{
		recording: r, known: make([]bool, n), written: make([]bool, n),
		states: make([]nodeState, n), reported: make([]conditionDelta, n), heartbeat: make([]int64, n),
		renewed: make([]int64, n),
	}
}

// follow fills in the recording's writes and changes.
func (f *follower) follow(writes []Write) {
	r := f.recording
	r.Writes = writes[:0]
	for i := range writes {
		w := writes[i]
		if w.write == nil {
			f.renewal(&w)
			continue
		}
		if w.write.bodiless {
			r.Bodiless++
		}
		f.meet(&w)
		before := f.states[w.node]
		f.apply(&w)
		if !w.write.controller {
			r.Writes = append(r.Writes, w)
			continue
		}
		for _, what := range w.write.changes(&before, &f.states[w.node]) {
			r.Changes = append(r.Changes, Change{At: sim.Time(w.at), Node: r.names[w.node], What: what})
		}
	}
	byTime(r.Writes) // without the controller's among them
	slices.SortStableFunc(r.Changes, func(x, y Change) int { return int(x.At - y.At) })
}

// renewal takes a write of a Lease, which is a renewal if it moves renewTime:
// somebody may have annotated it.
func (f *follower) renewal(w *Write) {
	r := f.recording
	if w.renewTime != 0 && w.renewTime == f.renewed[w.node] {
		return
	}
	f.meet(w)
	f.renewed[w.node] = w.renewTime
	r.Renewals++
	if w.renewTime == 0 {
		r.Bodiless++
	}
	r.Writes = append(r.Writes, *w)
}

// meet finds out how the node was before the log's first word of it. A node
// that the log does not see created is there from the start.
func (f *follower) meet(w *Write) {
	n, begun := w.node, &f.recording.begun[w.node]
	if !f.known[n] {
		f.known[n] = true
		begun.present = w.write == nil || w.write.kind != leaseDeleted
		begun.state.Ready = corev1.ConditionTrue
		f.states[n] = begun.state
	}
	if w.write == nil || w.write.kind == leaseDeleted || f.written[n] {
		return
	}
	f.written[n] = true
	begun.present = w.write.kind != nodeCreated
	if after := w.write.after; begun.present && after != nil {
		begun.state = w.write.stateBefore(after)
		f.states[n] = begun.state
	}
}

// stateBefore is what a node was before its first write in the log, as far as
// that tells: a write of the status leaves the taints as they were.
func (w *nodeWrite) stateBefore(after *nodeState) nodeState {
	before := nodeState{Ready: after.Ready, Taints: after.Taints, Labels: after.Labels}
	ready := w.delta.ready()
	if w.kind != nodeStatusWritten || ready == nil || ready.Status == "" {
		return before
	}
	before.Ready = corev1.ConditionTrue
	for _, t := range after.Taints {
		switch t.Key {
		case corev1.TaintNodeUnreachable:
			before.Ready = corev1.ConditionUnknown
		case corev1.TaintNodeNotReady:
			before.Ready = corev1.ConditionFalse
		}
	}
	return before
}

// apply takes a write in, and finds out whether it is a report: by somebody who
// posts the node's Ready condition. Another that writes back what it read of it
// is none, though the condition may be in its request.
func (f *follower) apply(w *Write) {
	node, state := w.write, &f.states[w.node]
	if node.kind == leaseDeleted {
		return
	}
	ready := node.delta.ready()
	if ready != nil && !node.controller {
		node.report = ready.Status != corev1.ConditionUnknown && f.isNews(w.node, ready, node.heartbeat)
	}
	switch {
	case node.kind == nodeCreated:
		*state = nodeState{Ready: corev1.ConditionFalse, Taints: withAdmitted(nil)}
	case ready != nil && ready.Status != "":
		state.Ready = ready.Status
	case node.bodiless && node.kind == nodeStatusWritten && node.controller:
		state.Ready = corev1.ConditionUnknown
	case node.bodiless && node.report:
		state.Ready = corev1.ConditionTrue
	}
	if after := node.after; after != nil {
		state.Taints = after.Taints
		if after.Ready != "" {
			state.Ready = after.Ready
		}
		if after.Deleted {
			node.kind = nodeDeleted
		}
		if after.Kept && node.kind == nodeDeleted {
			node.kind = nodeSpecWritten // it goes when its last finalizer does
		}
	}
}

// isNews tells a Ready condition that says more than what others than the
// controller wrote last. What the controller wrote must not count: whether
// something is put to the model may not depend on what is to be predicted.
func (f *follower) isNews(n uint32, ready *conditionDelta, heartbeat int64) bool {
	news := false
	if ready.Status != "" && ready.Status != f.reported[n].Status {
		f.reported[n], news = *ready, true
	}
	if heartbeat != 0 && heartbeat != f.heartbeat[n] {
		f.heartbeat[n], news = heartbeat, true
	}
	return news
}

// changes lists what counts of a controller's write. Where the log has not got
// the object, it can only be that the node was called Unknown, or some change
// of its taints.
func (w *nodeWrite) changes(before, after *nodeState) []string {
	switch {
	case w.bodiless && w.kind == nodeStatusWritten:
		return []string{"Ready=" + string(corev1.ConditionUnknown)}
	case w.bodiless && w.kind == nodeSpecWritten:
		return []string{someTaint}
	case w.kind == nodeStatusWritten && before.Ready != after.Ready:
		return []string{"Ready=" + string(after.Ready)}
	case w.kind == nodeSpecWritten:
		return taintChanges(before.Taints, after.Taints)
	}
	return nil
}
