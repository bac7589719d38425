package scenario

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/holter-sim/holter/traces"
)

// nodeWrite is one recorded write of a node, or the deletion of its Lease.
type nodeWrite struct {
	kind       nodeWriteKind
	controller bool   // the node lifecycle controller's
	bodiless   bool   // the log has not got its object
	report     bool   // it posts the Ready condition, as kubelets do
	version    uint64 // of the node that it left, 0 where the log does not say

	// delta is what it asked for, and heartbeat the lastHeartbeatTime and
	// transition the lastTransitionTime of the Ready condition in it, in Unix
	// seconds; 0 where it has none.
	delta                 *nodeDelta
	heartbeat, transition int64
	// after is what it left of the node, nil where the log does not say.
	after *nodeState
}

type nodeWriteKind uint8

const (
	nodeCreated nodeWriteKind = iota
	nodeStatusWritten
	nodeSpecWritten // metadata or spec
	nodeDeleted
	leaseDeleted
)

// nodeDelta is what a write asks for, as far as the model looks at it. It says
// nothing of the health taints of others, which are the controller's: the
// model has a controller of its own.
type nodeDelta struct {
	Conditions []conditionDelta `json:",omitempty"`
	// Taints, of which those that tell of health are left out, and
	// Unschedulable replace what is there where they are not nil.
	Taints        *[]corev1.Taint `json:",omitempty"`
	Unschedulable *bool           `json:",omitempty"`
	// Labels are those that the controller looks at; nil removes one.
	Labels map[string]*string `json:",omitempty"`
}

// conditionDelta is what a write says of a condition. An empty status is one
// that stays: a patch that moves the heartbeat time only.
type conditionDelta struct {
	Type   corev1.NodeConditionType
	Status corev1.ConditionStatus `json:",omitempty"`
	Reason string                 `json:",omitempty"`
}

// ready is what the write says of the Ready condition, nil if nothing.
func (d *nodeDelta) ready() *conditionDelta {
	if d == nil {
		return nil
	}
	for i := range d.Conditions {
		if d.Conditions[i].Type == corev1.NodeReady {
			return &d.Conditions[i]
		}
	}
	return nil
}

// nodeState is as much of a node as tells what the controller did to it.
type nodeState struct {
	Ready   corev1.ConditionStatus `json:",omitempty"`
	Taints  []corev1.Taint         `json:",omitempty"` // those that tell of health
	Labels  map[string]string      `json:",omitempty"` // those that the controller looks at
	Deleted bool                   `json:",omitempty"` // its last finalizer is gone
	Kept    bool                   `json:",omitempty"` // it is being deleted, and a finalizer keeps it
}

// watchedLabels are those that the node lifecycle controller looks at: the zone
// of a node, and whether it counts in it.
func watchedLabels() []string {
	return []string{
		corev1.LabelTopologyRegion, corev1.LabelTopologyZone,
		corev1.LabelFailureDomainBetaRegion, corev1.LabelFailureDomainBetaZone,
		"node.kubernetes.io/exclude-disruption",
	}
}

// nodeBody is what is read of a node or of a patch of one. Raw fields tell a
// field that is null, and goes, from one that is not there, and stays.
type nodeBody struct {
	Metadata struct {
		Labels            map[string]*string `json:"labels"`
		Finalizers        []string           `json:"finalizers"`
		DeletionTimestamp string             `json:"deletionTimestamp"`
	} `json:"metadata"`
	Spec struct {
		Taints        json.RawMessage `json:"taints"`
		Unschedulable json.RawMessage `json:"unschedulable"`
	} `json:"spec"`
	Status struct {
		Conditions []struct {
			Type               corev1.NodeConditionType `json:"type"`
			Status             corev1.ConditionStatus   `json:"status"`
			Reason             string                   `json:"reason"`
			LastHeartbeatTime  time.Time                `json:"lastHeartbeatTime"`
			LastTransitionTime time.Time                `json:"lastTransitionTime"`
		} `json:"conditions"`
	} `json:"status"`
}

// readNodeBody reads a node or a patch, nil if it is neither: a JSON patch, say.
func readNodeBody(raw json.RawMessage) *nodeBody {
	var body nodeBody
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &body) != nil {
		return nil
	}
	return &body
}

func (b *nodeBody) taints() []corev1.Taint {
	var taints []corev1.Taint
	if json.Unmarshal(b.Spec.Taints, &taints) != nil {
		return nil // null, or not there
	}
	for i := range taints {
		taints[i].TimeAdded = nil
	}
	return taints
}

// splitTaints tells the taints that the node lifecycle controller manages from
// those of others.
func splitTaints(taints []corev1.Taint) (health, others []corev1.Taint) {
	for _, t := range taints {
		if isHealthTaint(t.Key) {
			health = append(health, t)
		} else {
			others = append(others, t)
		}
	}
	return health, others
}

