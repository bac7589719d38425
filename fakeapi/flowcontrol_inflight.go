package fakeapi

import (
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// maxInFlight refuses what is too much at once: reads over one limit, writes
// over another. Watches are not counted, and super-users are never refused.
// Upstream: WithMaxInFlightLimit (apiserver v0.36, pkg/server/filters).
type maxInFlight struct {
	limits   [2]int // of reads and of writes, 0 being none
	inFlight [2]int
}

func (m *maxInFlight) admit(r *request) {
	p := &place{mutating: mutates(r.op)}
	kind := p.kind()
	switch {
	case r.op == opWatch || m.limits[kind] == 0:
		p.free = true
	case m.inFlight[kind] < m.limits[kind]:
		m.inFlight[kind]++
	case slices.Contains(groupsOf(r.client.user), groupMasters):
		p.free = true
	default:
		r.refuse(func(r *request) *apierrors.StatusError { return tooManyRequests(r, 1) })
		return
	}
	r.place = p
	r.startWork()
}

func (m *maxInFlight) finish(p *place) {
	if !p.free {
		m.inFlight[p.kind()]--
	}
}

func (m *maxInFlight) begin() {}

func (m *maxInFlight) reset() { m.inFlight = [2]int{} }

// kind is 0 for a read, 1 for a write.
func (p *place) kind() int {
	if p.mutating {
		return 1
	}
	return 0
}
