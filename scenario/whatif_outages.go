package scenario

import (
	"cmp"
	"slices"
	"time"

	"github.com/holter-sim/holter/traces"
)

// Outage is a time in which the recorded API server answered nobody: the log is
// silent though many renewals were due.
type Outage struct {
	From, To time.Duration
	// Restart tells a server that was gone and started anew from one that hung
	// and went on.
	Restart bool
}

// Blind is a time in which the controller got to know nothing of a resource, or
// a kubelet nothing of its Node: its watch had ended, and the next that lasted
// had not begun.
type Blind struct {
	Resource string // "nodes", "leases", "pods"
	Node     string // whose kubelet, "" for the controller
	From, To time.Duration
}

// activity is when requests came and were answered, second by second, so that a log of days and
// in any order fits.
type activity map[int64]busySecond

type busySecond struct{ first, last time.Time }

func (a activity) note(at time.Time) {
	second, known := a[at.Unix()]
	if !known || at.Before(second.first) {
		second.first = at
	}
	if at.After(second.last) {
		second.last = at
	}
	a[at.Unix()] = second
}

// noteActivity takes a request as a sign that the server is there. When the
// controller's own came must not matter, or predictions would move with what is
// to be predicted; that one came at all tells a node that died from a server
// that hangs.
func (b *recordingBuilder) noteActivity(r *traces.AuditRecord, by requester) {
	if by == theController {
		b.controlled.note(r.Received)
		return
	}
	b.active.note(r.Received)
	b.active.note(r.Completed)
	if isServerStart(r) {
		b.serverStarts = append(b.serverStarts, r.Received)
	}
}

// within tells whether any came in a stretch, but for its last seconds.
func (a activity) within(from, to time.Time) bool {
	for second := range a { // order: any one is enough
		if second > from.Unix() && second < to.Add(-serverStart).Unix() {
			return true
		}
	}
	return false
}

// silences are the stretches of at least so long in which none did.
func (a activity) silences(least time.Duration) [][2]time.Time {
	seconds := make([]int64, 0, len(a))
	for s := range a { // order: sorted below
		seconds = append(seconds, s)
	}
	slices.Sort(seconds)
	var found [][2]time.Time
	for i := 1; i < len(seconds); i++ {
		if from, to := a[seconds[i-1]].last.Add(time.Millisecond), a[seconds[i]].first; to.Sub(from) >= least {
			found = append(found, [2]time.Time{from, to})
		}
	}
	return found
}

const (
	// silentRenewals is how many renewals must be due in a silence before it
	// is the server's. One node that dies is silent too; and all of a small
	// cluster may renew at the same time.
	silentRenewals = 5
	// silentIntervals is how many renew intervals it must last as well.
	silentIntervals = 1.5
	// serverStart is within what time a server that has started asks itself
	// for the present state.
	serverStart = 5 * time.Second
)

// outages finds the server's silences in a log with so many nodes, each renewing
// its Lease once an interval.
func (b *recordingBuilder) outages(nodes int, interval time.Duration) []Outage {
	if nodes == 0 || interval <= 0 {
		return nil
	}
	least := max(time.Duration(silentIntervals*float64(interval)), silentRenewals*interval/time.Duration(nodes))
	var found []Outage
	for _, s := range b.active.silences(least) {
		o := Outage{From: s[0].Sub(b.recording.Start), To: s[1].Sub(b.recording.Start)}
		if o.From < 0 || b.controlled.within(s[0], s[1]) {
			continue
		}
		for _, at := range b.serverStarts {
			o.Restart = o.Restart || !at.Before(s[1]) && at.Sub(s[1]) < serverStart
		}
		found = append(found, o)
	}
	return found
}

// isServerStart tells a request by which a starting API server reads its own
// state.
func isServerStart(r *traces.AuditRecord) bool {
	return r.User == "system:apiserver" && r.Resource == "nodes" && fromScratch(r)
}

