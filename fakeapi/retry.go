package fakeapi

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// maxRetries is how often client-go tries again of its own accord.
const maxRetries = 10

// do sends the request, again and again if client-go would: after a 429 or 5xx
// that names a time to wait, and after certain failures of the transport. Each
// attempt is a Call. The client's timeout covers all of them. It returns the
// request that was answered last. Upstream: withRetry (client-go v0.37, rest).
func (r *request) do(ctx context.Context) (*request, error) {
	if ctx != nil && ctx.Err() != nil {
		return r, r.transportError(ctx.Err())
	}
	if r.client.through != nil && !r.wired {
		return r, r.through(ctx)
	}
	r.throttled() // before its time begins
	r.until = r.table.s.engine.Now().Add(r.client.timeout)
	var previous, current error
	for try := 0; ; try++ {
		err := r.send()
		wait, again := r.again(err)
		if !again || try == maxRetries {
			if r.answered() && r.op != opWatch {
				return r, err // client-go tells of earlier attempts where the last one failed on the way, and of watches
			}
			return r, withPrevious(err, previous, current)
		}
		if current != nil {
			previous = current
		}
		if current = err; r.status != nil {
			current = nil
		}
		if r.sleep(wait) {
			return r, withPrevious(r.transportError(context.DeadlineExceeded), previous, current)
		}
		next := r.renew()
		r.drop()
		r = next
		r.throttled()
	}
}

// again reports whether client-go would try again, and after how long.
func (r *request) again(err error) (time.Duration, bool) {
	if err == nil {
		return 0, false
	}
	if r.answered() {
		st := &r.status.ErrStatus
		wait := st.Details != nil && st.Details.RetryAfterSeconds > 0
		if !wait || st.Code != http.StatusTooManyRequests && st.Code < http.StatusInternalServerError {
			return 0, false
		}
		return time.Duration(st.Details.RetryAfterSeconds) * time.Second, true
	}
	switch r.op {
	case opGet, opList:
		return time.Second, utilnet.IsConnectionReset(err) || r.disconnected
	case opWatch:
		return time.Second, utilnet.IsProbableEOF(err) || r.dialing && utilnet.IsTimeout(err)
	}
	return 0, false
}

// answered reports whether the server has refused the request.
func (r *request) answered() bool { return r.status != nil && r.err == nil }

// sleep waits before the next attempt and reports whether the time was up.
func (r *request) sleep(d time.Duration) (expired bool) {
	c, now := r.client, r.table.s.engine.Now()
	if c.timeout > 0 {
		if left := r.until.Sub(now); left <= d {
			d, expired = max(left, 0), true
		}
	}
	c.host.Sleep(d)
	return expired
}

// renew returns a request for the next attempt.
func (r *request) renew() *request {
	q := r.table.s.newRequest(r.client, r.table, r.space, r.call.Namespace, r.op)
	q.until = r.until
	q.asked = r.asked
	q.call.Verb, q.call.Group, q.call.Subresource, q.call.Name = r.call.Verb, r.call.Group, r.call.Subresource, r.call.Name
	q.call.Object, q.call.Patch = r.call.Object, r.call.Patch
	if r.watch != nil { // the server may have opened it, and only the answer was lost
		r.watch.Stop()
		q.watch = q.newWatch()
	}
	return q
}

// withPrevious mentions the error of an earlier attempt, as WrapPreviousError does.
func withPrevious(err, previous, current error) error {
	if current != nil {
		previous = current
	}
	if err == nil || previous == nil || err.Error() == previous.Error() {
		return err
	}
	var u *url.Error
	if errors.As(previous, &u) && u.Err != nil {
		previous = u.Err
	}
	return &retriedError{err, previous}
}

type retriedError struct{ err, previous error }

func (e *retriedError) Unwrap() error { return e.err }
func (e *retriedError) Error() string {
	return e.err.Error() + " - error from a previous attempt: " + e.previous.Error()
}
