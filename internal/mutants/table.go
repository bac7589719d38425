package mutants

import "slices"

// Table lists the mutants. One more is one entry more: its name says what the model then does wrongly.
func Table() []Mutant {
	return slices.Concat(
		leaseMutants(), kubeletMutants(), statusMutants(), informerMutants(), healthMutants(), zoneMutants(), taintMutants(),
		writeMutants(), networkMutants(), randomMutants(), orderMutants(), faultMutants(), judgeMutants(), podMutants(),
		machineMutants(), machineFaultMutants(), connectionMutants(), oldInformerMutants(), oldLeaseMutants(), nodePodMutants(),
		apiServerMutants(),
	)
}

// change is an entry of the table: a mutant of the file that its part of the table is about.
type change struct {
	name, file string
	old, new   string
}

// suite are the scenarios with their expectations and invariants.
var suite = Tests{Package: "./scenario", Run: "^TestScenarios$"}

// of makes mutants of the changes of a folder: its own tests are to notice, or one of the others.
func of(dir string, others []Tests, changes ...change) []Mutant {
	by := append([]Tests{{Package: "./" + dir}}, others...)
	mutants := make([]Mutant, len(changes))
	for i, c := range changes {
		mutants[i] = Mutant{Name: c.name, File: dir + "/" + c.file, Old: c.old, New: c.new, By: by}
	}
	return mutants
}

func leaseMutants() []Mutant {
	return of("heartbeat/lease", []Tests{suite},
		change{"a renewal is tried 4 times", "lease.go",
			`maxUpdateRetries = 5`, `maxUpdateRetries = 4`},
		change{"a renewal is tried 6 times", "lease.go",
			`maxUpdateRetries = 5`, `maxUpdateRetries = 6`},
		change{"the first backoff for a lease is 400 ms", "lease.go",
			`firstBackoff = 100 * time.Millisecond`, `firstBackoff = 200 * time.Millisecond`},
		change{"the backoff for a lease is capped at 8 s", "lease.go",
			`maxBackoff = 7 * time.Second`, `maxBackoff = 8 * time.Second`},
		change{"the backoff for a lease grows threefold", "lease.go",
			`min(2*sleep, maxBackoff)`, `min(3*sleep, maxBackoff)`},
		change{"renewals have no jitter", "lease.go",
			`c.cfg.Behaviors.JitterFactor, true`, `0, true`},
		change{"renewals have a jitter of 40 %", "lease.go",
			`c.cfg.Behaviors.JitterFactor, true`, `10*c.cfg.Behaviors.JitterFactor, true`},
		change{"the renew interval counts from the start of a renewal", "lease.go",
			`JitterFactor, true, c.sync)`, `JitterFactor, false, c.sync)`},
		change{"a conflict is followed by another try without a GET", "lease.go",
			`base, _ = c.backoffEnsureLease()`, ``},
		change{"every renewal begins with a GET", "lease.go",
			`if c.latest != nil && !c.cfg.Behaviors.GetsBeforeUpdate {`, `if false {`},
		change{"a renewal leaves renewTime as it was", "lease.go",
			`lease.Spec.RenewTime = &metav1.MicroTime{Time: c.host.Now()}`,
			`if base == nil { lease.Spec.RenewTime = &metav1.MicroTime{Time: c.host.Now()} }`},
		change{"a lease that was just created is renewed at once", "lease.go",
			`if !created && lease != nil {`, `if _ = created; lease != nil {`},
		change{"a lease gets no owner", "owner.go",
			`if len(lease.OwnerReferences) > 0 {`, `if len(lease.OwnerReferences) >= 0 {`},
	)
}

