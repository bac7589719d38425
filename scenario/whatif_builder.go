package scenario

import (
	"cmp"
	"slices"
	"time"

	"github.com/holter-sim/holter/heartbeat/lease"
	"github.com/holter-sim/holter/traces"
)

// recordingBuilder gathers what matters while a log streams by, in any order:
// logs of several API servers and rotated files come one after the other. Times
// are Unix nanoseconds until finish knows the start.
type recordingBuilder struct {
	recording *Recording
	nodes     map[string]uint32 // index of a name
	writes    []Write
	failed    []Write
	seen      map[string]bool // audit IDs of writes of nodes: a log may hold a line twice
	answered  []answer
	starts    informerStarts
	first     time.Time // of the writes
	last      time.Time // of anything

	active       activity // of all but the controller
	controlled   activity
	serverStarts []time.Time
	watches      map[watcher]map[string]seenWatch // by audit ID

	deltas map[string]*nodeDelta
	states map[string]*nodeState
}

func newRecordingBuilder(name string) *recordingBuilder {
	return &recordingBuilder{
		recording:  &Recording{Name: name},
		nodes:      map[string]uint32{},
		seen:       map[string]bool{},
		deltas:     map[string]*nodeDelta{},
		states:     map[string]*nodeState{},
		active:     activity{},
		controlled: activity{},
		watches:    map[watcher]map[string]seenWatch{},
	}
}

// take keeps what matters of a record.
func (b *recordingBuilder) take(r *traces.AuditRecord) error {
	if r.Resource == "leases" && r.Namespace != lease.Namespace && r.Namespace != "" {
		return nil
	}
	if r.Completed.After(b.last) {
		b.last = r.Completed
	}
	by := requesterOf(r)
	if by != somebodyElse {
		b.starts.ask(r, by)
	}
	b.noteWatch(r, by)
	b.noteActivity(r, by)
	switch {
	case r.Stage != "ResponseComplete" || r.Verb == "watch" || r.Verb == "list":
	case r.Verb == "get":
		b.timed(r, by)
	default:
		b.timed(r, by)
		b.took(r, by == theController)
	}
	return nil
}

// answer is when a request of the controller came, and how long the server took.
type answer struct {
	received time.Time
	took     time.Duration
}

func (b *recordingBuilder) timed(r *traces.AuditRecord, by requester) {
	if by == theController && succeeded(r) {
		b.answered = append(b.answered, answer{r.Received, r.Completed.Sub(r.Received)})
	}
}

// latency is the median time for a request of the controller.
func (b *recordingBuilder) latency() time.Duration {
	slices.SortFunc(b.answered, func(x, y answer) int { return cmp.Or(x.received.Compare(y.received), cmp.Compare(x.took, y.took)) })
	b.answered = slices.Compact(b.answered) // a log may hold a line twice
	slices.SortFunc(b.answered, func(x, y answer) int { return cmp.Compare(x.took, y.took) })
	if len(b.answered) == 0 {
		return 0
	}
	return b.answered[len(b.answered)/2].took
}

// took keeps a write.
func (b *recordingBuilder) took(r *traces.AuditRecord, controller bool) {
	if r.Name == "" || r.Verb == "deletecollection" {
		return
	}
	if b.first.IsZero() || r.Received.Before(b.first) {
		b.first = r.Received
	}
	w := newWrite(r, b.index(r.Name))
	if r.Resource == "nodes" || r.Verb == "delete" {
		if b.seen[r.ID] && r.ID != "" {
			return
		}
		b.seen[r.ID] = true
	}
	switch {
	case !succeeded(r):
		b.failed = append(b.failed, w)
		return
	case r.Resource == "nodes" || r.Verb == "delete":
		w.write = b.newNodeWrite(r, controller)
		w.write.report = w.write.bodiless && isReporter(r)
	default:
		if w.renewTime = renewTimeOf(r.Object); w.renewTime == 0 {
			w.renewTime = renewTimeOf(r.ResponseObject)
		}
		if w.renewTime == 0 && r.Verb == "patch" {
			return // somebody's annotation
		}
	}
	b.writes = append(b.writes, w)
}

func (b *recordingBuilder) index(node string) uint32 {
	i, known := b.nodes[node]
	if !known {
		i = uint32(len(b.nodes))
		b.nodes[node] = i
		b.recording.names = append(b.recording.names, node)
	}
	return i
}

func succeeded(r *traces.AuditRecord) bool { return r.Code >= 200 && r.Code < 300 }

// finish puts the writes in the order in which they took effect and tells apart
// what the controller did.
func (b *recordingBuilder) finish() (*Recording, error) {
	r := b.recording
	if len(b.writes)+len(b.failed) == 0 {
		return nil, &InputError{
			File:     r.Name,
			Message:  "no write of a node, or of a Lease in " + lease.Namespace + ", is in the log",
			Accepted: "an audit log at level Metadata or above for nodes, nodes/status and leases",
		}
	}
	r.Start = b.first
	start, seen, again := b.starts.split()
	if seen && start.Before(r.Start) {
		r.Start = start
	}
	r.Start = r.Start.Truncate(time.Second)
	r.End = b.last.Sub(r.Start)
	if seen {
		r.ControllerStart, r.ControllerSeen = start.Sub(r.Start), true
	}
	for _, at := range again {
		r.ControllerRestarts = append(r.ControllerRestarts, at.Sub(r.Start))
	}
	r.ControllerLatency = b.latency()
	b.writes, b.failed = b.inOrder(b.writes), b.inOrder(b.failed)
	r.Failed = len(b.failed)
	byVersion(b.writes)
	newFollower(r).follow(b.writes)
	r.Outages = b.outages(len(r.names), renewInterval(r.Writes))
	r.Blind = b.blinds(r.Outages)
	r.Nodes = slices.Sorted(slices.Values(r.names))
	b.warnOfGaps(again)
	return r, nil
}

// inOrder sorts by when they were answered, which is nearly when they took
// effect, and drops what the log holds twice.
func (b *recordingBuilder) inOrder(writes []Write) []Write {
	origin := b.recording.Start.UnixNano()
	for i := range writes {
		writes[i].at -= origin
	}
	byTime(writes)
	return slices.CompactFunc(writes, func(x, y Write) bool { return x.write == nil && x == y })
}

func byTime(writes []Write) {
	slices.SortStableFunc(writes, func(x, y Write) int {
		switch {
		case x.Done() != y.Done():
			return int(x.Done() - y.Done())
		case x.node != y.node:
			return int(x.node) - int(y.node)
		}
		return int(x.at - y.at)
	})
}

// byVersion corrects the order of a node's writes by the versions that they
// left, where the log has them: of two that were handled side by side, either
// may have been the first.
func byVersion(writes []Write) {
	places := map[uint32][]int{}
	for i := range writes {
		if w := writes[i].write; w != nil && w.version != 0 {
			places[writes[i].node] = append(places[writes[i].node], i)
		}
	}
	for _, at := range places { // order: nodes do not touch each other's
		sorted := make([]Write, len(at))
		for i, place := range at {
			sorted[i] = writes[place]
		}
		slices.SortStableFunc(sorted, func(x, y Write) int {
			return int(int64(x.write.version) - int64(y.write.version))
		})
		for i, place := range at {
			writes[place] = sorted[i]
		}
	}
}
