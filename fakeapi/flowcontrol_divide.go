package fakeapi

import "slices"

// claim is what somebody wants of something that is divided. wanted is at least
// least.
type claim struct{ least, most, wanted float64 }

// leastWanted is what a claim of nothing counts for.
const leastWanted = 0.001

// at is what a claim gets where each gets that part of what it wants.
func (c *claim) at(part float64) float64 {
	return max(c.least, min(c.most, float64(part*max(c.wanted, leastWanted))))
}

// divide gives everybody the same part of what it wants, within its bounds, so
// that the sum comes out. It is for sums between those of the bounds. Upstream:
// computeConcurrencyAllocation (apiserver v0.37, pkg/util/flowcontrol/conc_alloc.go).
func divide(sum float64, claims []claim) []float64 {
	part := partFor(sum, claims)
	out := make([]float64, len(claims))
	for i := range claims {
		out[i] = claims[i].at(part)
	}
	return out
}

// partFor looks between which two bounds the part must be. From one to the next
// it is the same claims that grow with it.
func partFor(sum float64, claims []claim) float64 {
	bounds := make([]float64, 0, 2*len(claims))
	for _, c := range claims {
		wanted := max(c.wanted, leastWanted)
		bounds = append(bounds, c.least/wanted, c.most/wanted)
	}
	slices.Sort(bounds)
	from := 0.0
	for _, to := range bounds {
		if total(to, claims) < sum {
			from = to
			continue
		}
		fixed, growing := 0.0, 0.0
		for i := range claims {
			c := &claims[i]
			wanted := max(c.wanted, leastWanted)
			if c.least/wanted <= from && c.most/wanted >= to {
				growing += wanted
			} else {
				fixed += c.at(to)
			}
		}
		if growing == 0 {
			return to
		}
		return (sum - fixed) / growing
	}
	return from
}

func total(part float64, claims []claim) float64 {
	sum := 0.0
	for i := range claims {
		sum += claims[i].at(part)
	}
	return sum
}
