package scenario

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/traces"
)

func violationsOf(inv invariant, events ...traces.Event) []string {
	for i := range events {
		inv.observe(&events[i])
	}
	var got []string
	for _, v := range inv.violations() {
		got = append(got, v.Message)
	}
	return got
}

func writeOf(verb, resource, name string, version int) traces.Event {
	return traces.Event{Kind: traces.KindRequest, Verb: verb, Resource: resource, Name: name, Code: 200, ResourceVersion: fmt.Sprint(version)}
}

func TestAVersionThatGoesBackIsAViolation(t *testing.T) {
	create := writeOf("create", "nodes", "a", 50)
	for _, bad := range []traces.Event{writeOf("update", "nodes", "a", 7), writeOf("patch", "nodes/status", "a", 7), writeOf("create", "nodes", "b", 50)} {
		require.Len(t, violationsOf(newVersionsGrow(), create, bad), 1, "%v", bad)
	}
	refused := writeOf("update", "nodes", "a", 7)
	refused.Code = 409
	require.Empty(t, violationsOf(newVersionsGrow(), create, writeOf("update", "leases", "a", 51), writeOf("update", "nodes", "a", 50),
		writeOf("patch", "nodes/status", "a", 52), writeOf("create", "nodes", "b", 53), refused))
}

func keyTaint(s int, key string) traces.Event {
	ev := taintAt(s, "NoExecute", TaintAdded)
	ev.Name = key
	return ev
}

func TestATaintWithoutItsConditionIsAViolation(t *testing.T) {
	const unreachable, notReady = "node.kubernetes.io/unreachable", "node.kubernetes.io/not-ready"
	created := traces.Event{Kind: traces.KindRegister, Node: "node-0", To: "created"}
	under := func(versioned bool, events ...traces.Event) []string {
		return violationsOf(newTaintNeedsCondition(versioned), append([]traces.Event{created}, events...)...)
	}
	run := func(events ...traces.Event) []string { return under(true, events...) }
	require.Empty(t, run(keyTaint(1, notReady)), "a new node is not ready")
	require.Len(t, run(keyTaint(1, notReady), readyAt(2, "False", "True"), keyTaint(3, notReady)), 1)
	require.Empty(t, run(keyTaint(1, notReady), readyAt(2, "Unknown", "False"), keyTaint(3, notReady)))
	require.Len(t, run(keyTaint(1, unreachable)), 1)
	require.Empty(t, run(readyAt(1, "True", "Unknown"), readyAt(2, "Unknown", "True"), keyTaint(3, unreachable)), "it may be late")
	require.Len(t, run(readyAt(1, "True", "Unknown"), keyTaint(2, unreachable), readyAt(3, "Unknown", "True"), keyTaint(4, unreachable)), 1)
	require.Empty(t, under(false, readyAt(1, "True", "Unknown"), keyTaint(2, unreachable), readyAt(3, "Unknown", "True"), keyTaint(4, unreachable)), "a lost update")
	require.Len(t, under(false, keyTaint(1, unreachable)), 1, "there was none to be put back")
	require.Len(t, run(readyAt(1, "True", "Unknown"), created, keyTaint(2, unreachable)), 1, "that was another Node")
	require.Empty(t, run(keyTaint(1, "somebody.else/taint"), keyTaint(2, "somebody.else/taint")))
}

func TestAnUnknownWithoutSilenceIsAViolation(t *testing.T) {
	news := func(s int, renewTime string) traces.Event {
		return traces.Event{At: time.Duration(s) * time.Second, Kind: traces.KindWatch, Actor: managerName, Node: "node-0", Resource: "leases", RenewTime: renewTime}
	}
	expired := func(s int) traces.Event {
		return traces.Event{At: time.Duration(s) * time.Second, Kind: heartbeat.DecisionExpired, Actor: managerName, Node: "node-0"}
	}
	unknown := readyAt(112, "True", "Unknown")
	unknown.Actor = managerName
	run := func(events ...traces.Event) []string {
		return violationsOf(newUnknownNeedsSilence(50*time.Second), events...)
	}
	require.Empty(t, run(news(60, "1"), expired(110), unknown))
	require.Empty(t, run(news(60, "1"), news(111, "1"), expired(111), unknown), "a Lease that says nothing new is no news")
	require.Empty(t, run(news(60, "1"), expired(110), news(111, "2"), unknown), "the write may be late")
	require.Len(t, run(news(61, "1"), expired(110), unknown), 1)
	require.Len(t, run(news(60, "1"), unknown), 1)
}

func TestAResultIsFineOnlyIfEveryExpectationAndInvariantIs(t *testing.T) {
	require.True(t, (&Result{Expectations: []Verdict{{OK: true}}}).OK())
	require.False(t, (&Result{Expectations: []Verdict{{OK: true}, {OK: false}}}).OK())
	require.False(t, (&Result{Expectations: []Verdict{{OK: true}}, Violations: []Violation{{Invariant: "versions-grow"}}}).OK())
}
