package scenario

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/traces"
)

// judged is the verdict on events of node-0 for an expectation, at 5 minutes.
func judged(x Expectation, events ...traces.Event) Verdict {
	x.Node = "node-0"
	c := newCheckers(&x, nil)[0]
	for i := range events {
		c.observe(&events[i])
	}
	return c.verdict(5 * time.Minute)
}

func span(from, to int) []Duration {
	return []Duration{*seconds(from), *seconds(to)}
}

func seconds(s int) *Duration { return &Duration{Duration: time.Duration(s) * time.Second} }

func struck(s int) traces.Event {
	ev := faultAt(s, "latency", faultBegins)
	ev.Name = "trouble"
	return ev
}

func deletedAt(s int) traces.Event {
	return traces.Event{At: time.Duration(s) * time.Second, Kind: traces.KindRegister, To: "deleted", Node: "node-0"}
}

func taintAt(s int, effect, what string) traces.Event {
	return traces.Event{At: time.Duration(s) * time.Second, Kind: traces.KindTaint, Name: "key", Reason: effect, To: what, Node: "node-0"}
}

func TestBecomesIsMetInsideItsWindowOnly(t *testing.T) {
	x := Expectation{Condition: "Ready", Becomes: "Unknown", Within: span(40, 55)}
	for at, ok := range map[int]bool{39: false, 40: true, 55: true, 56: false} {
		require.Equal(t, ok, judged(x, readyAt(at, "True", "Unknown")).OK, at)
	}
	require.True(t, judged(x, readyAt(10, "True", "Unknown"), readyAt(50, "False", "Unknown")).OK, "one inside is enough")
	require.False(t, judged(x, readyAt(50, "Unknown", "True")).OK, "another status")
	require.Equal(t, "never", judged(x).Got)
	require.Equal(t, "only 000010.000000s", judged(x, readyAt(10, "True", "Unknown")).Got)
}

func TestBecomesCountsFromTheFaultThatItNames(t *testing.T) {
	x := Expectation{Condition: "Ready", Becomes: "Unknown", Within: span(40, 55), Since: "trouble"}
	other := struck(80)
	other.Name = "other"
	require.True(t, judged(x, struck(60), other, readyAt(110, "True", "Unknown")).OK)
	require.False(t, judged(x, other, struck(100), readyAt(130, "True", "Unknown")).OK)
	require.False(t, judged(x, readyAt(50, "True", "Unknown")).OK)
	require.Equal(t, `the fault "trouble" never struck`, judged(x, other, readyAt(130, "True", "Unknown")).Got)
}

func TestATaintIsJudgedByItsEffect(t *testing.T) {
	x := Expectation{Taint: "key", Effect: "NoExecute", Becomes: TaintAdded, Within: span(40, 55)}
	require.True(t, judged(x, taintAt(50, "NoExecute", TaintAdded)).OK)
	require.False(t, judged(x, taintAt(50, "NoSchedule", TaintAdded)).OK)
	require.False(t, judged(x, taintAt(50, "NoExecute", TaintRemoved)).OK)
	x.Effect = ""
	require.True(t, judged(x, taintAt(50, "NoSchedule", TaintAdded)).OK, "any effect")
}

func TestStaysIsBrokenByAnotherStatusInsideItsWindow(t *testing.T) {
	x := Expectation{Condition: "Ready", Stays: "True", From: seconds(60), To: seconds(120)}
	up := readyAt(10, "False", "True")
	require.True(t, judged(x, up).OK)
	require.True(t, judged(x, up, readyAt(30, "True", "Unknown"), readyAt(40, "Unknown", "True")).OK, "before the window")
	require.True(t, judged(x, up, readyAt(121, "True", "Unknown")).OK, "after the window")
	require.False(t, judged(x, up, readyAt(100, "True", "Unknown"), readyAt(101, "Unknown", "True")).OK)
	require.False(t, judged(x, up, readyAt(30, "True", "Unknown"), readyAt(61, "Unknown", "True")).OK, "as the window opens")
	require.Equal(t, "absent 000060.000000s", judged(x).Got, "no node at all")
}

