package conformance

import (
	"math/rand"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/sim"
)

// Draws are the random numbers of one run. Upstream takes each with
// rand.Float64 of math/rand's global source, and in whatever it draws them for
// it goes by the next one; so our side does the same, from a second source of
// the same seed. What was drawn in another order shows as another instant.
type Draws struct{ rand *rand.Rand }

// NewDraws seeds upstream's source, and returns what ours draws from. It has an
// effect with GODEBUG=randseednop=0 only, which is in go.mod.
func NewDraws(seed int64) *Draws {
	rand.Seed(seed) //nolint:staticcheck // the global source is what upstream uses
	return &Draws{rand.New(rand.NewSource(seed))}
}

// Jittered is wait.Jitter (apimachinery v0.37).
func (d *Draws) Jittered(period time.Duration, factor float64) time.Duration {
	if factor <= 0 {
		return period
	}
	return period + time.Duration(d.rand.Float64()*factor*float64(period))
}

// Int64N is a draw as heartbeat code asks for it, under any purpose.
func (d *Draws) Int64N(n int64) int64 { return int64(d.rand.Float64() * float64(n)) }

// Host is a host of our side that draws as upstream does.
type Host struct {
	*sim.Host
	Draws *Draws
	// First is how long a loop waits before its first run; 0 if it is not there.
	First map[string]time.Duration
	// Waited is called when somebody has to wait for the lock of a limiter, with
	// the instant since which it is held. May be nil.
	Waited func(since sim.Time)
	// Sleeps is called when somebody goes to sleep. May be nil.
	Sleeps func(d time.Duration)
}

// Sleep is sim's.
func (h *Host) Sleep(d time.Duration) {
	if h.Sleeps != nil {
		h.Sleeps(d)
	}
	h.Host.Sleep(d)
}

// NewMutex is a mutex. That of a limiter tells when somebody has to wait for it.
func (h *Host) NewMutex() sync.Locker {
	caller, _, _, _ := runtime.Caller(1)
	if f := runtime.FuncForPC(caller); h.Waited == nil || !strings.HasSuffix(f.Name(), ".newRateLimitedTimedQueue") {
		return h.Host.NewMutex()
	}
	return &mutex{Locker: h.Host.NewMutex(), host: h, since: -1}
}

type mutex struct {
	sync.Locker
	host  *Host
	since sim.Time // it is held; -1 for not
}

func (m *mutex) Lock() {
	if m.since >= 0 {
		m.host.Waited(m.since)
	}
	m.Locker.Lock()
	m.since = m.host.Host.Engine().Now()
}

func (m *mutex) Unlock() {
	m.since = -1
	m.Locker.Unlock()
}

// Rand draws from the one source, whatever the purpose.
func (h *Host) Rand(string) heartbeat.Rand { return h.Draws }

// Every is sim's, but for where the draws come from.
func (h *Host) Every(name string, period time.Duration, jitterFactor float64, sliding bool, f func()) (stop func()) {
	if jitterFactor > 0 && !sliding {
		panic("conformance: upstream has no loop that is jittered and not sliding")
	}
	stopped := false
	h.Go(name, func() {
		if d := h.First[name]; d > 0 {
			h.Sleep(d)
		}
		if jitterFactor <= 0 {
			h.Host.Every(name, period, 0, sliding, f)
			return
		}
		for !stopped {
			f()
			h.Sleep(h.Draws.Jittered(period, jitterFactor))
		}
	})
	return func() { stopped = true }
}
