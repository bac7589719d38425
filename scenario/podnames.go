package scenario

import (
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
