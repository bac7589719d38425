package scenario

import (
	"fmt"
	"time"

	"github.com/holter-sim/holter/heartbeat/workloads"
)

// Warnings gives what is allowed and probably not meant, of the scenario as it stands now: what was odd about the files
// it was read from, settings that are legal and dangerous, with the numbers that make them so, and parts of the story
// that the run ends before.
func (s *Scenario) Warnings() []Warning {
	var list []Warning
	if s.origin != nil {
		list = append(list, s.origin.reading...)
	}
	r := s.resolveSettings()
	if len(r.problems) == 0 {
		r.warnGracePeriod()
		r.warnReportFrequency()
		r.warnLatency()
		r.warnOddities()
		r.warnEffort()
	}
	list = append(list, r.warnings...)
	list = append(list, s.warnRequests()...)
	list = append(list, s.warnAfterEnd()...)
	list = append(list, s.warnSkew()...)
	list = append(list, s.warnVersions()...)
	list = append(list, s.warnTolerations()...)
	for i, w := range list {
		if w.File == "" && w.Line == 0 {
			list[i].File, list[i].Line = s.origin.lineOf(w.Field)
		}
	}
	return list
}

const (
	// The loops of the kubelet wait up to this much longer than their period: jitter factor 0.04, v1.23 and later.
	loopJitterPercent = 4
	// A heartbeat is tried this often at once: nodeStatusUpdateRetry and the lease controller's maxUpdateRetries.
	heartbeatTries = 5
	// How long HTTP/2 takes to give up a dead connection: 30 s of silence and 15 s without an answer to its ping.
	deadConnection = 45 * time.Second
)

// warnSetting warns of a setting, at the place it was set.
func (r *settingsResolver) warnSetting(path, format string, args ...any) {
	origin := r.origins[path]
	for i, arg := range args {
		if d, ok := arg.(time.Duration); ok {
			args[i] = formatDuration(d)
		}
	}
	w := Warning{File: origin.file, Line: origin.line, Field: origin.field, Message: fmt.Sprintf(format, args...)}
	if w.Field == "" {
		w.Field = path
	}
	r.warnings = append(r.warnings, w)
}

func jittered(d time.Duration) time.Duration { return d + d/100*loopJitterPercent }

// warnGracePeriod holds node-monitor-grace-period against everything it has to outlast.
func (r *settingsResolver) warnGracePeriod() {
	const path = "controllerManager.node-monitor-grace-period"
	k, grace := r.effective.Kubelet, r.effective.ControllerManager.NodeMonitorGracePeriod
	signal, every := "the Lease is renewed", k.RenewInterval
	if status := max(k.NodeStatusUpdateFrequency, k.NodeStatusReportFrequency); status < every {
		signal, every = "the status is reported", status
	}
	switch {
	case grace <= jittered(every):
		r.warnSetting(path, "%s is not over the %s between two heartbeats (%s every %s, and up to %d%% later): healthy nodes turn Unknown without a fault",
			grace, jittered(every), signal, every, loopJitterPercent)
	case grace < 2*every:
		r.warnSetting(path, "%s is less than two heartbeats (%s every %s): one that is lost turns a healthy node Unknown", grace, signal, every)
	}
	switch timeout := k.HeartbeatTimeout; {
	case grace <= jittered(k.RenewInterval)+timeout && grace > jittered(every):
		r.warnSetting(path, "%s is not over the renew interval of %s plus the heartbeat timeout of %s: one request that gets no answer turns a healthy node Unknown",
			grace, jittered(k.RenewInterval), timeout)
	case grace < heartbeatTries*timeout && grace > jittered(every):
		r.warnSetting(path, "%s is less than the %d tries of one heartbeat, %s with %s each (the heartbeat timeout): a renewal that gets no answer outlasts it",
			grace, heartbeatTries, heartbeatTries*timeout, timeout)
	}
	if grace <= deadConnection {
		r.warnSetting(path, "%s is not over the %s that HTTP/2 takes to give up a dead connection (30s idle, 15s ping): when the controller-manager's own connection dies, every node turns Unknown",
			grace, deadConnection)
	}
	if period := r.effective.ControllerManager.NodeMonitorPeriod; period >= grace {
		r.warnSetting("controllerManager.node-monitor-period", "%s is no shorter than node-monitor-grace-period %s: a dead node turns Unknown up to %s after its last heartbeat",
			period, grace, grace+period)
	}
}

