package scenario

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/traces"
)

// eventsOf runs one node for three minutes and keeps what is asked for.
func eventsOf(t *testing.T, nodes, faults string, keep func(*traces.Event) bool) []traces.Event {
	t.Helper()
	s, _, err := Decode(fmt.Appendf(nil, `
apiVersion: holter/v1alpha1
kind: Scenario
metadata: {name: test}
spec: {kubernetesVersion: "1.36", seed: 1, duration: 3m, nodes: [%s], faults: %s}
`, nodes, faults), "test.yaml")
	require.NoError(t, err)
	var events []traces.Event
	_, err = Run(s, Options{Check: true, Sinks: []traces.Sink{traces.SinkFunc(func(ev *traces.Event) error {
		if keep(ev) {
			events = append(events, *ev)
		}
		return nil
	})}}, nil)
	require.NoError(t, err)
	return events
}

func TestAPartitionHoldsWatchesAndLetsThemCatchUp(t *testing.T) {
	delivered := func(faults string) (within, after int) {
		for _, ev := range eventsOf(t, `{count: 1}`, faults, func(ev *traces.Event) bool { return ev.Kind == traces.KindWatch }) {
			switch {
			case ev.At > 60*time.Second && ev.At < 90*time.Second:
				within++
			case ev.At >= 90*time.Second && ev.At < 91*time.Second:
				after++
			}
		}
		return within, after
	}
	within, after := delivered(`[]`)
	require.Equal(t, [2]int{3, 0}, [2]int{within, after}, "renewals")
	within, after = delivered(`[{at: 60s, partition: {controllerManager: true}, for: 30s}]`)
	require.Equal(t, [2]int{0, 3}, [2]int{within, after})
}

func TestANodesClockIsOffByItsOffset(t *testing.T) {
	renewals := eventsOf(t, `{count: 1, clock: {offset: -3s}}`, `[]`, func(ev *traces.Event) bool { return ev.Verb == "update" && ev.Resource == "leases" })
	require.Greater(t, len(renewals), 10)
	for _, ev := range renewals {
		at, err := time.Parse(time.RFC3339Nano, ev.RenewTime)
		require.NoError(t, err)
		epoch := at.Truncate(24 * time.Hour)
		if at.Sub(epoch) > 12*time.Hour {
			epoch = epoch.Add(24 * time.Hour)
		}
		require.InDelta(t, (ev.Sent - 3*time.Second).Seconds(), at.Sub(epoch).Seconds(), 1e-6)
	}
}
