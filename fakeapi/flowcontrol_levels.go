package fakeapi

import (
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/holter-sim/holter/sim"
)

// Names of priority levels.
const (
	levelExempt         = "exempt"
	levelSystem         = "system"
	levelNodeHigh       = "node-high"
	levelLeaderElection = "leader-election"
	levelWorkloadHigh   = "workload-high"
	levelWorkloadLow    = "workload-low"
	levelGlobalDefault  = "global-default"
	levelCatchAll       = "catch-all"
)

// priorityAndFairness is API priority and fairness: every request is of one
// level, which has its share of all seats, and takes one of these as long as it
// is worked on. Where none is free, it waits in a queue of its level.
//
// Upstream: priorityAndFairnessHandler (apiserver v0.37, pkg/server/filters) and
// configController (pkg/util/flowcontrol).
type priorityAndFairness struct {
	s       *Server
	schemas []flowSchema
	levels  map[string]*priorityLevel
	order   []*priorityLevel            // those that have seats of their own
	exempt  *priorityLevel              // nil: nobody counts its requests
	lender  *lender                     // nil: each level has its seats, no more and no less
	dropped map[string]*droppedRequests // nil: Retry-After is always 1

	seats           SeatRules
	waitsByDeadline bool
}

// levelConfig is a priority level as it is configured.
type levelConfig struct {
	name   string
	shares int
	// lendablePercent of the seats may be lent to other levels.
	lendablePercent int
	// queueCount queues, of which each flow uses handSize; with 0 of them, what
	// finds no seat is refused, and with less everything finds one.
	queueCount, handSize int
}

func (c *levelConfig) exempt() bool { return c.queueCount < 0 }

// queueLengthLimit is how many requests a queue holds.
const queueLengthLimit = 50

// levelConfigs are the levels that have seats. Upstream: the mandatory and
// suggested PriorityLevelConfigurations.
func levelConfigs(nodeHigh bool) []levelConfig {
	levels := []levelConfig{
		{levelSystem, 30, 33, 64, 6},
		{levelLeaderElection, 10, 0, 16, 4},
		{levelWorkloadHigh, 40, 50, 128, 6},
		{levelWorkloadLow, 100, 90, 128, 6},
		{levelGlobalDefault, 20, 50, 128, 6},
		{levelCatchAll, 5, 0, 0, 0},
	}
	if nodeHigh {
		levels = append(levels, levelConfig{levelNodeHigh, 40, 25, 64, 6})
	}
	return levels
}

// seatsOf is a level's part of all seats, rounded up. Upstream:
// cfgMeal.finishQueueSetReconfigsLocked, where the exempt level has no shares.
func seatsOf(total, shares, sum int) int { return (total*shares + sum - 1) / sum }

func newPriorityAndFairness(s *Server, o *FlowControl) *priorityAndFairness {
	f := &priorityAndFairness{s: s, schemas: flowSchemas(o.NodeHigh), seats: o.Seats, waitsByDeadline: o.WaitsByDeadline, levels: map[string]*priorityLevel{}}
	configs, sum, total := levelConfigs(o.NodeHigh), 0, o.MaxRequestsInflight+o.MaxMutatingRequestsInflight
	for _, c := range configs {
		sum += c.shares
	}
	for _, c := range configs {
		level := newPriorityLevel(c, seatsOf(total, c.shares, sum))
		f.levels[c.name], f.order = level, append(f.order, level)
	}
	exempt := newPriorityLevel(levelConfig{name: levelExempt, queueCount: -1}, 0)
	f.levels[levelExempt] = exempt
	if o.ExemptTakesSeats {
		f.exempt = exempt
	}
	if o.Borrowing {
		f.lender = newLender(f, total)
	}
	if o.AdaptiveRetryAfter {
		f.dropped = map[string]*droppedRequests{}
	}
	return f
}

