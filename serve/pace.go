package serve

import (
	"math"
	"time"

	"github.com/holter-sim/holter/sim"
)

// pace says where virtual time should be by the clock of the wall. It is known from
// one pair of instants, and a speed from there on.
type pace struct {
	speed   Speed
	paused  bool
	end     sim.Time // where Max stops
	step    sim.Time // where a step stops; 0 for none
	real    time.Time
	virtual sim.Time
}

// anchor has the pace begin anew from a pair of instants that belong together.
func (p *pace) anchor(real time.Time, virtual sim.Time) { p.real, p.virtual = real, virtual }

// target is how far virtual time, which is at now, may go at that instant of the
// wall. It is now where the clock stands.
func (p *pace) target(real time.Time, now sim.Time) sim.Time {
	switch {
	case p.step != 0:
		return max(now, p.step)
	case p.paused:
		return now
	case p.speed == Max:
		return max(now, p.end)
	}
	ahead := float64(real.Sub(p.real)) * float64(p.speed)
	if ahead > float64(math.MaxInt64/2) { // 146 years
		return now
	}
	return max(now, p.virtual+sim.Time(ahead))
}

// stands tells whether virtual time, which is at now, does not pass by itself.
func (p *pace) stands(now sim.Time) bool {
	switch {
	case p.step != 0:
		return now >= p.step
	case p.speed == Max:
		return p.paused || now >= p.end
	}
	return p.paused
}

// due is how long it is until an instant of virtual time is reached, which the wall
// has not reached yet.
func (p *pace) due(real time.Time, at sim.Time) time.Duration {
	wait := float64(at-p.virtual)/float64(p.speed) - float64(real.Sub(p.real))
	return time.Duration(min(max(wait, 0), float64(time.Hour)))
}
