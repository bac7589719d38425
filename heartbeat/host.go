package heartbeat

import (
	"sync"
	"time"
)

// Host is all that heartbeat code may wait on or draw from: a clock, timers,
// processes and random streams. The simulation engine implements it on
// virtual time.
//
// A sync.Mutex held over a Sleep, a channel or a time.After would freeze the
// engine, so heartbeat code uses none of them.
type Host interface {
	// Now is the host's own wall clock. It may be offset, drift and step.
	Now() time.Time

	// Sleep blocks the calling process. Steps of the clock do not move it.
	Sleep(d time.Duration)

	// Every runs f now and then again and again: period plus a draw from
	// [0, jitterFactor*period) after the end of the last run (sliding) or
	// after its start (not sliding). It returns at once; stop ends the loop
	// after the present run. It is wait.JitterUntil (apimachinery v0.36).
	Every(name string, period time.Duration, jitterFactor float64, sliding bool, f func()) (stop func())

	// Go runs f as a process of its own.
	Go(name string, f func())

	// NewMutex returns a lock that processes may hold while they block.
	NewMutex() sync.Locker

	// Rand returns the random stream of that purpose. The same purpose names
	// the same stream; different purposes never share draws.
	Rand(purpose string) Rand
}

// Monotonic is what upstream measures durations with: an instant of h that
// steps of its clock do not move. Only differences mean anything, and as long
// as the clock was not stepped it is [Host.Now]. A Host that steps says so by a
// method of that name; one whose Now carries Go's monotonic reading needs none.
func Monotonic(h Host) time.Time {
	if m, ok := h.(interface{ Monotonic() time.Time }); ok {
		return m.Monotonic()
	}
	return h.Now()
}

// Rand is a stream of random draws. Int64N draws uniformly from [0, n); n
// must be positive.
type Rand = interface {
	Int64N(n int64) int64
}

// Tracer is told what the logic decides, where no API request shows it: a
// renewal given up, a node found expired, a disruption mode entered. It may
// be nil wherever one is asked for.
type Tracer interface {
	// Decided reports one decision about node ("" for none). kind is one of
	// the Decision constants; detail is for people.
	Decided(kind, node, detail string)
}

// Kinds of decisions that a Tracer is told.
const (
	DecisionRegistered     = "registered"       // the kubelet's registration completed
	DecisionLeaseFailed    = "lease-failed"     // five tries to renew the Lease failed
	DecisionStatusFailed   = "status-failed"    // five tries to update the node status failed
	DecisionExpired        = "expired"          // the controller has seen no heartbeat for longer than the grace period
	DecisionSkipped        = "skipped"          // the controller does not judge a node in this pass, its Leases being stale
	DecisionPanicked       = "panicked"         // the controller hit a bug of upstream's that ends its process
	DecisionDisruption     = "disruption"       // a zone changed state, or the controller entered or left full disruption
	DecisionUpdateFailed   = "update-failed"    // the controller gave up on a node for this pass
	DecisionPodsNotEvicted = "pods-not-evicted" // not all pods of a node could be deleted; they are tried again
	DecisionWatchFailed    = "watch-failed"     // a watch ended with an error
	DecisionControllerSync = "caches-synced"    // the controller's informers have their first list
	DecisionControllerPass = "monitor-started"  // the first monitor pass begins
)

// Kinds of decisions about pods. Their detail begins with the pod's namespace
// and name, and says why behind a colon.
const (
	DecisionEvictionSet       = "eviction-set"       // a pod is to be deleted later
	DecisionEvictionCancelled = "eviction-cancelled" // and now it is not
	DecisionEvicting          = "evicting"           // a pod is to be deleted now
	DecisionEvictionFailed    = "eviction-failed"    // five tries to delete it failed
	DecisionCollecting        = "collecting"         // PodGC deletes a pod
)

// Decide tells t, if there is one.
func Decide(t Tracer, kind, node, detail string) {
	if t != nil {
		t.Decided(kind, node, detail)
	}
}
