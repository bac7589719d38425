package scenario

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Faults of one kind may overlap: what the first does, the end of the last
// undoes.

// clusterWith is one node that starts at 1 s, and faults.
func clusterWith(t *testing.T, faults string) *Cluster {
	t.Helper()
	s, _, err := Decode(fmt.Appendf(nil, `
apiVersion: holter/v1alpha1
kind: Scenario
metadata: {name: test}
spec: {kubernetesVersion: "1.36", seed: 1, duration: 5m, nodes: [{count: 1, start: {at: 1s}}], faults: %s}
`, faults), "test.yaml")
	require.NoError(t, err)
	c, err := Build(s, Options{Check: true})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// states says at each of those seconds whether the thing is up.
func states(t *testing.T, c *Cluster, up func() bool, seconds ...int) []bool {
	t.Helper()
	var got []bool
	for _, s := range seconds {
		require.NoError(t, c.RunUntil(time.Duration(s)*time.Second+time.Millisecond))
		got = append(got, up())
	}
	require.NoError(t, c.RunUntil(5*time.Minute))
	return got
}

func TestAKubeletIsPausedAslongAsOnePauseHolds(t *testing.T) {
	c := clusterWith(t, `[{at: 60s, pause: {node: node-0}, for: 30s}, {at: 70s, pause: {node: node-0}, for: 120s}]`)
	runs := func() bool { return !c.Node("node-0").Host().Paused() }
	require.Equal(t, []bool{true, false, false, false, true}, states(t, c, runs, 59, 60, 90, 189, 190))
}

func TestAKubeletIsDeadAsLongAsOneKillHolds(t *testing.T) {
	alive := func(c *Cluster) func() bool { return c.Node("node-0").Host().Alive }
	c := clusterWith(t, `[{at: 60s, kill: {node: node-0}, for: 20s}, {at: 70s, kill: {node: node-0}}]`)
	require.Equal(t, []bool{false, false, false}, states(t, c, alive(c), 60, 80, 200))
	c = clusterWith(t, `[{at: 60s, kill: {node: node-0}, for: 20s}, {at: 70s, kill: {node: node-0}, for: 20s}]`)
	require.Equal(t, []bool{false, false, true}, states(t, c, alive(c), 60, 80, 90))
}

func TestARestartEndsEveryKill(t *testing.T) {
	c := clusterWith(t, `[{at: 60s, kill: {node: node-0}, for: 60s}, {at: 70s, restart: {node: node-0}}, {at: 100s, kill: {node: node-0}}]`)
	require.Equal(t, []bool{false, true, false, false}, states(t, c, c.Node("node-0").Host().Alive, 60, 70, 100, 120))
	require.Equal(t, 1, c.Node("node-0").Host().Incarnation())
}

func TestAKubeletStartedUnderPauseComesToNothingBeforeItEnds(t *testing.T) {
	c := clusterWith(t, `[{at: 60s, pause: {node: node-0}, for: 60s}, {at: 70s, restart: {node: node-0}}]`)
	require.NoError(t, c.RunUntil(119*time.Second))
	require.True(t, c.Node("node-0").Host().Paused())
	before := c.History().Requests["create nodes"]
	require.NoError(t, c.RunUntil(125*time.Second))
	require.Equal(t, before+1, c.History().Requests["create nodes"])
}

func TestAMachineRunsOneKubelet(t *testing.T) {
	for _, early := range []string{`restart: {node: node-0}`, `kill: {node: node-0}, for: 200ms`} {
		c := clusterWith(t, `[{at: 500ms, `+early+`}]`)
		require.NoError(t, c.RunUntil(5*time.Minute))
		require.Equal(t, 1, c.History().Requests["create nodes"], early)
		require.Less(t, c.History().Requests["update leases"], 32, early)
	}
}

func TestTheAPIServerIsAwayAsLongAsOneOutageHolds(t *testing.T) {
	up := func(c *Cluster) func() bool {
		return func() bool { return c.Server().Host().Alive() && !c.Server().Host().Paused() }
	}
	c := clusterWith(t, `[{at: 60s, outage: {mode: refuse}, for: 30s}, {at: 70s, outage: {mode: refuse}, for: 60s}]`)
	require.Equal(t, []bool{false, false, true}, states(t, c, up(c), 60, 90, 130))
	c = clusterWith(t, `[{at: 60s, outage: {mode: stop}, for: 30s}, {at: 70s, outage: {mode: refuse}, for: 10s}]`)
	require.Equal(t, []bool{false, false, false, true}, states(t, c, up(c), 60, 70, 80, 90))
	c = clusterWith(t, `[{at: 60s, outage: {mode: refuse}, for: 30s}, {at: 70s, outage: {mode: stop}, for: 10s}]`)
	require.Equal(t, []bool{false, false, false, true}, states(t, c, up(c), 60, 70, 80, 90))
}

func TestTheControllerManagerIsDownAsLongAsOneRestartLasts(t *testing.T) {
	c := clusterWith(t, `[{at: 60s, restartControllerManager: {}, for: 30s}, {at: 70s, restartControllerManager: {}, for: 60s}]`)
	require.Equal(t, []bool{false, false, true}, states(t, c, c.ControllerManager().Host().Alive, 60, 90, 130))
	require.Equal(t, 1, c.ControllerManager().Host().Incarnation())
}
