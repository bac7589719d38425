package holtertest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/holtertest"
	"github.com/holter-sim/holter/scenario"
)

func TestADeadNodeIsNoticedWithinAMinute(t *testing.T) {
	c := holtertest.New(t, holtertest.Nodes(3), holtertest.Latency(2*time.Millisecond))
	c.RunFor(time.Minute)
	c.Kill("node-1")
	c.RequireReady("node-1", "Unknown", holtertest.Within(39*time.Second, 56*time.Second))
	c.RequireTaint("node-1", "node.kubernetes.io/unreachable:NoExecute", "added", holtertest.Within(39*time.Second, 57*time.Second))
	c.RequireReadyStays("node-0", "True")
	c.RequireRequests("node-0", "update leases", 5, 6)
	c.RequireRequests("node-1", "", 0, 0)
}

func TestRunUntilStopsAtTheVeryEvent(t *testing.T) {
	c := holtertest.New(t, holtertest.Nodes(1))
	c.RunUntil("node-0 is ready", 20*time.Second, func() bool { return c.Ready("node-0") == "True" })
	transitions := c.History().Transitions
	require.Equal(t, transitions[len(transitions)-1].At.Duration(), c.Now())
}

func TestSettingsTakeEffect(t *testing.T) {
	c := holtertest.New(t, holtertest.Nodes(2), holtertest.Set("controllerManager.node-monitor-grace-period", "20s"))
	c.RunFor(time.Minute)
	c.Pause("node-0", 2*time.Minute)
	c.RequireReady("node-0", "Unknown", holtertest.Within(9*time.Second, 25200*time.Millisecond))
}

func TestShuffledTiesChangeNoVerdict(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64Range(1, 1<<32).Draw(t, "seed")
		c := holtertest.New(asTB{t}, holtertest.Nodes(2), holtertest.Seed(seed), holtertest.ShuffleTies())
		defer c.Close()
		c.RunFor(30 * time.Second)
		c.Kill("node-1")
		c.RequireReady("node-1", "Unknown", holtertest.Within(39*time.Second, 60500*time.Millisecond))
		c.RequireReadyStays("node-0", "True")
	})
}

func TestAFailureShowsSeedAndStory(t *testing.T) {
	fake := &failing{}
	func() {
		defer func() { _ = recover() }()
		c := holtertest.New(fake, holtertest.Nodes(1), holtertest.Seed(7))
		c.RunFor(20 * time.Second)
		c.RequireReady("node-0", "Unknown", holtertest.Within(0, 30*time.Second))
	}()
	for _, cleanup := range fake.cleanups {
		cleanup()
	}
	for _, want := range []string{"node-0 Ready becomes Unknown", "want   0s to 30s after the fault", "seed   7", "node-0: registered"} {
		require.Contains(t, fake.message, want)
	}
}

func TestABadSettingIsOneLine(t *testing.T) {
	fake := &failing{}
	func() {
		defer func() { _ = recover() }()
		holtertest.New(fake, holtertest.Nodes(1), holtertest.Set("kubelet.nodeStatusUpdateFreqency", "5s"))
	}()
	require.Contains(t, fake.message, "nodeStatusUpdateFrequency")
	require.NotContains(t, strings.TrimSpace(fake.message), "\n")
}

func TestAScenarioFileCanBeDriven(t *testing.T) {
	c := holtertest.New(t, holtertest.File("../testdata/scenarios/node-death.yaml"))
	c.RunFor(3 * time.Minute)
	require.True(t, c.Result().OK())
}

func TestEveryFaultOfAScenarioCanBeInjected(t *testing.T) {
	c := holtertest.New(t, holtertest.Nodes(2))
	c.RunFor(30 * time.Second)
	c.Outage(scenario.OutageRefuse, 5*time.Second)
	c.Partition(10*time.Second, "node-0")
	c.RunFor(30 * time.Second)
	c.Restart("node-0")
	c.RunFor(10 * time.Second)
	require.Equal(t, "True", c.Ready("node-0"))
}

// failing is a TB that notes the failure and panics out of the test.
type failing struct {
	message  string
	cleanups []func()
}

func (f *failing) Helper()           {}
func (f *failing) Cleanup(fn func()) { f.cleanups = append(f.cleanups, fn) }
func (f *failing) Fatalf(format string, args ...any) {
	f.message = fmt.Sprintf(format, args...)
	panic(f)
}

// asTB gives rapid's T a Cleanup that may run late.
type asTB struct{ *rapid.T }

func (a asTB) Cleanup(f func()) { a.T.Cleanup(f) }
