package scenario

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Fault is one thing that goes wrong. Exactly one of the pointers is set after Validate: its verb.
type Fault struct {
	// Name is what an expectation's Since refers to; unique where given.
	Name string `json:"name,omitempty"`
	// At is never nil after Validate.
	At *When `json:"at,omitempty"`
	// For is how long it lasts, 0 where it was not given; ForRule says which verbs need it.
	For Duration `json:"for,omitzero"`

	Kill                     *NodeFault           `json:"kill,omitempty"`
	Restart                  *NodeFault           `json:"restart,omitempty"`
	Pause                    *NodeFault           `json:"pause,omitempty"`
	Partition                *PartitionFault      `json:"partition,omitempty"`
	Outage                   *OutageFault         `json:"outage,omitempty"`
	Latency                  *LatencyFault        `json:"latency,omitempty"`
	Respond                  *RespondFault        `json:"respond,omitempty"`
	LoseReply                *LossFault           `json:"loseReply,omitempty"`
	LoseRequest              *LossFault           `json:"loseRequest,omitempty"`
	WriteLease               *WriteLeaseFault     `json:"writeLease,omitempty"`
	ClockStep                *ClockStepFault      `json:"clockStep,omitempty"`
	DeleteNode               *NodeFault           `json:"deleteNode,omitempty"`
	RestartControllerManager *ManagerRestartFault `json:"restartControllerManager,omitempty"`
	HoldWatch                *HoldWatchFault      `json:"holdWatch,omitempty"`
	DeadConnection           *NodeFault           `json:"deadConnection,omitempty"`
	PullImages               *PullImagesFault     `json:"pullImages,omitempty"`
	RuntimeDown              *NodeFault           `json:"runtimeDown,omitempty"`
	NetworkNotReady          *NodeFault           `json:"networkNotReady,omitempty"`
	PLEGStalled              *NodeFault           `json:"plegStalled,omitempty"`
	Pressure                 *PressureFault       `json:"pressure,omitempty"`
	Reboot                   *NodeFault           `json:"reboot,omitempty"`
	Shutdown                 *NodeFault           `json:"shutdown,omitempty"`
	StorageError             *NodeFault           `json:"storageError,omitempty"`
	OutOfService             *NodeFault           `json:"outOfService,omitempty"`
	Cordon                   *NodeFault           `json:"cordon,omitempty"`
	DeletePod                *DeletePodFault      `json:"deletePod,omitempty"`
	Webhook                  *WebhookFault        `json:"webhook,omitempty"`
	EtcdReadOnly             *EtcdReadOnlyFault   `json:"etcdReadOnly,omitempty"`
	Flood                    *FloodFault          `json:"flood,omitempty"`
}

// Verb gives the name of the fault's verb as in YAML, or "" if it has none. Of several it gives the first, which
// Validate does not let pass.
func (f *Fault) Verb() string {
	if verbs := f.verbs(); len(verbs) > 0 {
		return verbs[0]
	}
	return ""
}

// verbs gives the names of all verbs that are set.
func (f *Fault) verbs() []string {
	var set []string
	for _, field := range faultVerbFields() {
		if !reflect.ValueOf(f).Elem().FieldByIndex(field.index).IsNil() {
			set = append(set, field.name)
		}
	}
	return set
}

// faultVerbFields are the fields of Fault that are verbs.
func faultVerbFields() []inputField {
	var verbs []inputField
	for _, field := range inputFields(reflect.TypeFor[Fault]()) {
		if field.typ.Kind() == reflect.Pointer && field.typ != reflect.TypeFor[*When]() {
			verbs = append(verbs, field)
		}
	}
	return verbs
}

// ForRule says what a verb makes of Fault.For.
type ForRule string

// What For is to a verb.
const (
	ForNeeded   ForRule = "needed"   // it ends by itself after For
	ForOptional ForRule = "optional" // without For it does not end by itself
	ForRefused  ForRule = "refused"  // it is over at once
)

