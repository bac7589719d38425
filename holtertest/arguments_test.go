package holtertest_test

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/holtertest"
	"github.com/holter-sim/holter/scenario"
)

// refusal is what a test is told that does this to a cluster of three nodes, one minute into its run.
func refusal(do func(c *holtertest.Cluster)) string {
	fake := &failing{}
	func() {
		defer func() {
			if p := recover(); p != nil && p != any(fake) {
				panic(p)
			}
		}()
		c := holtertest.New(fake, holtertest.Nodes(3))
		c.RunFor(time.Minute)
		do(c)
	}()
	for _, cleanup := range fake.cleanups {
		cleanup()
	}
	return fake.message
}

func TestABadArgumentFailsTheTestInOneLineThatSaysWhatIsAccepted(t *testing.T) {
	const nodes, orEach = `accepted: node-0, node-1, node-2`, `accepted: node-0, node-1, node-2, *`
	within := holtertest.Within(0, time.Minute)
	for want, do := range map[string]func(c *holtertest.Cluster){
		`holtertest: kill.node: "node-9" is no node of this scenario; ` + orEach:          func(c *holtertest.Cluster) { c.Kill("node-9") },
		`holtertest: restart.node: "node-9" is no node of this scenario; ` + orEach:       func(c *holtertest.Cluster) { c.Restart("node-9") },
		`holtertest: pause.node: "node-9" is no node of this scenario; ` + orEach:         func(c *holtertest.Cluster) { c.Pause("node-9", time.Second) },
		`holtertest: partition.nodes[1]: "node-9" is no node of this scenario; ` + orEach: func(c *holtertest.Cluster) { c.Partition(time.Second, "node-0", "node-9") },
		`holtertest: partition.nodes: missing: nobody is cut off; `:                       func(c *holtertest.Cluster) { c.Partition(time.Second) },
		`holtertest: outage.mode: "stopp" is no mode of an outage, did you mean stop?; `:  func(c *holtertest.Cluster) { c.Outage("stopp", time.Second) },
		`holtertest: for: "-1s" is negative; accepted: a duration over 0s`:                func(c *holtertest.Cluster) { c.Pause("node-0", -time.Second) },
		`holtertest: does nothing: its verb is missing; accepted: exactly one of kill, `:  func(c *holtertest.Cluster) { c.Inject(scenario.Fault{}) },
		`holtertest: holdWatch.client: "node-9" is no node of this scenario; ` + nodes: func(c *holtertest.Cluster) {
			c.Inject(scenario.Fault{HoldWatch: &scenario.HoldWatchFault{Client: "node-9"}})
		},
		`holtertest: Ready: "node-9" is no node of this cluster; ` + nodes:        func(c *holtertest.Cluster) { c.Ready("node-9") },
		`holtertest: RequireReady: "node-9" is no node of this cluster; ` + nodes: func(c *holtertest.Cluster) { c.RequireReady("node-9", "Unknown", within) },
		`holtertest: RequireReadyStays: "*" is no node of this cluster; ` + nodes: func(c *holtertest.Cluster) { c.RequireReadyStays("*", "True") },
		`holtertest: RequireTaint: "node-9" is no node of this cluster; ` + nodes: func(c *holtertest.Cluster) {
			c.RequireTaint("node-9", "node.kubernetes.io/unreachable:NoExecute", "added", within)
		},
		`holtertest: RequireRequests: "node-9" is no node of this cluster; ` + nodes:           func(c *holtertest.Cluster) { c.RequireRequests("node-9", "", 0, 0) },
		`holtertest: Requests: "node-9" is no node of this cluster; ` + nodes:                  func(c *holtertest.Cluster) { c.Requests("node-9", "") },
		`holtertest: RequireReady: "unknown" is no status of a condition, did you mean Unkn`:   func(c *holtertest.Cluster) { c.RequireReady("node-0", "unknown", within) },
		`holtertest: RequireReady: " " is no status of a condition; accepted: True, False, U`:  func(c *holtertest.Cluster) { c.RequireReady("node-0", "", within) },
		`holtertest: RequireReadyStays: "Ready" is no status of a condition; accepted: True, `: func(c *holtertest.Cluster) { c.RequireReadyStays("node-0", "Ready") },
		`holtertest: RequireReady: "[1m, 1s]" ends before it begins; accepted: [first, last]`: func(c *holtertest.Cluster) {
			c.RequireReady("node-0", "True", holtertest.Within(time.Minute, time.Second))
		},
		`holtertest: RequireReady: "-1s" is negative; accepted: a duration from 0s`: func(c *holtertest.Cluster) { c.RequireReady("node-0", "True", holtertest.Within(-time.Second, 0)) },
		`holtertest: RequireTaint: "node.kubernetes.io/unreachable" is no taint; accepted: K`: func(c *holtertest.Cluster) {
			c.RequireTaint("node-0", "node.kubernetes.io/unreachable", "added", within)
		},
		`holtertest: RequireTaint: "unreachable" is no taint that the model sets; accepted: `: func(c *holtertest.Cluster) { c.RequireTaint("node-0", "unreachable:NoExecute", "added", within) },
		`holtertest: RequireTaint: "gone" is no change of a taint; accepted: added, removed`: func(c *holtertest.Cluster) {
			c.RequireTaint("node-0", "node.kubernetes.io/unreachable:NoExecute", "gone", within)
		},
		`holtertest: RequireRequests: "leases" is no kind of requests; accepted: VERB RESOUR`: func(c *holtertest.Cluster) { c.RequireRequests("node-0", "leases", 0, 0) },
		`holtertest: RequireRequests: "lease" is no resource of the model, did you mean leas`: func(c *holtertest.Cluster) { c.RequireRequests("node-0", "update lease", 0, 0) },
		`holtertest: RequireRequests: "[2, 1]" ends before it begins; accepted: [least, most`: func(c *holtertest.Cluster) { c.RequireRequests("node-0", "", 2, 1) },
		`holtertest: RunFor: "-1s" cannot be run at 1m0s; accepted: a duration from 0s`:       func(c *holtertest.Cluster) { c.RunFor(-time.Second) },
		`holtertest: RunUntil: "-1s" cannot be run at 1m0s; accepted: a duration from 0s`:     func(c *holtertest.Cluster) { c.RunUntil("never", -time.Second, func() bool { return false }) },
	} {
		if do == nil {
			continue
		}
		got := refusal(do)
		require.True(t, strings.HasPrefix(got, want), "want %s\ngot  %s", want, got)
		require.NotContains(t, got, "\n")
	}
}

