package sim

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"testing"
	"time"
)

// The figures that matter are ratios of two loops timed in one run, so that
// they hold on a slow or busy machine too.

// BenchmarkHold is the hold model: n events pending, each of which schedules
// itself again 10 to 10.4 s later. It compares the engine with a bare typed heap
// that does nothing but pop and push.
func BenchmarkHold(b *testing.B) {
	for _, n := range []int{1_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("pending=%d", n), func(b *testing.B) {
			gaps := holdGaps()
			bare := newBareHold(n, gaps)
			engine := newEngineHold(n, gaps)
			defer engine.e.Close()
			var tBare, tEngine time.Duration
			b.ReportAllocs()
			b.ResetTimer()
			for left := b.N; left > 0; left -= holdChunk {
				events := min(left, holdChunk)
				t0 := b.Elapsed()
				bare.run(events)
				t1 := b.Elapsed()
				engine.run(events)
				tBare, tEngine = tBare+t1-t0, tEngine+b.Elapsed()-t1
			}
			b.ReportMetric(float64(tBare)/float64(b.N), "bare-ns/event")
			b.ReportMetric(float64(tEngine)/float64(b.N), "engine-ns/event")
			b.ReportMetric(float64(tBare)/float64(tEngine), "x-of-bare-heap")
		})
	}
}

const holdChunk = 200_000

// holdGaps returns times between events: 10 s * [1, 1.04).
func holdGaps() []time.Duration {
	r := rand.New(rand.NewPCG(1, 2))
	gaps := make([]time.Duration, 1<<16)
	for i := range gaps {
		gaps[i] = 10*time.Second + time.Duration(r.Int64N(int64(400*time.Millisecond)))
	}
	return gaps
}

type engineHold struct {
	e    *Engine
	gaps []time.Duration
	i    int
	f    func()
}

func newEngineHold(n int, gaps []time.Duration) *engineHold {
	h := &engineHold{e: New(Options{}), gaps: gaps}
	h.f = func() { h.e.After(h.gap(), h.f) }
	for range n {
		h.e.At(Time(h.gap())*Time(h.i)/Time(n), h.f)
	}
	return h
}

func (h *engineHold) gap() time.Duration {
	h.i++
	return h.gaps[h.i&(len(h.gaps)-1)]
}

func (h *engineHold) run(events int) {
	last := h.e.stats.Events + uint64(events)
	if err := h.e.RunWhile(func() bool { return h.e.stats.Events < last }, Never); err != nil {
		panic(err)
	}
}

type bareHold struct {
	heap []entry
	gaps []time.Duration
	i    int
	seq  uint64
	sum  Time
}

func newBareHold(n int, gaps []time.Duration) *bareHold {
	h := &bareHold{gaps: gaps}
	for range n {
		h.push(Time(h.gap()) * Time(h.i) / Time(n))
	}
	return h
}

func (h *bareHold) gap() time.Duration {
	h.i++
	return h.gaps[h.i&(len(h.gaps)-1)]
}

func (h *bareHold) run(events int) {
	for range events {
		x := h.pop()
		h.sum += x.at
		h.push(x.at.Add(h.gap()))
	}
}

// push and pop are the textbook 4-ary heap.
func (h *bareHold) push(at Time) {
	h.seq++
	h.heap = append(h.heap, entry{at: at, key: h.seq})
	for i := len(h.heap) - 1; i > 0; {
		parent := (i - 1) / 4
		if !bareLess(h.heap[i], h.heap[parent]) {
			break
		}
		h.heap[i], h.heap[parent] = h.heap[parent], h.heap[i]
		i = parent
	}
}

func (h *bareHold) pop() entry {
	top, last := h.heap[0], len(h.heap)-1
	h.heap[0] = h.heap[last]
	h.heap = h.heap[:last]
	for i := 0; ; {
		best := i
		for c := 4*i + 1; c < min(4*i+5, last); c++ {
			if bareLess(h.heap[c], h.heap[best]) {
				best = c
			}
		}
		if best == i {
			return top
		}
		h.heap[i], h.heap[best] = h.heap[best], h.heap[i]
		i = best
	}
}

func bareLess(a, b entry) bool { return a.at < b.at || a.at == b.at && a.key < b.key }

// BenchmarkSwitch compares a process that sleeps, with 100,000 periodic loops
// asleep in the queue, to a bare coroutine that yields.
func BenchmarkSwitch(b *testing.B) {
	e := New(Options{})
	defer e.Close()
	for i := range 100_000 {
		e.NewHost(fmt.Sprint("node-", i)).Every("lease", time.Hour, 0.04, true, func() {})
	}
	e.NewHost("busy").Go("sleeper", func() {
		for h := e.hosts[100_000]; ; {
			h.Sleep(time.Nanosecond)
		}
	})
	e.RunUntil(0)
	next, stop := iter.Pull(func(yield func(int) bool) {
		for yield(0) {
		}
	})
	defer stop()
	var tBare, tEngine time.Duration
	b.ReportAllocs()
	b.ResetTimer()
	for left := b.N; left > 0; left -= holdChunk {
		switches := min(left, holdChunk)
		t0 := b.Elapsed()
		for range switches {
			next()
		}
		t1 := b.Elapsed()
		if err := e.RunUntil(e.Now().Add(time.Duration(switches))); err != nil {
			b.Fatal(err)
		}
		tBare, tEngine = tBare+t1-t0, tEngine+b.Elapsed()-t1
	}
	b.ReportMetric(float64(tBare)/float64(b.N), "bare-ns/switch")
	b.ReportMetric(float64(tEngine)/float64(b.N), "engine-ns/switch")
	b.ReportMetric(float64(tEngine)/float64(tBare), "x-of-bare-switch")
}

// BenchmarkTick is a tick of one of n periodic loops of as many hosts, with
// jitter: its timer, its draw, its coroutine.
func BenchmarkTick(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		b.Run(fmt.Sprintf("loops=%d", n), func(b *testing.B) {
			e := New(Options{})
			defer e.Close()
			for i := range n {
				e.NewHost(fmt.Sprint("node-", i)).Every("lease", 10*time.Second, 0.04, true, func() {})
			}
			e.RunUntil(Time(time.Minute))
			next, stop := iter.Pull(func(yield func(int) bool) {
				for yield(0) {
				}
			})
			defer stop()
			hold := newBareHold(n, holdGaps())
			b.ReportAllocs()
			b.ResetTimer()
			var tBare, tEngine time.Duration
			for left := b.N; left > 0; left -= holdChunk {
				ticks := min(left, holdChunk)
				t0 := b.Elapsed()
				for range ticks {
					hold.run(1)
					next()
				}
				t1 := b.Elapsed()
				last := e.stats.Events + uint64(ticks)
				e.RunWhile(func() bool { return e.stats.Events < last }, Never)
				tBare, tEngine = tBare+t1-t0, tEngine+b.Elapsed()-t1
			}
			b.ReportMetric(float64(tBare)/float64(b.N), "bare-ns/tick")
			b.ReportMetric(float64(tEngine)/float64(b.N), "engine-ns/tick")
			b.ReportMetric(float64(tEngine)/float64(tBare), "x-of-bare-heap-and-switch")
		})
	}
}
