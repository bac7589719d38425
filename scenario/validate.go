package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const (
	// longestRun bounds the run and everything in it: times are written with six digits of seconds.
	longestRun = 999999 * time.Second
	// mostNodes bounds the cluster, and so the pods on a node.
	mostNodes       = 1_000_000
	mostPodsPerNode = 10_000
	// longestNodeName leaves room for the number in the label kubernetes.io/hostname, 63 characters.
	longestNodeName = 56
	// mostDriftPPB keeps a drifting clock a clock: it runs at half to one and a half times the rate.
	mostDriftPPB = 500_000_000
)

// Validate judges the scenario as it stands, and gives the first of Problems as an error. That is always an *InputError.
func (s *Scenario) Validate() error {
	if problems := s.Problems(); len(problems) > 0 {
		return problems[0]
	}
	return nil
}

// Problems gives everything that is wrong with the scenario, in the order of its fields.
func (s *Scenario) Problems() []*InputError {
	v := &scenarioValidator{scenario: s, nodes: map[string]bool{}, faults: map[string]int{}}
	v.header()
	v.checkDuration("spec.duration", s.Spec.Duration, 1)
	v.problems = append(v.problems, s.resolveSettings().problems...)
	for i := range s.Spec.Nodes {
		v.nodeGroup(i)
	}
	v.nodeCount()
	for i := range s.Spec.Pods {
		v.podGroup(i)
	}
	for i := range s.Spec.Workloads {
		v.workload(i)
	}
	v.checkDist("spec.apiServer.work", s.Spec.APIServer.Work)
	v.checkDist("spec.network.latency", s.Spec.Network.Latency)
	v.checkDist("spec.network.watchLatency", s.Spec.Network.WatchLatency)
	v.latencies("spec.network.latencies", s.Spec.Network.Latencies)
	for i := range s.Spec.Faults {
		v.fault(i)
	}
	for i := range s.Spec.Expect {
		v.expectation(&s.Spec.Expect[i], fmt.Sprintf("spec.expect[%d]", i))
	}
	return v.problems
}

// scenarioValidator goes through a scenario and collects what is wrong.
type scenarioValidator struct {
	scenario *Scenario
	problems []*InputError
	nodes    map[string]bool // every node's name
	faults   map[string]int  // every named fault's index
}

func (v *scenarioValidator) add(e *InputError) {
	v.problems = append(v.problems, v.scenario.origin.located(e))
}

func (v *scenarioValidator) header() {
	s := v.scenario
	if s.APIVersion != APIVersion {
		v.add(badValue("apiVersion", s.APIVersion, "is no scenario's apiVersion", APIVersion))
	}
	if s.Kind != Kind {
		v.add(badValue("kind", s.Kind, "is no scenario's kind", Kind))
	}
	v.checkName("metadata.name", s.Metadata.Name)
}

func (v *scenarioValidator) nodeGroup(i int) {
	g, at := v.scenario.Spec.Nodes[i], fmt.Sprintf("spec.nodes[%d]", i)
	v.checkCount(at+".count", g.Count, 1, mostNodes)
	if len(g.Name) > longestNodeName {
		v.add(badValue(at+".name", g.Name, fmt.Sprintf("is too long: %d characters, and NAME-NUMBER is a label value too", len(g.Name)), fmt.Sprintf("up to %d characters", longestNodeName)))
	} else {
		v.checkName(at+".name", g.Name)
	}
	v.checkLabelValue(at+".zone", g.Zone)
	v.checkLabelValue(at+".region", g.Region)
	for _, key := range sortedNames(g.Labels) {
		path := at + ".labels"
		if field := map[string]string{corev1.LabelTopologyZone: g.Zone, corev1.LabelTopologyRegion: g.Region}[key]; field != "" {
			name := strings.TrimPrefix(key, "topology.kubernetes.io/")
			v.add(badValue(path+"."+key, g.Labels[key], "is a label that "+name+": "+field+" of the group sets", "either "+name+" or the label"))
			continue
		}
		if errs := metav1validation.ValidateLabelName(key, field.NewPath("")); len(errs) > 0 {
			v.add(badValue(path, key, "is no label key", "a name such as example.com/pool, up to 63 letters, digits, '-', '_' and '.' after the prefix"))
			continue
		}
		v.checkLabelValue(path+"."+key, g.Labels[key])
	}
	v.checkDuration(at+".start.at", g.Start.At, 0)
	v.checkDuration(at+".start.spread", g.Start.Spread, 0)
	if d := g.Clock.Offset.Duration; d > longestSetting || d < -longestSetting {
		v.add(badValue(at+".clock.offset", d.String(), "is too far off", "a duration from -87600h to 87600h"))
	}
	if ppb := g.Clock.DriftPPB; ppb > mostDriftPPB || ppb < -mostDriftPPB {
		v.add(badValue(at+".clock.driftPPB", strconv.FormatInt(ppb, 10), "is too fast or too slow for a clock", fmt.Sprintf("nanoseconds a second, from %d to %d", -mostDriftPPB, mostDriftPPB)))
	}
}