// newNodeWrite boils a record down. The answer tells more than the request
// where the log has it; of a status, the request tells what was news.
func (b *recordingBuilder) newNodeWrite(r *traces.AuditRecord, controller bool) *nodeWrite {
	w := &nodeWrite{controller: controller, kind: kindOf(r)}
	w.version, _ = strconv.ParseUint(r.ResourceVersion, 10, 64)
	if w.kind == leaseDeleted {
		return w
	}
	request, response := readNodeBody(r.Object), readNodeBody(r.ResponseObject)
	if response != nil {
		w.after = b.state(response)
	}
	if w.kind == nodeDeleted {
		return w
	}
	w.bodiless = len(r.Object) == 0
	whole := r.Verb != "patch"
	if response != nil && (w.kind == nodeSpecWritten || request == nil) {
		request, whole = response, true
	}
	if request != nil {
		w.readDelta(b, request, whole)
	}
	return w
}

func kindOf(r *traces.AuditRecord) nodeWriteKind {
	switch {
	case r.Resource == "leases":
		return leaseDeleted
	case r.Verb == "delete":
		return nodeDeleted
	case r.Verb == "create":
		return nodeCreated
	case r.Subresource == "status":
		return nodeStatusWritten
	}
	return nodeSpecWritten
}

// readDelta keeps what the model looks at; whole says that body is a node and
// not a patch, so that what is not there is to go.
func (w *nodeWrite) readDelta(b *recordingBuilder, body *nodeBody, whole bool) {
	var d nodeDelta
	if w.kind != nodeSpecWritten {
		for _, c := range body.Status.Conditions {
			d.Conditions = append(d.Conditions, conditionDelta{c.Type, c.Status, c.Reason})
			if c.Type == corev1.NodeReady {
				w.heartbeat, w.transition = unixSeconds(c.LastHeartbeatTime), unixSeconds(c.LastTransitionTime)
			}
		}
	}
	if w.kind != nodeStatusWritten {
		if whole || len(body.Spec.Taints) > 0 {
			_, others := splitTaints(body.taints())
			d.Taints = &others
		}
		if whole || len(body.Spec.Unschedulable) > 0 {
			set := string(body.Spec.Unschedulable) == "true"
			d.Unschedulable = &set
		}
	}
	for _, key := range watchedLabels() {
		value, said := body.Metadata.Labels[key]
		if said || whole && w.kind == nodeSpecWritten {
			if d.Labels == nil {
				d.Labels = map[string]*string{}
			}
			d.Labels[key] = value
		}
	}
	w.delta = intern(b.deltas, &d)
	if w.kind != nodeStatusWritten && w.after == nil && (whole || len(body.Spec.Taints) > 0) {
		health, _ := splitTaints(body.taints())
		if w.kind == nodeCreated {
			health = withAdmitted(health)
		}
		w.after = b.internState(nodeState{Taints: health})
	}
}

// withAdmitted adds the taint that every node is created with (the admission
// plugin TaintNodesByCondition).
func withAdmitted(taints []corev1.Taint) []corev1.Taint {
	admitted := corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule}
	if hasTaint(taints, &admitted) {
		return taints
	}
	return append(taints, admitted)
}

// state is what a write left of a node.
func (b *recordingBuilder) state(body *nodeBody) *nodeState {
	var s nodeState
	for _, c := range body.Status.Conditions {
		if c.Type == corev1.NodeReady {
			s.Ready = c.Status
		}
	}
	s.Taints, _ = splitTaints(body.taints())
	for _, key := range watchedLabels() {
		if value := body.Metadata.Labels[key]; value != nil {
			if s.Labels == nil {
				s.Labels = map[string]string{}
			}
			s.Labels[key] = *value
		}
	}
	if body.Metadata.DeletionTimestamp != "" {
		s.Kept = len(body.Metadata.Finalizers) > 0
		s.Deleted = !s.Kept
	}
	return b.internState(s)
}

func (b *recordingBuilder) internState(s nodeState) *nodeState { return intern(b.states, &s) }

// intern keeps one of each value that a log has many of.
func intern[T any](known map[string]*T, v *T) *T {
	key, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain values always marshal
	}
	if old := known[string(key)]; old != nil {
		return old
	}
	known[string(key)] = v
	return v
}

// renewTimeOf reads spec.renewTime of a Lease, in Unix nanoseconds; 0 if there
// is none. It looks for the field before it decodes: a log has millions.
func renewTimeOf(object json.RawMessage) int64 {
	text := object
	if i := bytes.Index(text, renewTimeField); i >= 0 {
		text = text[i+len(renewTimeField):]
		if end := bytes.IndexByte(text, '"'); end >= 0 {
			if t, err := time.Parse(time.RFC3339Nano, string(text[:end])); err == nil {
				return t.UnixNano()
			}
		}
	}
	var l struct {
		Spec struct {
			RenewTime time.Time `json:"renewTime"`
		} `json:"spec"`
	}
	if len(object) == 0 || json.Unmarshal(object, &l) != nil || l.Spec.RenewTime.IsZero() {
		return 0
	}
	return l.Spec.RenewTime.UnixNano()
}

// renewTimeField cannot be part of a string: a quote in there is escaped.
var renewTimeField = []byte(`"renewTime":"`)

func unixSeconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

// isReporter tells who may report a node's status, where the log does not say
// what was reported: a kubelet, by its user or its agent.
func isReporter(r *traces.AuditRecord) bool {
	agent, _, _ := strings.Cut(r.UserAgent, "/")
	return r.User == "system:node:"+r.Name || slices.Contains([]string{"kubelet", "hollow-kubelet"}, agent)
}