func kubeletMutants() []Mutant {
	return of("heartbeat/kubelet", []Tests{suite},
		change{"the lease is renewed three times in its duration", "kubelet.go",
			`renewIntervalFraction = 4`, `renewIntervalFraction = 3`},
		change{"the registration flag is reset", "register.go",
			`kl.registrationCompleted = true`, `kl.registrationCompleted = false`},
		change{"the first wait before a registration is 200 ms", "register.go",
			`firstRegistrationStep = 100 * time.Millisecond`, `firstRegistrationStep = 200 * time.Millisecond`},
		change{"the waits between registrations are capped at 14 s", "register.go",
			`maxRegistrationStep = 7 * time.Second`, `maxRegistrationStep = 14 * time.Second`},
		change{"a node that exists already is no registration", "register.go",
			`if !apierrors.IsAlreadyExists(err) && !(`, `if !(`},
		change{"a starting kubelet waits for its status loop to say that it is ready", "fastpath.go",
			`fastStatusPeriod = 100 * time.Millisecond`, `fastStatusPeriod = 60 * time.Second`},
		change{"the fast path never ends", "fastpath.go",
			`if ready.Status == corev1.ConditionTrue {
		return true, nil`, `if ready.Status == corev1.ConditionTrue {
		return false, nil`},
		change{"a node is ready without its CSINode", "csinode.go",
			`kl.runtimeState.storageError = errCSINode`, `kl.runtimeState.storageError = nil`},
		change{"the container runtime is down after 3 s of silence", "runtime.go",
			`maxWaitForContainerRuntime = 30 * time.Second`, `maxWaitForContainerRuntime = 3 * time.Second`},
	)
}

func statusMutants() []Mutant {
	return of("heartbeat/kubelet", []Tests{suite},
		change{"a status update is tried 4 times", "status.go",
			`nodeStatusUpdateRetry = 5`, `nodeStatusUpdateRetry = 4`},
		change{"a status update is tried 6 times", "status.go",
			`nodeStatusUpdateRetry = 5`, `nodeStatusUpdateRetry = 6`},
		change{"status updates have a jitter of 40 %", "kubelet.go",
			`kl.cfg.Behaviors.Kubelet.NodeStatusJitterFactor, true`, `10*kl.cfg.Behaviors.Kubelet.NodeStatusJitterFactor, true`},
		change{"a change of status draws no report delay", "status.go",
			`kl.delayAfterNodeStatusChange = kl.calculateDelay()`, `kl.delayAfterNodeStatusChange = 0`},
		change{"the report delay is never negative", "status.go",
			`kl.reportDelay.Int64N(period) - period/2`, `kl.reportDelay.Int64N(period)`},
		change{"a report delay is used more than once", "status.go",
			`kl.delayAfterNodeStatusChange = 0
`, `
`},
		change{"a report is due without regard to its delay", "status.go",
			`kl.cfg.NodeStatusReportFrequency+kl.delayAfterNodeStatusChange`, `kl.cfg.NodeStatusReportFrequency`},
		change{"an unchanged status is reported at every tick", "status.go",
			`if kl.cfg.Behaviors.Lease.NodeLease && !changed &&`, `if false && !changed &&`},
		change{"the time of a report is forgotten", "status.go",
			`kl.lastStatusReportTime = heartbeat.Monotonic(kl.host)`, ``},
		change{"the first try of a status update reads from the API server", "status.go",
			`if tryNumber > 0 {`, `if tryNumber >= 0 {`},
		change{"a retry of a status update reads from the lister", "status.go",
			`if tryNumber > 0 {`, `if false {`},
		change{"a new heartbeat time is a change of status", "compare.go",
			`a.LastTransitionTime.Equal(&b.LastTransitionTime)`,
			`a.LastTransitionTime.Equal(&b.LastTransitionTime) && a.LastHeartbeatTime.Equal(&b.LastHeartbeatTime)`},
		change{"a report leaves the heartbeat time of Ready as it was", "setters.go",
			`ready.LastTransitionTime = c.LastTransitionTime
`, `ready.LastTransitionTime, ready.LastHeartbeatTime = c.LastTransitionTime, c.LastHeartbeatTime
`},
		change{"every report moves the transition time of Ready", "setters.go",
			`ready.LastTransitionTime = c.LastTransitionTime`, `ready.LastTransitionTime = now`},
		change{"addresses that changed are merged with the old ones", "patch.go",
			`replace := len(original.Status.Addresses) > 0 && `, `replace := false && `},
	)
}

