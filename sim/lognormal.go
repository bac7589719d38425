package sim

import (
	"math"
	"math/bits"
	"time"
)

// A log-normal duration is p50 * (p99/p50)^(z/z99) for a standard normal z, that
// is p50 * 2^(slope*z). Everything here is fixed point: z has 28 binary places,
// logarithms have 40, powers have 62. math.Exp2 and friends are no use: their
// last digits differ between architectures.
const (
	zBits   = 28
	logBits = 40
	powBits = 62
)

// logNormalSlope returns log2(p99/p50)/z99, to logBits places.
func logNormalSlope(p50, p99 time.Duration) uint64 {
	u, _ := mulDiv(1<<62-1, 990, 1000) // as Quantile(990) asks, which so is p99
	slope, _ := mulDiv(log2(uint64(p99))-log2(uint64(p50)), 1<<zBits, uint64(normalQuantile(u)))
	return slope
}

// at returns the log-normal duration z standard deviations above the median.
func (d Dist) at(z int64) time.Duration {
	hi, lo := bits.Mul64(d.slope, uint64(max(z, -z)))
	x := int64(hi<<(64-zBits) | lo>>zBits)
	if z < 0 {
		x = -x
	}
	whole, part := x>>logBits, uint64(x)&(1<<logBits-1)
	return scale(uint64(d.a), exp2(part), powBits-whole)
}

// scale returns a*b/2^shift rounded to nearest; above the range of durations it
// is their end.
func scale(a, b uint64, shift int64) time.Duration {
	hi, lo := bits.Mul64(a, b)
	switch {
	case shift <= 0:
		return maxDuration
	case shift > 127:
		return 0
	case shift > 64:
		lo, hi, shift = hi, 0, shift-64
	}
	lo, carry := bits.Add64(lo, 1<<(shift-1), 0)
	hi += carry
	if hi>>shift != 0 {
		return maxDuration
	}
	return time.Duration(min(hi<<(64-shift)|lo>>shift, math.MaxInt64))
}

// normalQuantile returns the quantile of the standard normal distribution at
// u/2^62, interpolated in the table and cut off at the table's end.
//
// The table halves the tail 32 times, and each halving has 128 steps: that is
// where a straight line between neighbours stays close even far out.
func normalQuantile(u uint64) int64 {
	tail, sign := u, int64(-1)
	if u >= 1<<61 {
		tail, sign = 1<<62-1-u, 1
	}
	halvings := 61 - bits.Len64(tail)
	if halvings >= quantileHalvings {
		return sign * int64(normalQuantiles[len(normalQuantiles)-1])
	}
	in := uint64(1)<<(61-halvings) - 1 - tail // how far into this halving
	places := 60 - halvings - quantileStepBits
	i := halvings<<quantileStepBits + int(in>>places)
	lower, upper := int64(normalQuantiles[i]), int64(normalQuantiles[i+1])
	part := int64(in << (64 - places) >> 32) // to 32 binary places
	return sign * (lower + (upper-lower)*part>>32)
}

// log2 returns the binary logarithm of n > 0 to logBits places, one bit a
// squaring.
func log2(n uint64) uint64 {
	whole := bits.Len64(n) - 1
	m := n << (63 - whole) // in [1, 2), 63 places
	log := uint64(whole)
	for range logBits {
		hi, lo := bits.Mul64(m, m) // in [1, 4), 126 places
		log <<= 1
		if hi>>63 != 0 {
			log, m = log|1, hi
		} else {
			m = hi<<1 | lo>>63
		}
	}
	return log
}

// exp2 returns 2^x to powBits places, for x in [0, 1) with logBits places.
func exp2(x uint64) uint64 {
	x <<= 64 - logBits
	var sum uint64
	for _, c := range exp2Series {
		hi, _ := bits.Mul64(sum, x)
		sum = c + hi
	}
	return sum
}

// exp2Series are the coefficients ln(2)^k/k! of 2^x, to powBits places, k = 14 first.
var exp2Series = [...]uint64{
	0x4c526,
	0x605865,
	0x70ef594,
	0x7a32b1cd,
	0x7933d4563,
	0x6d494f4e58,
	0x58b0088e972,
	0x3ff97f8b1162,
	0x2861225f0d8f1,
	0x15d87fe78a6731,
	0x9d955b7dd273b9,
	0x38d611ae09417f1,
	0xf5fdeffc162c754,
	0x2c5c85fdf473de6b,
	0x4000000000000000,
}
