package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Expectation is one thing the run is judged by. Form says which of its fields count.
//
// Within, From and To count from the start of the run or, where Since names a fault, from the moment that fault struck.
type Expectation struct {
	// Name is a label for reports; "" has the reporter make one from the fields.
	Name string `json:"name,omitempty"`
	// Node is a node's name, or "*" for each node on its own.
	Node string `json:"node,omitempty"`
	// Pod is the name of one of the scenario's pods, in the place of a node.
	Pod string `json:"pod,omitempty"`

	Condition string `json:"condition,omitempty"`
	Taint     string `json:"taint,omitempty"`
	// Effect narrows Taint to one effect; "" is any.
	Effect   string        `json:"effect,omitempty"`
	Requests *RequestMatch `json:"requests,omitempty"`

	// Becomes is a condition status, TaintAdded or TaintRemoved, or one of podChanges.
	Becomes string `json:"becomes,omitempty"`
	// Stays is a condition status held over all of From..To, PodPresent or PodReady.
	Stays string `json:"stays,omitempty"`
	// Within is [first, last], both inclusive: when Becomes is to happen.
	Within []Duration `json:"within,omitempty"`
	Since  string     `json:"since,omitempty"`

	// From and To bound Stays, Count and Gaps; nil is the start and the end of the run, except that Stays without a From
	// begins when the condition first has the status.
	From *Duration `json:"from,omitempty"`
	To   *Duration `json:"to,omitempty"`

	// Count is [least, most], both inclusive: how many requests match.
	Count []int `json:"count,omitempty"`
	// Gaps are the pauses between the first len(Gaps)+1 matching requests, each from the answer of one to the sending
	// of the next, give or take Tolerance.
	Gaps      []Duration `json:"gaps,omitempty"`
	Tolerance Duration   `json:"tolerance,omitzero"`
}

// RequestMatch picks requests of one node's kubelet; an empty field is any.
type RequestMatch struct {
	Verb     string `json:"verb,omitempty"`
	Resource string `json:"resource,omitempty"`
	// Code is the status that was answered; 0 is any, no answer at all included.
	Code int `json:"code,omitempty"`
}

// What Becomes says of a taint.
const (
	TaintAdded   = "added"
	TaintRemoved = "removed"
)

// EveryNode is the Node of an expectation that is judged for each node.
const EveryNode = "*"

// Form is the kind of an expectation.
type Form string

// The forms of an expectation, each with the fields that make it.
const (
	ConditionBecomes Form = "condition becomes" // Condition, Becomes, Within
	ConditionStays   Form = "condition stays"   // Condition, Stays; From, To
	TaintBecomes     Form = "taint becomes"     // Taint, Becomes, Within; Effect
	PodBecomes       Form = "pod becomes"       // Pod, Becomes, Within
	PodStays         Form = "pod stays"         // Pod, Stays; From, To
	RequestsCount    Form = "requests count"    // Requests, Count; From, To
	RequestsGaps     Form = "requests gaps"     // Requests, Gaps; Tolerance, From, To
)

// Form gives the expectation's form, or "" if its fields make none, which Validate refuses.
func (x *Expectation) Form() Form {
	switch {
	case x.Condition != "" && x.Becomes != "":
		return ConditionBecomes
	case x.Condition != "" && x.Stays != "":
		return ConditionStays
	case x.Taint != "" && x.Becomes != "":
		return TaintBecomes
	case x.Pod != "" && x.Becomes != "":
		return PodBecomes
	case x.Pod != "" && x.Stays != "":
		return PodStays
	case x.Requests != nil && len(x.Count) > 0:
		return RequestsCount
	case x.Requests != nil && len(x.Gaps) > 0:
		return RequestsGaps
	}
	return ""
}

