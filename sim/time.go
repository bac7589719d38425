package sim

import (
	"math"
	"strconv"
	"time"
)

// Time is an instant of virtual time: nanoseconds since the start of the run.
// It is never negative; what it means on a wall is [Options].Start.
type Time int64

// Never is later than every instant of a run. An event scheduled at Never does not fire.
const Never = Time(math.MaxInt64)

// Duration returns the time since the start of the run.
func (t Time) Duration() time.Duration { return time.Duration(t) }

// Add returns t+d. A sum beyond the range of Time is Never.
func (t Time) Add(d time.Duration) Time {
	sum := t + Time(d)
	if d > 0 && sum < t {
		return Never
	}
	return sum
}

// Sub returns the duration from u to t.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t - u) }

// String returns t in seconds with a fixed width, such as "000115.003210s".
// The text sorts as the instants do (up to 999,999 s, which is eleven days),
// time.ParseDuration reads it, and digits below the microsecond are cut off.
func (t Time) String() string {
	var buf [24]byte
	b := buf[:0]
	if t < 0 {
		b = append(b, '-')
		t = -t
	}
	b = appendSixDigits(b, uint64(t)/uint64(time.Second))
	b = append(b, '.')
	b = appendSixDigits(b, uint64(t)%uint64(time.Second)/uint64(time.Microsecond))
	b = append(b, 's')
	return string(b)
}

// appendSixDigits appends n with leading zeros, in six digits or more.
func appendSixDigits(b []byte, n uint64) []byte {
	for limit := uint64(100_000); n < limit && limit > 1; limit /= 10 {
		b = append(b, '0')
	}
	return strconv.AppendUint(b, n, 10)
}
