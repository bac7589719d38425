package workloads

import (
	"slices"
	"time"

	"github.com/holter-sim/holter/heartbeat"
)

// expectationsTimeout is how long a controller waits to see what it has done.
// Upstream: ExpectationsTimeout.
const expectationsTimeout = 5 * time.Minute

// expectations are the pods that a controller has created or deleted and does
// not see yet in its informer, which may lag: until it sees them it does
// nothing, or it would do the same again. Upstream:
// UIDTrackingControllerExpectations.
type expectations struct {
	host      heartbeat.Host
	creations int
	deletions []string // keys of pods
	since     time.Time
}

func (e *expectations) expect(creations int, deletions []string) {
	e.creations, e.deletions, e.since = creations, deletions, heartbeat.Monotonic(e.host)
}

func (e *expectations) creationObserved() { e.creations-- }

func (e *expectations) deletionObserved(key string) {
	if i := slices.Index(e.deletions, key); i >= 0 {
		e.deletions = slices.Delete(e.deletions, i, i+1)
	}
}

func (e *expectations) satisfied() bool {
	return e.creations <= 0 && len(e.deletions) == 0 || heartbeat.Monotonic(e.host).Sub(e.since) > expectationsTimeout
}