// ForRule gives what the fault's verb makes of For.
func (f *Fault) ForRule() ForRule {
	switch {
	case f.Restart != nil, f.DeleteNode != nil, f.DeletePod != nil, f.DeadConnection != nil:
		return ForRefused
	case f.Kill != nil, f.ClockStep != nil, f.PullImages != nil, f.OutOfService != nil, f.Cordon != nil, f.Respond != nil && f.Respond.Count > 0, f.LoseReply != nil && f.LoseReply.Count > 0,
		f.LoseRequest != nil && f.LoseRequest.Count > 0:
		return ForOptional
	}
	return ForNeeded
}

// NodeFault names the node that it strikes, or EveryNode.
type NodeFault struct {
	Node string `json:"node"`
}

// mostImages are the images that one fault brings.
const mostImages = 10000

// PullImagesFault brings Count images to the node.
type PullImagesFault struct {
	Node  string `json:"node"`
	Count int    `json:"count"`
}

// PartitionFault cuts clients off from the API server in both directions, watches included.
type PartitionFault struct {
	// Nodes may hold EveryNode.
	Nodes []string `json:"nodes,omitempty"`
	// ControllerManager cuts off the kube-controller-manager too.
	ControllerManager bool `json:"controllerManager,omitempty"`
}

// Modes of an API server outage.
const (
	OutageStop   = "stop"   // SIGSTOP: requests hang until it goes on
	OutageRefuse = "refuse" // killed: connections are refused and every watch ends
)

// OutageFault takes the API server away, in one of the Outage modes.
type OutageFault struct {
	Mode string `json:"mode"`
}

// RequestTarget says which requests a fault touches; an empty list is "any". Empty Nodes means every client, the
// kube-controller-manager included; otherwise the kubelets of these nodes, of all for EveryNode.
type RequestTarget struct {
	Nodes     []string `json:"nodes,omitempty"`
	Verbs     []string `json:"verbs,omitempty"`
	Resources []string `json:"resources,omitempty"`
}

// LatencyFault replaces the one-way latency of the requests it touches.
type LatencyFault struct {
	DistSpec      `json:",inline"`
	RequestTarget `json:",inline"`
}

// RespondFault has the API server answer Code instead of handling the request.
type RespondFault struct {
	RequestTarget `json:",inline"`
	// Code is an HTTP status from 400 to 599.
	Code int `json:"code"`
	// Reason is a metav1.StatusReason; "" is the one that goes with Code.
	Reason string `json:"reason,omitempty"`
	// Count is how many requests it touches at most; 0 is no limit.
	Count int `json:"count,omitempty"`
}

// LossFault loses requests before they are handled, or replies after they are.
type LossFault struct {
	RequestTarget `json:",inline"`
	// Count is how many requests it touches at most; 0 is no limit.
	Count int `json:"count,omitempty"`
}

// WriteLeaseFault is a second writer of a node's Lease, which writes every Every.
type WriteLeaseFault struct {
	Node  string   `json:"node"`
	Every Duration `json:"every,omitzero"`
}

// ClockStepFault steps the clock of a node's machine by By, which may be negative but is never 0. It steps back after the
// fault's For, if that is given.
type ClockStepFault struct {
	Node string   `json:"node"`
	By   Duration `json:"by,omitzero"`
}

// ManagerRestartFault kills the kube-controller-manager; it starts again after the fault's For.
type ManagerRestartFault struct{}

// ClientControllerManager is the name by which faults know the kube-controller-manager.
const ClientControllerManager = "controller-manager"

// HoldWatchFault stops delivery to a client's watches; what was held arrives at the end, in order.
type HoldWatchFault struct {
	// Client is ClientControllerManager or the name of a node.
	Client    string   `json:"client"`
	Resources []string `json:"resources,omitempty"`
}

// PressureFault has a node's kubelet report pressure: MemoryPressure, DiskPressure or PIDPressure. The fault's For includes
// the transition period of the eviction manager (5 m by default), for which the kubelet goes on saying so.
type PressureFault struct {
	// Node may be EveryNode.
	Node      string `json:"node"`
	Condition string `json:"condition"`
}

