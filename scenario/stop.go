package scenario

import (
	"errors"

	"github.com/holter-sim/holter/traces"
)

// ErrStopped ends a run that somebody stopped (StopWhen); the errors of Run wrap it.
var ErrStopped = errors.New("stopped")

// StopWhen gives the sinks that end a run with ErrStopped soon after stop says so; none for nil.
func StopWhen(stop func() bool) []traces.Sink {
	if stop == nil {
		return nil
	}
	return []traces.Sink{traces.SinkFunc(func(*traces.Event) error {
		if stop() {
			return ErrStopped
		}
		return nil
	})}
}
