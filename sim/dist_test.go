package sim

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestDistributionsPrintAsTheyAreConfigured(t *testing.T) {
	for want, d := range map[string]Dist{
		"unset":                               {},
		"0s":                                  Fixed(0),
		"4ms":                                 Fixed(4 * time.Millisecond),
		"1ms..5ms":                            Uniform(time.Millisecond, 5*time.Millisecond),
		"p50 4ms p99 20ms":                    mustLogNormal(t, 4*time.Millisecond, 20*time.Millisecond),
		"le 1ms: 0, le 5ms: 90, le 10ms: 100": mustHistogram(t, Bucket{time.Millisecond, 0}, Bucket{5 * time.Millisecond, 90}, Bucket{10 * time.Millisecond, 100}),
	} {
		require.Equal(t, want, d.String())
		require.Equal(t, want == "unset", d.IsZero())
	}
}

func TestDistributionsRefuseNonsense(t *testing.T) {
	require.Panics(t, func() { Fixed(-1) })
	require.Panics(t, func() { Uniform(-1, 1) })
	require.Panics(t, func() { Uniform(2, 1) })
	_, err := LogNormal(0, 1)
	require.EqualError(t, err, "p50 must be positive")
	_, err = LogNormal(2*time.Second, time.Second)
	require.EqualError(t, err, "p99 (1s) must not be below p50 (2s)")
}

func TestSamplesLieWithinTheQuantiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDist(t)
		var r Rand
		r.seed(rapid.Uint64().Draw(t, "seed"), "test", "", 0, "")
		for range 100 {
			x := d.Sample(&r)
			require.GreaterOrEqual(t, x, d.Quantile(0))
			require.LessOrEqual(t, x, d.Max())
		}
		for p := -1; p < 1001; p++ {
			require.LessOrEqual(t, d.Quantile(p), d.Quantile(p+1))
		}
	})
}

func drawDist(t *rapid.T) Dist {
	a := time.Duration(rapid.Int64Range(1, math.MaxInt64).Draw(t, "a"))
	b := time.Duration(rapid.Int64Range(int64(a), math.MaxInt64).Draw(t, "b"))
	switch rapid.IntRange(0, 3).Draw(t, "kind") {
	case 0:
		return Fixed(a)
	case 1:
		return Uniform(a-1, b)
	case 2:
		buckets := []Bucket{{UpTo: a - 1, Count: rapid.Int64Range(0, math.MaxInt64).Draw(t, "first")}}
		for buckets[len(buckets)-1].UpTo < b {
			last := buckets[len(buckets)-1]
			buckets = append(buckets, Bucket{rapid.Custom(func(t *rapid.T) time.Duration {
				return time.Duration(rapid.Int64Range(int64(last.UpTo)+1, int64(b)).Draw(t, "upTo"))
			}).Draw(t, "bound"), rapid.Int64Range(max(last.Count, 1), math.MaxInt64).Draw(t, "count")})
			if len(buckets) == 20 {
				break
			}
		}
		return mustHistogram(t, buckets...)
	}
	d, err := LogNormal(a, b)
	require.NoError(t, err)
	return d
}

func TestUniformReachesBothEnds(t *testing.T) {
	var r Rand
	r.seed(1, "test", "", 0, "")
	var seen [4]int
	d := Uniform(5, 8)
	for range 4000 {
		seen[d.Sample(&r)-5]++
	}
	for _, n := range seen {
		require.InDelta(t, 1000, n, 110) // four standard deviations
	}
	require.Equal(t, []time.Duration{5, 6, 8}, []time.Duration{d.Quantile(0), d.Quantile(500), d.Max()})
}

func TestLogNormalHasTheMedianAndThe99thPercentileItWasGiven(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p50 := time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "p50"))
		p99 := time.Duration(rapid.Int64Range(int64(p50), 100*int64(time.Hour)).Draw(t, "p99"))
		d, err := LogNormal(p50, p99)
		require.NoError(t, err)
		require.Equal(t, p50, d.Quantile(500))
		require.InDelta(t, float64(p99), float64(d.Quantile(990)), 1+float64(p99)*1e-10)
	})
}

func TestLogNormalAgreesWithFloatingPoint(t *testing.T) {
	p50, p99 := 4*time.Millisecond, 20*time.Millisecond
	d := mustLogNormal(t, p50, p99)
	slope := math.Log(float64(p99)/float64(p50)) / upperQuantile(0.01)
	for u := uint64(1 << 40); u < 1<<62-1<<40; u += 1 << 49 {
		tail := math.Ldexp(float64(min(u, 1<<62-u)), -62)
		z := upperQuantile(tail)
		if u < 1<<61 {
			z = -z
		}
		want := float64(p50) * math.Exp(slope*z)
		require.InEpsilon(t, want, float64(d.at(normalQuantile(u))), 1e-5)
	}
}

func TestSamplesOfALogNormalFallBelowTheQuantilesAsOftenAsTheyShould(t *testing.T) {
	d := mustLogNormal(t, 4*time.Millisecond, 20*time.Millisecond)
	var r Rand
	r.seed(1, "test", "", 0, "")
	const draws = 100_000
	below := map[int]int{}
	marks := []int{10, 250, 500, 900, 990, 999}
	for range draws {
		x := d.Sample(&r)
		for _, p := range marks {
			if x <= d.Quantile(p) {
				below[p]++
			}
		}
	}
	for _, p := range marks {
		share := float64(p) / 1000
		require.InDelta(t, draws*share, below[p], 4*math.Sqrt(draws*share*(1-share)))
	}
}

// A contract like the one of the streams.
func TestALogNormalDrawsWhatItAlwaysDrew(t *testing.T) {
	d := mustLogNormal(t, 4*time.Millisecond, 20*time.Millisecond)
	var r Rand
	r.seed(1, "test", "", 0, "")
	var got []time.Duration
	for range 4 {
		got = append(got, d.Sample(&r))
	}
	require.Equal(t, []time.Duration{4197530, 3499994, 4514439, 7247211}, got)
	require.Equal(t, 320885362*time.Nanosecond, d.Max())
}

func TestLogNormalOfWildRatiosSaturates(t *testing.T) {
	d := mustLogNormal(t, 1, math.MaxInt64)
	require.Equal(t, maxDuration, d.Max())
	require.Equal(t, time.Duration(1), d.Quantile(500))
	require.Equal(t, time.Duration(0), d.Quantile(10))
	flat := mustLogNormal(t, time.Second, time.Second)
	require.Equal(t, time.Second, flat.Max())
}

func TestFixedPointPowersAndLogarithmsAgreeWithFloatingPoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint64Range(1, math.MaxUint64).Draw(t, "n")
		require.InDelta(t, math.Log2(float64(n)), math.Ldexp(float64(log2(n)), -logBits), 1e-10)
		x := rapid.Uint64Range(0, 1<<logBits-1).Draw(t, "x")
		require.InEpsilon(t, math.Exp2(math.Ldexp(float64(x), -logBits)), math.Ldexp(float64(exp2(x)), -powBits), 1e-14)
	})
}

func mustLogNormal(t *testing.T, p50, p99 time.Duration) Dist {
	d, err := LogNormal(p50, p99)
	require.NoError(t, err)
	return d
}