// pressures are the conditions that PressureFault can have.
func pressures() []string {
	return []string{string(corev1.NodeMemoryPressure), string(corev1.NodeDiskPressure), string(corev1.NodePIDPressure)}
}

// What requests a fault or an expectation can speak of.
func requestVerbs() []string {
	return []string{"create", "delete", "get", "list", "patch", "update", "watch"}
}

func requestResources() []string {
	return []string{"events", "leases", "nodes", "nodes/status", "pods", "pods/binding", "pods/status"}
}

func watchResources() []string { return []string{"leases", "nodes", "pods"} }

func (v *scenarioValidator) fault(i int) {
	f, at := &v.scenario.Spec.Faults[i], fmt.Sprintf("spec.faults[%d]", i)
	v.faultName(f, i, at)
	v.faultTime(f, at)
	if verbs := f.verbs(); len(verbs) != 1 {
		v.oneVerb(at, verbs)
		return
	}
	v.faultVerb(f, at+"."+f.Verb())
}

// oneVerb complains about a fault that has none, or several.
func (v *scenarioValidator) oneVerb(at string, verbs []string) {
	var all []string
	for _, field := range faultVerbFields() {
		all = append(all, field.name)
	}
	e := &InputError{Field: at, Message: "does nothing: its verb is missing", Accepted: "exactly one of " + strings.Join(all, ", ")}
	if len(verbs) > 0 {
		e.Message = "does more than one thing: " + strings.Join(verbs, ", ")
	}
	v.add(e)
}

func (v *scenarioValidator) faultName(f *Fault, i int, at string) {
	if f.Name == "" {
		return
	}
	if j, taken := v.faults[f.Name]; taken {
		v.add(badValue(at+".name", f.Name, fmt.Sprintf("is the name of spec.faults[%d] too", j), "another name"))
		return
	}
	v.faults[f.Name] = i
}

func (v *scenarioValidator) faultTime(f *Fault, at string) {
	if f.At == nil {
		v.add(missingValue(at+".at", "", "a duration since the start, or a range as in {from: 300s, to: 900s}"))
	} else if f.At.IsRange() {
		v.checkDuration(at+".at.from", f.At.From, 0)
		v.checkDuration(at+".at.to", f.At.To, 0)
		if f.At.To.Duration < f.At.From.Duration {
			v.add(badValue(at+".at.to", f.At.To.String(), "is before from, "+f.At.From.String(), "a duration from "+f.At.From.String()))
		}
	} else {
		v.checkDuration(at+".at", f.At.At, 0)
	}
	if len(f.verbs()) == 1 {
		v.faultFor(f, at+".for", f.For.Duration != 0 || v.written(at+".for"))
	}
}

// faultFor holds For against what the verb makes of it. It may be longer than any run.
func (v *scenarioValidator) faultFor(f *Fault, at string, given bool) {
	const accepted = "a duration over 0s, up to 87600h; one longer than the run lasts to its end"
	switch rule := f.ForRule(); {
	case rule == ForRefused && given:
		v.add(badValue(at, f.For.String(), "has no place here: "+f.Verb()+" is over at once", "no field for"))
	case rule == ForNeeded && !given:
		v.add(missingValue(at, ": "+f.Verb()+" lasts", accepted))
	case given && f.For.Duration < 0:
		v.add(badValue(at, f.For.String(), "is negative", accepted))
	case given && (f.For.Duration == 0 || f.For.Duration > longestSetting):
		v.add(badValue(at, f.For.String(), inputOutside(f.For.Duration == 0), accepted))
	}
}

