package traces

import (
	"fmt"
	"math"
	"time"
)

// FormatTime writes a virtual time as six digits of seconds, six decimals and "s": "000115.003210s". The width is
// fixed up to 11 days, so such texts sort as the times do, and time.ParseDuration reads them. What is below a
// microsecond is cut off (towards minus infinity); the trace format keeps it in a field of its own.
func FormatTime(d time.Duration) string {
	return string(AppendTime(make([]byte, 0, 16), d))
}

// AppendTime appends FormatTime's text to dst.
func AppendTime(dst []byte, d time.Duration) []byte {
	micros, _ := splitMicros(d)
	u := uint64(micros)
	if micros < 0 {
		dst, u = append(dst, '-'), uint64(-micros)
	}
	dst = appendPadded(dst, u/1_000_000, 6)
	dst = append(dst, '.')
	dst = appendPadded(dst, u%1_000_000, 6)
	return append(dst, 's')
}

// ParseTime reads what FormatTime writes: at least six digits of seconds (no more than needed), exactly six decimals,
// and the "s". Anything else is an error.
func ParseTime(text string) (time.Duration, error) {
	return parseTime([]byte(text))
}

// splitMicros splits d into whole microseconds, rounded down, and the 0 to 999 nanoseconds that remain.
func splitMicros(d time.Duration) (micros, nanos int64) {
	micros, nanos = int64(d)/1000, int64(d)%1000
	if nanos < 0 {
		micros, nanos = micros-1, nanos+1000
	}
	return micros, nanos
}

// joinMicros is splitMicros' inverse; false if the sum does not fit.
func joinMicros(d time.Duration, nanos uint64) (time.Duration, bool) {
	if nanos > 999 || int64(d) > math.MaxInt64-int64(nanos) {
		return 0, false
	}
	return d + time.Duration(nanos), true
}

func appendPadded(dst []byte, u uint64, width int) []byte {
	var digits [20]byte
	i := len(digits)
	for u > 0 || len(digits)-i < width {
		i--
		digits[i] = byte('0' + u%10)
		u /= 10
	}
	return append(dst, digits[i:]...)
}

func parseTime(text []byte) (time.Duration, error) {
	bad := func() (time.Duration, error) {
		return 0, fmt.Errorf("%.40q is not a time like 000115.003210s", text)
	}
	b := text
	negative := len(b) > 0 && b[0] == '-'
	if negative {
		b = b[1:]
	}
	seconds := len(b) - len(".000000s")
	if seconds < 6 || seconds > 10 || b[seconds] != '.' || b[len(b)-1] != 's' || (seconds > 6 && b[0] == '0') {
		return bad()
	}
	var micros uint64
	for i, c := range b[:len(b)-1] {
		if i == seconds {
			continue
		}
		if c < '0' || c > '9' {
			return bad()
		}
		micros = micros*10 + uint64(c-'0')
	}
	const limit = math.MaxInt64 / 1000 // the whole microseconds that a Duration can hold, on either side of zero
	if negative {
		// Rounding down takes the most negative duration one microsecond past the limit, which has no text.
		if micros > limit || micros == 0 {
			return bad()
		}
		return -time.Duration(micros) * time.Microsecond, nil
	}
	if micros > limit {
		return bad()
	}
	return time.Duration(micros) * time.Microsecond, nil
}
