package scenario

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// What the clients of the model send, "VERB RESOURCE": v1.36, as far as it is modelled.
func kubeletRequests() []string {
	return []string{"create nodes", "get nodes", "list nodes", "watch nodes", "patch nodes/status",
		"create leases", "get leases", "update leases", "create events", "patch events"}
}

func managerRequests() []string {
	return []string{"get nodes", "list nodes", "watch nodes", "patch nodes", "update nodes/status",
		"list leases", "watch leases", "list pods", "watch pods", "update pods/status", "create events", "patch events"}
}

// kubeletRequests are those of the scenario's kubelets, which see to pods where there are any.
func (s *Scenario) kubeletRequests() []string {
	if !s.hasPods() {
		return kubeletRequests()
	}
	return append(kubeletRequests(), "list pods", "watch pods", "get pods", "create pods", "patch pods/status", "delete pods")
}

// clientRequests are the requests of every client: those of the faults too, a second writer of Leases and somebody who
// deletes Nodes.
func (s *Scenario) clientRequests() []string {
	all := slices.Concat(s.kubeletRequests(), managerRequests())
	if s.hasPods() {
		all = append(all, "get pods", "patch pods/status", "delete pods")
	}
	if len(s.Spec.Workloads) > 0 {
		all = append(all, "create pods", "create pods/binding")
	}
	for i := range s.Spec.Faults {
		f := &s.Spec.Faults[i]
		if f.WriteLease != nil {
			all = append(all, "patch leases", "update leases", "get leases")
		}
		if f.DeletePod != nil {
			all = append(all, "delete pods")
		}
		if f.Cordon != nil {
			all = append(all, "patch nodes")
		}
		if f.OutOfService != nil {
			all = append(all, "get nodes", "update nodes")
		}
		if f.DeleteNode != nil {
			all = append(all, "get nodes", "delete nodes", "get leases", "delete leases")
		}
	}
	return all
}

// matchesSome tells whether one of the requests has one of the verbs and one of the resources; an empty list is any.
func matchesSome(requests, verbs, resources []string) bool {
	return slices.ContainsFunc(requests, func(request string) bool {
		verb, resource, _ := strings.Cut(request, " ")
		return (len(verbs) == 0 || slices.Contains(verbs, verb)) && (len(resources) == 0 || slices.Contains(resources, resource))
	})
}

// warnRequests finds expectations of requests that no kubelet sends, and faults of requests that nobody does.
func (s *Scenario) warnRequests() []Warning {
	var list []Warning
	for i := range s.Spec.Faults {
		f := &s.Spec.Faults[i]
		target := f.target()
		if target == nil {
			continue
		}
		who, requests := "client of the model", s.clientRequests()
		if len(target.Nodes) > 0 {
			who, requests = "kubelet of the model", s.kubeletRequests()
		}
		if !matchesSome(requests, target.Verbs, target.Resources) {
			list = append(list, Warning{Field: fmt.Sprintf("spec.faults[%d].%s", i, f.Verb()),
				Message: fmt.Sprintf("no %s sends %s: the fault touches nothing", who, requestWords(target.Verbs, target.Resources))})
		}
	}
	for i, x := range s.Spec.Expect {
		if x.Requests == nil {
			continue
		}
		verbs, resources := oneOrAny(x.Requests.Verb), oneOrAny(x.Requests.Resource)
		if !matchesSome(s.kubeletRequests(), verbs, resources) {
			list = append(list, Warning{Field: fmt.Sprintf("spec.expect[%d].requests", i),
				Message: fmt.Sprintf("no kubelet of the model sends %s: there is nothing to count", requestWords(verbs, resources))})
		}
	}
	return list
}

// target is what requests the fault is about; nil if it is about none.
func (f *Fault) target() *RequestTarget {
	switch {
	case f.Latency != nil:
		return &f.Latency.RequestTarget
	case f.Respond != nil:
		return &f.Respond.RequestTarget
	case f.LoseReply != nil:
		return &f.LoseReply.RequestTarget
	case f.LoseRequest != nil:
		return &f.LoseRequest.RequestTarget
	}
	return nil
}

func oneOrAny(word string) []string {
	if word == "" {
		return nil
	}
	return []string{word}
}

// requestWords says which requests are meant: "update or patch of pods".
func requestWords(verbs, resources []string) string {
	what, of := strings.Join(verbs, " or "), strings.Join(resources, " or ")
	switch {
	case of == "":
		return what
	case what == "":
		return "any request about " + of
	}
	return what + " of " + of
}

// mostEffort is from how many turns of loops on a run is warned of: at a million a second, a quarter of an hour.
const mostEffort = 1_000_000_000

// warnEffort warns of loops that cost more than their period, or turn so often that the run will not end soon.
func (r *settingsResolver) warnEffort() {
	k, m := r.effective.Kubelet, r.effective.ControllerManager
	nodes, duration := 0, r.scenario.Spec.Duration.Duration
	for _, g := range r.scenario.Spec.Nodes {
		nodes += g.Count
	}
	if nodes < 1 || nodes > mostNodes || duration <= 0 || k.RenewInterval <= 0 {
		return // refused elsewhere
	}
	cost := time.Duration(min(int64(nodes)*int64(min(r.effective.Model.MonitorPassCostPerNode, time.Hour)), int64(longestRun)))
	if cost > m.NodeMonitorPeriod {
		r.warnSetting("controllerManager.node-monitor-period", "a pass over %d nodes takes %s, which is more than the %s between two: each node is looked at every %s",
			nodes, cost, m.NodeMonitorPeriod, cost+m.NodeMonitorPeriod)
	}
	turns := int64(nodes) * (int64(duration/k.RenewInterval) + int64(duration/k.NodeStatusUpdateFrequency) + int64(duration/(m.NodeMonitorPeriod+cost)))
	if turns > mostEffort {
		r.warnings = append(r.warnings, Warning{Field: "spec.duration",
			Message: fmt.Sprintf("the run has about %d million turns of loops (renewals, status updates, looks at nodes), which takes long", turns/1_000_000)})
	}
}
