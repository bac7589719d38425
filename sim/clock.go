package sim

import (
	"fmt"
	"math"
	"math/bits"
	"time"
)

// Clock is the clock of a host. It may be off, and it may drift. Steps and
// drift change what it shows; only drift changes how long a duration lasts, and
// never that of a timer already started.
type Clock struct {
	e     *Engine
	ppb   int64
	since Time  // when the drift last changed
	ahead int64 // by how much it was ahead of the true clock then, plus the steps since
}

const billion = 1_000_000_000

// Now returns what the clock shows: UTC, without a monotonic reading.
func (c *Clock) Now() time.Time { return c.e.start.Add(time.Duration(c.local())) }

// Offset returns by how much the clock is ahead of the true one now, from
// steps and drift alike.
func (c *Clock) Offset() time.Duration { return time.Duration(c.local() - int64(c.e.now)) }

// SetOffset sets the clock to the true time plus d. SetOffset(0) is what an NTP
// client does when it steps the clock.
func (c *Clock) SetOffset(d time.Duration) { c.Step(d - c.Offset()) }

// Step moves the clock by d. Timers do not notice.
func (c *Clock) Step(d time.Duration) { c.ahead += int64(d) }

// SetDrift makes the clock run fast (ppb > 0) or slow by so many parts per
// billion from now on, without a jump: a local second then lasts 1e9/(1e9+ppb)
// true seconds. ppb must lie between -1e9 and 1e9, exclusive.
func (c *Clock) SetDrift(ppb int64) {
	if ppb <= -billion || ppb >= billion {
		panic(fmt.Sprintf("sim: drift of %d ppb: it must lie between -1e9 and 1e9", ppb))
	}
	c.ahead, c.since = c.local()-int64(c.e.now), c.e.now
	c.ppb = ppb
	c.e.drift = c.e.drift || ppb != 0
}

// local returns what the clock shows, in nanoseconds since the start.
func (c *Clock) local() int64 {
	now := int64(c.e.now)
	if c.ppb == 0 {
		return now + c.ahead
	}
	elapsed, _ := mulDiv(uint64(c.e.now-c.since), uint64(billion+c.ppb), billion)
	return int64(c.since) + c.ahead + int64(elapsed)
}

// trueDuration returns the least true time in which the clock of h moves on by
// d, and 0 for d <= 0. Few runs have a clock that drifts; the others are spared
// a look at each host's.
func (e *Engine) trueDuration(h *Host, d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	if !e.drift || h.clock.ppb == 0 {
		return d
	}
	q, rest := mulDiv(uint64(d), billion, uint64(billion+h.clock.ppb))
	if rest > 0 && q < math.MaxInt64 {
		q++
	}
	return time.Duration(q)
}

// mulDiv returns a*b/c with a 128-bit product, and the remainder. A quotient
// above the range of int64 is its end.
func mulDiv(a, b, c uint64) (quo, rem uint64) {
	hi, lo := bits.Mul64(a, b)
	if hi >= c {
		return math.MaxInt64, 0
	}
	quo, rem = bits.Div64(hi, lo, c)
	if quo > math.MaxInt64 {
		return math.MaxInt64, 0
	}
	return quo, rem
}
