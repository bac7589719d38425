package scenario

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/sim"
	"github.com/holter-sim/holter/traces"
)

// lines are the events of one node, at a second each.
func faultAt(s int, verb, what string) traces.Event {
	return traces.Event{At: time.Duration(s) * time.Second, Kind: traces.KindFault, Reason: verb, To: what, Node: "node-0"}
}

func renewalAt(s, code int) traces.Event {
	return traces.Event{At: time.Duration(s) * time.Second, Sent: time.Duration(s) * time.Second, Kind: traces.KindRequest,
		Actor: "kubelet/node-0", Node: "node-0", Verb: "update", Resource: "leases", Code: code}
}

func readyAt(s int, from, to string) traces.Event {
	return traces.Event{At: time.Duration(s) * time.Second, Kind: traces.KindTransition, Name: "Ready", From: from, To: to, Node: "node-0"}
}

func silencesOf(events ...traces.Event) silences {
	s := newSilences()
	for i := range events {
		s.take(&events[i])
	}
	return s
}

func found(s int, after time.Duration) Detection {
	return Detection{At: sim.Time(time.Duration(s) * time.Second), Node: "node-0", After: after}
}

func falseAlarm(s int) Detection {
	return Detection{At: sim.Time(time.Duration(s) * time.Second), Node: "node-0", False: true}
}

func TestANodeFoundAfterItsPartitionEndedAndBeforeItWasHeardIsNoFalseAlarm(t *testing.T) {
	// The partition ends before the controller's pass that finds the node, and no renewal has come in between.
	s := silencesOf(faultAt(60, "partition", faultBegins), renewalAt(61, 200), faultAt(109, "partition", faultEnds),
		readyAt(110, "True", "Unknown"), renewalAt(112, 200), readyAt(113, "Unknown", "True"), readyAt(200, "True", "Unknown"))
	require.Equal(t, []Detection{found(110, 50*time.Second), falseAlarm(200)}, s.detections)
	require.Equal(t, 1, s.count)
}

func TestARestartEndsAKillAndNoPartition(t *testing.T) {
	s := silencesOf(faultAt(60, "partition", faultBegins), faultAt(70, "kill", faultBegins), faultAt(80, "restart", faultBegins),
		renewalAt(81, 200), readyAt(112, "True", "Unknown"))
	require.Equal(t, []Detection{found(112, 52*time.Second)}, s.detections)

	s = silencesOf(faultAt(70, "kill", faultBegins), faultAt(80, "restart", faultBegins), renewalAt(81, 200), readyAt(132, "True", "Unknown"))
	require.Equal(t, []Detection{falseAlarm(132)}, s.detections)
}

func TestARefusedRenewalEndsNoSilence(t *testing.T) {
	s := silencesOf(faultAt(60, "pause", faultBegins), faultAt(70, "pause", faultEnds), renewalAt(71, 500), readyAt(112, "True", "Unknown"))
	require.Equal(t, []Detection{found(112, 52*time.Second)}, s.detections)
}

func TestANodeThatIsUnknownAlreadyIsNotFoundAgain(t *testing.T) {
	s := silencesOf(readyAt(10, "True", "Unknown"), faultAt(60, "kill", faultBegins), readyAt(70, "Unknown", "True"), readyAt(80, "True", "Unknown"))
	require.Equal(t, []Detection{falseAlarm(10)}, s.detections)
	require.Zero(t, s.count)
}
