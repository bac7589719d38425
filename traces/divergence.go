package traces

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Divergence is the first difference between two runs.
type Divergence struct {
	// Index is the place of the differing event, from 1.
	Index uint64
	// Expected and Got are the two events; nil where that side had ended.
	Expected, Got *Event
	// Fields are the fields that differ, if both sides have an event.
	Fields []FieldDiff
	// Before are the last events that were equal, as the expected side has them.
	Before []Event
	// ExpectedAfter and GotAfter are what followed on each side.
	ExpectedAfter, GotAfter []Event
}

// FieldDiff is one field that differs, by its key in the trace.
type FieldDiff struct {
	Field, Expected, Got string
}

// String shows the difference the way a patch does: what came before, the two events, field by field what is
// different in them, and what followed on each side.
//
//	the runs differ from event 3 on:
//	  2  000010.000000s  kubelet/node-1  ...
//	- 3  000020.000000s  kubelet/node-1  ...  409 Conflict  (+4ms)
//	+ 3  000020.000000s  kubelet/node-1  ...  200 OK        (+4ms)
//	     code: expected 409, got 200
//	- 4  ...
//	+ 4  ...
func (d *Divergence) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the runs differ from event %d on (- expected, + got):\n", d.Index)
	last := d.Index + uint64(max(len(d.ExpectedAfter), len(d.GotAfter)))
	width := len(fmt.Sprint(last))
	line := func(mark string, index uint64, text string) {
		fmt.Fprintf(&b, "%s %*d  %s\n", mark, width, index, text)
	}
	for i := range d.Before {
		line(" ", d.Index-uint64(len(d.Before)-i), Text(&d.Before[i]))
	}
	line("-", d.Index, textOrEnd(d.Expected))
	line("+", d.Index, textOrEnd(d.Got))
	for _, f := range d.Fields {
		fmt.Fprintf(&b, "  %*s  %s: expected %s, got %s\n", width, "", f.Field, f.Expected, f.Got)
	}
	for i := range d.ExpectedAfter {
		line("-", d.Index+1+uint64(i), Text(&d.ExpectedAfter[i]))
	}
	for i := range d.GotAfter {
		line("+", d.Index+1+uint64(i), Text(&d.GotAfter[i]))
	}
	return b.String()
}

func textOrEnd(ev *Event) string {
	if ev == nil {
		return "(nothing more)"
	}
	return Text(ev)
}

// sameEvent compares all fields but Body.
func sameEvent(a, b *Event, precision time.Duration) bool {
	return a.Seq == b.Seq && a.At/precision == b.At/precision && a.Actor == b.Actor && a.Kind == b.Kind &&
		a.Cause == b.Cause && a.Node == b.Node && a.Verb == b.Verb && a.Resource == b.Resource &&
		a.Namespace == b.Namespace && a.Name == b.Name && a.Code == b.Code && a.Reason == b.Reason &&
		a.Sent/precision == b.Sent/precision && a.ResourceVersion == b.ResourceVersion &&
		a.RenewTime == b.RenewTime && a.From == b.From && a.To == b.To && a.Detail == b.Detail
}

// differences lists the fields that sameEvent finds unequal, in the order of the file.
func differences(a, b *Event, precision time.Duration) []FieldDiff {
	var out []FieldDiff
	add := func(field string, same bool, x, y string) {
		if !same {
			out = append(out, FieldDiff{field, x, y})
		}
	}
	number := func(field string, x, y uint64) {
		add(field, x == y, strconv.FormatUint(x, 10), strconv.FormatUint(y, 10))
	}
	instant := func(field string, x, y time.Duration) {
		add(field, x/precision == y/precision, exactTime(x), exactTime(y))
	}
	text := func(field, x, y string) { add(field, x == y, strconv.Quote(x), strconv.Quote(y)) }
	number("seq", a.Seq, b.Seq)
	instant("at", a.At, b.At)
	text("actor", a.Actor, b.Actor)
	text("kind", a.Kind, b.Kind)
	number("cause", a.Cause, b.Cause)
	text("node", a.Node, b.Node)
	text("verb", a.Verb, b.Verb)
	text("resource", a.Resource, b.Resource)
	text("namespace", a.Namespace, b.Namespace)
	text("name", a.Name, b.Name)
	add("code", a.Code == b.Code, strconv.Itoa(a.Code), strconv.Itoa(b.Code))
	text("reason", a.Reason, b.Reason)
	instant("sent", a.Sent, b.Sent)
	text("resourceVersion", a.ResourceVersion, b.ResourceVersion)
	text("renewTime", a.RenewTime, b.RenewTime)
	text("from", a.From, b.From)
	text("to", a.To, b.To)
	text("detail", a.Detail, b.Detail)
	return out
}

// exactTime is FormatTime with nine decimals when six would hide something.
func exactTime(d time.Duration) string {
	text := FormatTime(d)
	if _, nanos := splitMicros(d); nanos != 0 {
		text = fmt.Sprintf("%s%03ds", strings.TrimSuffix(text, "s"), nanos)
	}
	return text
}