// seenWatch is a watch of the controller's informers, or of a kubelet's.
type seenWatch struct{ from, to time.Time } // to is zero where the log has no end of it

// watcher is who watches: the controller a resource, or a kubelet its Node.
type watcher struct{ resource, node string }

// watcherOf tells whose watch a request is. A watch of one Node by its name is
// taken for its kubelet's.
func watcherOf(r *traces.AuditRecord, by requester) (who watcher, ok bool) {
	switch {
	case r.Verb != "watch" || r.Code != 200:
		return who, false
	case by == theInformers:
		return watcher{resource: r.Resource}, true
	case by == somebodyElse && r.Resource == "nodes" && r.Name != "":
		return watcher{r.Resource, r.Name}, true
	}
	return who, false
}

// noteWatch keeps a watch. Its audit ID is the same at its start and at its end.
func (b *recordingBuilder) noteWatch(r *traces.AuditRecord, by requester) {
	who, ok := watcherOf(r, by)
	if !ok {
		return
	}
	byID := b.watches[who]
	if byID == nil {
		byID = map[string]seenWatch{}
		b.watches[who] = byID
	}
	key := r.ID
	if key == "" {
		key = r.URI + r.Received.String()
	}
	w := byID[key]
	w.from = r.Received
	if r.Stage != "ResponseStarted" {
		w.to = r.Completed
	}
	byID[key] = w
}

// shortWatch is how long a watch lasts at most whose version was too old: the
// server says so, and ends it.
const shortWatch = time.Second

// shortBlind is what it takes to open a watch anew after its timeout, of which
// a long log is full.
const shortBlind = 50 * time.Millisecond

// blinds are the times between two watches of a resource that lasted. A watch
// whose end is not in the log ended with the server.
func (b *recordingBuilder) blinds(outages []Outage) []Blind {
	var found []Blind
	for who, watches := range b.watches { // order: sorted below
		var lasting []seenWatch
		for _, w := range watches { // order: sorted below
			if w.to.IsZero() || w.to.Sub(w.from) > shortWatch {
				lasting = append(lasting, w)
			}
		}
		slices.SortFunc(lasting, func(x, y seenWatch) int {
			if c := x.from.Compare(y.from); c != 0 {
				return c
			}
			return x.to.Compare(y.to)
		})
		for i := 1; i < len(lasting); i++ {
			from, to := b.endOf(&lasting[i-1], outages), lasting[i].from.Sub(b.recording.Start)
			if from > 0 && to-from > shortBlind {
				found = append(found, Blind{Resource: who.resource, Node: who.node, From: from, To: to})
			}
		}
	}
	slices.SortFunc(found, func(x, y Blind) int {
		return cmp.Or(cmp.Compare(x.From, y.From), cmp.Compare(x.Resource, y.Resource), cmp.Compare(x.Node, y.Node), cmp.Compare(x.To, y.To))
	})
	return found
}

// endOf is when a watch saw its last event. One that ended with an outage, or
// because of it, saw nothing of it.
func (b *recordingBuilder) endOf(w *seenWatch, outages []Outage) time.Duration {
	from := w.from.Sub(b.recording.Start)
	for _, o := range outages {
		if o.From >= from && (w.to.IsZero() || w.to.Sub(b.recording.Start) >= o.From && w.to.Sub(b.recording.Start) < o.To+shortWatch) {
			return o.From
		}
	}
	if w.to.IsZero() {
		return 0
	}
	return w.to.Sub(b.recording.Start)
}

// renewInterval is the median time between a node's renewals.
func renewInterval(writes []Write) time.Duration {
	last, gaps := map[uint32]time.Duration{}, []time.Duration{}
	for i := range writes {
		w := &writes[i]
		if w.write != nil {
			continue
		}
		if before, known := last[w.node]; known {
			gaps = append(gaps, w.At()-before)
		}
		last[w.node] = w.At()
	}
	if len(gaps) == 0 {
		return 0
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/2]
}
