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

// tokenBucket holds one token at most (burst 1) and starts full. With rate 0
// that one is the last, as in golang.org/x/time/rate.
type tokenBucket struct {
	host heartbeat.Host
	rate float32
	next time.Time // when the token is there again
}

// longest is how long a token takes at most: a time.Duration holds no more.
const longest = 250 * 365 * 24 * time.Hour

func newTokenBucket(host heartbeat.Host, qps float32) *tokenBucket {
	return &tokenBucket{host: host, rate: qps}
}

func (b *tokenBucket) tryAccept() bool {
	now := heartbeat.Monotonic(b.host)
	if now.Before(b.next) {
		return false
	}
	b.next = now.Add(b.wait())
	return true
}

// wait is how long a token takes. A conversion of a float that does not fit
// gives what the machine likes, so the float is bounded first.
func (b *tokenBucket) wait() time.Duration {
	if b.rate <= 0 || float64(b.rate) < 1/longest.Seconds() {
		return longest
	}
	return time.Duration(float64(time.Second) / float64(b.rate))
}

func (b *tokenBucket) qps() float32 { return b.rate }

// never is the limiter of rate 0. Upstream: NewFakeNeverRateLimiter.
type never struct{}

func (never) tryAccept() bool { return false }
func (never) qps() float32    { return 1 }
