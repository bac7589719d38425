package nodelifecycle

import (
	"testing"
	"time"

	"k8s.io/client-go/util/flowcontrol"
	testclock "k8s.io/utils/clock/testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/holter-sim/holter/sim"
)

// queueLab is a queue, and what it lets through in one try.
type queueLab struct {
	*rateLimitedTimedQueue
	t require.TestingT
	e *sim.Engine
	h *sim.Host
}

func newQueueLab(t tester, qps float32) *queueLab {
	e := sim.New(sim.Options{})
	t.Cleanup(e.Close)
	h := e.NewHost("h")
	return &queueLab{newRateLimitedTimedQueue(h, qps), t, e, h}
}

// do runs f as a process.
func (q *queueLab) do(f func()) {
	q.h.Go("test", f)
	require.NoError(q.t, q.e.RunUntil(q.e.Now()))
}

// let returns the names that pass now, all of them handled well.
func (q *queueLab) let() (names []string) {
	q.do(func() {
		q.try(func(v timedValue) (bool, time.Duration) { names = append(names, v.name); return true, 0 })
	})
	return names
}

func (q *queueLab) pass(d time.Duration) { require.NoError(q.t, q.e.RunUntil(q.e.Now().Add(d))) }

func (q *queueLab) swap(qps float32) { q.do(func() { q.swapLimiter(qps) }) }

func TestBucketIsUpstreamsTokenBucket(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		qps := rapid.SampledFrom([]float32{0.01, 0.1, 0.3, 1, 7}).Draw(t, "qps")
		e := sim.New(sim.Options{})
		defer e.Close()
		clock := testclock.NewFakeClock(e.Start())
		ours, upstream := newTokenBucket(e.NewHost("h"), qps), flowcontrol.NewTokenBucketPassiveRateLimiterWithClock(qps, 1, clock)
		require.Equal(t, upstream.QPS(), ours.qps())
		for range rapid.IntRange(1, 50).Draw(t, "tries") {
			d := time.Duration(rapid.Int64Range(0, 30_000).Draw(t, "ms")) * time.Millisecond
			clock.Step(d)
			require.NoError(t, e.RunUntil(e.Now().Add(d)))
			require.Equal(t, upstream.TryAccept(), ours.tryAccept())
		}
	})
}

func TestNamesPassInOrderAtTheRateOfTheLimiter(t *testing.T) {
	q := newQueueLab(t, 0.1)
	for _, name := range []string{"a", "b", "c"} {
		q.add(name, "")
	}
	require.Equal(t, []string{"a"}, q.let())
	require.Empty(t, q.let())
	q.pass(10*time.Second - time.Millisecond)
	require.Empty(t, q.let())
	q.pass(time.Millisecond)
	require.Equal(t, []string{"b"}, q.let())
	q.pass(time.Hour)
	require.Equal(t, []string{"c"}, q.let(), "a token is kept, and no more than one")
	require.Empty(t, q.let())
}

func TestNameThatWasHandledIsNotAddedAgainUntilItIsRemoved(t *testing.T) {
	q := newQueueLab(t, 1000)
	q.add("a", "")
	q.add("a", "")
	require.Equal(t, []string{"a"}, q.let())
	q.pass(time.Second)
	q.add("a", "")
	require.Empty(t, q.let())
	require.True(t, q.remove("a"))
	require.False(t, q.remove("a"))
	q.add("a", "")
	require.Equal(t, []string{"a"}, q.let())
}

func TestTokenIsSpentBeforeTheTimeOfTheHeadIsLookedAt(t *testing.T) {
	q := newQueueLab(t, 0.1)
	q.add("a", "")
	q.do(func() { q.try(func(timedValue) (bool, time.Duration) { return false, 15 * time.Second }) })
	q.pass(10 * time.Second)
	require.Empty(t, q.let(), "it is not a's time, but the token is gone")
	q.pass(6 * time.Second)
	require.Empty(t, q.let())
	q.pass(4 * time.Second)
	require.Equal(t, []string{"a"}, q.let())
}

func TestNameToBeRetriedGoesBehindThoseThatAreDue(t *testing.T) {
	q := newQueueLab(t, 1000)
	q.add("a", "")
	q.add("b", "")
	var order []string
	for range 3 {
		q.do(func() {
			q.try(func(v timedValue) (bool, time.Duration) {
				name := v.name
				order = append(order, name)
				return len(order) > 1, 0
			})
		})
		q.pass(time.Millisecond)
	}
	require.Equal(t, []string{"a", "b", "a"}, order)
}

func TestNameRemovedWhileItIsHandledIsNotRetried(t *testing.T) {
	q := newQueueLab(t, 1000)
	q.add("a", "")
	q.do(func() {
		q.try(func(v timedValue) (bool, time.Duration) { q.remove(v.name); return false, 0 })
	})
	q.pass(time.Second)
	require.Empty(t, q.let())
}

func TestSwapKeepsTheWaitOfALimiterThatIsEmpty(t *testing.T) {
	q := newQueueLab(t, 0.1)
	q.add("a", "")
	q.add("b", "")
	q.let()
	q.pass(5 * time.Second)
	q.swap(0.5)
	require.Empty(t, q.let(), "the new one starts empty")
	q.pass(2 * time.Second)
	require.Equal(t, []string{"b"}, q.let())

	q.add("c", "")
	q.pass(time.Minute)
	q.swap(0.01)
	require.Equal(t, []string{"c"}, q.let(), "a full one makes a full one")
}

func TestSwapToTheSameRateChangesNothing(t *testing.T) {
	q := newQueueLab(t, 0.1)
	q.add("a", "")
	before := q.limiter
	q.swap(0.1)
	require.Same(t, before, q.limiter)
}

// The limiter of rate 0 says that its rate is 1.
func TestSwapFromZeroToOneIsNotMade(t *testing.T) {
	for _, c := range []struct {
		qps    float32
		passes bool
	}{{1, false}, {0.9, true}} {
		q := newQueueLab(t, 0.1)
		q.add("a", "")
		q.swap(0)
		q.pass(time.Hour)
		require.Empty(t, q.let(), "none at rate 0")
		q.swap(c.qps)
		require.Empty(t, q.let(), "empty at first")
		q.pass(time.Hour)
		require.Equal(t, c.passes, len(q.let()) == 1)
	}
}

func TestSwapWaitsForTheRequestsOfATry(t *testing.T) {
	q := newQueueLab(t, 0.1)
	q.add("a", "")
	var swapped sim.Time
	q.h.Go("taint", func() {
		q.try(func(timedValue) (bool, time.Duration) { q.h.Sleep(3 * time.Second); return true, 0 })
	})
	q.h.Go("monitor", func() { q.swapLimiter(0); swapped = q.e.Now() })
	q.pass(time.Minute)
	require.Equal(t, sim.Time(3*time.Second), swapped)
}
