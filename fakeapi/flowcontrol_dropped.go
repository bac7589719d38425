package fakeapi

// droppedRequests works out the Retry-After of a level from how many requests
// it has dropped lately: it doubles, to 32 s at most, where there were three and
// more a second for as long as clients are told to wait, and falls by a second
// where there was less than one. Upstream: droppedRequestsStats (apiserver v0.36,
// pkg/util/flowcontrol/dropped_requests_tracker.go).
type droppedRequests struct {
	history []droppedIn
	current droppedIn

	retryAfter int64 // seconds
	doubled    int64 // when it grew last, in Unix seconds
}

// droppedIn is how many requests were dropped in a second.
type droppedIn struct{ second, requests int64 }

const maxRetryAfter = 32

func newDroppedRequests() *droppedRequests { return &droppedRequests{retryAfter: 1} }

// record counts one request that is dropped in that second. Retry-After is
// looked at where a second begins.
func (d *droppedRequests) record(second int64) {
	if d.current.second == second {
		d.current.requests++
		return
	}
	d.remember(d.current)
	d.current = droppedIn{second, 1}
	d.adjust(second)
}

// remember keeps a second that is over, and forgets those that count no more.
func (d *droppedRequests) remember(past droppedIn) {
	d.history = append(d.history, past)
	oldest := past.second - min(2*d.retryAfter, maxRetryAfter)
	for len(d.history) > 0 && d.history[0].second < oldest {
		d.history = d.history[1:]
	}
}

// adjust looks at as many seconds before now as clients are told to wait.
// Upstream: updateRetryAfterIfNeededLocked.
func (d *droppedRequests) adjust(now int64) {
	dropped := int64(0)
	for i := len(d.history) - 1; i >= 0 && now-d.history[i].second <= d.retryAfter; i-- {
		if d.history[i].second < now {
			dropped += d.history[i].requests
		}
	}
	switch {
	case now-d.doubled >= d.retryAfter && dropped >= 3*d.retryAfter:
		d.retryAfter = min(2*d.retryAfter, maxRetryAfter)
		d.doubled = now
	case dropped < d.retryAfter && d.retryAfter > 1:
		d.retryAfter--
	}
}
