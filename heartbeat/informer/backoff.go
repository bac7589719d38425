package informer

import (
	"time"

	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/version"
)

// The reflector's backoff: 800 ms, doubled to 30 s, each wait up to twice as
// long by jitter. Two minutes after it began it begins anew, even if nothing
// has succeeded in between. Upstream: client-go v0.36 tools/cache reflector.go
// and wait.Backoff.DelayWithReset, whose lastStart moves with a reset alone.
const (
	backoffInit  = 800 * time.Millisecond
	backoffMax   = 30 * time.Second
	backoffReset = 2 * time.Minute
	// fixedBackoff was the wait before client-go v0.18.
	fixedBackoff = time.Second
)

type backoff struct {
	host      heartbeat.Host
	rand      heartbeat.Rand
	fixed     bool
	fromFirst bool // the reset counts from the first wait, and not from the last
	wait      time.Duration
	lastStart time.Time
}

// newBackoff draws from the stream "informer/NAME".
func newBackoff(host heartbeat.Host, name string, rules *version.Informer) *backoff {
	return &backoff{
		host:      host,
		fixed:     !rules.Backoff,
		fromFirst: rules.ResetFromFirst,
		rand:      host.Rand("informer/" + name),
		wait:      backoffInit,
		lastStart: heartbeat.Monotonic(host),
	}
}

// next draws the next wait: [d, 2d) for d = 0.8, 1.6 ... 25.6, 30, 30 s.
func (b *backoff) next() time.Duration {
	if b.fixed {
		return fixedBackoff
	}
	now := heartbeat.Monotonic(b.host)
	if now.Sub(b.lastStart) > backoffReset {
		b.wait, b.lastStart = backoffInit, now
	}
	if !b.fromFirst {
		b.lastStart = now
	}
	d := b.wait + time.Duration(b.rand.Int64N(int64(b.wait)))
	b.wait = min(2*b.wait, backoffMax)
	return d
}
