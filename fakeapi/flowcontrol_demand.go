package fakeapi

import (
	"math"
	"time"
)

// demand is how many seats a level has wanted lately, in use or waited for.
// Upstream: integrator (apiserver v0.37, pkg/util/flowcontrol/fairqueuing) and
// seatDemandStats (pkg/util/flowcontrol/apf_controller.go).
type demand struct {
	seats int
	since int64 // nanoseconds: seats is what it has been from then on

	// of this period, up to since
	elapsed, sum, squares float64 // integrals of the seats' 0th, 1st and 2nd power, in seconds
	most                  int

	smoothed float64 // over periods, with a half-life of 5 minutes
}

// smoothing is how much of the past a period leaves. Upstream: seatDemandSmoothingCoefficient.
const smoothing = 0.977

// set takes note of what is wanted from now on.
func (d *demand) set(now int64, seats int) {
	d.integrate(now)
	d.seats = seats
	d.most = max(d.most, seats)
}

func (d *demand) integrate(now int64) {
	passed, seats := time.Duration(now-d.since).Seconds(), float64(d.seats)
	d.since = now
	d.elapsed += passed
	d.sum += float64(seats * passed)
	d.squares += float64(seats * seats * passed)
}

// close ends a period: it gives the most seats that were wanted in it at once, and
// has the average with its deviation count in smoothed, which rises at once and
// falls slowly.
func (d *demand) close(now int64) (most int) {
	d.integrate(now)
	most = d.most
	if d.elapsed > 0 {
		average := d.sum / d.elapsed
		envelope := average
		if variance := d.squares/d.elapsed - float64(average*average); variance > 0 {
			envelope += math.Sqrt(variance)
		}
		d.smoothed = max(envelope, float64(smoothing*d.smoothed)+float64((1-smoothing)*envelope))
	}
	d.elapsed, d.sum, d.squares, d.most = 0, 0, 0, d.seats
	return most
}
