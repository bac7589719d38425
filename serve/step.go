package serve

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/holter-sim/holter/scenario"
	"github.com/holter-sim/holter/sim"
)

const (
	longestStep = 8760 * time.Hour // a year

	// farthest is how far steps lead from the start of the run, all together: the
	// clock has room for three times as much.
	farthest = 100 * longestStep
)

// step is what somebody waits for.
type step struct {
	until sim.Time
	done  chan struct{}
}

// Step stops the clock, lets it go on by d, as fast as it goes, and returns when it
// stands there. Steps that are ordered meanwhile begin where the last one ends, and
// all return when the clock stands. The error is that the run has ended, or that it
// would go on for more than a hundred years.
func (s *Server) Step(d time.Duration) error { return s.step(context.Background(), d) }

// step is Step for a client that may go: the clock then stands where it is, or where
// the steps of others lead.
func (s *Server) step(ctx context.Context, d time.Duration) error {
	st := &step{done: make(chan struct{})}
	var wrong error
	if !s.loop.do(func() { wrong = s.loop.begin(st, d) }) {
		return errGone
	}
	if wrong != nil {
		return wrong
	}
	select {
	case <-st.done:
		return nil
	case <-ctx.Done():
		s.loop.post(func() { s.loop.leave(st) })
		return ctx.Err()
	case <-s.loop.gone:
		return errGone
	}
}

func (s *Server) orderStep(r *http.Request, body []byte) error {
	o, err := readOrder(body)
	if err != nil {
		return err
	}
	d, wrong := scenario.ParseDuration(o.Duration)
	if wrong == "" && (d <= 0 || d > longestStep) {
		wrong = "is out of bounds"
	}
	if wrong != "" {
		return fmt.Errorf("duration: %q %s; accepted: a duration over 0s, up to 8760h, as in {\"duration\": \"30s\"}", o.Duration, wrong)
	}
	return s.step(r.Context(), d)
}

// begin is the loop's.
func (l *loop) begin(st *step, d time.Duration) error {
	from := max(l.cluster.Engine().Now(), l.pace.step)
	if left := farthest - from.Duration(); d > left {
		return fmt.Errorf("duration: %s leads too far; accepted: up to %s here, as the run ends at 876000h", d, max(left, 0))
	}
	st.until = from + sim.Time(d)
	l.pace.paused, l.pace.step = true, st.until
	l.steps = append(l.steps, st)
	return nil
}

// leave is the loop's: nobody waits for a step any more. After the last one the clock
// stands, as after a step that was done, though it was to go on: by the wall's clock it
// would be far ahead.
func (l *loop) leave(st *step) {
	i := slices.Index(l.steps, st)
	if i < 0 { // it has just ended
		return
	}
	l.steps = slices.Delete(l.steps, i, i+1)
	l.pace.step = 0
	for _, other := range l.steps {
		l.pace.step = max(l.pace.step, other.until)
	}
	l.pace.paused = l.pace.paused || len(l.steps) == 0
}

// endSteps is the loop's: the clock stands, and those who wait for it know.
func (l *loop) endSteps() {
	l.pace.step, l.pace.paused = 0, true
	for _, st := range l.steps {
		close(st.done)
	}
	l.steps = nil
}
