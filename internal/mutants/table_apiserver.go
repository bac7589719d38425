package mutants

import "slices"

// apiServerMutants are of the API server where many come at once, or such as mean
// it no good: what waits, what is bounded, what is read page by page and what is
// deleted, and of the two ways in from outside.
func apiServerMutants() []Mutant {
	return slices.Concat(flowMutants(), seatMutants(), serverWorkMutants(), readMutants(), deleteMutants(), watchEndMutants(), restrictionMutants(),
		bubbleMutants(), serveMutants())
}

func flowMutants() []Mutant {
	return of("fakeapi", nil,
		change{"reads count as writes in flight", "flowcontrol_inflight.go",
			`p := &place{mutating: mutates(r.op)}`, `p := &place{mutating: true}`},
		change{"one request more than the limit is in flight", "flowcontrol_inflight.go",
			`case m.inFlight[kind] < m.limits[kind]:`, `case m.inFlight[kind] <= m.limits[kind]:`},
		change{"a super-user is refused like anybody", "flowcontrol_inflight.go",
			`case slices.Contains(groupsOf(r.client.user), groupMasters):`,
			`case slices.Contains(groupsOf(r.client.user), groupMasters) && false:`},
		change{"what is done stays in flight", "flowcontrol_inflight.go",
			`		m.inFlight[p.kind()]--`, ``},
		change{"a level with part of a seat is given none for it", "flowcontrol_levels.go",
			`(total*shares + sum - 1) / sum`, `total * shares / sum`},
		change{"a queue holds one request less", "flowcontrol_levels.go",
			`queueLengthLimit = 50`, `queueLengthLimit = 49`},
		change{"a request waits for a third of its time", "flowcontrol_levels.go",
			`min(limit/4, r.timeLeft())`, `min(limit/3, r.timeLeft())`},
		change{"a request that is given up keeps its place in the queue", "flowcontrol_levels.go",
			`	r.place.level.remove(r.place)
`, ``},
		change{"a flow uses the longest queue of its hand", "flowcontrol_queues.go",
			`q.work < best.work`, `q.work > best.work`},
		change{"work is not corrected to what it took", "flowcontrol_queues.go",
			`	p.queue.nextDispatch -= seatSeconds(p.seats.Initial, guessedDuration-time.Duration(now-p.started))
`, ``},
		change{"Retry-After grows beyond 32 s", "flowcontrol_dropped.go",
			`d.retryAfter = min(2*d.retryAfter, maxRetryAfter)`, `d.retryAfter = 2 * d.retryAfter`},
		change{"Retry-After never falls", "flowcontrol_dropped.go",
			`		d.retryAfter--`, ``},
		change{"a card is dealt twice", "flowcontrol_shuffle.go",
			`			if card >= left[j-1] {`, `			if card > left[j-1] {`},
	)
}

func serverWorkMutants() []Mutant {
	return of("fakeapi", nil,
		change{"a request may take two minutes", "work.go",
			`requestTimeout = 60 * time.Second`, `requestTimeout = 120 * time.Second`},
		change{"a write may take as long as a read", "work.go",
			`	if mutates(r.op) {
		left = min`, `	if false {
		left = min`},
		change{"a watch has the deadline of other requests", "work.go",
			`	if r.op != opWatch {
		left`, `	if true {
		left`},
		change{"a server that restarts while it answers has a place more", "work.go",
			` && s.host.Incarnation() == life`, ` && life >= 0`},
		change{"a store that is half changed goes on", "panic.go",
			`if r.table.s.committing > 0 {`, `if false {`},
		change{"a killed server answers what it had begun with", "server.go",
			`	s.abandon()
`, ``},
		change{"a request is tried 11 times more", "retry.go",
			`const maxRetries = 10`, `const maxRetries = 11`},
		change{"the timeout begins anew with each try", "retry.go",
			`	q.until = r.until
`, `	q.until = r.table.s.engine.Now().Add(r.client.timeout)
`},
		change{"a write whose connection is lost is sent again", "retry.go",
			`case opGet, opList:`, `case opGet, opList, opUpdate, opPatch:`},
		change{"a ping is waited for 20 s", "connection.go",
			`pingTimeout      = 15 * time.Second`, `pingTimeout      = 20 * time.Second`},
		change{"TCP gives up after half an hour", "connection.go",
			`c.host.At(e.Now().Add(tcpGivesUp), func()`, `c.host.At(e.Now().Add(2*tcpGivesUp), func()`},
		change{"a request of a killed host stays on its connection", "request.go",
			`		r.conn.left(r)
		r.call.Err = errKilled`, `		r.call.Err = errKilled`},
	)
}

