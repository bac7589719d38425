package scenario

import (
	"fmt"
	"time"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/nodelifecycle"
	"github.com/holter-sim/holter/sim"
)

// simulated is what the model's controller did.
type simulated struct {
	transitions []Transition
	changes     []Change
	episodes    []*episode
	firstPass   sim.Time
}

// simulate puts the recorded requests to an API server and a node lifecycle
// controller with these settings, as far as until.
func (w *WhatIf) simulate(manager ControllerManager, fit Fit, until time.Duration) (*simulated, error) {
	engine := sim.New(sim.Options{Start: w.recording.Start})
	defer engine.Close()

	watcher := newWhatIfObserver(engine)
	server := fakeapi.New(engine, fakeapi.Options{Observer: watcher})
	// What the recorded server answered had by then reached those who watch, so
	// only the controller's own requests take time.
	latency := sim.Fixed(w.recording.ControllerLatency / 2)
	server.Network().Add(fakeapi.Rule{
		Name:    "controller latency",
		Match:   fakeapi.Match{Clients: []string{managerName}, Verbs: []string{"create", "get", "patch", "update"}},
		Latency: &latency,
	})
	feed := newFeed(engine, server, w.recording, watcher, w.statusPeriod)
	feed.start()

	host := engine.NewHost(managerName)
	config := nodelifecycle.Config{
		NodeMonitorPeriod:         manager.NodeMonitorPeriod,
		NodeMonitorGracePeriod:    manager.NodeMonitorGracePeriod,
		NodeStartupGracePeriod:    manager.NodeStartupGracePeriod,
		NodeEvictionRate:          manager.NodeEvictionRate,
		SecondaryNodeEvictionRate: manager.SecondaryNodeEvictionRate,
		LargeClusterSizeThreshold: int(manager.LargeClusterSizeThreshold),
		UnhealthyZoneThreshold:    manager.UnhealthyZoneThreshold,
		PassCostPerNode:           fit.CostPerNode,
	}
	passes := &passWatcher{engine: engine, begun: feed.settle}
	engine.At(sim.Time(w.recording.ControllerStart+fit.Phase), func() {
		nodelifecycle.New(host, managerClients(server, host), config, passes).Run()
	})
	if err := engine.RunUntil(sim.Time(until)); err != nil {
		return nil, fmt.Errorf("replaying %s: %w", w.recording.Name, err)
	}
	return &simulated{
		transitions: watcher.transitions,
		changes:     watcher.changes,
		episodes:    watcher.episodes,
		firstPass:   passes.first,
	}, nil
}

// passWatcher notes when the first monitor pass begins. It implements
// heartbeat.Tracer.
type passWatcher struct {
	engine *sim.Engine
	begun  func() // called a little later
	first  sim.Time
}

// settling is longer than a first pass over nodes that are well.
const settling = time.Second

func (p *passWatcher) Decided(kind, _, _ string) {
	if kind == heartbeat.DecisionControllerPass {
		p.first = p.engine.Now()
		p.engine.After(settling, p.begun)
	}
}