func informerMutants() []Mutant {
	return of("heartbeat/informer", []Tests{suite},
		change{"a watch that failed is opened anew after 80 ms", "backoff.go",
			`backoffInit  = 800 * time.Millisecond`, `backoffInit  = 80 * time.Millisecond`},
		change{"the backoff of a watch is capped at 60 s", "backoff.go",
			`backoffMax   = 30 * time.Second`, `backoffMax   = 60 * time.Second`},
		change{"the backoff of a watch is never reset", "backoff.go",
			`now.Sub(b.lastStart) > backoffReset`, `false`},
		change{"the backoff of a watch has no jitter", "backoff.go",
			`d := b.wait + time.Duration(b.rand.Int64N(int64(b.wait)))`, `d := b.wait`},
		change{"a watch lasts for an hour", "reflector.go",
			`minWatchTimeout = 5 * time.Minute`, `minWatchTimeout = 60 * time.Minute`},
		change{"a watch that ended is not resumed but begun anew", "reflector.go",
			`	case err == nil:
		return i.rewatch()`, `	case err == nil:
		return i.watchList()`},
		change{"a watch resumes where its last bookmark was", "informer.go",
			`	i.lastSyncResourceVersion = meta.GetResourceVersion()
	switch`, `	if ev.Type == watch.Bookmark {
		i.lastSyncResourceVersion = meta.GetResourceVersion()
	}
	switch`},
		change{"after any error a watch resumes without a new list", "reflector.go",
			`if !i.isWatchErrorRetriable(err) {`, `if false {`},
		change{"a new list keeps what is gone", "informer.go",
			`if _, kept := state[Key(obj)]; !kept {`, `if false {`},
		change{"a list is complete before its end was announced", "informer.go",
			`if meta.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true" {`, `if true {`},
		change{"an informer forgets no object", "store.go",
			`delete(s.items, key)
	s.sorted = nil`, `s.sorted = nil`},
	)
}

func healthMutants() []Mutant {
	return of("heartbeat/nodelifecycle", []Tests{suite},
		change{"the grace period is half of what was asked for", "health.go",
			`gracePeriod := nc.cfg.NodeMonitorGracePeriod`, `gracePeriod := nc.cfg.NodeMonitorGracePeriod / 2`},
		change{"a node is Unknown at the end of the grace period, not after it", "health.go",
			`if !nc.now().After(health.probeTimestamp.Add(gracePeriod)) {`,
			`if nc.now().Before(health.probeTimestamp.Add(gracePeriod)) {`},
		change{"a new heartbeat in the status keeps the saved lease (branch 4)", "health.go",
			`return &nodeHealthData{status: status, probeTimestamp: now, readyTransitionTimestamp: transition}`,
			`return &nodeHealthData{status: status, probeTimestamp: now, readyTransitionTimestamp: transition, lease: health.lease}`},
		change{"renewTime is not compared", "health.go",
			`savedLease == nil || savedLease.Spec.RenewTime.Before(known.Spec.RenewTime)`, `savedLease == nil || true`},
		change{"a renewTime that went back is a heartbeat", "health.go",
			`savedLease.Spec.RenewTime.Before(known.Spec.RenewTime)`, `!savedLease.Spec.RenewTime.Equal(known.Spec.RenewTime)`},
		change{"the kubelet's clock decides how old a renewal is", "health.go",
			`health.probeTimestamp = nc.now()
	}`, `health.probeTimestamp = nc.now().Add(known.Spec.RenewTime.Sub(nc.host.Now()))
	}`},
		change{"leases do not count", "health.go",
			`if known != nil && (`, `if false && (`},
		change{"a heartbeat in the status does not count", "health.go",
			`return &nodeHealthData{status: status, probeTimestamp: now, readyTransitionTimestamp: transition}`,
			`return &nodeHealthData{status: status, probeTimestamp: health.probeTimestamp, readyTransitionTimestamp: transition}`},
		change{"a node without a status gets no startup grace period", "health.go",
			`gracePeriod = nc.cfg.NodeStartupGracePeriod`, ``},
		change{"only Ready turns Unknown", "health.go",
			`corev1.NodeReady, corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure,`, `corev1.NodeReady,`},
		change{"turning Unknown moves the heartbeat time", "health.go",
			`c.Message = "Kubelet stopped posting node status."`,
			`c.Message, c.LastHeartbeatTime = "Kubelet stopped posting node status.", now`},
		change{"the monitor passes twice as often", "controller.go",
			`nc.cfg.NodeMonitorPeriod, 0, true`, `nc.cfg.NodeMonitorPeriod / 2, 0, true`},
		change{"a node's update is tried twice a pass", "controller.go",
			`nodeHealthUpdateRetry = 5`, `nodeHealthUpdateRetry = 1`},
		change{"the pods of a node that is not ready stay ready", "monitor.go",
			`return nc.markPodsNotReady(pods)`, `return nc.markPodsNotReady(pods[:0])`},
	)
}

