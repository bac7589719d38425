package conformance

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/eventclock"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/queueset"
	"k8s.io/apiserver/pkg/util/flowcontrol/metrics"
	"k8s.io/apiserver/pkg/util/flowcontrol/request"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/sim"
)

// load is a schedule of requests to level global-default, each of which takes
// work once it has one of the level's seats.
type load struct {
	arrivals []arrival
	seats    int
	work     time.Duration
}

type arrival struct {
	at   time.Duration // no two are equal
	user string
}

// TestFairQueuesServeAndRefuseWhatUpstreamsDo has the queues of the API server
// and upstream's queueSet, with the same flows, take the same requests: what is
// served when, and what finds its queue full.
func TestFairQueuesServeAndRefuseWhatUpstreamsDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := load{
			seats: rapid.IntRange(1, 4).Draw(t, "seats"),
			work:  time.Duration(rapid.Int64Range(1, 200).Draw(t, "work")) * 101 * time.Microsecond,
		}
		users, span := rapid.IntRange(1, 5).Draw(t, "users"), rapid.Int64Range(1, 2000).Draw(t, "span")
		for i := range rapid.IntRange(1, 400).Draw(t, "requests") {
			// The nanoseconds tell apart what would fall on one instant.
			at := time.Duration(rapid.Int64Range(0, span).Draw(t, "at"))*time.Millisecond + time.Duration(i+1)
			// The first users send the most.
			user := min(rapid.IntRange(0, users-1).Draw(t, "user"), rapid.IntRange(0, users-1).Draw(t, "user"))
			l.arrivals = append(l.arrivals, arrival{at, fmt.Sprint("tenant-", user)})
		}
		slices.SortFunc(l.arrivals, func(a, b arrival) int { return int(a.at - b.at) })
		want, have := l.throughUpstream(t), l.throughServer(t)
		for i := range want {
			if want[i] != have[i] {
				t.Fatalf("request %d of %s at %v: upstream ends it at %v, ours at %v (-1ns: refused)", i, l.arrivals[i].user, l.arrivals[i].at, want[i], have[i])
			}
		}
	})
}

// refused is when a request ends that is not served.
const refused = time.Duration(-1)

// throughServer gives when each request is answered.
func (l *load) throughServer(t *rapid.T) []time.Duration {
	e := sim.New(sim.Options{Seed: 1})
	defer e.Close()
	ends := make([]time.Duration, len(l.arrivals))
	// Global-default has 20 of 205 shares, rounded up.
	total := l.seats * 205 / 20
	s := fakeapi.New(e, fakeapi.Options{Work: sim.Fixed(l.work), Observer: answers(ends), FlowControl: &fakeapi.FlowControl{MaxRequestsInflight: total, PriorityAndFairness: true}})
	h := e.NewHost("tenants")
	for i, a := range l.arrivals {
		c := s.NewClient(fakeapi.ClientOptions{Host: h, Name: fmt.Sprint(i), User: a.user, Timeout: time.Hour})
		h.At(sim.Time(a.at), func() {
			h.Go("request", func() { _, _ = c.Nodes().Get(context.Background(), "node", metav1.GetOptions{}) })
		})
	}
	if err := e.RunUntil(sim.Time(15 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return ends
}

// answers notes when each client was first answered.
type answers []time.Duration

func (a answers) Answered(c *fakeapi.Call) {
	var i int
	if _, err := fmt.Sscan(c.Client, &i); err != nil {
		panic(err)
	}
	switch {
	case a[i] != 0: // client-go tries again what was refused
	case c.Code == 429:
		a[i] = refused
	default:
		a[i] = c.Answered.Duration()
	}
}
func (answers) Received(*fakeapi.Call)                                 {}
func (answers) Changed(_ string, _, _ runtime.Object, _ *fakeapi.Call) {}
func (answers) Delivered(_, _ string, _ watch.Event, _ sim.Time)       {}

// throughUpstream is the same for upstream's queueSet, on a clock that moves from
// event to event. A request that it serves is a goroutine that waits to be let go.
func (l *load) throughUpstream(t *rapid.T) []time.Duration {
	clock := &steppedClock{}
	completer, err := queueset.NewQueueSetFactory(clock).BeginConstruction(
		fairqueuing.QueuingConfig{Name: "global-default", DesiredNumQueues: 128, HandSize: 6, QueueLengthLimit: 50},
		metrics.RatioedGaugePair{RequestsWaiting: noGauge{}, RequestsExecuting: noGauge{}}, noGauge{}, noGauge{})
	if err != nil {
		t.Fatal(err)
	}
	set := completer.Complete(fairqueuing.DispatchingConfig{ConcurrencyLimit: l.seats, ConcurrencyDenominator: l.seats})

	ends := make([]time.Duration, len(l.arrivals))
	begun, done := make(chan int), make(chan int)
	letGo := make([]chan bool, len(l.arrivals))
	var served []int   // in the order in which they end
	follow := func() { // those that are served now
		for len(served) < set.Dump(false).Executing {
			i := <-begun
			ends[i] = clock.now + l.work
			served = append(served, i)
		}
	}
	for next := 0; next < len(l.arrivals) || len(served) > 0; {
		if len(served) > 0 && (next == len(l.arrivals) || ends[served[0]] < l.arrivals[next].at) {
			i := served[0]
			served = served[1:]
			clock.now = ends[i]
			letGo[i] <- true
			<-done
			follow()
			continue
		}
		i, a := next, l.arrivals[next]
		next++
		clock.now = a.at
		req, _ := set.StartRequest(context.Background(), &request.WorkEstimate{InitialSeats: 1}, flowHash("global-default", a.user), a.user, "global-default", i, i, nil)
		if req == nil {
			ends[i] = refused
			continue
		}
		letGo[i] = make(chan bool)
		go func() {
			req.Finish(func() { begun <- i; <-letGo[i] })
			done <- i
		}()
		follow()
	}
	return ends
}

// flowHash is upstream's hashFlowID, which is not exported.
func flowHash(schema, flow string) uint64 {
	sum := sha256.Sum256([]byte(schema + "\x00" + flow))
	return binary.LittleEndian.Uint64(sum[:8])
}

// steppedClock stands still until it is set.
type steppedClock struct{ now time.Duration }

func (c *steppedClock) Now() time.Time                  { return time.Unix(0, int64(c.now)) }
func (c *steppedClock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }
func (c *steppedClock) Sleep(time.Duration)             { panic("nothing sleeps") }
func (c *steppedClock) EventAfterDuration(eventclock.EventFunc, time.Duration) {
	panic("nothing lingers")
}
func (c *steppedClock) EventAfterTime(eventclock.EventFunc, time.Time) { panic("nothing lingers") }

// noGauge is a metric that nobody reads.
type noGauge struct{}

func (noGauge) Set(float64)            {}
func (noGauge) Inc()                   {}
func (noGauge) Dec()                   {}
func (noGauge) Add(float64)            {}
func (noGauge) SetToCurrentTime()      {}
func (noGauge) SetDenominator(float64) {}
