package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/holter-sim/holter/heartbeat/workloads"
)

// checkPodName wants the name of a pod that this scenario has, or comes to have.
func (v *scenarioValidator) checkPodName(at, name string) {
	nodes, spec := v.scenario.NodeNames(), &v.scenario.Spec
	var first []string
	for i := range spec.Pods {
		if spec.Pods[i].hasPod(name, nodes) {
			return
		}
		first = append(first, spec.Pods[i].firstPod(nodes)+" and so on")
	}
	for i := range spec.Workloads {
		if spec.Workloads[i].hasPod(name, nodes) {
			return
		}
		first = append(first, spec.Workloads[i].firstPod(nodes)+" and so on")
	}
	accepted := "the name of a pod; this scenario has none"
	if len(first) > 0 {
		accepted = listNames(slices.Compact(first))
	}
	if name == "" {
		v.add(missingValue(at, "", accepted))
		return
	}
	v.add(badValue(at, name, "is no pod of this scenario", accepted))
}

// hasPod tells whether a pod of the group has that name.
func (g *PodGroup) hasPod(name string, nodes [][]string) bool {
	for _, group := range nodes {
		for _, node := range group {
			for n := range min(g.PerNode, mostPodsPerNode) {
				if g.podName(node, n) == name {
					return true
				}
			}
		}
	}
	return false
}

func (g *PodGroup) firstPod(nodes [][]string) string { return g.podName(firstNode(nodes), 0) }

// hasPod tells whether a pod of the workload may have that name.
func (w *WorkloadGroup) hasPod(name string, nodes [][]string) bool {
	rest, ok := strings.CutPrefix(name, w.Name+"-")
	if !ok {
		return false
	}
	if w.Kind == string(workloads.DaemonSet) {
		return slices.ContainsFunc(nodes, func(group []string) bool { return slices.Contains(group, rest) })
	}
	n, err := strconv.Atoi(rest)
	if err != nil || strconv.Itoa(n) != rest {
		return false
	}
	if w.Kind == string(workloads.StatefulSet) {
		return n >= 0 && n < w.Replicas
	}
	return n >= 1
}

func (w *WorkloadGroup) firstPod(nodes [][]string) string {
	switch w.Kind {
	case string(workloads.StatefulSet):
		return w.Name + "-0"
	case string(workloads.DaemonSet):
		return w.Name + "-" + firstNode(nodes)
	}
	return w.Name + "-1"
}

func firstNode(nodes [][]string) string {
	for _, group := range nodes {
		if len(group) > 0 {
			return group[0]
		}
	}
	return "NODE"
}

// podsOfItsOwn wants a workload whose pods have names that no others have:
// upstream's have letters that are drawn, these have their node or a number.
func (v *scenarioValidator) podsOfItsOwn(i int) {
	spec, nodes := &v.scenario.Spec, v.scenario.NodeNames()
	w, at := &spec.Workloads[i], fmt.Sprintf("spec.workloads[%d].name", i)
	for j := range spec.Pods {
		if g := &spec.Pods[j]; g.Namespace == w.Namespace && (g.Name == w.Name || prefixed(w.Name, g.Name)) {
			if name := g.sharedPod(w, nodes); name != "" {
				v.add(badValue(at, w.Name, fmt.Sprintf("leads to a pod %s, which spec.pods[%d] has too", name, j), "another name"))
			}
		}
	}
	for j := range spec.Workloads {
		if other := &spec.Workloads[j]; other.Namespace == w.Namespace && prefixed(w.Name, other.Name) {
			if name := other.sharedPod(w, nodes); name != "" {
				v.add(badValue(at, w.Name, fmt.Sprintf("leads to a pod %s, which spec.workloads[%d] has too", name, j), "another name"))
			}
		}
	}
}

// prefixed tells whether a name is another with more behind a dash.
func prefixed(name, start string) bool { return strings.HasPrefix(name, start+"-") }

// sharedPod is a name that a pod of the group has and one of w may have, "" if
// there is none.
func (g *PodGroup) sharedPod(w *WorkloadGroup, nodes [][]string) string {
	for _, node := range slices.Concat(nodes...) {
		for n := range min(g.PerNode, mostPodsPerNode) {
			if name := g.podName(node, n); w.hasPod(name, nodes) {
				return name
			}
		}
	}
	return ""
}

// sharedPod is the same of a workload. Those of Deployments and StatefulSets end
// in a number alone, which has no dash.
func (w *WorkloadGroup) sharedPod(longer *WorkloadGroup, nodes [][]string) string {
	if w.Kind != string(workloads.DaemonSet) {
		return ""
	}
	for _, node := range slices.Concat(nodes...) {
		if name := w.Name + "-" + node; longer.hasPod(name, nodes) {
			return name
		}
	}
	return ""
}
