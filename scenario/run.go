package scenario

import (
	"fmt"
	"time"

	"github.com/holter-sim/holter/sim"
)

// Progress is told now and then how far a run is.
type Progress func(now, end time.Duration)

// progressSteps is how often a run tells of its progress.
const progressSteps = 200

// Run simulates a scenario to its end and judges it. The error is bad input
// (*InputError) or a panic in the model (*sim.ProcessPanic); an expectation
// that is not met is no error, see Result.OK.
func Run(s *Scenario, o Options, progress Progress) (*Result, error) {
	c, err := Build(s, o)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	end := s.Spec.Duration.Duration
	for step := 1; step <= progressSteps; step++ {
		if err := c.RunUntil(end / progressSteps * time.Duration(step)); err != nil {
			return nil, fmt.Errorf("scenario %s, seed %d: %w", s.Metadata.Name, s.Spec.Seed, err)
		}
		if progress != nil {
			progress(c.Now(), end)
		}
	}
	if err := c.RunUntil(end); err != nil {
		return nil, err
	}
	if c.engine.Now() != sim.Time(end) {
		return nil, fmt.Errorf("scenario %s: the run ended at %s", s.Metadata.Name, c.engine.Now())
	}
	return c.Result(), nil
}
