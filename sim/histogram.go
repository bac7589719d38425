package sim

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"
)

// Bucket says how many of the durations that were measured are at most UpTo:
// counts are cumulative, as those of a Prometheus histogram (le).
type Bucket struct {
	UpTo  time.Duration
	Count int64
}

// histogram holds the buckets of a Dist, which is compared by identity then.
type histogram struct {
	buckets []Bucket
}

// Histogram draws what was measured: each bucket as often as it was hit, and
// uniformly within, from the bound before (0 for the first) to its own, as
// Prometheus's histogram_quantile takes it. It wants bounds that rise from 0 or
// more, counts that do not fall, and a duration that was counted.
func Histogram(buckets ...Bucket) (Dist, error) {
	last := Bucket{UpTo: -1}
	for i, b := range buckets {
		switch {
		case b.UpTo <= last.UpTo:
			return Dist{}, fmt.Errorf("bucket %d ends at %v: bounds rise, from 0 or more", i, b.UpTo)
		case b.Count < last.Count:
			return Dist{}, fmt.Errorf("bucket %d counts %d after %d: counts are cumulative", i, b.Count, last.Count)
		}
		last = b
	}
	if last.Count == 0 {
		return Dist{}, errors.New("a histogram of nothing")
	}
	return Dist{kind: measured, histogram: &histogram{slices.Clone(buckets)}}, nil
}

func (h *histogram) total() int64 { return h.buckets[len(h.buckets)-1].Count }

// of returns the bounds of the bucket that holds the n-th duration, counted
// from 0, and the counts below and of it.
func (h *histogram) of(n int64) (lo, hi time.Duration, below, count int64) {
	i := sort.Search(len(h.buckets), func(i int) bool { return h.buckets[i].Count > n })
	if i > 0 {
		lo, below = h.buckets[i-1].UpTo, h.buckets[i-1].Count
	}
	return lo, h.buckets[i].UpTo, below, h.buckets[i].Count - below
}

func (h *histogram) sample(r interface{ Int64N(n int64) int64 }) time.Duration {
	lo, hi, _, _ := h.of(r.Int64N(h.total()))
	return Uniform(lo, hi).Sample(r)
}

// quantile interpolates within the bucket that holds the last of those draws.
func (h *histogram) quantile(permille uint64) time.Duration {
	rank, rest := mulDiv(uint64(h.total()), permille, 1000)
	last := int64(rank)
	if rest == 0 && rank > 0 {
		last--
	}
	lo, hi, below, count := h.of(last)
	into, _ := mulDiv(uint64(hi-lo), rank-uint64(below), uint64(count))
	more, _ := mulDiv(uint64(hi-lo)/uint64(count), rest, 1000)
	return lo + time.Duration(into+more)
}

func (h *histogram) String() string {
	parts := make([]string, len(h.buckets))
	for i, b := range h.buckets {
		parts[i] = fmt.Sprintf("le %v: %d", b.UpTo, b.Count)
	}
	return strings.Join(parts, ", ")
}
