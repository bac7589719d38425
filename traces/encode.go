package traces

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"
)

// MarshalJSON writes the event as its line in a trace, Body included.
func (ev Event) MarshalJSON() ([]byte, error) {
	return appendEvent(nil, &ev, true)
}

// appendEvent appends the line of ev, without its newline. The order of the keys is part of the format, since traces
// of equal runs are equal byte by byte.
func appendEvent(dst []byte, ev *Event, body bool) ([]byte, error) {
	dst = append(dst, `{"seq":`...)
	dst = strconv.AppendUint(dst, ev.Seq, 10)
	dst = appendTimeField(dst, `,"at":"`, `,"atNs":`, ev.At)
	dst = appendField(dst, `,"actor":`, ev.Actor)
	dst = appendField(dst, `,"kind":`, ev.Kind)
	if ev.Cause != 0 {
		dst = append(dst, `,"cause":`...)
		dst = strconv.AppendUint(dst, ev.Cause, 10)
	}
	dst = appendField(dst, `,"node":`, ev.Node)
	dst = appendField(dst, `,"verb":`, ev.Verb)
	dst = appendField(dst, `,"resource":`, ev.Resource)
	dst = appendField(dst, `,"namespace":`, ev.Namespace)
	dst = appendField(dst, `,"name":`, ev.Name)
	if ev.Code != 0 {
		dst = append(dst, `,"code":`...)
		dst = strconv.AppendInt(dst, int64(ev.Code), 10)
	}
	dst = appendField(dst, `,"reason":`, ev.Reason)
	if ev.Sent != 0 {
		dst = appendTimeField(dst, `,"sent":"`, `,"sentNs":`, ev.Sent)
	}
	dst = appendField(dst, `,"resourceVersion":`, ev.ResourceVersion)
	dst = appendField(dst, `,"renewTime":`, ev.RenewTime)
	dst = appendField(dst, `,"from":`, ev.From)
	dst = appendField(dst, `,"to":`, ev.To)
	dst = appendField(dst, `,"detail":`, ev.Detail)
	if body && len(ev.Body) > 0 {
		var err error
		if dst, err = appendBody(dst, ev.Body); err != nil {
			return nil, fmt.Errorf("event %d: body: %w", ev.Seq, err)
		}
	}
	return append(dst, '}'), nil
}

// appendTimeField writes the text to the microsecond, and beside it the nanoseconds it leaves out, if any.
func appendTimeField(dst []byte, textKey, nanosKey string, d time.Duration) []byte {
	dst = append(dst, textKey...)
	dst = AppendTime(dst, d)
	dst = append(dst, '"')
	if _, nanos := splitMicros(d); nanos != 0 {
		dst = append(dst, nanosKey...)
		dst = strconv.AppendInt(dst, nanos, 10)
	}
	return dst
}

func appendField(dst []byte, key, value string) []byte {
	if value == "" {
		return dst
	}
	return appendString(append(dst, key...), value)
}

// appendBody compacts, since a line must stay one line, and refuses what is not JSON.
func appendBody(dst []byte, body json.RawMessage) ([]byte, error) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, body); err != nil {
		return nil, err
	}
	dst = append(dst, `,"body":`...)
	return append(dst, compact.Bytes()...), nil
}

// appendString writes s as a JSON string: only what must be escaped is, and bytes that are not UTF-8 become U+FFFD.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	done := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			dst = append(dst, s[done:i]...)
			dst = appendEscaped(dst, c)
			i++
			done = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			dst = append(dst, s[done:i]...)
			dst = append(dst, "\uFFFD"...)
			done = i + 1
		}
		i += size
	}
	dst = append(dst, s[done:]...)
	return append(dst, '"')
}

func appendEscaped(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, `\n`...)
	case '\t':
		return append(dst, `\t`...)
	case '\r':
		return append(dst, `\r`...)
	}
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xF])
}

// validText is ev with every text made UTF-8, which is what its line says; ev itself if it is already.
func validText(ev *Event) *Event {
	texts := func(e *Event) [13]*string {
		return [13]*string{&e.Actor, &e.Kind, &e.Node, &e.Verb, &e.Resource, &e.Namespace, &e.Name, &e.Reason,
			&e.ResourceVersion, &e.RenewTime, &e.From, &e.To, &e.Detail}
	}
	for _, s := range texts(ev) {
		if !utf8.ValidString(*s) {
			fixed := *ev
			for _, t := range texts(&fixed) {
				*t = toValid(*t)
			}
			return &fixed
		}
	}
	return ev
}

// toValid replaces each byte that is not UTF-8 by U+FFFD, one by one as appendString does (strings.ToValidUTF8
// makes one of a whole run).
func toValid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}
