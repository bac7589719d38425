package traces

import (
	"encoding/json"
	"strings"
	"time"

	"pgregory.net/rapid"
)

// anyTime draws a virtual time, often a small or a round one.
func anyTime() *rapid.Generator[time.Duration] {
	return rapid.Custom(func(t *rapid.T) time.Duration {
		switch rapid.IntRange(0, 3).Draw(t, "scale") {
		case 0:
			return time.Duration(rapid.Int64Range(0, 1000).Draw(t, "s")) * time.Second
		case 1:
			return time.Duration(rapid.Int64Range(0, 1e9).Draw(t, "us")) * time.Microsecond
		case 2:
			return time.Duration(rapid.Int64Range(-1e6, 1e15).Draw(t, "ns"))
		}
		return time.Duration(rapid.Int64Range(-1<<62, 1<<62).Draw(t, "any"))
	})
}

// anyText draws a text: mostly none or a name, sometimes anything that is UTF-8.
func anyText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.Just(""),
		rapid.StringMatching(`[a-z]{1,12}(/[a-z]{1,8}-[0-9]{1,5})?`),
		rapid.Map(rapid.String(), func(s string) string { return strings.ToValidUTF8(s, "?") }),
	)
}

// anyEvent draws an event with any of its fields set, Seq aside.
func anyEvent() *rapid.Generator[Event] {
	return rapid.Custom(func(t *rapid.T) Event {
		text := func(label string) string { return anyText().Draw(t, label) }
		ev := Event{
			At: anyTime().Draw(t, "at"), Actor: text("actor"), Kind: text("kind"),
			Cause: rapid.Uint64().Draw(t, "cause"), Node: text("node"), Verb: text("verb"), Resource: text("resource"),
			Namespace: text("namespace"), Name: text("name"), Code: rapid.IntRange(-1, 600).Draw(t, "code"),
			Reason: text("reason"), Sent: anyTime().Draw(t, "sent"), ResourceVersion: text("resourceVersion"),
			RenewTime: text("renewTime"), From: text("from"), To: text("to"), Detail: text("detail"),
		}
		if rapid.Bool().Draw(t, "body") {
			ev.Body = json.RawMessage(`{"spec":{"renewTime":"` + time.Duration(ev.Cause).String() + `"}}`)
		}
		return ev
	})
}

// anyRun draws the events of a run, numbered as a Recorder does.
func anyRun(least, most int) *rapid.Generator[[]Event] {
	return rapid.Custom(func(t *rapid.T) []Event {
		run := rapid.SliceOfN(anyEvent(), least, most).Draw(t, "run")
		for i := range run {
			run[i].Seq = uint64(i + 1)
		}
		return run
	})
}

// lostRenewal is a request as simulations record it most often, with a failure.
func lostRenewal() Event {
	return Event{
		At: 115*time.Second + 3210*time.Microsecond + 17, Sent: 114*time.Second + 999210*time.Microsecond,
		Actor: "kubelet/node-1", Kind: KindRequest, Cause: 16, Node: "node-1",
		Verb: "update", Resource: "leases", Namespace: "kube-node-lease", Name: "node-1",
		Code: 409, Reason: "Conflict", ResourceVersion: "1234", RenewTime: "2026-01-01T00:01:54.999210Z",
	}
}

// wentUnknown is an event that is no request.
func wentUnknown() Event {
	return Event{
		At: 118200 * time.Millisecond, Actor: "kube-controller-manager", Kind: KindTransition, Node: "node-1",
		From: "True", To: "Unknown", Reason: "NodeStatusUnknown", Detail: "no renewal for 50s",
	}
}
