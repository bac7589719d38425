package scenario

import (
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/holter-sim/holter/sim"
)

// Distribution is what one scenario comes to over many seeds. It depends on the scenario and the list of seeds alone,
// not on how many ran side by side.
type Distribution struct {
	Scenario          string `json:"scenario"`
	KubernetesVersion string `json:"kubernetesVersion"`
	Runs              int    `json:"runs"`
	Nodes             int    `json:"nodes"` // of each run
	// Simulated is the virtual time of each run, NodeHours the virtual hours of all nodes of all runs.
	Simulated string  `json:"simulated"`
	NodeHours float64 `json:"nodeHours"`

	// Silences counts the nodes that a kill, pause or partition kept from being heard, from the moment it struck until
	// the API server next took a heartbeat of their kubelet; a node that was Unknown already is not counted.
	Silences int `json:"silences"`
	// Detection is how long those were silent before their Ready condition turned Unknown.
	Detection DetectionStats `json:"detection"`
	// NotDetected are the seeds in which a silence passed, or lasted to the end of the run, without that.
	NotDetected []uint64 `json:"notDetected"`
	// FalseNotReady is about nodes that turned Unknown outside such a silence, whatever else was amiss.
	FalseNotReady FalseNotReady `json:"falseNotReady"`
	// Failed are the runs that broke an expectation or an invariant.
	Failed []SeedFailure `json:"failed"`
}

// DetectionStats are percentiles by nearest rank: P99 is the shortest of the recorded times that at least 99% of them do
// not exceed, so each of them was really measured in some run. All are 0 where Count is.
type DetectionStats struct {
	Count                   int
	Min, P50, P90, P99, Max time.Duration
	SeedOfMin, SeedOfMax    uint64 // the first in the list of seeds, where several are equal
}

// MarshalJSON writes the times with fixed width, as a trace does.
func (d DetectionStats) MarshalJSON() ([]byte, error) {
	text := func(t time.Duration) string { return sim.Time(t).String() }
	return json.Marshal(struct {
		Count     int    `json:"count"`
		Min       string `json:"min"`
		P50       string `json:"p50"`
		P90       string `json:"p90"`
		P99       string `json:"p99"`
		Max       string `json:"max"`
		SeedOfMin uint64 `json:"seedOfMin"`
		SeedOfMax uint64 `json:"seedOfMax"`
	}{d.Count, text(d.Min), text(d.P50), text(d.P90), text(d.P99), text(d.Max), d.SeedOfMin, d.SeedOfMax})
}

// FalseNotReady counts false alarms.
type FalseNotReady struct {
	Count       int      `json:"count"`
	PerNodeHour float64  `json:"perNodeHour"`
	Seeds       []uint64 `json:"seeds"` // with at least one
}

// SeedFailure is a run that broke something: the verdicts that are not OK, and the violations.
type SeedFailure struct {
	Seed       uint64      `json:"seed"`
	Verdicts   []Verdict   `json:"expectations"`
	Violations []Violation `json:"violations"`
}

// OK tells whether no run broke anything.
func (d *Distribution) OK() bool { return len(d.Failed) == 0 }

// SeedProgress is told now and then how many runs are done, by one goroutine at a time.
type SeedProgress func(done, total int)

// RunSeeds runs a scenario once with each of the seeds, on so many goroutines (at least 1), and sums up. The error is bad
// input (*InputError), or what ended the run of the first seed in the list that did not come to its end, with the seed
// (*sim.ProcessPanic, wrapped); the seeds behind it may not have been run.
func RunSeeds(s *Scenario, seeds []uint64, workers int, progress SeedProgress) (*Distribution, error) {
	return RunSeedsUntil(s, seeds, workers, progress, nil)
}

// RunSeedsUntil is RunSeeds that begins no run once stop says so, and breaks off those that are running: what it sums up
// are the runs that had ended. stop is asked by all goroutines; nil never stops.
func RunSeedsUntil(s *Scenario, seeds []uint64, workers int, progress SeedProgress, stop func() bool) (*Distribution, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	b := &seedBatch{scenario: s, seeds: seeds, runs: make([]seedRun, len(seeds)), progress: progress, stop: stop}
	b.failed.Store(int64(len(seeds)))
	var group sync.WaitGroup
	for range max(1, min(workers, len(seeds))) {
		group.Go(b.work)
	}
	group.Wait()
	if i := b.failed.Load(); i < int64(len(seeds)) {
		return nil, b.runs[i].err
	}
	b.runs = slices.DeleteFunc(b.runs, func(run seedRun) bool { return !run.ended })
	return b.distribution()
}

// seedBatch is the list of seeds that is worked off. Each run writes to its own place in runs.
type seedBatch struct {
	scenario *Scenario
	seeds    []uint64
	runs     []seedRun
	next     atomic.Int64 // the first place in the list that nobody has taken
	failed   atomic.Int64 // the first place that failed; nothing behind it is begun

	told     sync.Mutex
	done     int
	progress SeedProgress
	stop     func() bool
}