func TestABadArgumentIsToldAtTheCallersLine(t *testing.T) {
	const only = "HOLTERTEST_BAD_ARGUMENT"
	bad := []func(c *holtertest.Cluster){
		func(c *holtertest.Cluster) { c.Kill("node-9") },
		func(c *holtertest.Cluster) { c.RequireReadyStays("node-9", "True") },
		func(c *holtertest.Cluster) { c.RunFor(-1) },
	}
	_, _, line, _ := runtime.Caller(0)
	if which, err := strconv.Atoi(os.Getenv(only)); err == nil {
		bad[which](holtertest.New(t, holtertest.Nodes(1)))
		return
	}
	for i := range bad {
		cmd := exec.Command(os.Args[0], "-test.run=^TestABadArgumentIsToldAtTheCallersLine$", "-test.count=1")
		cmd.Env = append(os.Environ(), only+"="+strconv.Itoa(i))
		out, err := cmd.CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(out), "arguments_test.go:"+strconv.Itoa(line-4+i)+": holtertest: ", string(out))
	}
}

func TestAFaultWithoutAnEndLastsAsLongAsTheTest(t *testing.T) {
	c := holtertest.New(t, holtertest.Nodes(2))
	c.RunFor(time.Minute)
	c.Pause("node-0", 0)
	c.RunFor(10 * time.Minute)
	require.Equal(t, "Unknown", c.Ready("node-0"))
}
