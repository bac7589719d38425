package kubelet

import (
	"fmt"
	"time"
)

const (
	// relistPeriod is how often the containers are listed.
	relistPeriod = time.Second
	// relistThreshold is how long a list is borne that does not succeed.
	relistThreshold = 3 * time.Minute
)

// pleg is the pod lifecycle event generator as far as the Ready condition
// depends on it: when did the last list of containers begin that succeeded?
// Nothing else can be seen of lists that succeed, so they are no events; their
// times follow from when the first was. Upstream: pkg/kubelet/pleg/generic.go.
type pleg struct {
	start   time.Time // of the first list
	failing bool
	last    time.Time // that succeeded before lists failed; zero for none
	resumed time.Time // since when they succeed again
}

// newPLEG lists for the first time now.
func newPLEG(now time.Time, failing bool) pleg { return pleg{start: now, failing: failing} }

// fail tells whether lists fail from now on.
func (p *pleg) fail(failing bool, now time.Time) {
	switch {
	case failing == p.failing:
		return
	case failing:
		p.last = p.relistTime(now)
	default:
		p.resumed = now
	}
	p.failing = failing
}

// relistTime is when the last list began that succeeded, zero for none.
// Upstream: GenericPLEG.getRelistTime.
func (p *pleg) relistTime(now time.Time) time.Time {
	latest := p.start.Add(now.Sub(p.start).Truncate(relistPeriod))
	if p.failing || latest.Before(p.resumed) {
		return p.last
	}
	return latest
}

// healthy is nil, or says why not. Upstream: GenericPLEG.Healthy.
func (p *pleg) healthy(now time.Time) error {
	relist := p.relistTime(now)
	if relist.IsZero() {
		return fmt.Errorf("pleg has yet to be successful")
	}
	if elapsed := now.Sub(relist); elapsed > relistThreshold {
		return fmt.Errorf("pleg was last seen active %v ago; threshold is %v", elapsed, relistThreshold)
	}
	return nil
}