// seedRun is what is kept of one run.
type seedRun struct {
	seed       uint64
	ended      bool
	silences   int
	undetected int
	falseCount int
	detections []time.Duration
	failure    *SeedFailure
	err        error
}

// work takes seeds in the order of the list. All before the first that fails are run, whoever runs them, so that which
// one is first does not depend on the number of workers.
func (b *seedBatch) work() {
	for {
		i := b.next.Add(1) - 1
		if i >= int64(len(b.seeds)) || i > b.failed.Load() || b.stop != nil && b.stop() {
			return
		}
		run := runSeed(b.scenario, b.seeds[i], b.stop)
		if errors.Is(run.err, ErrStopped) {
			return
		}
		b.runs[i] = run
		for run.err != nil {
			if first := b.failed.Load(); i >= first || b.failed.CompareAndSwap(first, i) {
				break
			}
		}
		b.tell()
	}
}

func (b *seedBatch) tell() {
	if b.progress == nil {
		return
	}
	b.told.Lock()
	defer b.told.Unlock()
	b.done++
	b.progress(b.done, len(b.seeds))
}

// runSeed runs the scenario with another seed and boils it down.
func runSeed(s *Scenario, seed uint64, stop func() bool) seedRun {
	reseeded := *s // its lists are shared: a run only reads them
	reseeded.Spec.Seed = seed
	run := seedRun{seed: seed}
	result, err := Run(&reseeded, Options{Sinks: StopWhen(stop)}, nil)
	if err != nil {
		run.err = err
		return run
	}
	run.ended = true
	run.silences, run.undetected = result.silences, result.silences
	for _, d := range result.detections {
		if d.False {
			run.falseCount++
			continue
		}
		run.detections = append(run.detections, d.After)
		run.undetected--
	}
	if !result.OK() {
		run.failure = &SeedFailure{Seed: seed, Verdicts: []Verdict{}, Violations: result.Violations}
		for _, v := range result.Expectations {
			if !v.OK {
				run.failure.Verdicts = append(run.failure.Verdicts, v)
			}
		}
	}
	return run
}

// distribution sums up in the order of the list.
func (b *seedBatch) distribution() (*Distribution, error) {
	effective, err := b.scenario.Effective()
	if err != nil {
		return nil, err
	}
	d := &Distribution{
		Scenario:          b.scenario.Metadata.Name,
		KubernetesVersion: effective.KubernetesVersion,
		Runs:              len(b.runs),
		Simulated:         sim.Time(b.scenario.Spec.Duration.Duration).String(),
		NotDetected:       []uint64{},
		FalseNotReady:     FalseNotReady{Seeds: []uint64{}},
		Failed:            []SeedFailure{},
	}
	for _, group := range b.scenario.NodeNames() {
		d.Nodes += len(group)
	}
	d.NodeHours = float64(d.Runs) * float64(d.Nodes) * b.scenario.Spec.Duration.Hours()
	for i := range b.runs {
		run := &b.runs[i]
		d.Silences += run.silences
		if run.undetected > 0 {
			d.NotDetected = append(d.NotDetected, run.seed)
		}
		if run.falseCount > 0 {
			d.FalseNotReady.Count += run.falseCount
			d.FalseNotReady.Seeds = append(d.FalseNotReady.Seeds, run.seed)
		}
		if run.failure != nil {
			d.Failed = append(d.Failed, *run.failure)
		}
	}
	if d.NodeHours > 0 {
		d.FalseNotReady.PerNodeHour = float64(d.FalseNotReady.Count) / d.NodeHours
	}
	d.Detection = detectionStats(b.runs)
	return d, nil
}

func detectionStats(runs []seedRun) DetectionStats {
	var all []time.Duration
	var stats DetectionStats
	for i := range runs {
		for _, after := range runs[i].detections {
			if len(all) == 0 || after < stats.Min {
				stats.Min, stats.SeedOfMin = after, runs[i].seed
			}
			if len(all) == 0 || after > stats.Max {
				stats.Max, stats.SeedOfMax = after, runs[i].seed
			}
			all = append(all, after)
		}
	}
	if stats.Count = len(all); stats.Count == 0 {
		return stats
	}
	slices.Sort(all)
	stats.P50, stats.P90, stats.P99 = nearestRank(all, 50), nearestRank(all, 90), nearestRank(all, 99)
	return stats
}

// nearestRank is the percentile of a sorted list that is not empty: its element number ceil(n*percent/100), from 1.
func nearestRank(sorted []time.Duration, percent int) time.Duration {
	rank := (len(sorted)*percent + 99) / 100
	return sorted[max(rank, 1)-1]
}
