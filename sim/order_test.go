package sim

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestProgramsRunAsTheSortedListSays draws programs that schedule, cancel,
// sleep, pause, resume, kill and restart, and demands of the engine what the
// model below does with sorted slices, no slots, and no laziness.
func TestProgramsRunAsTheSortedListSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		program := drawOps(t, 2)
		limit := Time(rapid.IntRange(10, 40).Draw(t, "limit"))

		real := newRealWorld()
		defer real.e.Close()
		real.e.At(0, func() { real.exec(program) })
		require.NoError(t, real.e.RunUntil(limit))

		model := &modelWorld{lastPop: -1}
		model.schedule(0, noHost, func() { model.exec(program, nil) })
		model.runUntil(limit)

		require.Equal(t, model.log, real.log)
		stats := real.e.Stats()
		require.Equal(t, model.events, stats.Events, "events")
		require.Equal(t, model.ties, stats.Ties, "ties")
		require.Equal(t, model.pending(), stats.Pending, "pending")
		require.Equal(t, len(model.processes), stats.Processes, "processes")
	})
}

const (
	programHosts = 2
	noHost       = -1
)

// op is one instruction of a program.
type op struct {
	kind string
	host int // or noHost
	n    int // a delay, or which timer
	body []op
}

var opKinds = []string{
	"at", "at", "at", "go", "go", "sleep", "sleep", "sleep", "cancel",
	"pause", "pause", "resume", "resume", "kill", "restart",
}

func drawOps(t *rapid.T, depth int) []op {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) op {
		o := op{
			kind: rapid.SampledFrom(opKinds).Draw(t, "kind"),
			host: rapid.IntRange(0, programHosts-1).Draw(t, "host"),
			n:    rapid.IntRange(0, 5).Draw(t, "n"),
		}
		if o.kind == "at" && rapid.Bool().Draw(t, "hostless") {
			o.host = noHost
		}
		if depth > 0 && (o.kind == "at" || o.kind == "go") {
			o.body = drawOps(t, depth-1)
		}
		return o
	}), 2, 8).Draw(t, "ops")
}

// realWorld runs a program on the engine.
type realWorld struct {
	e      *Engine
	hosts  [programHosts]*Host
	timers []Timer
	ids    int
	log    []string
}

func newRealWorld() *realWorld {
	w := &realWorld{e: New(Options{})}
	for i := range w.hosts {
		w.hosts[i] = w.e.NewHost(fmt.Sprint(i))
	}
	return w
}

func (w *realWorld) printf(format string, args ...any) {
	w.log = append(w.log, fmt.Sprintf("%d ", w.e.Now())+fmt.Sprintf(format, args...))
}

func (w *realWorld) exec(ops []op) {
	for _, o := range ops {
		w.do(o)
	}
}

func (w *realWorld) do(o op) {
	switch o.kind {
	case "at":
		id, at := w.id(), w.e.Now()+Time(o.n)
		f := func() { w.printf("event %d", id); w.exec(o.body) }
		if o.host == noHost {
			w.timers = append(w.timers, w.e.At(at, f))
		} else {
			w.timers = append(w.timers, w.hosts[o.host].At(at, f))
		}
	case "go":
		id := w.id()
		w.hosts[o.host].Go(fmt.Sprint(id), func() {
			defer func() { w.printf("process %d ends", id) }()
			w.printf("process %d starts", id)
			w.exec(o.body)
		})
	case "sleep":
		if p := w.e.current; p != nil {
			p.life.host.Sleep(Time(o.n).Duration())
			w.printf("process %s wakes", p.name)
		}
	case "cancel":
		if len(w.timers) > 0 {
			w.printf("cancel %t", w.timers[o.n%len(w.timers)].Cancel())
		}
	case "pause":
		w.hosts[o.host].Pause()
	case "resume":
		w.hosts[o.host].Resume()
	case "kill":
		w.hosts[o.host].Kill()
	case "restart":
		if !w.hosts[o.host].Alive() {
			w.hosts[o.host].Restart()
		}
	}
}

func (w *realWorld) id() int { w.ids++; return w.ids }

// modelWorld runs a program on lists.
type modelWorld struct {
	now, lastPop Time
	seq, ids     int
	events, ties uint64
	timers       []*modelEvent // scheduled for later
	ready        []*modelEvent // scheduled for the instant they were scheduled at
	hosts        [programHosts]modelHost
	processes    []*modelProcess
	cancellable  []*modelEvent
	log          []string
}

type modelEvent struct {
	at   Time
	seq  int
	host int
	run  func()
	gone bool // cancelled while it was held
	sent bool // happened to a paused host, and did not fall due there
}

type modelHost struct {
	life         int
	dead, paused bool
	held         []*modelEvent
	tokens       int // in ready, for this life
}

type modelProcess struct {
	id, host int
	rest     []op
}

func (w *modelWorld) printf(format string, args ...any) {
	w.log = append(w.log, fmt.Sprintf("%d ", w.now)+fmt.Sprintf(format, args...))
}

func (w *modelWorld) schedule(at Time, host int, run func()) *modelEvent {
	if host != noHost && w.hosts[host].dead {
		return nil
	}
	w.seq++
	ev := &modelEvent{at: at, seq: w.seq, host: host, run: run}
	if at == w.now {
		w.ready = append(w.ready, ev)
	} else {
		w.timers = append(w.timers, ev)
	}
	return ev
}

