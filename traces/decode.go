package traces

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"
)

// UnmarshalJSON reads one line of a trace. Keys it does not know are ignored, so that a later version can add some.
func (ev *Event) UnmarshalJSON(line []byte) error {
	return decodeEvent(line, ev, &interner{})
}

// decodeEvent reads line into ev. Nothing in ev points into line afterwards.
func decodeEvent(line []byte, ev *Event, names *interner) error {
	*ev = Event{}
	var atNs, sentNs uint64
	f := fields{b: line}
	for key, value, ok := f.next(); ok; key, value, ok = f.next() {
		good := true
		switch string(key) {
		case "seq":
			ev.Seq, good = parseUint(value)
		case "at":
			ev.At, good = decodeTime(value)
		case "atNs":
			atNs, good = parseUint(value)
		case "cause":
			ev.Cause, good = parseUint(value)
		case "code":
			ev.Code, good = decodeCode(value)
		case "sent":
			ev.Sent, good = decodeTime(value)
		case "sentNs":
			sentNs, good = parseUint(value)
		case "resourceVersion":
			ev.ResourceVersion, good = decodeText(value, nil)
		case "renewTime":
			ev.RenewTime, good = decodeText(value, nil)
		case "detail":
			ev.Detail, good = decodeText(value, nil)
		case "body":
			ev.Body, good = bytes.Clone(value), json.Valid(value)
		default:
			if text := nameField(ev, key); text != nil {
				*text, good = decodeText(value, names)
			} else {
				good = json.Valid(value)
			}
		}
		if !good {
			return fmt.Errorf("field %q has a bad value %.40q", key, value)
		}
	}
	if f.err != nil {
		return f.err
	}
	var fits, sentFits bool
	ev.At, fits = joinMicros(ev.At, atNs)
	ev.Sent, sentFits = joinMicros(ev.Sent, sentNs)
	if !fits || !sentFits {
		return errors.New("field atNs or sentNs is out of range")
	}
	return nil
}

// nameField is the field under key among those whose texts recur from event to event; nil if it is none of them.
func nameField(ev *Event, key []byte) *string {
	switch string(key) {
	case "actor":
		return &ev.Actor
	case "kind":
		return &ev.Kind
	case "node":
		return &ev.Node
	case "verb":
		return &ev.Verb
	case "resource":
		return &ev.Resource
	case "namespace":
		return &ev.Namespace
	case "name":
		return &ev.Name
	case "reason":
		return &ev.Reason
	case "from":
		return &ev.From
	case "to":
		return &ev.To
	}
	return nil
}

func decodeTime(value []byte) (time.Duration, bool) {
	if len(value) < 2 || value[0] != '"' {
		return 0, false
	}
	d, err := parseTime(value[1 : len(value)-1])
	return d, err == nil
}

func decodeCode(value []byte) (int, bool) {
	negative := len(value) > 0 && value[0] == '-'
	if negative {
		value = value[1:]
	}
	n, ok := parseUint(value)
	if !ok || n > math.MaxInt32 {
		return 0, false
	}
	if negative {
		return -int(n), true
	}
	return int(n), true
}

func decodeText(value []byte, names *interner) (string, bool) {
	text, _, ok := unquote(value)
	if !ok {
		return "", false
	}
	if names == nil {
		return string(text), true
	}
	return names.text(text), true
}

// interner gives equal short texts one string, so that a reader of a million events does not hold "kubelet/node-1" a
// hundred thousand times. It forgets everything when it is full. The zero value is ready.
type interner struct {
	known map[string]string
}

const (
	internTexts  = 1 << 16
	internLength = 128
)

func (n *interner) text(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if s, ok := n.known[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(b) > internLength {
		return s
	}
	if n.known == nil || len(n.known) >= internTexts {
		n.known = make(map[string]string)
	}
	n.known[s] = s
	return s
}
