package conformance

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/fakeapi"
)

// What ours is known to do otherwise. The comparisons leave these out, each in
// one place; the tests here show them, and fail when there is nothing left to
// leave out: then both go.

// TestKnownDifferenceTaintsThatStayAsTheyAreAreSent: upstream computes a patch by
// comparing JSON, in which times have whole seconds, so that a taint added again
// within its second is no change, and the patch has a resourceVersion and nothing
// else. Ours sends the taints. The server changes nothing either way. Left out in
// Log.body.
func TestKnownDifferenceTaintsThatStayAsTheyAreAreSent(t *testing.T) {
	plan := oneNode()
	plan.exact = true
	plan.watchLatency = 30 * time.Millisecond
	plan.add(30*time.Second, "not ready", change("node-0", func(n *corev1.Node) { setCondition(n, corev1.NodeReady, corev1.ConditionFalse) }))
	plan.add(30*time.Second+20*time.Millisecond, "labelled", change("node-0", func(n *corev1.Node) { n.Labels["touched"] = "1" }))
	requireDifference(t, plan,
		`patch nodes {"metadata":{"resourceVersion":"(set)"}}: 200`,
		`patch nodes {"metadata":{"resourceVersion":"(set)"},"spec":{"taints":[`)
}

// TestKnownDifferenceLabelsAreNotReadAgain: upstream's reconciliation of labels
// tries again when its GET is answered with a conflict, which no server does. Left
// out in draft.ruleFor.
func TestKnownDifferenceLabelsAreNotReadAgain(t *testing.T) {
	plan := oneNode()
	plan.add(29*time.Second, "a conflict", func(s *stage) {
		s.server.Network().Add(fakeapi.Rule{Respond: statuses[0], Count: 1, Match: fakeapi.Match{Verbs: []string{"get"}}})
	})
	plan.add(30*time.Second, "no beta label", change("node-0", func(n *corev1.Node) { delete(n.Labels, "beta.kubernetes.io/os") }))
	requireDifference(t, plan, "get nodes : 200", "")
}

// oneNode is a plan for one healthy node, and another that keeps its zone from
// full disruption.
func oneNode() *controllerPlan {
	p := dyingTogether()
	p.open = false
	p.length = 80 * time.Second
	p.steps, p.quiet = nil, nil
	for i := range 2 {
		n := &monitored{name: fmt.Sprint("node-", i), ready: corev1.ConditionTrue}
		p.add(0, n.name+" joins", func(s *stage) {
			s.server.Put(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: n.name, Labels: map[string]string{
				corev1.LabelOSStable: "linux", "beta.kubernetes.io/os": "linux"}}})
			n.report(s)
			n.renew(s)
		})
		for at := time.Second; at < p.length; at += 10 * time.Second {
			p.quiet = append(p.quiet, step{at + time.Duration(i)*time.Millisecond, "", n.renew})
		}
	}
	p.add(time.Millisecond, "the controller starts", func(s *stage) { s.start(controllerHost) })
	return p
}

// requireDifference demands that both begin to differ where these are told; "" is
// for nothing, or anything else.
func requireDifference(t *testing.T, plan *controllerPlan, upstream, ours string) {
	t.Helper()
	log, _ := ourController(t, plan)
	var theirs *Log
	upstreamController(t, plan, &theirs)
	d := earliestDifference(theirs, log)
	require.NotNil(t, d, "ours has been mended: what was left out for its sake is to be compared again")
	require.Less(t, d.i, len(d.a), d)
	require.Contains(t, d.a[d.i].What, upstream, d)
	if ours != "" {
		require.Less(t, d.i, len(d.b), d)
		require.Contains(t, d.b[d.i].What, ours, d)
	}
}