// fields gives the fields that each form has besides name and node: those it needs, then those it may have.
func (f Form) fields() (needed, optional []string) {
	switch f {
	case ConditionBecomes:
		return []string{"condition", "becomes", "within"}, []string{"since"}
	case ConditionStays:
		return []string{"condition", "stays"}, []string{"since", "from", "to"}
	case TaintBecomes:
		return []string{"taint", "becomes", "within"}, []string{"since", "effect"}
	case PodBecomes:
		return []string{"pod", "becomes", "within"}, []string{"since"}
	case PodStays:
		return []string{"pod", "stays"}, []string{"since", "to"}
	case RequestsCount:
		return []string{"requests", "count"}, []string{"since", "from", "to"}
	case RequestsGaps:
		return []string{"requests", "gaps"}, []string{"since", "from", "to", "tolerance"}
	}
	return nil, nil
}

const acceptedForms = "condition with becomes or stays, taint with becomes, requests with count or gaps, or pod with becomes or stays"

// expectation judges one expectation; at is its path, "" for one that stands in no file.
func (v *scenarioValidator) expectation(x *Expectation, at string) {
	if x.Pod == "" {
		v.checkNode(inputJoin(at, "node"), x.Node, EveryNode)
	} else {
		v.checkPod(x, at)
	}
	if v.expectForm(x, at) {
		v.expectWords(x, at)
		v.expectTimes(x, at)
		v.expectNumbers(x, at)
	}
}

// expectForm checks that the fields make one form and no more.
func (v *scenarioValidator) expectForm(x *Expectation, at string) bool {
	given := x.given()
	form := x.Form()
	if form == "" {
		v.add(&InputError{Field: at, Message: "expects nothing of " + x.subject(), Accepted: acceptedForms})
		return false
	}
	needed, optional := form.fields()
	for _, name := range given {
		if !slices.Contains(needed, name) && !slices.Contains(optional, name) {
			v.add(&InputError{Field: inputJoin(at, name), Message: fmt.Sprintf("does not go with %s", strings.Join(needed[:2], " and ")),
				Accepted: "in this form " + strings.Join(append(slices.Clone(needed), optional...), ", ")})
			return false
		}
	}
	for _, name := range needed {
		if !slices.Contains(given, name) {
			v.add(missingValue(inputJoin(at, name), "", "[first, last], as in [99s, 116s]"))
			return false
		}
	}
	return true
}

// given lists the fields that are set, besides name and node.
func (x *Expectation) given() []string {
	var names []string
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"condition", x.Condition != ""}, {"pod", x.Pod != ""}, {"taint", x.Taint != ""}, {"effect", x.Effect != ""}, {"requests", x.Requests != nil},
		{"becomes", x.Becomes != ""}, {"stays", x.Stays != ""}, {"within", x.Within != nil}, {"since", x.Since != ""},
		{"from", x.From != nil}, {"to", x.To != nil}, {"count", x.Count != nil}, {"gaps", x.Gaps != nil},
		{"tolerance", x.Tolerance.Duration != 0},
	} {
		if f.set {
			names = append(names, f.name)
		}
	}
	return names
}

func (x *Expectation) subject() string {
	switch {
	case x.Condition != "":
		return "condition " + inputQuote(x.Condition)
	case x.Taint != "":
		return "taint " + inputQuote(x.Taint)
	case x.Requests != nil:
		return "requests"
	case x.Pod != "":
		return "pod " + inputQuote(x.Pod)
	}
	return "a condition, a taint or requests"
}

