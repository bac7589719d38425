package nodelifecycle

import (
	"errors"
	"time"

	"github.com/holter-sim/holter/heartbeat"
)

var errTimedOut = errors.New("timed out waiting for the condition")

// parallelize calls do for 0..pieces-1 in order, with at most workers of them
// blocked at a time, and returns when all are done. Upstream:
// workqueue.ParallelizeUntil.
func parallelize(host heartbeat.Host, workers, pieces int, do func(piece int)) {
	next, left := 0, pieces
	waiting := host.NewMutex() // held while the caller waits for others to finish
	waits := false
	work := func() {
		for next < pieces {
			piece := next
			next++
			do(piece)
			if left--; left == 0 && waits {
				waiting.Unlock()
			}
		}
	}
	// The caller is the first worker and runs until it blocks; where nothing
	// blocks, the pass is over at one instant and the others find nothing.
	for i := 1; i < min(workers, pieces); i++ {
		host.Go("node-update", work)
	}
	work()
	if left == 0 {
		return
	}
	waiting.Lock()
	waits = true
	waiting.Lock() // until the last worker unlocks it
	waiting.Unlock()
}

// pollImmediate calls f at once, then at every interval until it returns true
// or an error, and a last time when timeout is over. A tick that falls into a
// running f is dropped. Upstream: wait.PollImmediate (apimachinery v0.36.3);
// whether the tick at the very timeout comes through is a race there, here it
// does not.
func pollImmediate(host heartbeat.Host, interval, timeout time.Duration, f func() (bool, error)) error {
	if done, err := f(); done || err != nil {
		return err
	}
	start := heartbeat.Monotonic(host)
	for {
		elapsed := heartbeat.Monotonic(host).Sub(start)
		next := min(elapsed-elapsed%interval+interval, timeout)
		if next > elapsed {
			host.Sleep(next - elapsed)
		}
		done, err := f()
		if done || err != nil {
			return err
		}
		if next >= timeout {
			return errTimedOut
		}
	}
}