func readMutants() []Mutant {
	return of("fakeapi", nil,
		change{"a page begins with the last object of the one before", "list.go",
			`r.key(r.list[p.limit-1])+"\x00"`, `r.key(r.list[p.limit-1])`},
		change{"a list that goes on is of the newest version", "list.go",
			`			p.version = uint64(at)`, ``},
		change{"a token for what is forgotten says nothing of how to go on", "list.go",
			`	err.ErrStatus.ListMeta.Continue = encodeContinue(p.from, -1)
`, ``},
		change{"a token of a version to come has the present", "list.go",
			`			return p, r.table.notYet(p.version)
`, `			return p, nil
`},
		change{"a list at an old version has what was changed since", "list.go",
			`for i := t.log.n - 1; i >= first; i-- {`, `for i := first; i < t.log.n; i++ {`},
		change{"a version from the future is read", "list.go",
			`	if version <= current {
		return nil`, `	if true {
		return nil`},
		change{"namespaces are ordered by their names alone", "store.go",
			`	if len(a) < len(b) && b[n] > '/' || len(a) > len(b) && a[n] < '/' {`, `	if len(a) < len(b) {`},
		change{"a namespace that is asked for is kept", "transport_read.go",
			`sp = table.look(rd.info.Namespace)`, `sp = table.space(rd.info.Namespace)`},
		change{"a JSON patch copies without measure", "patch.go",
			`maxPatchCopies = 3 * 1024 * 1024`, `maxPatchCopies = 0`},
	)
}

func deleteMutants() []Mutant {
	return of("fakeapi", nil,
		change{"another's resourceVersion does not keep an object from being deleted", "remove.go",
			`if p.ResourceVersion != nil && *p.ResourceVersion != m.ResourceVersion {`, `if false {`},
		change{"an object with finalizers goes at once", "remove.go",
			`if graceful || len(finalizers) > 0 {`, `if graceful {`},
		change{"a second deletion gives more time", "remove.go",
			`case o.GracePeriodSeconds == nil || *o.GracePeriodSeconds >= *left:`, `case o.GracePeriodSeconds == nil:`},
		change{"a collection is deleted as if nothing had gone since", "remove.go",
			`if row == nil || row.obj == nil { // the list`, `if false { // the list`},
		change{"deleted events are remembered", "store.go",
			`if len(t.oldest) > 2*t.res.bound {`, `if false {`},
		change{"what belongs to owners of unknown kinds is garbage", "gc.go",
			`return alive[o.UID] || !s.has(o)`, `return alive[o.UID]`},
		change{"one owner that is gone is enough", "gc.go",
			`		case m.DeletionTimestamp == nil && len(m.OwnerReferences) > 0:
			if !slices.ContainsFunc(m.OwnerReferences, func(o metav1.OwnerReference) bool { return`,
			`		case m.DeletionTimestamp == nil && len(m.OwnerReferences) > 0:
			if !slices.ContainsFunc(m.OwnerReferences[:1], func(o metav1.OwnerReference) bool { return`},
		change{"after a restart garbage stays", "server.go",
			`		s.collecting = false // that has died with the host
`, ``},
		change{"an evicted pod is not said to be disrupted", "eviction.go",
			`		disrupted(next, r.table.s.now())
`, ``},
		change{"a pod is bound twice", "binding.go",
			`case old.Spec.NodeName != "":`, `case false:`},
	)
}