func (v *scenarioValidator) expectWords(x *Expectation, at string) {
	statuses := []string{string(corev1.ConditionTrue), string(corev1.ConditionFalse), string(corev1.ConditionUnknown)}
	switch form := x.Form(); form {
	case ConditionBecomes, ConditionStays:
		v.checkOneOf(inputJoin(at, "condition"), x.Condition, "condition of a node", []string{string(corev1.NodeReady),
			string(corev1.NodeMemoryPressure), string(corev1.NodeDiskPressure), string(corev1.NodePIDPressure), string(corev1.NodeNetworkUnavailable)})
		if form == ConditionBecomes {
			v.checkOneOf(inputJoin(at, "becomes"), x.Becomes, "status of a condition", statuses)
		} else {
			v.checkOneOf(inputJoin(at, "stays"), x.Stays, "status of a condition", statuses)
		}
	case TaintBecomes:
		v.checkOneOf(inputJoin(at, "taint"), x.Taint, "taint that the model sets", []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable,
			corev1.TaintNodeUnschedulable, corev1.TaintNodeMemoryPressure, corev1.TaintNodeDiskPressure, corev1.TaintNodePIDPressure,
			corev1.TaintNodeNetworkUnavailable, corev1.TaintNodeOutOfService})
		if x.Effect != "" {
			v.checkOneOf(inputJoin(at, "effect"), x.Effect, "effect of a taint", []string{string(corev1.TaintEffectNoSchedule), string(corev1.TaintEffectNoExecute)})
		}
		v.checkOneOf(inputJoin(at, "becomes"), x.Becomes, "change of a taint", []string{TaintAdded, TaintRemoved})
	case PodBecomes:
		v.checkOneOf(inputJoin(at, "becomes"), x.Becomes, "change of a pod", podChanges())
	case PodStays:
		v.checkOneOf(inputJoin(at, "stays"), x.Stays, "state of a pod to stay in", []string{PodPresent, PodReady})
	default:
		if x.Requests.Verb != "" {
			v.checkOneOf(inputJoin(at, "requests.verb"), x.Requests.Verb, "verb of a request", requestVerbs())
		}
		if x.Requests.Resource != "" {
			v.checkOneOf(inputJoin(at, "requests.resource"), x.Requests.Resource, "resource of the model", requestResources())
		}
		if x.Requests.Code != 0 {
			v.checkCount(inputJoin(at, "requests.code"), x.Requests.Code, 100, 599)
		}
	}
}

func (v *scenarioValidator) expectTimes(x *Expectation, at string) {
	if _, ok := v.faults[x.Since]; x.Since != "" && !ok {
		if names := sortedNames(v.faults); len(names) > 0 {
			v.add(unknownName(inputJoin(at, "since"), x.Since, "is the name of no fault", names))
		} else {
			v.add(badValue(inputJoin(at, "since"), x.Since, "is the name of no fault", "the name of a fault; none of this scenario's has one"))
		}
	}
	if x.Within != nil {
		v.durationWindow(inputJoin(at, "within"), x.Within)
	}
	if x.From != nil {
		v.checkDuration(inputJoin(at, "from"), *x.From, 0)
	}
	if x.To != nil {
		v.checkDuration(inputJoin(at, "to"), *x.To, 0)
	}
	if x.From != nil && x.To != nil && x.To.Duration < x.From.Duration {
		v.add(badValue(inputJoin(at, "to"), x.To.String(), "is before from, "+x.From.String(), "a duration from "+x.From.String()))
	}
}

func (v *scenarioValidator) durationWindow(at string, window []Duration) {
	const accepted = "[first, last], as in [99s, 116s]"
	if len(window) != 2 {
		v.add(&InputError{Field: at, Message: fmt.Sprintf("is a list of %d", len(window)), Accepted: accepted})
		return
	}
	for i, d := range window {
		v.checkDuration(fmt.Sprintf("%s[%d]", at, i), d, 0)
	}
	if window[1].Duration < window[0].Duration {
		v.add(badValue(at, fmt.Sprintf("[%s, %s]", window[0], window[1]), "ends before it begins", accepted))
	}
}

func (v *scenarioValidator) expectNumbers(x *Expectation, at string) {
	for i, gap := range x.Gaps {
		v.checkDuration(inputJoin(at, fmt.Sprintf("gaps[%d]", i)), gap, 0)
	}
	v.checkDuration(inputJoin(at, "tolerance"), x.Tolerance, 0)
	if x.Count == nil {
		return
	}
	const accepted = "[least, most], as in [7, 7]"
	if len(x.Count) != 2 {
		v.add(&InputError{Field: inputJoin(at, "count"), Message: fmt.Sprintf("is a list of %d", len(x.Count)), Accepted: accepted})
		return
	}
	text := "[" + strconv.Itoa(x.Count[0]) + ", " + strconv.Itoa(x.Count[1]) + "]"
	switch {
	case x.Count[0] < 0:
		v.add(badValue(inputJoin(at, "count"), text, "begins below 0", accepted))
	case x.Count[1] < x.Count[0]:
		v.add(badValue(inputJoin(at, "count"), text, "ends before it begins", accepted))
	}
}
