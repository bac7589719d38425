package scenario

import (
	"fmt"
	"reflect"

	"github.com/holter-sim/holter/sim"
)

// DistSpec is a distribution of durations in one of four forms: Fixed; From and To (uniform); P50 and P99 (log-normal);
// Histogram, as it was measured.
// The zero value is no distribution, which is not the same as a fixed delay of nothing.
type DistSpec struct {
	Fixed *Duration `json:"fixed,omitempty"`
	From  Duration  `json:"from,omitzero"`
	To    Duration  `json:"to,omitzero"`
	P50   Duration  `json:"p50,omitzero"`
	P99   Duration  `json:"p99,omitzero"`

	Histogram []HistogramBucket `json:"histogram,omitempty"`
}

// HistogramBucket says how many of the durations measured are at most Le: counts are cumulative, as in the buckets of a
// Prometheus histogram. Bounds rise from entry to entry, and what lies beyond the last (+Inf) is left out.
type HistogramBucket struct {
	Le    Duration `json:"le"`
	Count int64    `json:"count"`
}

// IsZero tells whether no form was chosen.
func (d DistSpec) IsZero() bool { return reflect.ValueOf(d).IsZero() }

// Dist gives the distribution to draw from, the zero one where no form was chosen. It fails where more than one form is used, a form is half given, a duration
// is negative, or a bound lies above the other.
func (d DistSpec) Dist() (sim.Dist, error) {
	if field, problem := d.fault(); problem != "" {
		return sim.Dist{}, fmt.Errorf("%s %s", field, problem)
	}
	switch {
	case d.Fixed != nil:
		return sim.Fixed(d.Fixed.Duration), nil
	case d.To.Duration != 0:
		return sim.Uniform(d.From.Duration, d.To.Duration), nil
	case d.P99.Duration != 0:
		return sim.LogNormal(d.P50.Duration, d.P99.Duration)
	case len(d.Histogram) > 0:
		return d.measured()
	}
	return sim.Dist{}, nil
}

func (d DistSpec) measured() (sim.Dist, error) {
	buckets := make([]sim.Bucket, len(d.Histogram))
	for i, b := range d.Histogram {
		buckets[i] = sim.Bucket{UpTo: b.Le.Duration, Count: b.Count}
	}
	return sim.Histogram(buckets...)
}

// fault names the field that is wrong and says why, or gives "".
func (d DistSpec) fault() (field, problem string) {
	uniform := d.From.Duration != 0 || d.To.Duration != 0
	quantiles := d.P50.Duration != 0 || d.P99.Duration != 0
	switch {
	case d.Fixed != nil && d.Fixed.Duration < 0:
		return "fixed", "is negative"
	case d.From.Duration < 0:
		return "from", "is negative"
	case d.P50.Duration < 0:
		return "p50", "is negative"
	case d.Fixed != nil && (uniform || quantiles), uniform && quantiles, len(d.Histogram) > 0 && (d.Fixed != nil || uniform || quantiles):
		return "", "mixes forms of a distribution"
	case d.To.Duration < d.From.Duration:
		return "to", "is less than from"
	case d.P50.Duration == 0 && d.P99.Duration != 0:
		return "p50", "is missing"
	case d.P99.Duration < d.P50.Duration:
		return "p99", "is less than p50"
	}
	return "", ""
}
