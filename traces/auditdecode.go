package traces

import (
	"bytes"
	"strings"
	"time"
)

// object takes one JSON object of the log: an Event, an EventList, or a wrapper around the text of one.
func (a *auditReader) object(object []byte, mayWrap bool) error {
	var kind, items, wrapped []byte
	f := fields{b: object}
	for key, value, ok := f.next(); ok; key, value, ok = f.next() {
		switch string(key) {
		case "kind":
			kind = value
		case "items":
			items = value
		case "log", "message":
			wrapped = value
		}
		if string(kind) == `"Event"` {
			return a.event(object) // the common case: its first key settles it
		}
	}
	switch {
	case f.err != nil:
		return corrupt{"the line is not valid JSON"}
	case string(kind) == `"EventList"` && items != nil:
		return a.list(items)
	case wrapped != nil && mayWrap:
		return a.unwrap(wrapped)
	}
	a.stats.Foreign++
	return nil
}

// list takes the items of an EventList one by one.
func (a *auditReader) list(items []byte) error {
	bad := corrupt{"the items of the EventList are not valid JSON"}
	if items[0] != '[' {
		return bad
	}
	for i := skipSpace(items, 1); items[i] != ']'; {
		end := skipValue(items, i)
		if end < 0 || items[i] != '{' {
			return bad
		}
		if err := a.event(items[i:end]); err != nil {
			return err
		}
		i = skipSpace(items, end)
		if items[i] == ',' {
			if i = skipSpace(items, i+1); items[i] == ']' {
				return bad
			}
		} else if items[i] != ']' {
			return bad
		}
	}
	return nil
}

// parts are what an Event is made of besides the texts and times that are decoded at once: raw values.
type parts struct {
	version, user, reference, status []byte
	timestamp                        time.Time // of v1beta1 before Kubernetes 1.8, to the second
}

// event decodes one Event into a.record and delivers it.
func (a *auditReader) event(object []byte) error {
	rec := &a.record
	*rec = AuditRecord{}
	var p parts
	f := fields{b: object}
	for key, value, ok := f.next(); ok; key, value, ok = f.next() {
		if !a.part(&p, key, value) {
			return corrupt{"field " + string(key) + " of the event is corrupt"}
		}
	}
	switch {
	case f.err != nil:
		return corrupt{"the event is not valid JSON"}
	case len(p.version) > 0 && !bytes.HasPrefix(p.version, []byte(`"audit.k8s.io/`)):
		a.stats.Foreign++ // an Event of another API, such as v1
		return nil
	case !a.nested(p.user, p.reference, p.status):
		return corrupt{"user, objectRef or responseStatus of the event is corrupt"}
	}
	if rec.Received.IsZero() {
		rec.Received = p.timestamp
	}
	if rec.Completed.IsZero() {
		rec.Completed = rec.Received
	}
	rec.fromObjects()
	return a.deliver(object)
}

// part takes one field of an Event; false if its value is none for it.
func (a *auditReader) part(p *parts, key, value []byte) (ok bool) {
	rec := &a.record
	switch string(key) {
	case "apiVersion":
		p.version = value
	case "user":
		p.user = value
	case "objectRef":
		p.reference = value
	case "responseStatus":
		p.status = value
	case "requestObject":
		rec.Object = notNull(value)
	case "responseObject":
		rec.ResponseObject = notNull(value)
	case "requestReceivedTimestamp":
		rec.Received, ok = decodeInstant(value)
		return ok
	case "stageTimestamp":
		rec.Completed, ok = decodeInstant(value)
		return ok
	case "timestamp":
		p.timestamp, ok = decodeInstant(value)
		return ok
	case "auditID":
		rec.ID, ok = decodeText(value, nil)
		return ok
	default:
		if text := rec.textField(key); text != nil {
			*text, ok = decodeText(value, &a.names)
			return ok
		}
	}
	return true
}

// textField is the field under a key of the Event whose texts recur; nil if it is none of them.
func (r *AuditRecord) textField(key []byte) *string {
	switch string(key) {
	case "level":
		return &r.Level
	case "stage":
		return &r.Stage
	case "requestURI":
		return &r.URI
	case "verb":
		return &r.Verb
	case "userAgent":
		return &r.UserAgent
	}
	return nil
}

// nested decodes what is of interest in the three small objects of an event.
func (a *auditReader) nested(user, ref, status []byte) bool {
	rec := &a.record
	return eachField(user, func(key, value []byte) (ok bool) {
		if string(key) == "username" {
			rec.User, ok = decodeText(value, &a.names)
			return ok
		}
		return true
	}) && eachField(ref, func(key, value []byte) bool {
		return a.reference(key, value)
	}) && eachField(status, func(key, value []byte) (ok bool) {
		switch string(key) {
		case "code":
			rec.Code, ok = decodeCode(value)
		case "reason":
			rec.Reason, ok = decodeText(value, &a.names)
		case "message":
			rec.Message, ok = decodeText(value, &a.names)
		default:
			ok = true
		}
		return ok
	})
}

// reference decodes one field of objectRef.
func (a *auditReader) reference(key, value []byte) bool {
	rec := &a.record
	var text *string
	switch string(key) {
	case "resource":
		text = &rec.Resource
	case "subresource":
		text = &rec.Subresource
	case "namespace":
		text = &rec.Namespace
	case "name":
		text = &rec.Name
	case "apiGroup":
		text = &rec.Group
	default:
		return true
	}
	var ok bool
	*text, ok = decodeText(value, &a.names)
	return ok
}

// eachField calls f for every field of an object that may be absent; false if it is broken or f says so.
func eachField(object []byte, f func(key, value []byte) bool) bool {
	if notNull(object) == nil {
		return true
	}
	fields := fields{b: object}
	for key, value, ok := fields.next(); ok; key, value, ok = fields.next() {
		if !f(key, value) {
			return false
		}
	}
	return fields.err == nil
}

// fromObjects takes from the objects what is not beside them.
func (r *AuditRecord) fromObjects() {
	r.ResourceVersion = lookupText(r.ResponseObject, "metadata", "resourceVersion")
	if r.Name == "" && r.Verb == "create" {
		if r.Name = lookupText(r.ResponseObject, "metadata", "name"); r.Name == "" {
			r.Name = lookupText(r.Object, "metadata", "name")
		}
	}
}

// lookupText is the string under a path of keys, "" if there is none.
func lookupText(object []byte, path ...string) string {
	text, _ := decodeText(lookup(object, path...), nil)
	return text
}

func notNull(value []byte) []byte {
	if string(value) == "null" {
		return nil
	}
	return value
}

// decodeInstant reads an RFC 3339 time; null is the zero time.
func decodeInstant(value []byte) (time.Time, bool) {
	if string(value) == "null" {
		return time.Time{}, true
	}
	text, _, ok := unquote(value)
	if !ok {
		return time.Time{}, false
	}
	var t time.Time
	if err := t.UnmarshalText(text); err != nil {
		return time.Time{}, false
	}
	return t.UTC(), true
}

// product is the name of the client in a user agent: "kubectl" of "kubectl/v1.36.3 (linux/amd64) kubernetes/abc".
func product(userAgent string) string {
	name, _, _ := strings.Cut(userAgent, " ")
	name, _, _ = strings.Cut(name, "/")
	return name
}
