package fakeapi

import (
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// FlowControl is how the server keeps too many requests from being worked on at
// once. It makes itself felt only where requests take time: see Options.Work.
type FlowControl struct {
	// MaxRequestsInflight and MaxMutatingRequestsInflight are the flags of these
	// names: how many reads and how many writes are worked on at once, 0 being no
	// limit. PriorityAndFairness divides the sum of the two.
	MaxRequestsInflight, MaxMutatingRequestsInflight int

	// PriorityAndFairness has requests wait in queues by level and flow, in the
	// place of the two limits (--enable-priority-and-fairness). At least one of
	// the limits must then be over 0.
	PriorityAndFairness bool

	// NodeHigh gives heartbeats a level of their own, as from v1.22 on.
	NodeHigh bool

	// AdaptiveRetryAfter has the Retry-After of a 429 grow with what is dropped, as
	// from v1.28 on.
	AdaptiveRetryAfter bool

	// Seats say how many seats a request takes.
	Seats SeatRules

	// Borrowing has levels lend the seats that they do not need, as from v1.26 on.
	Borrowing bool

	// ExemptTakesSeats has what exempt requests use be missing where seats are lent,
	// as from v1.28 on.
	ExemptTakesSeats bool

	// WaitsByDeadline has a request wait in its queue for a quarter of its own
	// timeout, as from v1.29 on; before, it is 15 s for all.
	WaitsByDeadline bool
}

// DefaultMaxRequestsInflight and DefaultMaxMutatingRequestsInflight are the
// defaults of the flags. Upstream: NewConfig (apiserver v0.36, pkg/server).
const (
	DefaultMaxRequestsInflight         = 400
	DefaultMaxMutatingRequestsInflight = 200
)

// flowControl decides when a request is worked on.
type flowControl interface {
	// admit calls startWork, now or later, or refuses the request.
	admit(r *request)
	// finish takes back what the request had, its place.
	finish(p *place)
	// begin is the start of the server's process.
	begin()
	// reset forgets everything: the server has been killed.
	reset()
}

// place is what a request holds while it is worked on. It outlives the request,
// which may be used again once it is answered.
type place struct {
	r        *request // nil when it no longer waits
	mutating bool
	free     bool // it counts for nothing

	level           *priorityLevel
	queue           *fairQueue
	seats           Seats
	work, finalWork int64 // that it is believed to be, in units of progress
	arrivedAt       int64 // progress of the level when it came
	started         int64 // when it was dispatched, in nanoseconds
}

// newFlowControl returns what the options ask for, nil for no limit.
func newFlowControl(s *Server, o *FlowControl) flowControl {
	switch {
	case o == nil || o.MaxRequestsInflight+o.MaxMutatingRequestsInflight == 0:
		return nil
	case o.PriorityAndFairness:
		return newPriorityAndFairness(s, o)
	}
	return &maxInFlight{limits: [2]int{o.MaxRequestsInflight, o.MaxMutatingRequestsInflight}}
}

// statusFunc makes the answer to a request that is refused.
type statusFunc func(r *request) *apierrors.StatusError

// tooManyRequests is what client-go makes of the answer to one request too many,
// which is plain text with a header Retry-After. Upstream: tooManyRequests
// (apiserver v0.36, pkg/server/filters) and newUnstructuredResponseError
// (client-go v0.36, rest).
func tooManyRequests(r *request, retryAfter int) *apierrors.StatusError {
	res := schema.GroupResource{Group: r.call.Group, Resource: r.call.Resource}
	return apierrors.NewGenericServerResponse(http.StatusTooManyRequests, strings.ToUpper(httpMethod[r.op]), res, r.call.Name,
		"Too many requests, please try again later.", retryAfter, true)
}
