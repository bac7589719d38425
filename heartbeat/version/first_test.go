package version

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func randomDelay(b Behaviors) bool { return b.Kubelet.DelayAfterNodeStatusChange }

func TestFirstIsTheOldestReleaseWithABehaviour(t *testing.T) {
	for want, has := range map[string]func(Behaviors) bool{
		"1.13.0":  func(b Behaviors) bool { return b.NodeLifecycle.PodEviction },
		"1.14.0":  func(b Behaviors) bool { return b.Lease.NodeLease },
		"1.23.14": func(b Behaviors) bool { return b.NodeLifecycle.TaintPatchHasVersion },
		"1.26.0":  func(b Behaviors) bool { return b.Kubelet.FastNodeStatusUpdate },
		"1.32.0":  randomDelay,
		"1.34.0":  func(b Behaviors) bool { return b.NodeLifecycle.TaintsByCurrent },
		"1.37.0":  func(b Behaviors) bool { return b.NodeLifecycle.NodeLeaseCircuitBreaker },
	} {
		first, ok := First(has)
		require.True(t, ok)
		require.Equal(t, want, first.String())
	}
	_, ok := First(func(Behaviors) bool { return false })
	require.False(t, ok)
}

func TestSpansEndWhereABehaviourIsTakenBack(t *testing.T) {
	require.Equal(t, []Span{{Version{32, 0}, Version{32, 3}}, {Version{34, 0}, Version{}}}, Spans(randomDelay))
	require.Equal(t, []Span{{Version{13, 0}, Version{32, 0}}, {Version{32, 3}, Version{}}},
		Spans(func(b Behaviors) bool { return b.Kubelet.NeverReportedIsExpired }))
}

func TestWhatAVersionHasNotIsRefusedWithTheFirstVersionThatHasIt(t *testing.T) {
	require.NoError(t, Require(parsed(t, "1.34"), "random report delay", randomDelay))
	require.NoError(t, Require(parsed(t, "1.32.2"), "random report delay", randomDelay))
	require.EqualError(t, Require(parsed(t, "1.20"), "random report delay", randomDelay),
		"Kubernetes 1.20 has no random report delay; the first version that has it is 1.32.0 (1.32.0 up to but without 1.32.3, and 1.34.0 or later)")
	require.EqualError(t, Require(parsed(t, "1.36.3"), "circuit breaker for Leases", func(b Behaviors) bool { return b.NodeLifecycle.NodeLeaseCircuitBreaker }),
		"Kubernetes 1.36.3 has no circuit breaker for Leases; the first version that has it is 1.37.0 (1.37.0 or later)")
	require.EqualError(t, Require(parsed(t, "1.27"), "pod eviction", func(b Behaviors) bool { return b.NodeLifecycle.PodEviction }),
		"Kubernetes 1.27 has no pod eviction; the first version that has it is 1.13.0 (1.13.0 up to but without 1.27.0)")
	require.EqualError(t, Require(parsed(t, "1.27"), "telepathy", func(Behaviors) bool { return false }),
		"Kubernetes 1.27 has no telepathy; no version that is known has it")
}

// lookups are what is known of each flag at the releases around its changes, by the specification's words.
func TestLookupsGoByPatchRange(t *testing.T) {
	at := func(text string) Behaviors { return Lookup(parsed(t, text)) }
	const beat = 40 * time.Second

	for text, want := range map[string]time.Duration{"1.13.0": beat, "1.31": beat, "1.31.14": beat, "1.32.0": 50 * time.Second, "1.37.1": 50 * time.Second} {
		require.Equal(t, want, at(text).NodeLifecycle.NodeMonitorGracePeriod, text)
	}
	for text, want := range map[string]time.Duration{"1.13": time.Minute, "1.16.15": time.Minute, "1.17.0": 5 * time.Minute, "1.36": 5 * time.Minute} {
		require.Equal(t, want, at(text).Kubelet.NodeStatusReportFrequency, text)
	}
	for text, want := range map[string]float64{"1.20.7": 0, "1.20.8": 0.04, "1.21.0": 0, "1.21.1": 0, "1.21.2": 0.04, "1.22.0": 0.04} {
		require.Equal(t, want, at(text).Lease.JitterFactor, text)
	}
	for text, want := range map[string]RenewInterval{
		"1.13": RenewEvery10s, "1.14.5": RenewEvery10s, "1.14.6": RenewWithStatusUpdate, "1.15.0": RenewEvery10s,
		"1.15.3": RenewWithStatusUpdate, "1.16.0": RenewFourTimes, "1.37": RenewFourTimes,
	} {
		require.Equal(t, want, at(text).Lease.RenewInterval, text)
	}
	for text, want := range map[string]Requeue{
		"1.18.16": KeepsPlace, "1.18.17": RenewsPlace, "1.19.0": AddsPlace, "1.19.8": AddsPlace, "1.19.9": RenewsPlace,
		"1.20.4": AddsPlace, "1.20.5": RenewsPlace, "1.21.0": RenewsPlace, "1.36": RenewsPlace,
	} {
		require.Equal(t, want, at(text).NodeLifecycle.TaintRequeue, text)
	}
	for text, want := range map[string]bool{
		"1.23.13": false, "1.23.14": true, "1.24.8": false, "1.24.9": true, "1.25.3": false, "1.25.4": true, "1.26.0": true, "1.37": true,
	} {
		require.Equal(t, want, at(text).NodeLifecycle.TaintPatchHasVersion, text)
	}
}

func TestLookupsOfTheReportRegression(t *testing.T) {
	for text, want := range map[string][2]bool{ // delays, never reported is expired
		"1.31.14": {false, true}, "1.32.0": {true, false}, "1.32.2": {true, false}, "1.32.3": {false, true}, "1.33": {false, true}, "1.34.0": {true, true},
	} {
		k := Lookup(parsed(t, text)).Kubelet
		require.Equal(t, want, [2]bool{k.DelayAfterNodeStatusChange, k.NeverReportedIsExpired}, text)
	}
}

func TestLookupsOfWhatBecomesOfALeaseWhoseNodeIsDeleted(t *testing.T) {
	type leak struct{ gets, again, create, update bool }
	for text, want := range map[string]leak{
		"1.15": {gets: true, create: true, update: true},                         // five conflicts, then GET and CREATE
		"1.16": {again: true, create: true, update: true},                        // GET and CREATE after the conflict
		"1.17": {again: true, update: true}, "1.28": {again: true, update: true}, // GET and PUT
		"1.29": {again: true}, "1.37": {again: true}, // none
	} {
		l := Lookup(parsed(t, text)).Lease
		require.Equal(t, want, leak{l.GetsBeforeUpdate, l.GetsAfterConflict, l.CreatesOwnerless, l.UpdatesOwnerless}, text)
	}
}
