package bubble

import (
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"time"
)

// A goroutine that waits for a lock is not at rest for synctest. If the holder of
// the lock waits for virtual time, or for an answer, then neither goes on, nothing
// fails, and the test hangs until go test gives up minutes later. So somebody
// outside of the bubble looks at it now and then.

// patience is how long, by the wall, a bubble may do nothing before it is looked at.
var patience = 5 * time.Second

// guard panics once the bubble whose turns are counted is stuck. It is called
// outside of the bubble. The function returned ends it.
func guard(turns *atomic.Int64) (stop func()) {
	over := make(chan struct{})
	go func() {
		ticker := time.NewTicker(patience)
		defer ticker.Stop()
		for last := int64(-1); ; {
			select {
			case <-over:
				return
			case <-ticker.C:
			}
			if now := turns.Load(); now != last {
				last = now
				continue
			}
			if waiting := stuck(stacks()); waiting != "" {
				panic("bubble: the clock has stopped: these goroutines wait for a lock, which is held by one that waits for virtual time or for an answer; " +
					"hold no lock over a request or a sleep (see package bubble)\n\n" + waiting)
			}
		}
	}()
	return func() { close(over) }
}

// stacks is what all goroutines do.
func stacks() string {
	for size := 1 << 20; ; size *= 2 {
		buffer := make([]byte, size)
		if n := runtime.Stack(buffer, true); n < size {
			return string(buffer[:n])
		}
	}
}

// heading is the first line of a goroutine in a bubble: its state, and the bubble.
var heading = regexp.MustCompile(`^goroutine \d+ (?:gp=\S+ m=\S+ (?:mp=\S+ )?)?\[([^,\]]*).*, (synctest bubble \d+)\]`)

// stuck returns the stacks of the goroutines that wait for a lock in a bubble where
// everybody else is at rest, so that no lock will be given up.
func stuck(dump string) string {
	waiting, busy := map[string][]string{}, map[string]bool{}
	var bubbles []string
	for _, goroutine := range strings.Split(dump, "\n\n") {
		m := heading.FindStringSubmatch(goroutine)
		switch {
		case m == nil || strings.Contains(m[1], "(durable)"):
		case strings.HasPrefix(m[1], "sync.Mutex.") || strings.HasPrefix(m[1], "sync.RWMutex."):
			bubbles = append(bubbles, m[2])
			waiting[m[2]] = append(waiting[m[2]], goroutine)
		default:
			busy[m[2]] = true
		}
	}
	for _, bubble := range bubbles {
		if !busy[bubble] {
			return strings.Join(waiting[bubble], "\n\n")
		}
	}
	return ""
}