func zoneMutants() []Mutant {
	return of("heartbeat/nodelifecycle", []Tests{suite},
		change{"full disruption does not stop the taints", "zones.go",
			`		nc.enterFullDisruption(nodes)
`, `		nc.updateZones(conditions, newStates)
`},
		change{"the end of full disruption gives no new grace period", "zones.go",
			`health.probeTimestamp, health.readyTransitionTimestamp = now, now`, `health.readyTransitionTimestamp = now`},
		change{"a zone with two nodes that are not ready is partially disrupted", "zones.go",
			`count.notReady > 2 &&`, `count.notReady > 1 &&`},
		change{"a zone at the threshold is not disrupted", "zones.go",
			`>= nc.cfg.UnhealthyZoneThreshold`, `> nc.cfg.UnhealthyZoneThreshold`},
		change{"a small zone that is partially disrupted goes on being tainted", "zones.go",
			`		qps = 0
`, ``},
		change{"a large zone that is partially disrupted is tainted at full rate", "zones.go",
			`qps = nc.cfg.SecondaryNodeEvictionRate`, `qps = nc.cfg.NodeEvictionRate`},
		change{"nodes excluded from disruption count in their zone", "monitor.go",
			`if !nc.isNodeExcludedFromDisruptionChecks(node) {`, `if true {`},
		change{"busy workers keep idle ones from their work", "updatequeue.go",
			`q.running-len(q.processing) < len(q.queue)`, `q.running < len(q.queue)`},
		change{"all nodes of a zone are tainted at once", "limiter.go",
			`if now.Before(b.next) {`, `if false {`},
	)
}

func taintMutants() []Mutant {
	return of("heartbeat/nodelifecycle", []Tests{suite},
		change{"the NoExecute queues are looked at every 10 s", "controller.go",
			`nodeEvictionPeriod = 100 * time.Millisecond`, `nodeEvictionPeriod = 10 * time.Second`},
		change{"the NoExecute taint goes by the condition of the pass before", "monitor.go",
			`if !nc.cfg.Behaviors.NodeLifecycle.TaintsByCurrent {`, `if true {`},
		change{"a node that is ready again keeps its NoExecute taint", "taints.go",
			`if !hasAnyTaint(node.Spec.Taints, taints) {`, `if true {`},
		change{"a node that lost its taint is not queued again", "noexecute.go",
			`		queue.remove(node.Name)
`, ``},
		change{"a node that is Unknown is tainted not-ready", "noschedule.go",
			`{corev1.NodeReady, corev1.ConditionUnknown, corev1.TaintNodeUnreachable},`,
			`{corev1.NodeReady, corev1.ConditionUnknown, corev1.TaintNodeNotReady},`},
		change{"a NoSchedule taint stays when its condition is gone", "noschedule.go",
			`nc.swapTaints(add, remove, node)`, `nc.swapTaints(add, nil, node)`},
		change{"taints are written whatever the version of the node", "taints.go",
			`patch.Metadata.ResourceVersion = node.ResourceVersion`, ``},
		change{"a conflict over taints is not retried", "taints.go",
			`if !apierrors.IsConflict(err) || step == taintUpdateSteps {`, `if !apierrors.IsConflict(err) || step == 1 {`},
	)
}

func writeMutants() []Mutant {
	return of("fakeapi", []Tests{suite},
		change{"an update with an old resourceVersion is no conflict", "handle.go",
			`if err := r.checkVersion(metaOf(next), om); err != nil {`, `if err := r.checkVersion(metaOf(next), om); false {`},
		change{"a patch with an old resourceVersion is no conflict", "patch.go",
			`if err := r.checkVersion(m, metaOf(old)); err != nil {`, `if err := r.checkVersion(m, metaOf(old)); false {`},
		change{"an update with another uid is no conflict", "handle.go",
			`if m.UID != "" && m.UID != om.UID {`, `if false {`},
		change{"a write that changes nothing gives a new version", "handle.go",
			`case r.table.res.same(next, row.obj):`, `case false:`},
		change{"a status update writes the spec", "nodes.go",
			`node.Spec = from.Spec`, ``},
		change{"an update writes the status", "nodes.go",
			`node.Status = from.Status`, ``},
		change{"a new node is not tainted until it is seen ready", "admission.go",
			`		taintNotReady(obj)
`, ``},
		change{"two nodes are given one uid", "server.go",
			`n := s.uids.Int64N(1 << 32)`, `n := 0`},
		change{"a watch is never too old to resume", "watchlog.go",
			`if l.dropped && rv < l.at(0).rv-1 {`, `if false {`},
		change{"a watch that resumes gets its last event again", "watchlog.go",
			`return l.at(i).rv > rv }`, `return l.at(i).rv >= rv }`},
		change{"a deleted object is not told to its watchers", "stream.go",
			`func (w *Watch) offer(typ watch.EventType, sp *space, obj, old object) {
`, `func (w *Watch) offer(typ watch.EventType, sp *space, obj, old object) {
	if typ == watch.Deleted {
		return
	}
`},
	)
}

