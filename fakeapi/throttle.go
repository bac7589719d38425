package fakeapi

import (
	"time"

	"github.com/holter-sim/holter/sim"
)

// throttle is the client-side limit of requests: a bucket of burst tokens that
// is full at first and gets one back every interval. Each attempt of a request
// takes one, and waits for it; watches take none. Upstream: rest.Request.tryThrottle
// and flowcontrol.NewTokenBucketRateLimiter (client-go v0.36).
type throttle struct {
	interval time.Duration // 0: no limit
	slack    time.Duration // how far ahead of its time a token may be taken
	next     sim.Time      // when the token that is taken next would be due, were there no burst
}

// newThrottle takes the settings of a rest.Config, where 0 is 5 requests a
// second and 10 at once, and anything below no limit. Upstream:
// rest.RESTClientForConfigAndClient, rest.DefaultQPS, rest.DefaultBurst.
func newThrottle(qps float32, burst int) throttle {
	if qps == 0 {
		qps = 5
	}
	if burst == 0 {
		burst = 10
	}
	if qps < 0 {
		return throttle{}
	}
	interval := time.Duration(float64(time.Second) / float64(qps))
	return throttle{interval: interval, slack: time.Duration(burst-1) * interval}
}

// take takes a token, and returns how long to wait for it.
func (t *throttle) take(now sim.Time) time.Duration {
	if t.interval == 0 {
		return 0
	}
	t.next = max(t.next, now)
	wait := t.next.Sub(now) - t.slack
	t.next = t.next.Add(t.interval)
	return max(wait, 0)
}

// throttled has the client's process wait for its turn.
func (r *request) throttled() {
	if r.op == opWatch {
		return
	}
	if wait := r.client.throttle.take(r.table.s.engine.Now()); wait > 0 {
		r.client.host.Sleep(wait)
	}
}