func (w *modelWorld) runUntil(limit Time) {
	for {
		slices.SortFunc(w.timers, func(a, b *modelEvent) int {
			if a.at != b.at {
				return int(a.at - b.at)
			}
			return a.seq - b.seq
		})
		var ev *modelEvent
		sent := false
		switch {
		case len(w.timers) > 0 && (len(w.ready) == 0 || w.timers[0].at == w.now):
			ev = w.timers[0]
			if ev.at > limit {
				return
			}
			w.timers = w.timers[1:]
			if ev.at == w.lastPop {
				w.ties++
			}
			w.now, w.lastPop = ev.at, ev.at
		case len(w.ready) > 0:
			ev, w.ready, sent = w.ready[0], w.ready[1:], true
		default:
			return
		}
		if h := w.hostOf(ev); h != nil && (h.paused || len(h.held) > 0) {
			ev.sent = sent && h.paused
			h.hold(ev)
			w.drain(ev.host)
			continue
		}
		w.run(ev)
	}
}

func (w *modelWorld) hostOf(ev *modelEvent) *modelHost {
	if ev.host == noHost {
		return nil
	}
	return &w.hosts[ev.host]
}

// run runs an event; tokens, which are no events, run without.
func (w *modelWorld) run(ev *modelEvent) {
	w.events++
	ev.run()
}

// hold puts what was sent before what fell due.
func (h *modelHost) hold(ev *modelEvent) {
	at := len(h.held)
	for ev.sent && at > 0 && !h.held[at-1].sent {
		at--
	}
	h.held = slices.Insert(h.held, at, ev)
}

// drain makes sure that each held event of a host that is not paused has a
// token in the queue of the present instant.
func (w *modelWorld) drain(host int) {
	h := &w.hosts[host]
	for life := h.life; !h.paused && h.tokens < len(h.held); h.tokens++ {
		w.schedule(w.now, noHost, func() {
			w.events--
			if h.life != life {
				return
			}
			h.tokens--
			if !h.paused && len(h.held) > 0 {
				ev := h.held[0]
				h.held = h.held[1:]
				if !ev.gone {
					w.run(ev)
				}
			}
		})
	}
}

// exec runs ops as a callback (p is nil) or as process p until it blocks, and
// reports whether it came to the end.
func (w *modelWorld) exec(ops []op, p *modelProcess) bool {
	for i, o := range ops {
		w.do(o, p)
		if p == nil {
			continue
		}
		switch h := &w.hosts[p.host]; {
		case o.kind == "kill" && o.host == p.host && h.dead:
			return true
		case o.kind == "sleep":
			p.rest = ops[i+1:]
			w.schedule(w.now+Time(o.n), p.host, func() { w.printf("process %d wakes", p.id); w.resume(p) })
			return false
		case o.kind == "pause" && o.host == p.host:
			p.rest = ops[i+1:]
			w.schedule(w.now, p.host, func() { w.resume(p) })
			return false
		}
	}
	return true
}

func (w *modelWorld) resume(p *modelProcess) {
	if w.exec(p.rest, p) {
		w.end(p)
	}
}

func (w *modelWorld) end(p *modelProcess) {
	w.printf("process %d ends", p.id)
	w.processes = slices.DeleteFunc(w.processes, func(q *modelProcess) bool { return q == p })
}

func (w *modelWorld) do(o op, running *modelProcess) {
	switch o.kind {
	case "at":
		id := w.id()
		ev := w.schedule(w.now+Time(o.n), o.host, func() { w.printf("event %d", id); w.exec(o.body, nil) })
		w.cancellable = append(w.cancellable, ev)
	case "go":
		p := &modelProcess{id: w.id(), host: o.host, rest: o.body}
		w.schedule(w.now, o.host, func() {
			w.processes = append(w.processes, p)
			w.printf("process %d starts", p.id)
			w.resume(p)
		})
	case "cancel":
		if n := len(w.cancellable); n > 0 {
			w.printf("cancel %t", w.cancel(w.cancellable[o.n%n]))
		}
	case "pause":
		w.hosts[o.host].paused = !w.hosts[o.host].dead
	case "resume":
		w.hosts[o.host].paused = false
		w.drain(o.host)
	case "kill":
		w.kill(o.host, running)
	case "restart":
		if h := &w.hosts[o.host]; h.dead {
			*h = modelHost{life: h.life + 1}
		}
	}
}

func (w *modelWorld) cancel(ev *modelEvent) bool {
	before := w.pending()
	w.drop(func(x *modelEvent) bool { return x == ev })
	for i := range w.hosts {
		if slices.Contains(w.hosts[i].held, ev) {
			ev.gone = true
		}
	}
	return w.pending() < before
}

func (w *modelWorld) kill(host int, running *modelProcess) {
	h := &w.hosts[host]
	if h.dead {
		return
	}
	h.dead, h.paused, h.held = true, false, nil
	w.drop(func(x *modelEvent) bool { return x.host == host })
	for _, p := range slices.Clone(w.processes) {
		if p.host == host && p != running {
			w.end(p)
		}
	}
}

func (w *modelWorld) drop(gone func(*modelEvent) bool) {
	w.timers = slices.DeleteFunc(w.timers, gone)
	w.ready = slices.DeleteFunc(w.ready, gone)
}

func (w *modelWorld) pending() int {
	n := len(w.timers) + len(w.ready)
	for i := range w.hosts {
		for _, ev := range w.hosts[i].held {
			if !ev.gone {
				n++
			}
		}
		if !w.hosts[i].dead {
			n -= w.hosts[i].tokens
		}
	}
	return n
}

func (w *modelWorld) id() int { w.ids++; return w.ids }