func networkMutants() []Mutant {
	return of("fakeapi", []Tests{suite},
		change{"a write whose reply is lost is not committed", "network.go",
			`if rule.LoseRequest && rule.touches(r) {`, `if (rule.LoseRequest || rule.LoseReply) && rule.touches(r) {`},
		change{"replies are never lost", "network.go",
			`if rule.LoseReply && rule.touches(r) {`, `if false {`},
		change{"the server applies a request that its client has given up", "request.go",
			`gone := r.late()`, `gone := false`},
		change{"a rule touches one call more than its count", "rules.go",
			`if u.Count > 0 && u.used >= u.Count {`, `if u.Count > 0 && u.used > u.Count {`},
		change{"Retry-After is not obeyed", "retry.go",
			`wait := st.Details != nil && st.Details.RetryAfterSeconds > 0`, `wait := false`},
		change{"a dead connection is never found out", "network.go",
			`if added.severs() {`, `if false {`},
		change{"watches are not held", "network.go",
			`if rule.HoldWatch && rule.matchesWatch(w) {`, `if rule.HoldWatch && false {`},
		change{"a watch held goes on no more", "network.go",
			`		w.held = false
`, ``},
	)
}

func randomMutants() []Mutant {
	return of("sim", []Tests{suite},
		change{"two nodes share a random stream", "rand.go",
			`	h = hashString(h, name)
`, ``},
		change{"two purposes share a random stream", "rand.go",
			`	h = hashString(h, purpose)
`, ``},
		change{"a restarted host draws what it drew before", "rand.go",
			`	h = hashUint(h, uint64(incarnation))
`, ``},
		change{"the seed does not count", "rand.go",
			`h = (h ^ seed>>(8*i)&0xff) * fnvPrime`, `h = (h ^ uint64(i)) * fnvPrime`},
		change{"jitter goes beyond its bound", "every.go",
			`l.period + time.Duration(l.rand.Int64N(int64(l.extra)))`, `l.period + 2*time.Duration(l.rand.Int64N(int64(l.extra)))`},
		change{"jitter is the same each time", "every.go",
			`l.period + time.Duration(l.rand.Int64N(int64(l.extra)))`, `l.period + l.extra/2`},
		change{"a uniform distribution leaves its upper bound out", "dist.go",
			`d.a + time.Duration(r.Int64N(int64(d.b-d.a)+1))`, `d.a + time.Duration(r.Int64N(int64(d.b-d.a)))`},
	)
}

func orderMutants() []Mutant {
	return of("sim", []Tests{suite},
		change{"of two timers at one instant the later scheduled comes first", "queue.go",
			`bits.Sub64(a.key, b.key, 0)`, `bits.Sub64(b.key, a.key, 0)`},
		change{"what is scheduled for now overtakes the timers of this instant", "run.go",
			`(e.ready.n == 0 || x.at == e.now)`, `e.ready.n == 0`},
		change{"a mutex goes to the process that came last", "mutex.go",
			`	w := m.queue[0]
	m.queue = m.queue[1:]`, `	w := m.queue[len(m.queue)-1]
	m.queue = m.queue[:len(m.queue)-1]`},
		change{"a paused host goes on", "life.go",
			`return l.paused || l.waiting() > 0`, `return false`},
		change{"a host that resumes lets new events overtake those it held", "life.go",
			`return l.paused || l.waiting() > 0`, `return l.paused`},
		change{"what fell due under pause comes before what was sent", "life.go",
			`if l.arrived.n > 0 {`, `if l.arrived.n > 0 && l.held.n == 0 {`},
		change{"a killed host's timers go off", "engine.go",
			`if s.life != nil && s.life.dead {
		e.slab.release(r.slot)`, `if false {
		e.slab.release(r.slot)`},
		change{"drift changes no timer", "clock.go",
			`if !e.drift || h.clock.ppb == 0 {`, `if true {`},
		change{"a step of the clock goes the other way", "clock.go",
			`c.ahead += int64(d)`, `c.ahead -= int64(d)`},
		change{"a loop that does not slide forgets the tick it missed", "every.go",
			`l.due = true`, ``},
	)
}

