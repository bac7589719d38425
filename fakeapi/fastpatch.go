package fakeapi

import (
	"bytes"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// fastPatch applies a patch that a kubelet's heartbeat consists of: conditions
// of a node that are already there, in the order they have. It returns nil for
// any other, which strategicpatch then takes; for those it takes, the two agree.
//
//	{"status":{"$setElementOrder/conditions":[{"type":"Ready"}],
//	 "conditions":[{"lastHeartbeatTime":"2026-01-01T00:00:10Z","type":"Ready"}]}}
func fastPatch(old object, patch []byte) object {
	node, ok := old.(*corev1.Node)
	if !ok || len(node.Status.Conditions) > maxFastConditions {
		return nil
	}
	p := heartbeatPatch{in: patch, conditions: node.Status.Conditions, last: -1}
	if !p.read() {
		return nil
	}
	next := *node
	if p.merged != nil {
		next.Status.Conditions = p.merged
	}
	return &next
}

// maxFastConditions is how many conditions fastPatch looks through for each of a
// patch. Nodes have a dozen; strategicPatch refuses those with very many.
const maxFastConditions = 64

// heartbeatPatch reads a patch from in. Its methods return false when they meet
// what they do not know.
type heartbeatPatch struct {
	in         []byte
	pos        int
	conditions []corev1.NodeCondition // as stored
	merged     []corev1.NodeCondition // a copy with the patch applied; nil if it has none
	last       int                    // the index of the condition read last, or -1
}

// read reads the whole patch: {} or {"status":{...}}.
func (p *heartbeatPatch) read() bool {
	if !p.is('{') {
		return false
	}
	if !p.is('}') {
		if !p.key("status") || !p.status() || !p.is('}') {
			return false
		}
	}
	p.space()
	return p.pos == len(p.in)
}

// status reads {"$setElementOrder/conditions":[...],"conditions":[...]}. A list
// of conditions without their order may sort differently.
func (p *heartbeatPatch) status() bool {
	return p.is('{') &&
		p.key("$setElementOrder/conditions") && p.order() && p.is(',') &&
		p.key("conditions") && p.list() && p.is('}')
}

// order reads the types of all conditions, which must be in the stored order.
func (p *heartbeatPatch) order() bool {
	if !p.is('[') {
		return false
	}
	for i := range p.conditions {
		if i > 0 && !p.is(',') {
			return false
		}
		if !p.is('{') || !p.key("type") {
			return false
		}
		typ, ok := p.text()
		if !ok || string(typ) != string(p.conditions[i].Type) || !p.is('}') || p.find(p.conditions[i].Type) != i {
			return false
		}
	}
	return p.is(']') && len(p.conditions) > 0
}

// list reads the changed conditions.
func (p *heartbeatPatch) list() bool {
	if !p.is('[') {
		return false
	}
	p.merged = slices.Clone(p.conditions)
	for {
		if !p.condition() {
			return false
		}
		if p.is(']') {
			return true
		}
		if !p.is(',') {
			return false
		}
	}
}

// condition reads one condition and puts what it has into the stored one. The
// list must be in the order that was announced.
func (p *heartbeatPatch) condition() bool {
	if !p.is('{') {
		return false
	}
	var c corev1.NodeCondition
	var has [len(conditionKeys)]bool
	for {
		i, ok := p.member(&c)
		if !ok || has[i] {
			return false
		}
		has[i] = true
		if p.is('}') {
			break
		}
		if !p.is(',') {
			return false
		}
	}
	at := p.find(c.Type)
	if !has[keyType] || at <= p.last {
		return false
	}
	p.last = at
	p.put(at, &c, &has)
	return true
}

func (p *heartbeatPatch) find(typ corev1.NodeConditionType) int {
	return slices.IndexFunc(p.conditions, func(c corev1.NodeCondition) bool { return c.Type == typ })
}

func (p *heartbeatPatch) put(at int, c *corev1.NodeCondition, has *[len(conditionKeys)]bool) {
	to := &p.merged[at]
	if has[keyStatus] {
		to.Status = c.Status
	}
	if has[keyReason] {
		to.Reason = c.Reason
	}
	if has[keyMessage] {
		to.Message = c.Message
	}
	if has[keyHeartbeat] {
		to.LastHeartbeatTime = c.LastHeartbeatTime
	}
	if has[keyTransition] {
		to.LastTransitionTime = c.LastTransitionTime
	}
}

const (
	keyType = iota
	keyStatus
	keyReason
	keyMessage
	keyHeartbeat
	keyTransition
)

var conditionKeys = [...]string{"type", "status", "reason", "message", "lastHeartbeatTime", "lastTransitionTime"}

// member reads one "key":"value" of a condition and returns which it was.
func (p *heartbeatPatch) member(c *corev1.NodeCondition) (int, bool) {
	key, ok := p.text()
	if !ok || !p.is(':') {
		return 0, false
	}
	i := slices.IndexFunc(conditionKeys[:], func(k string) bool { return k == string(key) })
	value, ok := p.text()
	if i < 0 || !ok {
		return 0, false
	}
	switch i {
	case keyType:
		c.Type = corev1.NodeConditionType(value)
	case keyStatus:
		c.Status = corev1.ConditionStatus(value)
	case keyReason:
		c.Reason = string(value)
	case keyMessage:
		c.Message = string(value)
	case keyHeartbeat:
		c.LastHeartbeatTime, ok = parseSeconds(value)
	case keyTransition:
		c.LastTransitionTime, ok = parseSeconds(value)
	}
	return i, ok
}

// parseSeconds reads a time as the API writes it: whole seconds, UTC.
func parseSeconds(b []byte) (metav1.Time, bool) {
	if len(b) != len("2006-01-02T15:04:05Z") || b[len(b)-1] != 'Z' {
		return metav1.Time{}, false
	}
	t, err := time.Parse(time.RFC3339, string(b))
	return metav1.Time{Time: t}, err == nil
}

// key reads "name":.
func (p *heartbeatPatch) key(name string) bool {
	key, ok := p.text()
	return ok && string(key) == name && p.is(':')
}

// text reads a string without escapes, of printable ASCII.
func (p *heartbeatPatch) text() ([]byte, bool) {
	if !p.is('"') {
		return nil, false
	}
	n := bytes.IndexByte(p.in[p.pos:], '"')
	if n < 0 {
		return nil, false
	}
	s := p.in[p.pos : p.pos+n]
	for _, c := range s {
		if c < ' ' || c > '~' || c == '\\' {
			return nil, false
		}
	}
	p.pos += n + 1
	return s, true
}

// is consumes c, if it is next, and the blanks before it.
func (p *heartbeatPatch) is(c byte) bool {
	p.space()
	if p.pos < len(p.in) && p.in[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

func (p *heartbeatPatch) space() {
	for p.pos < len(p.in) {
		switch p.in[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}
