package scenario

import (
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/traces"
)

// deathSeeds is how many deaths the bounds are held against.
const deathSeeds = 1000

// death is one kubelet's death and what the controller knew of it.
type death struct {
	seed   uint64
	at     time.Duration // of the kill
	lease  time.Duration // the last renewal reached the controller
	report time.Duration // the last status report reached it
	after  time.Duration // from the kill to Ready=Unknown
}

// TestDeathIsNoticedWithinTheBoundsOfUpstream draws the moment of a death from
// two report periods and holds each run against what the algorithm of
// tryUpdateNodeHealth allows: not before the grace period after the last news,
// not later than the first pass after it; and one pass more where a status
// report came after the last renewal that a pass has seen.
func TestDeathIsNoticedWithinTheBoundsOfUpstream(t *testing.T) {
	deaths := dieAtAnyTime(t)
	const (
		grace  = 50 * time.Second
		period = 5*time.Second + 2*400*time.Microsecond // with the cost of a pass over two nodes
		rpc    = 50 * time.Millisecond                  // the PUT, and the way of the news to the controller
	)
	var beyond int
	all := make([]time.Duration, 0, len(deaths))
	for _, d := range deaths {
		news := max(d.lease, d.report)
		latest := news + period + 10*period + rpc // seen by a pass, and ten passes are more than the grace period
		if d.report > d.lease-period {
			latest += period // the report made a pass forget the Lease
		}
		unknown := d.at + d.after
		require.Greater(t, unknown, news+grace, "seed %d: Unknown before the grace period was over", d.seed)
		require.Less(t, unknown, latest, "seed %d: Unknown later than any pass can be", d.seed)
		require.Greater(t, d.after, grace-10400*time.Millisecond-rpc, "seed %d", d.seed)
		if d.after > 55*time.Second+rpc {
			beyond++
			require.Greater(t, d.report, d.lease-period, "seed %d: beyond 55 s without a status report at the end", d.seed)
		}
		all = append(all, d.after)
	}
	require.Positive(t, beyond, "a report at the end costs one more period now and then")
	slices.Sort(all)
	t.Logf("%d deaths: p50 %s, p99 %s, max %s, min %s; %d beyond 55 s", len(all),
		all[len(all)/2], all[len(all)*99/100], all[len(all)-1], all[0], beyond)
}

func dieAtAnyTime(t *testing.T) []death {
	t.Helper()
	base, _, err := Load("../testdata/seeds/death-at-any-time.yaml", nil)
	require.NoError(t, err)
	deaths := make([]death, deathSeeds)
	errs := make([]error, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for worker := range errs {
		wg.Go(func() {
			for i := worker; i < deathSeeds && errs[worker] == nil; i += len(errs) {
				deaths[i], errs[worker] = dieOnce(base, uint64(i+1))
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	return deaths
}

func dieOnce(base *Scenario, seed uint64) (death, error) {
	s := *base
	s.Spec.Seed = seed
	d := death{seed: seed}
	heartbeats := ""
	watch := traces.SinkFunc(func(ev *traces.Event) error {
		if ev.Node != "node-1" || d.after != 0 {
			return nil
		}
		switch {
		case ev.Kind == traces.KindFault:
			d.at = ev.At
		case ev.Kind == traces.KindWatch && ev.Resource == "leases":
			d.lease = ev.At
		case ev.Kind == traces.KindWatch && ev.Resource == "nodes" && heartbeatOf(ev.Detail) != heartbeats:
			d.report, heartbeats = ev.At, heartbeatOf(ev.Detail)
		case ev.Kind == traces.KindTransition && ev.Name == "Ready" && ev.To == "Unknown":
			d.after = ev.At - d.at
		}
		return nil
	})
	_, err := Run(&s, Options{Sinks: []traces.Sink{watch}}, nil)
	return d, err
}
