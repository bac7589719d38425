package scenario

import (
	"fmt"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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

	playOutages(engine, server, w.recording)

	host := engine.NewHost(managerName)
	config := nodeLifecycleConfig(&manager)
	config.PassCostPerNode = fit.CostPerNode
	passes := &passWatcher{engine: engine, begun: feed.settle}
	start := func() {
		options := managerClient(host)
		options.Limit = managerLimit(&manager)
		client := server.NewClient(options)
		informers := server.NewClient(informerClient(host))
		nodelifecycle.New(host, managerClients(client, informers), config, passes).Run()
	}
	engine.At(sim.Time(w.recording.ControllerStart+fit.Phase), start)
	for _, at := range w.recording.ControllerRestarts {
		engine.At(sim.Time(at), func() {
			host.Kill()
			host.Restart()
			start()
		})
	}
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

// informersName is what the controller's informers are called by rules.
const informersName = "shared-informers"

// informerClient is a connection that does not look whether it is alive: when
// the recorded informers lost theirs, and were back, the log says (Blind).
func informerClient(host *sim.Host) fakeapi.ClientOptions {
	o := managerClient(host)
	o.Name, o.NoHealthCheck = informersName, true
	return o
}

// playOutages does to the server what the log shows was done to the recorded
// one. A server that hangs is a paused host, whose requests wait. One that is
// gone refuses, and its watches would end: so it is only that the controller's
// requests fail.
func playOutages(engine *sim.Engine, server *fakeapi.Server, r *Recording) {
	during := func(from, to time.Duration, begin func() (end func())) {
		engine.At(sim.Time(from), func() {
			end := begin()
			engine.At(sim.Time(to), end)
		})
	}
	for _, o := range r.Outages {
		during(o.From, o.To, func() func() {
			if !o.Restart {
				server.Host().Pause()
				return server.Host().Resume
			}
			return server.Network().Add(fakeapi.Rule{
				Name:    "API server gone",
				Match:   fakeapi.Match{Clients: []string{managerName}},
				Respond: &metav1.Status{Code: http.StatusServiceUnavailable, Reason: metav1.StatusReasonServiceUnavailable},
			})
		})
	}
	for _, b := range r.Blind {
		if b.Node != "" {
			continue // the feed's
		}
		during(b.From, b.To, func() func() {
			return server.Network().Add(fakeapi.Rule{
				Name:      "informers blind",
				Match:     fakeapi.Match{Clients: []string{informersName}, Resources: []string{b.Resource}},
				HoldWatch: true,
			})
		})
	}
}

// passWatcher notes when the first monitor pass begins. It implements
// heartbeat.Tracer.
type passWatcher struct {
	engine *sim.Engine
	begun  func() // called a little later
	first  sim.Time
	seen   bool
}

// settling is longer than a first pass over nodes that are well.
const settling = time.Second

func (p *passWatcher) Decided(kind, _, _ string) {
	if kind == heartbeat.DecisionControllerPass && !p.seen {
		p.seen, p.first = true, p.engine.Now()
		p.engine.After(settling, p.begun)
	}
}