func TestStaysWithoutAFromBeginsWhenTheConditionFirstHasTheStatus(t *testing.T) {
	x := Expectation{Condition: "Ready", Stays: "True"}
	require.True(t, judged(x, readyAt(10, "", "False"), readyAt(11, "False", "True")).OK)
	require.False(t, judged(x, readyAt(11, "False", "True"), readyAt(100, "True", "Unknown"), readyAt(101, "Unknown", "True")).OK)
	require.Equal(t, "never True", judged(x, readyAt(10, "", "False")).Got)

	x.To = seconds(5)
	require.False(t, judged(x, readyAt(11, "False", "True")).OK, "a window that passed before there was a node holds nothing")
}

func TestStaysSinceAFaultBeginsWithTheStatusOfThen(t *testing.T) {
	x := Expectation{Condition: "Ready", Stays: "True", Since: "trouble"}
	up := readyAt(10, "False", "True")
	require.True(t, judged(x, up, struck(60)).OK, "nothing need change")
	require.False(t, judged(x, up, struck(60), readyAt(100, "True", "Unknown"), readyAt(170, "Unknown", "True")).OK)
	require.True(t, judged(x, up, readyAt(30, "True", "Unknown"), struck(60), readyAt(70, "Unknown", "True")).OK, "it first has it later")
}

func TestADeletedNodeStaysNothing(t *testing.T) {
	x := Expectation{Condition: "Ready", Stays: "True"}
	up := readyAt(10, "False", "True")
	require.Equal(t, "absent 000060.000000s", judged(x, up, deletedAt(60)).Got)
	x.From, x.To = seconds(100), seconds(200)
	require.Equal(t, "absent 000100.000000s", judged(x, up, deletedAt(60)).Got)
	require.False(t, judged(x, up, deletedAt(60), readyAt(120, "", "True")).OK)
}

func TestRequestsAreCountedWhereTheyWereSent(t *testing.T) {
	x := Expectation{Requests: &RequestMatch{Verb: "update", Resource: "leases"}, Count: []int{2, 3}, From: seconds(10), To: seconds(20)}
	for n, ok := range map[int]bool{1: false, 2: true, 3: true, 4: false} {
		var events []traces.Event
		for i := range n {
			events = append(events, renewalAt(12+i, 200))
		}
		require.Equal(t, ok, judged(x, append(events, renewalAt(9, 200), renewalAt(21, 200))...).OK, n)
	}

	x = Expectation{Requests: &RequestMatch{}, Count: []int{0, 0}, Since: "trouble"}
	early := renewalAt(64, 200)
	early.At = 66 * time.Second // sent before the fault, answered behind it
	require.True(t, judged(x, struck(65), early).OK)
	require.False(t, judged(x, struck(65), early, renewalAt(67, 200)).OK)
}

func TestGapsRunFromAnAnswerToTheNextRequest(t *testing.T) {
	x := Expectation{Requests: &RequestMatch{Code: 500}, Gaps: []Duration{*seconds(1), *seconds(2)}, Tolerance: Duration{Duration: 10 * time.Millisecond}}
	slow := renewalAt(11, 500)
	slow.At += 500 * time.Millisecond
	third := renewalAt(13, 500)
	third.Sent += 500 * time.Millisecond
	require.True(t, judged(x, renewalAt(10, 500), slow, third).OK)
	require.True(t, judged(x, renewalAt(10, 500), renewalAt(10, 200), slow, third, renewalAt(50, 500)).OK, "others and what comes later")
	require.False(t, judged(x, renewalAt(10, 500), renewalAt(11, 500), third).OK, "2.5 s")
	require.False(t, judged(x, renewalAt(10, 500), slow).OK, "too few")
}

func TestAWildcardIsJudgedForEachNodeByItself(t *testing.T) {
	x := Expectation{Node: EveryNode, Condition: "Ready", Stays: "True"}
	require.Len(t, newCheckers(&x, []string{"node-0", "node-1", "node-2"}), 3)
}