func (f *priorityAndFairness) admit(r *request) {
	schema := f.classify(r)
	p := &place{r: r, level: f.levels[schema.level]}
	p.seats = f.estimate(r, p.level)
	r.place = p
	f.sync(p.level)
	if !p.level.enqueue(p, hashFlow(schema.name, schema.flowOf(r))) {
		r.place = nil
		r.refuse(f.refusal(p.level))
		return
	}
	f.dispatch(p.level)
	if p.r != nil { // it waits
		r.stage, r.waits = queued, f.s.engine.Cause()
		r.held = f.s.host.After(f.waitLimit(r), r.onDue)
		if f.lender != nil {
			f.lender.arm()
		}
	}
}

// classify gives the first schema that is for the request. There always is one.
func (f *priorityAndFairness) classify(r *request) *flowSchema {
	for i := range f.schemas {
		if f.schemas[i].matches(r) {
			return &f.schemas[i]
		}
	}
	panic("fakeapi: the last flow schema is for every request")
}

// dispatch lets requests of a level be worked on, as long as there are seats.
// What a request has done to the level by then is noticed by the loop that runs
// already.
func (f *priorityAndFairness) dispatch(level *priorityLevel) {
	if level.dispatching {
		return
	}
	level.dispatching = true
	for {
		p := level.next()
		if p == nil {
			break
		}
		p.started = f.now()
		r := p.r
		p.r = nil
		if r.stage == queued {
			r.held.Cancel()
			cause := f.s.engine.Cause()
			f.s.engine.SetCause(r.waits)
			r.startWork()
			f.s.engine.SetCause(cause)
		} else {
			r.startWork()
		}
	}
	level.dispatching = false
}

func (f *priorityAndFairness) finish(p *place) {
	f.sync(p.level)
	p.level.finish(p, f.now())
	if p.seats.Lingers > 0 {
		f.s.host.After(p.seats.Lingers, func() {
			f.sync(p.level)
			p.level.release(p)
			f.dispatch(p.level)
		})
	} else {
		p.level.release(p)
	}
	f.dispatch(p.level)
}

// giveUp refuses a request that has waited for as long as it may.
func (f *priorityAndFairness) giveUp(r *request) {
	f.sync(r.place.level)
	r.place.level.remove(r.place)
	r.status = f.refusal(r.place.level)(r)
}

func (f *priorityAndFairness) refusal(level *priorityLevel) statusFunc {
	return func(r *request) *apierrors.StatusError {
		retryAfter := 1
		if f.dropped != nil {
			d := f.dropped[level.name]
			if d == nil {
				d = newDroppedRequests()
				f.dropped[level.name] = d
			}
			d.record(f.s.host.Now().Unix())
			retryAfter = int(d.retryAfter)
		}
		return tooManyRequests(r, retryAfter)
	}
}

// waitLimit is how long a request may wait in its queue. Upstream:
// getRequestWaitContext (apiserver v0.36, pkg/server/filters).
func (f *priorityAndFairness) waitLimit(r *request) time.Duration {
	limit := requestTimeout
	if f.waitsByDeadline && r.op != opWatch && r.client.timeout > 0 {
		limit = min(limit, r.client.timeout)
	}
	return min(limit/4, r.timeLeft())
}

func (f *priorityAndFairness) reset() {
	for _, level := range f.order {
		level.reset()
	}
	f.levels[levelExempt].reset()
	if f.lender != nil {
		f.lender.reset()
	}
	if f.dropped != nil {
		clear(f.dropped)
	}
}

// begin is the start of the server's process.
func (f *priorityAndFairness) begin() {
	if f.lender != nil {
		f.lender.begin(f.now())
	}
}

// sync brings a level up to now.
func (f *priorityAndFairness) sync(level *priorityLevel) {
	if f.lender != nil {
		f.lender.catchUp(f.now())
	}
	level.sync(f.now())
}

func (f *priorityAndFairness) now() int64 { return int64(f.s.engine.Now() - sim.Time(0)) }
