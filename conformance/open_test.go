package conformance

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/holter-sim/holter/heartbeat/nodelifecycle"
	"github.com/holter-sim/holter/heartbeat/version"
)

// together is how many nodes die at one instant.
const together = 3

// TestNodesThatDieTogetherAreTaintedAsUpstreamsInSomeOrder leaves to chance in
// upstream what the other test settles: the order of the nodes in a pass, with
// eight workers, and in the queue. Three of eight nodes die at one instant. They
// turn Unknown in one pass and take their NoExecute taints 10 s apart, in any
// order; which node it is at a time is all that may differ. The test says so by
// giving the three one name.
func TestNodesThatDieTogetherAreTaintedAsUpstreamsInSomeOrder(t *testing.T) {
	plan := dyingTogether()
	ours, _ := ourController(t, plan)
	orders := map[string]bool{taintOrder(ours): true}
	for range 20 {
		var theirs *Log
		upstreamController(t, plan, &theirs)
		require.Equal(t, nameless(ours), nameless(theirs))
		orders[taintOrder(theirs)] = true
	}
	require.Greater(t, len(orders), 1, "the order is open")
	t.Logf("upstream took %d of the 6 orders", len(orders))
}

// dyingTogether is eight nodes, of which three are heard of for a minute.
func dyingTogether() *controllerPlan {
	d := &draft{}
	d.length, d.latency, d.watchLatency, d.seed = 4*time.Minute, 10500*time.Microsecond, 3*time.Millisecond, 1
	d.clients = []string{controllerHost}
	p := &controllerPlan{firstPass: 37 * time.Millisecond, zones: 1, open: true, config: nodelifecycle.Config{
		NodeMonitorPeriod: 5 * time.Second, NodeMonitorGracePeriod: 50 * time.Second, NodeStartupGracePeriod: time.Minute,
		NodeEvictionRate: 0.1, SecondaryNodeEvictionRate: 0.01, LargeClusterSizeThreshold: 50, UnhealthyZoneThreshold: 0.55,
		Behaviors: version.Lookup(version.Version{Minor: 36, Patch: version.Newest}),
	}}
	for i := range 8 {
		n := &monitored{name: fmt.Sprint("node-", i), ready: corev1.ConditionTrue}
		d.add(0, n.name+" joins", func(s *stage) {
			s.putNode(n.name)
			n.report(s)
			n.renew(s)
		})
		for at := time.Second + time.Duration(i)*time.Millisecond; at < d.length; at += 10 * time.Second {
			if i >= together || at < time.Minute {
				d.quiet = append(d.quiet, step{at, "", n.renew})
			}
		}
	}
	d.add(time.Millisecond, "the controller starts", func(s *stage) { s.start(controllerHost) })
	p.plan = d.plan
	return p
}

// nameless is what a log tells of the nodes, in the order of time, the three that
// die being all called one of them.
func nameless(log *Log) []string {
	var out []Entry
	for _, e := range log.Entries {
		if !strings.HasPrefix(e.Subject, "node-") || e.Subject == controllerHost {
			continue
		}
		if dies(e.Subject) {
			e.What = uids.ReplaceAllString(strings.ReplaceAll(e.What, e.Subject, "one of them"), "uid=")
			e.Subject = "one of them"
		}
		out = append(out, e)
	}
	slices.SortFunc(out, func(x, y Entry) int {
		return cmp.Or(cmp.Compare(x.At, y.At), strings.Compare(x.Subject, y.Subject), strings.Compare(x.What, y.What))
	})
	lines := make([]string, len(out))
	for i, e := range out {
		lines[i] = e.Subject + " " + e.String()
	}
	return lines
}

var uids = regexp.MustCompile(`uid=[-0-9a-f]*`)

func dies(node string) bool { return slices.Contains([]string{"node-0", "node-1", "node-2"}, node) }

// taintOrder is the order in which the nodes took their NoExecute taints.
func taintOrder(log *Log) string {
	var order []string
	for _, e := range log.Entries {
		if e.What == "taint +node.kubernetes.io/unreachable:NoExecute" {
			order = append(order, e.Subject)
		}
	}
	return strings.Join(order, " ")
}