// nodeCount bounds the cluster and, where that is done, notes the names of its nodes.
func (v *scenarioValidator) nodeCount() {
	total := 0
	for i, g := range v.scenario.Spec.Nodes {
		if total += max(0, min(g.Count, mostNodes)); total > mostNodes {
			v.add(badValue(fmt.Sprintf("spec.nodes[%d].count", i), strconv.Itoa(g.Count), "is more nodes than can be", fmt.Sprintf("up to %d nodes in all", mostNodes)))
			return
		}
		if g.Count > mostNodes {
			return
		}
	}
	if total == 0 && len(v.scenario.Spec.Nodes) == 0 {
		e := missingValue("spec.nodes", "", "at least one group, as in [{count: 3}]")
		if v.written("spec.nodes") {
			e.Message = "is an empty list: there is no node to simulate"
		}
		v.add(e)
	}
	for _, group := range v.scenario.NodeNames() {
		for _, name := range group {
			v.nodes[name] = true
		}
	}
}

func (v *scenarioValidator) podGroup(i int) {
	p, at := v.scenario.Spec.Pods[i], fmt.Sprintf("spec.pods[%d]", i)
	v.checkName(at+".name", p.Name)
	v.checkCount(at+".perNode", p.PerNode, 1, mostPodsPerNode)
	if errs := validation.IsDNS1123Label(p.Namespace); len(errs) > 0 {
		v.add(badValue(at+".namespace", p.Namespace, "is no namespace", acceptedNamespace))
	}
	v.podRun(&p, at)
	v.podTimes(&p.PodTimes, at)
	for j, q := range v.scenario.Spec.Pods[:i] {
		if p.Name == q.Name && p.Namespace == q.Namespace {
			v.add(badValue(at+".name", p.Name, fmt.Sprintf("is the name of spec.pods[%d] in that namespace too", j), "another name"))
			return
		}
	}
}

// checkName holds a name against what the API server takes for a node.
func (v *scenarioValidator) checkName(path, name string) {
	const accepted = "lower-case letters, digits, '-' and '.', a letter or digit first and last"
	if name == "" {
		v.add(missingValue(path, "", accepted))
	} else if len(name) > validation.DNS1123SubdomainMaxLength {
		v.add(badValue(path, name, fmt.Sprintf("is too long: %d characters", len(name)), fmt.Sprintf("up to %d characters", validation.DNS1123SubdomainMaxLength)))
	} else if errs := validation.IsDNS1123Subdomain(name); len(errs) > 0 {
		v.add(badValue(path, name, "is no name", accepted))
	}
}

func (v *scenarioValidator) checkLabelValue(path, value string) {
	if errs := validation.IsValidLabelValue(value); len(errs) > 0 {
		v.add(badValue(path, value, "is no label value", "up to 63 letters, digits, '-', '_' and '.', a letter or digit first and last"))
	}
}

func (v *scenarioValidator) checkCount(path string, n, least, most int) {
	if n < least || n > most {
		v.add(badValue(path, strconv.Itoa(n), inputOutside(n < least), fmt.Sprintf("a whole number from %d to %d", least, most)))
	}
}

// checkDuration has a duration lie between least, 0 or 1 ns or shortestPeriod, and longestRun.
func (v *scenarioValidator) checkDuration(path string, d Duration, least time.Duration) {
	accepted := "a duration over 0s, up to 277h46m39s"
	switch least {
	case 0:
		accepted = "a duration from 0s to 277h46m39s"
	case shortestPeriod:
		accepted = "a duration from 1ms to 277h46m39s"
	}
	switch {
	case d.Duration == 0 && least > 0 && !v.written(path):
		v.add(missingValue(path, "", accepted))
	case d.Duration < 0:
		v.add(badValue(path, d.String(), "is negative", accepted))
	case d.Duration < least, d.Duration > longestRun:
		v.add(badValue(path, d.String(), inputOutside(d.Duration < least), accepted))
	}
}

