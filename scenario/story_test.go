package scenario

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/traces"
)

func storyOf(events ...traces.Event) []string {
	s := newStory()
	var lines []string
	for i := range events {
		s.take(&events[i])
	}
	for _, item := range s.items {
		lines = append(lines, fmt.Sprintf("%s  %s", item.From, item))
	}
	return lines
}

func TestTheCauseOfAnUnknownIsNotThatOfTheRecovery(t *testing.T) {
	expired := traces.Event{At: 105 * time.Second, Kind: heartbeat.DecisionExpired, Node: "node-0", Detail: "no heartbeat"}
	require.Equal(t, []string{
		"1m45s  node-0: Ready True -> Unknown (): no heartbeat; last news at 000000.000000s",
		"1m50s  node-0: Ready Unknown -> True ()",
	}, storyOf(expired, readyAt(105, "True", "Unknown"), expired, readyAt(110, "Unknown", "True")))
}

func TestALeaseThatCameAndWasNoNewsIsSaid(t *testing.T) {
	lease := func(s int, renewTime string) traces.Event {
		return traces.Event{At: time.Duration(s) * time.Second, Kind: traces.KindWatch, Actor: managerName, Resource: "leases", Node: "node-0", RenewTime: renewTime}
	}
	expired := traces.Event{At: 105 * time.Second, Kind: heartbeat.DecisionExpired, Node: "node-0", Detail: "no heartbeat"}
	require.Equal(t, []string{
		"1m45s  node-0: Ready True -> Unknown (): no heartbeat; last news at 000050.000000s, for a Lease at 000100.000000s had no later renewTime",
	}, storyOf(lease(50, "2"), lease(100, "1"), expired, readyAt(105, "True", "Unknown")))
}

func TestRenewalsFailUntilOneSucceedsWhateverIsTriedBetween(t *testing.T) {
	get := renewalAt(12, 429)
	get.Verb = "get"
	require.Equal(t, []string{"10s  node-0: renewals fail for 40s: 429 "},
		storyOf(renewalAt(10, 429), get, renewalAt(50, 429), renewalAt(60, 200)))
}

func TestANodeIsCountedOnceInALine(t *testing.T) {
	var events []traces.Event
	for i := range 40 {
		events = append(events, traces.Event{At: time.Duration(i) * time.Second, Kind: heartbeat.DecisionLeaseFailed,
			Node: fmt.Sprintf("node-%d", i%5), Detail: "failed 5 attempts"})
	}
	require.Equal(t, []string{"0s  node-0, node-1, node-2 and 2 more: failed 5 attempts (over 39s)"}, storyOf(events...))
}

func TestAWatchIsLostOnceUntilItIsBack(t *testing.T) {
	lost := func(s int, actor, why string) traces.Event {
		return traces.Event{At: time.Duration(s) * time.Second, Kind: heartbeat.DecisionWatchFailed, Actor: actor, Node: nodeOfClient(actor), Detail: why}
	}
	const refused = `nodes: Get "https://kube-apiserver:6443/api/v1/nodes?timeout=8m24s": dial tcp: connect: connection refused`
	back := traces.Event{At: 40 * time.Second, Kind: traces.KindRequest, Actor: "kubelet/node-0", Verb: "watch", Resource: "nodes", Code: 200}
	require.Equal(t, []string{
		"10s  node-0, node-1: the kubelet's watch of nodes fails: connection refused (over 1s)",
		"12s  kube-controller-manager's watch of nodes fails: connection refused",
		"30s  node-0: the kubelet's watch of nodes fails: too old resource version",
		"50s  node-0: the kubelet's watch of nodes fails: connection refused",
	}, storyOf(lost(10, "kubelet/node-0", refused), lost(11, "kubelet/node-1", refused), lost(12, managerName, refused),
		lost(13, "kubelet/node-0", refused), lost(30, "kubelet/node-0", "nodes: too old resource version: 1 (2)"), back,
		lost(50, "kubelet/node-0", refused)))
}

func TestAnUnknownThatCannotBeWrittenIsTold(t *testing.T) {
	expired := traces.Event{At: 105 * time.Second, Kind: heartbeat.DecisionExpired, Node: "node-0", Detail: "no heartbeat"}
	put := traces.Event{At: 135 * time.Second, Kind: traces.KindRequest, Actor: managerName, Node: "node-0", Verb: "update", Resource: "nodes/status", Reason: "timeout"}
	require.Equal(t, []string{
		"2m15s  node-0: the controller cannot write that Ready is Unknown: timeout: no heartbeat; last news at 000000.000000s",
	}, storyOf(expired, put))
}
