package fakeapi

import (
	"errors"
	"runtime/debug"
)

// errPanic is what a request is answered with that has the server panic. Upstream:
// WithPanicRecovery (apiserver v0.37, pkg/server/filters).
var errPanic = errors.New("This request caused apiserver to panic. Look in the logs for details.") //nolint:staticcheck // as upstream

// decideSafely is decide for a client that is told of panics: see
// ClientOptions.Panicked. What was committed before the panic stays, and is told to
// observer and watches, as upstream. A commit that was not finished leaves a store
// that nobody should go on with, so that panic is left alone.
func (r *request) decideSafely(gone bool) {
	defer func() {
		if r.table.s.committing > 0 {
			return
		}
		if v := recover(); v != nil {
			r.status = unknown(errPanic)
			r.client.panicked(&r.call, v, debug.Stack())
		}
	}()
	r.decide(gone)
}
