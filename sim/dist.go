package sim

import (
	"errors"
	"fmt"
	"time"
)

// Dist is a distribution of durations that is drawn from with integer
// arithmetic only, so that a seed gives the same durations on every machine.
// It is a value, comparable with ==; a histogram is equal to its copies alone.
// The zero Dist is unset and always draws 0.
type Dist struct {
	kind  distKind
	a, b  time.Duration // fixed: a; uniform: a..b; log-normal: p50 and p99
	slope uint64        // log-normal: binary orders of magnitude a standard deviation, in 2^-40

	histogram *histogram
}

type distKind uint8

const (
	unset distKind = iota
	fixed
	uniform
	logNormal
	measured
)

// Fixed always draws d. A negative d panics.
func Fixed(d time.Duration) Dist {
	if d < 0 {
		panic(fmt.Sprintf("sim: fixed distribution of %v: it must not be negative", d))
	}
	return Dist{kind: fixed, a: d}
}

// Uniform draws from lo to hi, both included. lo < 0 or hi < lo panics.
func Uniform(lo, hi time.Duration) Dist {
	if lo < 0 || hi < lo {
		panic(fmt.Sprintf("sim: uniform distribution of %v..%v: want 0 <= lo <= hi", lo, hi))
	}
	return Dist{kind: uniform, a: lo, b: hi}
}

// LogNormal draws from the log-normal distribution with that median and that
// 99th percentile, cut off where one draw in 2^33 would be beyond. It wants
// p99 >= p50 > 0.
func LogNormal(p50, p99 time.Duration) (Dist, error) {
	switch {
	case p50 <= 0:
		return Dist{}, errors.New("p50 must be positive")
	case p99 < p50:
		return Dist{}, fmt.Errorf("p99 (%v) must not be below p50 (%v)", p99, p50)
	}
	return Dist{kind: logNormal, a: p50, b: p99, slope: logNormalSlope(p50, p99)}, nil
}

// Sample takes one draw from r. Fixed and unset distributions take none.
func (d Dist) Sample(r interface{ Int64N(n int64) int64 }) time.Duration {
	switch d.kind {
	case uniform:
		if d.b-d.a == maxDuration {
			return time.Duration(r.Int64N(int64(maxDuration)))
		}
		return d.a + time.Duration(r.Int64N(int64(d.b-d.a)+1))
	case logNormal:
		return d.at(normalQuantile(uint64(r.Int64N(1 << 62))))
	case measured:
		return d.histogram.sample(r)
	}
	return d.a
}

const maxDuration = time.Duration(Never)

// Quantile returns the duration that permille of a thousand draws do not
// exceed: 500 is the median, 990 the 99th percentile, 1000 is Max.
func (d Dist) Quantile(permille int) time.Duration {
	p := uint64(min(max(permille, 0), 1000))
	switch d.kind {
	case uniform:
		q, _ := mulDiv(uint64(d.b-d.a), p, 1000)
		return d.a + time.Duration(q)
	case logNormal:
		u, _ := mulDiv(1<<62-1, p, 1000)
		return d.at(normalQuantile(u))
	case measured:
		return d.histogram.quantile(p)
	}
	return d.a
}

// Max returns the longest duration that Sample can return.
func (d Dist) Max() time.Duration { return d.Quantile(1000) }

// IsZero reports whether d is the zero Dist. Fixed(0) is not.
func (d Dist) IsZero() bool { return d == Dist{} }

// String returns "4ms", "1ms..5ms", "p50 4ms p99 20ms", "le 5ms: 90, le 10ms: 100",
// or "unset".
func (d Dist) String() string {
	switch d.kind {
	case fixed:
		return d.a.String()
	case uniform:
		return d.a.String() + ".." + d.b.String()
	case logNormal:
		return "p50 " + d.a.String() + " p99 " + d.b.String()
	case measured:
		return d.histogram.String()
	}
	return "unset"
}
