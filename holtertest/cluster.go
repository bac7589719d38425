package holtertest

import (
	"fmt"
	"strings"
	"time"

	"github.com/holter-sim/holter/scenario"
	"github.com/holter-sim/holter/traces"
)

// TB is what is used of *testing.T; rapid's T has it too.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// Cluster is a simulated cluster in a test. Its methods end the test where
// they fail.
type Cluster struct {
	*scenario.Cluster

	tb     TB
	events traces.Memory
	mark   time.Duration // when the last fault was injected
}

// Option changes the cluster before it is built.
type Option func(*config)

type config struct {
	scenario *scenario.Scenario
	err      error
	options  scenario.Options
}

// longRun is the duration of a scenario that a test drives by itself.
const longRun = 277 * time.Hour

// Nodes asks for so many nodes, node-0 and on, started over ten seconds.
func Nodes(count int) Option {
	return func(c *config) {
		c.scenario.Spec.Nodes = []scenario.NodeGroup{{
			Count: count, Name: "node", Start: scenario.NodeStart{Spread: scenario.Duration{Duration: 10 * time.Second}},
		}}
	}
}

// Seed sets the seed, which is 1 otherwise.
func Seed(seed uint64) Option { return func(c *config) { c.scenario.Spec.Seed = seed } }

// Latency gives the network a constant latency each way; it has none
// otherwise.
func Latency(d time.Duration) Option {
	return func(c *config) { c.scenario.Spec.Network.Latency.Fixed = &scenario.Duration{Duration: d} }
}

// Set sets any field of the scenario, as `holter run --set` does:
// Set("controllerManager.node-monitor-grace-period", "40s").
func Set(path, value string) Option {
	return func(c *config) {
		if err := c.scenario.Set(path, value); err != nil && c.err == nil {
			c.err = err
		}
	}
}

// Scenario takes a scenario instead of an empty one. Give it before options
// that change it.
func Scenario(s *scenario.Scenario) Option { return func(c *config) { c.scenario = s } }

// File reads the scenario from a file. Give it before options that change it.
func File(path string) Option {
	return func(c *config) {
		s, _, err := scenario.Load(path, nil)
		if err != nil {
			c.err = err
			return
		}
		c.scenario = s
	}
}

// ShuffleTies runs what falls on one instant in an order drawn from the seed.
func ShuffleTies() Option { return func(c *config) { c.options.ShuffleTies = true } }

// Start sets the wall-clock instant that the run begins at.
func Start(at time.Time) Option { return func(c *config) { c.options.Start = at } }

// New builds a cluster, with every check of the model on. It is closed when
// the test ends.
func New(tb TB, options ...Option) *Cluster {
	tb.Helper()
	cfg := &config{scenario: scenario.New("test"), options: scenario.Options{Check: true}}
	for _, option := range options {
		option(cfg)
	}
	if cfg.err != nil {
		tb.Fatalf("holtertest: %v", cfg.err)
	}
	if cfg.scenario.Spec.Duration.Duration == 0 {
		cfg.scenario.Spec.Duration.Duration = longRun
	}
	c := &Cluster{tb: tb}
	cfg.options.Sinks = append(cfg.options.Sinks, &c.events)
	cluster, err := scenario.Build(cfg.scenario, cfg.options)
	if err != nil {
		tb.Fatalf("holtertest: %v", err)
	}
	c.Cluster = cluster
	tb.Cleanup(cluster.Close)
	return c
}

// RunFor runs the cluster for so long.
func (c *Cluster) RunFor(d time.Duration) {
	c.tb.Helper()
	c.checkTime("RunFor", d)
	if err := c.Cluster.RunUntil(c.Now() + d); err != nil {
		c.fail("the run failed", "no error", err.Error())
	}
}

// RunUntil runs until the condition holds, and no longer than for limit, where
// it fails. The condition is asked after every event.
func (c *Cluster) RunUntil(what string, limit time.Duration, condition func() bool) {
	c.tb.Helper()
	c.checkTime("RunUntil", limit)
	end := c.Now() + limit
	if err := c.Cluster.RunWhile(func() bool { return !condition() }, end); err != nil {
		c.fail("the run failed", "no error", err.Error())
	}
	if !condition() {
		c.fail(what, "within "+limit.String(), "not by "+traces.FormatTime(end))
	}
}

// Events is the trace so far.
func (c *Cluster) Events() []traces.Event { return c.events.Events }

// fail ends the test with a form: what was wanted, what came, which seed, and
// the story.
func (c *Cluster) fail(what, want, got string) {
	c.tb.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n  want   %s\n  got    %s\n  at     %s\n  seed   %d\n  story:\n", what, want, got, traces.FormatTime(c.Now()), c.Cluster.Scenario().Spec.Seed)
	for _, item := range c.Result().Story() {
		fmt.Fprintf(&b, "    %s  %s\n", traces.FormatTime(item.From), item)
	}
	c.tb.Fatalf("%s", b.String())
}