func watchEndMutants() []Mutant {
	return of("fakeapi", nil,
		change{"an object that ceases to match is changed, not deleted", "stream.go",
			`case was && typ != watch.Deleted:`, `case false:`},
		change{"the initial events have no end", "stream.go",
			`if w.replay.bookmark {`, `if false {`},
		change{"bookmarks come every two minutes", "stream.go",
			`bookmarkPeriod = time.Minute`, `bookmarkPeriod = 2 * time.Minute`},
		change{"a watch lasts twice as long", "stream.go",
			`w.deadline = s.engine.Now().Add(d)`, `w.deadline = s.engine.Now().Add(2 * d)`},
		change{"watch events come before the answer to the watch", "stream.go",
			`d.due = max(w.lastDue, d.sent.Add(s.network.delayWatch(w)))`, `d.due = d.sent.Add(s.network.delayWatch(w))`},
		change{"a watch from the future is sent the past", "stream.go",
			`if ch.rv > w.replay.version {`, `if true {`},
		change{"a bookmark is of the version that its watch began with", "stream.go",
			`if w.client.s.version > w.began {`, `if w.client.s.version >= w.began {`},
		change{"watches of events get bookmarks", "stream.go",
			` && !w.table.res.uncached // they come`, ` // they come`},
		change{"a restarted server knows what was before", "watchlog.go",
			`	if rv < l.list {`, `	if false {`},
	)
}

func restrictionMutants() []Mutant {
	return of("fakeapi", nil,
		change{"a kubelet writes another's node", "noderestriction.go",
			`if asked := metaOf(about).Name; asked != name {`, `if asked := metaOf(about).Name; false {`},
		change{"a kubelet takes taints away", "noderestriction.go",
			`case !equality.Semantic.DeepEqual(node.Spec.Taints, from.Spec.Taints):`, `case false:`},
		change{"a kubelet takes forbidden labels away", "noderestriction.go",
			`if _, ok := have[key]; !ok && forbiddenLabel(key) {`, `if false {`},
		change{"a kubelet evicts another's pods", "noderestriction.go",
			`	case sub == evictionSubresource:
		if from.Spec.NodeName != name {`, `	case sub == evictionSubresource:
		if false {`},
		change{"a mirror pod belongs to a node that was there before", "noderestriction.go",
			`case have.UID != owner.UID:`, `case false:`},
	)
}

func bubbleMutants() []Mutant {
	return of("bubble", nil,
		change{"the engine stands while the bubble sleeps", "bridge.go",
			`if next := b.engine.NextEvent(); next != sim.Never {`, `if next := b.engine.NextEvent(); false {`},
		change{"a request's context does not count", "transport.go",
			`	case <-r.Context().Done():
		go func() {`, `	case <-t.bridge.gone:
		go func() {`},
		change{"the end of a watch is not told", "stream.go",
			`				close(s.over)
`, ``},
	)
}

func serveMutants() []Mutant {
	return of("serve", nil,
		change{"requests without measure are under way", "handler.go",
			`if !s.requests.enter(mostRequests) {`, `if !s.requests.enter(1 << 40) {`},
		change{"who does not read keeps the watch", "feed.go",
			`if f.inner.Backlog() > f.initial+mostBehind {`, `if false {`},
		change{"requests of clients that have gone pile up", "exchange.go",
			`s.inside > 0 && s.insideBytes+x.size > mostInsideBytes`, `false`},
		change{"watches begin with as much as they like", "feed.go",
			`if s.initial > 0 && s.initial+f.initial > mostInitial {`, `if false {`},
		change{"a panic over a request ends the run of all", "exchange.go",
			`, Panicked: s.panicked`, ``},
		change{"a step goes on without its client", "step.go",
			`		s.loop.post(func() { s.loop.leave(st) })
`, ``},
		change{"steps lead farther than the clock goes", "step.go",
			`d > left {`, `false {`},
		change{"a page of another site may ask", "access.go",
			`if u, err := url.Parse(origin); err != nil || u.Host != r.Host {`, `if _, err := url.Parse(origin); err != nil {`},
		change{"the rest of a body that is too long is waited for", "handler.go",
			`	if small.Len() > wire.MaxRequestBody {`, `	if small.Len() > 1<<40 {`},
	)
}