func (v *scenarioValidator) faultVerb(f *Fault, at string) {
	for _, n := range []*NodeFault{f.Kill, f.Restart, f.Pause, f.DeleteNode, f.RuntimeDown, f.NetworkNotReady, f.PLEGStalled, f.Reboot, f.Shutdown, f.DeadConnection,
		f.StorageError, f.OutOfService, f.Cordon} {
		if n != nil {
			v.checkNode(at+".node", n.Node, EveryNode)
		}
	}
	switch {
	case f.Partition != nil:
		v.nodeList(at+".nodes", f.Partition.Nodes)
		if len(f.Partition.Nodes) == 0 && !f.Partition.ControllerManager {
			v.add(missingValue(at+".nodes", ": nobody is cut off", "nodes, or controllerManager: true, or both"))
		}
	case f.Outage != nil:
		v.checkOneOf(at+".mode", f.Outage.Mode, "mode of an outage", []string{OutageStop, OutageRefuse})
	case f.Latency != nil:
		v.requestTarget(at, &f.Latency.RequestTarget)
		if f.Latency.IsZero() {
			v.add(missingValue(at, ": no latency is given", acceptedDist))
			return
		}
		v.checkDist(at, f.Latency.DistSpec)
	case f.Respond != nil:
		v.requestTarget(at, &f.Respond.RequestTarget)
		v.checkCount(at+".code", f.Respond.Code, http.StatusBadRequest, 599)
		v.checkCount(at+".count", f.Respond.Count, 0, 1_000_000_000)
	case f.LoseReply != nil, f.LoseRequest != nil:
		loss := f.LoseReply
		if loss == nil {
			loss = f.LoseRequest
		}
		v.requestTarget(at, &loss.RequestTarget)
		v.checkCount(at+".count", loss.Count, 0, 1_000_000_000)
	case f.WriteLease != nil:
		v.checkNode(at+".node", f.WriteLease.Node)
		v.checkDuration(at+".every", f.WriteLease.Every, shortestPeriod)
	case f.ClockStep != nil:
		v.clockStep(f.ClockStep, at)
	case f.PullImages != nil:
		v.checkNode(at+".node", f.PullImages.Node, EveryNode)
		if f.PullImages.Count == 0 && !v.written(at+".count") {
			v.add(missingValue(at+".count", "", fmt.Sprintf("a whole number from 1 to %d", mostImages)))
		} else {
			v.checkCount(at+".count", f.PullImages.Count, 1, mostImages)
		}
	case f.Pressure != nil:
		v.checkNode(at+".node", f.Pressure.Node, EveryNode)
		v.checkOneOf(at+".condition", f.Pressure.Condition, "condition of pressure", pressures())
	case f.DeletePod != nil:
		v.checkPodName(at+".pod", f.DeletePod.Pod)
	case f.HoldWatch != nil:
		v.checkNode(at+".client", f.HoldWatch.Client, ClientControllerManager)
		v.wordList(at+".resources", f.HoldWatch.Resources, "resource that is watched", watchResources())
	default:
		v.loadFault(f, at)
	}
}

func (v *scenarioValidator) clockStep(step *ClockStepFault, at string) {
	v.checkNode(at+".node", step.Node)
	const accepted = "a duration other than 0s, from -87600h to 87600h; negative steps back"
	if d := step.By.Duration; d == 0 && !v.written(at+".by") {
		v.add(missingValue(at+".by", "", accepted))
	} else if d == 0 || d > longestSetting || d < -longestSetting {
		v.add(badValue(at+".by", d.String(), "is no step", accepted))
	}
}

func (v *scenarioValidator) requestTarget(at string, t *RequestTarget) {
	v.nodeList(at+".nodes", t.Nodes)
	v.wordList(at+".verbs", t.Verbs, "verb of a request", requestVerbs())
	v.wordList(at+".resources", t.Resources, "resource of the model", requestResources())
}

func (v *scenarioValidator) nodeList(at string, names []string) {
	for i, name := range names {
		v.checkNode(fmt.Sprintf("%s[%d]", at, i), name, EveryNode)
	}
}

func (v *scenarioValidator) wordList(at string, words []string, what string, accepted []string) {
	for i, word := range words {
		v.checkOneOf(fmt.Sprintf("%s[%d]", at, i), word, what, accepted)
	}
}