func faultMutants() []Mutant {
	return of("scenario", nil,
		change{"a partition lets watches through", "fault_partition.go",
			`		HoldWatch:   true,
`, ``},
		change{"a partition lets requests through", "fault_partition.go",
			`		LoseRequest: true,
`, ``},
		change{"a fault never ends", "faults.go",
			`c.recordFault(&f, action, faultEnds)
		end()`, `c.recordFault(&f, action, faultEnds)`},
		change{"a killed kubelet goes on", "node.go",
			`	n.host.Kill()
	n.workers = nil`, `	n.workers = nil`},
		change{"heartbeats have no timeout", "node.go",
			`options.Limit, options.Timeout = nil, n.heartbeatTimeout()`, `options.Limit = nil`},
		change{"a node's clock shows the true time", "node.go",
			`n.host.Clock().SetOffset(group.Clock.Offset.Duration)`, ``},
	)
}

func judgeMutants() []Mutant {
	return of("scenario", nil,
		change{"whatever becomes of a condition, it was expected", "checker.go",
			`v := Verdict{Name: name, Want: want, OK: b.found}`, `v := Verdict{Name: name, Want: want, OK: true}`},
		change{"what comes too late is in time", "checker.go",
			`t >= x.spec.Within[0].Duration && t <= x.spec.Within[1].Duration`, `t >= x.spec.Within[0].Duration`},
		change{"what comes too early is in time", "checker.go",
			`t >= x.spec.Within[0].Duration && t <= x.spec.Within[1].Duration`, `t <= x.spec.Within[1].Duration`},
		change{"times count from any fault", "checker.go",
			`ev.Name == x.spec.Since && ev.To == faultBegins`, `ev.To == faultBegins`},
		change{"a condition stays whatever it turns to", "expect_condition_stays.go",
			`OK: c.opened && c.broken == ""`, `OK: c.opened`},
		change{"any number of requests is the right one", "expect_requests_count.go",
			`OK: c.count >= least && c.count <= most`, `OK: true`},
		change{"any pause between requests is the right one", "expect_requests_gaps.go",
			`ok = ok && (c.gaps[i]-want[i]).Abs() <= c.spec.Tolerance.Duration`, ``},
		change{"a taint's effect does not count", "expect_taint_becomes.go",
			`if c.spec.Effect == "" || c.spec.Effect == ev.Reason {`, `if true {`},
		change{"the detection time counts from the latest fault, not from the first", "silence.go",
			"	if n.silent {\n		return\n	}", ``},
		change{"no detection is a false one", "silence.go",
			`d.False = true`, ``},
		change{"a restart ends a partition", "silence.go",
			`		n.kills = 0
		return`, `		n.kills, n.others = 0, 0
		return`},
		change{"a pause ends with the first that ends", "node.go",
			`if n.pauses--; n.pauses == 0 {`, `if n.pauses--; true {`},
		change{"a machine may run two kubelets", "node.go",
			`if n.host.Alive() && n.host.Incarnation() == 0 {`, `if n.host.Alive() {`},
		change{"a deleted node keeps its conditions", "expect_condition_stays.go",
			`c.status = absent`, ``},
		change{"a violated invariant is fine", "result.go",
			`return len(r.Violations) == 0`, `return true`},
		change{"a node may be called Unknown however lately it was heard of", "invariant_unknown_needs_silence.go",
			`silent < u.grace`, `false`},
		change{"versions may go back", "invariant_versions_grow.go",
			`version < before {`, `false {`},
		change{"a taint needs no condition", "invariant_taint_needs_condition.go",
			`count > reasons && (t.versioned || reasons == 0) {`, `false {`},
	)
}