// warnReportFrequency warns of the default that follows nodeStatusUpdateFrequency (v1.17 and later, defaults.go).
func (r *settingsResolver) warnReportFrequency() {
	k := r.effective.Kubelet
	if !r.reportFollows || k.NodeStatusReportFrequency >= r.effective.Behaviors.Kubelet.NodeStatusReportFrequency {
		return
	}
	nodes := 0
	for _, g := range r.scenario.Spec.Nodes {
		nodes += g.Count
	}
	perMinute := func(d time.Duration) string { return formatRate(float32(nodes) * float32(time.Minute) / float32(d)) }
	r.warnSetting("kubelet.nodeStatusUpdateFrequency",
		"setting it to %s sets nodeStatusReportFrequency to %s too, which is 5m only where neither is set: %d nodes send %s status PATCHes a minute, not %s",
		k.NodeStatusReportFrequency, k.NodeStatusReportFrequency, nodes,
		perMinute(max(k.NodeStatusReportFrequency, k.NodeStatusUpdateFrequency)), perMinute(max(r.effective.Behaviors.Kubelet.NodeStatusReportFrequency, k.NodeStatusUpdateFrequency)))
}

// warnLatency compares the round trip of the network with the timeout that heartbeats have.
func (r *settingsResolver) warnLatency() {
	l, timeout := r.scenario.Spec.Network.Latency, r.effective.Kubelet.HeartbeatTimeout
	oneWay := max(l.To.Duration, l.P99.Duration)
	if n := len(l.Histogram); n > 0 {
		oneWay = l.Histogram[n-1].Le.Duration
	}
	if l.Fixed != nil {
		oneWay = l.Fixed.Duration
	}
	if oneWay > 0 && oneWay >= timeout/2 {
		r.warnings = append(r.warnings, Warning{Field: "spec.network.latency", Message: fmt.Sprintf(
			"a round trip takes up to 2 x %s, and heartbeats time out after %s (the lesser of nodeStatusUpdateFrequency and nodeLeaseDurationSeconds)", formatDuration(oneWay), formatDuration(timeout))})
	}
}

// warnOddities warns of values that switch something off.
func (r *settingsResolver) warnOddities() {
	m := r.effective.ControllerManager
	if m.NodeEvictionRate == 0 {
		r.warnSetting("controllerManager.node-eviction-rate", "0 nodes a second: in a healthy zone the NoExecute taint comes to one node, and then to none")
	}
	if m.UnhealthyZoneThreshold > 1 {
		r.warnSetting("controllerManager.unhealthy-zone-threshold", "%s is over 1: no zone ever counts as partially disrupted, and none is evicted from more slowly", formatRate(m.UnhealthyZoneThreshold))
	}
	if !r.effective.Kubelet.RegisterNode {
		r.warnSetting("kubelet.registerNode", "false: no kubelet creates its Node, and nothing else does here, so there is no heartbeat to see")
	}
}

// warnAfterEnd finds what the run ends before.
func (s *Scenario) warnAfterEnd() []Warning {
	var list []Warning
	end := s.Spec.Duration.Duration
	check := func(field, what string, at time.Duration) {
		if end > 0 && at > end {
			list = append(list, Warning{Field: field, Message: fmt.Sprintf("%s %s, after the end of the run (spec.duration: %s)", what, formatDuration(at), formatDuration(end))})
		}
	}
	struck := map[string]time.Duration{}
	for i, g := range s.Spec.Nodes {
		check(fmt.Sprintf("spec.nodes[%d].start", i), "the last of these kubelets may start at", g.Start.At.Duration+g.Start.Spread.Duration)
	}
	for i, w := range s.Spec.Workloads {
		check(fmt.Sprintf("spec.workloads[%d].at", i), "is created at", w.At.Duration)
	}
	for i, f := range s.Spec.Faults {
		if f.At != nil {
			check(fmt.Sprintf("spec.faults[%d].at", i), "strikes at", f.At.Latest())
			struck[f.Name] = f.At.Latest()
		}
	}
	for i, x := range s.Spec.Expect {
		since := time.Duration(0)
		if x.Since != "" {
			since = struck[x.Since]
		}
		at := fmt.Sprintf("spec.expect[%d]", i)
		if len(x.Within) == 2 {
			check(at+".within", "the window closes at", since+x.Within[1].Duration)
		}
		if x.From != nil {
			check(at+".from", "begins at", since+x.From.Duration)
		}
		if x.To != nil {
			check(at+".to", "ends at", since+x.To.Duration)
		}
	}
	return list
}

// warnTolerations finds seconds that change nothing, since the pods tolerate nodes that fail for ever.
func (s *Scenario) warnTolerations() []Warning {
	var list []Warning
	check := func(at, who string, t *PodTimes) {
		if t.TolerationSeconds != nil {
			list = append(list, Warning{Field: at + ".tolerationSeconds", Message: who + " tolerate nodes that are not ready or not reachable for ever; it has no effect"})
		}
	}
	for i := range s.Spec.Pods {
		if s.Spec.Pods[i].Static {
			check(fmt.Sprintf("spec.pods[%d]", i), "static pods", &s.Spec.Pods[i].PodTimes)
		}
	}
	for i := range s.Spec.Workloads {
		if s.Spec.Workloads[i].Kind == string(workloads.DaemonSet) {
			check(fmt.Sprintf("spec.workloads[%d]", i), "the pods of a DaemonSet", &s.Spec.Workloads[i].PodTimes)
		}
	}
	return list
}
