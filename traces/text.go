package traces

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Text is the event as one line for people and for golden files, in columns that line up from event to event:
//
//	000115.003210s  kubelet/node-1            PUT         leases/node-1             409 Conflict  (+4ms)
//	000118.200000s  kube-controller-manager   transition  node-1                    True -> Unknown  NodeStatusUnknown
//
// The columns, two spaces apart, are
//   - the time, to the microsecond, since the start of the run;
//   - the actor (24 wide);
//   - what happened (10 wide): for a request the HTTP method in capitals (GET, LIST, WATCH, POST, PUT, PATCH, DELETE),
//     for anything else its kind in small letters;
//   - what it happened to (24 wide): resource/name, with the subresource behind it ("nodes/node-1/status") and the
//     namespace before it ("default/pods/web-1") unless it is kube-node-lease, where every node's Lease is; without an
//     object, the node;
//   - how it went. For a request: status code and reason (12 wide; "no answer" if there was none), and in brackets the
//     time from sending to the end. For anything else: "from -> to" and the reason;
//   - "on NODE", if the object is something else than the node or its Lease;
//   - the detail.
//
// A text that is too long pushes the rest of its line to the right. Sequence numbers, causes and resource versions are
// left out on purpose: they change with every event that is added elsewhere.
func Text(ev *Event) string {
	b := make([]byte, 0, 128)
	b = AppendTime(b, ev.At)
	b = append(b, "  "...)
	b = appendColumn(b, oneLine(ev.Actor), 24)
	b = appendColumn(b, oneLine(action(ev)), 10)
	b = appendColumn(b, oneLine(subject(ev)), 24)
	if ev.Kind == KindRequest {
		b = appendColumn(b, oneLine(outcome(ev)), 12)
		b = append(b, "(+"...)
		b = append(b, (ev.At - ev.Sent).Truncate(time.Microsecond).String()...)
		b = append(b, ")  "...)
	} else {
		b = appendPart(b, change(ev))
		b = appendPart(b, ev.Reason)
	}
	if ev.Node != "" && ev.Node != ev.Name && (ev.Name != "" || ev.Resource != "") {
		b = appendPart(b, "on "+ev.Node)
	}
	b = appendPart(b, ev.Detail)
	return strings.TrimRight(string(b), " ")
}

// method is the HTTP method behind a verb of the audit log, except that LIST and WATCH are told from GET.
func method(verb string) string {
	switch verb {
	case "create":
		return "POST"
	case "update":
		return "PUT"
	}
	return strings.ToUpper(verb)
}

func action(ev *Event) string {
	if ev.Kind == KindRequest {
		return method(ev.Verb)
	}
	return ev.Kind
}

func subject(ev *Event) string {
	if ev.Resource == "" && ev.Name == "" {
		return ev.Node
	}
	resource, sub, _ := strings.Cut(ev.Resource, "/")
	parts := make([]string, 0, 4)
	if ev.Namespace != leaseNamespace {
		parts = append(parts, ev.Namespace)
	}
	parts = append(parts, resource, ev.Name, sub)
	given := parts[:0]
	for _, p := range parts {
		if p != "" {
			given = append(given, p)
		}
	}
	return strings.Join(given, "/")
}

// leaseNamespace is where the Leases of nodes are: corev1.NamespaceNodeLease.
const leaseNamespace = "kube-node-lease"

func outcome(ev *Event) string {
	code := strconv.Itoa(ev.Code)
	switch {
	case ev.Code == 0 && ev.Reason == "":
		return "no answer"
	case ev.Code == 0:
		return ev.Reason
	case ev.Reason != "":
		return code + " " + ev.Reason
	case ev.Code == 200:
		return "200 OK"
	case ev.Code == 201:
		return "201 Created"
	}
	return code
}

func change(ev *Event) string {
	switch {
	case ev.From == "" && ev.To == "":
		return ""
	case ev.From == "":
		return "-> " + ev.To
	case ev.To == "":
		return ev.From + " ->"
	}
	return ev.From + " -> " + ev.To
}

func appendColumn(b []byte, text string, width int) []byte {
	b = append(b, text...)
	for n := utf8.RuneCountInString(text); n < width; n++ {
		b = append(b, ' ')
	}
	return append(b, "  "...)
}

func appendPart(b []byte, text string) []byte {
	if text == "" {
		return b
	}
	return append(append(b, oneLine(text)...), "  "...)
}

// oneLine escapes what would break the line or hide in it: what is not printable, and bytes that are not UTF-8.
func oneLine(s string) string {
	clean := true
	for i := 0; clean && i < len(s); i++ {
		clean = s[i] >= ' ' && s[i] < 0x7F
	}
	if clean || utf8.ValidString(s) && !strings.ContainsFunc(s, isHidden) {
		return s
	}
	quoted := strconv.Quote(s)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}

func isHidden(r rune) bool { return !strconv.IsPrint(r) }
