package nodelifecycle

import (
	"time"

	"github.com/holter-sim/holter/heartbeat"
)

// limiter says whether one more node may be tainted now. Upstream:
// client-go util/flowcontrol.RateLimiter.
type limiter interface {
	tryAccept() bool
	qps() float32
}

// tokenBucket holds one token at most (burst 1) and starts full.
type tokenBucket struct {
	host heartbeat.Host
	rate float32
	next time.Time // when the token is there again
}

func newTokenBucket(host heartbeat.Host, qps float32) *tokenBucket {
	return &tokenBucket{host: host, rate: qps}
}

func (b *tokenBucket) tryAccept() bool {
	now := heartbeat.Monotonic(b.host)
	if now.Before(b.next) {
		return false
	}
	b.next = now.Add(time.Duration(float64(time.Second) / float64(b.rate)))
	return true
}

func (b *tokenBucket) qps() float32 { return b.rate }

// never is the limiter of rate 0. Upstream: NewFakeNeverRateLimiter.
type never struct{}

func (never) tryAccept() bool { return false }
func (never) qps() float32    { return 1 }