// written tells whether a field stands in the file or was set, rather than left out.
func (v *scenarioValidator) written(path string) bool {
	return v.scenario.origin.written(path)
}

const acceptedDist = "one of {fixed: 4ms}, {from: 1ms, to: 5ms}, {p50: 4ms, p99: 20ms} and {histogram: [{le: 5ms, count: 90}]}"

func (v *scenarioValidator) checkDist(path string, d DistSpec) {
	name, problem := d.fault()
	fixed := Duration{}
	if d.Fixed != nil {
		fixed = *d.Fixed
	}
	if problem == "" {
		for _, f := range []struct {
			name  string
			value Duration
		}{{"fixed", fixed}, {"to", d.To}, {"p99", d.P99}} {
			v.checkDuration(inputJoin(path, f.name), f.value, 0)
		}
		v.checkHistogram(inputJoin(path, "histogram"), d.Histogram)
		return
	}
	if name == "" {
		v.add(&InputError{Field: path, Message: problem, Accepted: acceptedDist})
		return
	}
	value := map[string]Duration{"fixed": fixed, "from": d.From, "to": d.To, "p50": d.P50, "p99": d.P99}[name]
	if value.Duration == 0 {
		v.add(missingValue(path+"."+name, "", acceptedDist))
		return
	}
	v.add(badValue(path+"."+name, value.String(), problem, acceptedDist))
}

// checkHistogram wants bounds that rise, counts that do not fall, and something that was counted.
func (v *scenarioValidator) checkHistogram(path string, buckets []HistogramBucket) {
	last := HistogramBucket{Le: Duration{-1}}
	for i, b := range buckets {
		at := fmt.Sprintf("%s[%d]", path, i)
		v.checkDuration(at+".le", b.Le, 0)
		switch {
		case b.Le.Duration >= 0 && b.Le.Duration <= last.Le.Duration:
			v.add(badValue(at+".le", b.Le.String(), "is not over the bound before, "+last.Le.String(), "bounds that rise"))
		case b.Count < 0:
			v.add(badValue(at+".count", strconv.FormatInt(b.Count, 10), "is negative", "how many were at most "+b.Le.String()))
		case b.Count < last.Count:
			v.add(badValue(at+".count", strconv.FormatInt(b.Count, 10), fmt.Sprintf("is less than the count before, %d", last.Count), "cumulative counts, as Prometheus has them"))
		}
		last = b
	}
	if len(buckets) > 0 && last.Count == 0 {
		v.add(badValue(fmt.Sprintf("%s[%d].count", path, len(buckets)-1), "0", "is a histogram of nothing", "a count of 1 or more in the last bucket"))
	}
}

// checkNode wants the name of a node of this scenario.
func (v *scenarioValidator) checkNode(path, name string, others ...string) {
	switch {
	case name == "":
		v.add(missingValue(path, "", v.acceptedNodes(others)))
	case len(v.nodes) == 0: // there are none, or too many, which is told already
	case !v.nodes[name] && !slices.Contains(others, name):
		v.add(badValue(path, name, "is no node of this scenario", v.acceptedNodes(others)))
	}
}

// acceptedNodes lists the names of the nodes, as a range where there are many.
func (v *scenarioValidator) acceptedNodes(others []string) string {
	const most = 6
	var parts []string
	for _, group := range v.scenario.NodeNames() {
		if len(group) > most {
			group = []string{group[0] + " to " + group[len(group)-1]}
		}
		parts = append(parts, group...)
	}
	return listNames(append(parts, others...))
}

// checkOneOf wants one of a few words.
func (v *scenarioValidator) checkOneOf(path, value, what string, accepted []string) {
	switch {
	case value == "":
		v.add(missingValue(path, "", strings.Join(accepted, ", ")))
	case !slices.Contains(accepted, value):
		v.add(unknownName(path, value, "is no "+what, accepted))
	}
}

func inputOutside(below bool) string {
	if below {
		return "is too little"
	}
	return "is too much"
}
