package kubelet

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/sim"
)

// What tests do to a lab, and what they read from it.

// put changes the stored node, as somebody else would, and returns it.
func (l *lab) put(edit func(*corev1.Node)) *corev1.Node {
	node := l.server.Node("n").DeepCopy()
	edit(node)
	return l.server.Put(node).(*corev1.Node)
}

// unknown does what the node lifecycle controller does to a silent node.
func unknown(node *corev1.Node) {
	for i := range node.Status.Conditions {
		node.Status.Conditions[i].Status = corev1.ConditionUnknown
		node.Status.Conditions[i].Reason = "NodeStatusUnknown"
	}
}

// at runs f at so long after the start, as an event of nobody's host.
func (l *lab) at(d time.Duration, f func()) { l.engine.At(sim.Time(d), f) }

// reports are the status patches of the heartbeat client sent at or after from.
func (l *lab) reports(from time.Duration) []fakeapi.Call {
	var out []fakeapi.Call
	for _, c := range l.callsOf("patch nodes/status") {
		if c.Client == heartbeatClient && c.Sent.Duration() >= from {
			out = append(out, c)
		}
	}
	return out
}

// tickAfter runs to the next status tick later than d, what it sends included,
// and returns when it was.
func (l *lab) tickAfter(d time.Duration) time.Duration {
	l.t.Helper()
	l.to(d)
	seen := len(l.ticks)
	require.NoError(l.t, l.engine.RunWhile(func() bool { return len(l.ticks) == seen }, l.engine.Now().Add(time.Hour)))
	tick := l.ticks[seen]
	l.to(tick + ms)
	return tick
}

// events are the reasons of the events recorded from there on, repeats included.
func (l *lab) events(from time.Duration) []string {
	var out []string
	for _, c := range l.callsOf("") {
		if c.Resource != "events" || c.Sent.Duration() < from {
			continue
		}
		if ev, created := c.Object.(*corev1.Event); created {
			out = append(out, ev.Reason)
		} else {
			out = append(out, c.Result.(*corev1.Event).Reason)
		}
	}
	return out
}

// stored is a condition as the server has it; it must be there.
func (l *lab) stored(kind corev1.NodeConditionType) corev1.NodeCondition {
	l.t.Helper()
	return *condition(&l.server.Node("n").Status, kind)
}

// watchBy watches nodes by a client.
func (l *lab) watchBy(client *fakeapi.Client) heartbeat.WatchFunc {
	return func(ctx context.Context, o metav1.ListOptions) (heartbeat.Watch, error) {
		w, err := client.Nodes().Watch(ctx, o)
		if err != nil {
			return nil, err
		}
		return w, nil
	}
}

// wall is the API's time of so long after the start.
func (l *lab) wall(d time.Duration) metav1.Time {
	return metav1.Time{Time: l.engine.Start().Add(d).Truncate(time.Second)}
}

// quarters counts in which quarter of [from, from+width) values lie; -1 is
// below it, and 4 and more beyond.
func quarters(values []time.Duration, from, width time.Duration) map[int]int {
	out := map[int]int{}
	for _, v := range values {
		if v < from {
			out[-1]++
		} else {
			out[int((v-from)*4/width)]++
		}
	}
	return out
}
