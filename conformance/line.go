package conformance

import (
	"errors"

	"github.com/holter-sim/holter/bubble"
	"github.com/holter-sim/holter/sim"
)

// Line is how the goroutines of one incarnation of a host reach the engine. When
// that is killed its calls never return; while it is paused they wait.
type Line struct {
	bridge *bubble.Bridge
	host   *sim.Host
	life   int
}

var errClosed = errors.New("the bridge is closed")

// NewLine returns a line for the host as it is now.
func NewLine(b *bubble.Bridge, host *sim.Host) Line { return Line{b, host, host.Incarnation()} }

// Call runs f as a process of the host and returns when it is done. The error
// says that it never will be.
func (l Line) Call(key string, f func()) error {
	done := make(chan struct{})
	l.bridge.Post(key, func() {
		if l.host.Incarnation() != l.life {
			return
		}
		l.host.Go(key, func() {
			f()
			l.bridge.Tell(func() { close(done) })
		})
	})
	select {
	case <-done:
		return nil
	case <-l.bridge.Closed():
		return errClosed
	}
}

// Turn waits until the goroutines that stand in line at this instant, in the
// order of their keys, have had theirs, one after the other.
func (l Line) Turn(key string) { _ = l.Call(key, func() {}) }
