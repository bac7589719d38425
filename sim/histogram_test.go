package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func mustHistogram(t require.TestingT, buckets ...Bucket) Dist {
	d, err := Histogram(buckets...)
	require.NoError(t, err)
	return d
}

func TestAHistogramDrawsEachBucketAsOftenAsItWasHit(t *testing.T) {
	d := mustHistogram(t, Bucket{4, 0}, Bucket{9, 100}, Bucket{99, 100}, Bucket{199, 400})
	var r Rand
	r.seed(1, "test", "", 0, "")
	var fast, slow int
	for range 4000 {
		switch x := d.Sample(&r); {
		case x >= 4 && x <= 9:
			fast++
		case x >= 99 && x <= 199:
			slow++
		default:
			t.Fatalf("%v was not measured", x)
		}
	}
	require.InDelta(t, 1000, fast, 110) // four standard deviations
	require.Equal(t, 4000, fast+slow)
}

// The values of Prometheus's histogram_quantile for the same buckets.
func TestQuantilesOfAHistogramAreInterpolatedWithinTheBucket(t *testing.T) {
	ms := time.Millisecond
	d := mustHistogram(t, Bucket{5 * ms, 80}, Bucket{10 * ms, 90}, Bucket{25 * ms, 90}, Bucket{100 * ms, 100})
	require.Equal(t, []time.Duration{0, 3125 * time.Microsecond, 7500 * time.Microsecond, 10 * ms, 92500 * time.Microsecond, 100 * ms},
		[]time.Duration{d.Quantile(0), d.Quantile(500), d.Quantile(850), d.Quantile(900), d.Quantile(990), d.Max()})
}

func TestAHistogramThatIsNoneIsRefused(t *testing.T) {
	for want, buckets := range map[string][]Bucket{
		"a histogram of nothing":                             nil,
		"bucket 0 ends at -1ns: bounds rise, from 0 or more": {{-1, 1}},
		"bucket 1 ends at 5ns: bounds rise, from 0 or more":  {{5, 1}, {5, 2}},
		"bucket 1 counts 1 after 2: counts are cumulative":   {{5, 2}, {6, 1}},
		"bucket 0 counts -1 after 0: counts are cumulative":  {{5, -1}},
	} {
		_, err := Histogram(buckets...)
		require.EqualError(t, err, want)
	}
	_, err := Histogram(Bucket{5, 0}, Bucket{6, 0})
	require.EqualError(t, err, "a histogram of nothing")
}
