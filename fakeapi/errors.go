package fakeapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion/queryparams"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// errOptimisticLock is OptimisticLockErrorMsg of apiserver's generic registry.
var errOptimisticLock = errors.New("the object has been modified; please apply your changes to the latest version and try again")

// endpoint is where clients believe the server to be; it shows in error texts.
const endpoint = "https://kube-apiserver:6443"

func (r *resource) notFound(name string) *apierrors.StatusError {
	return apierrors.NewNotFound(r.group, name)
}

func (r *request) notFound(name string) *apierrors.StatusError {
	return apierrors.NewNotFound(r.group(), name)
}

func (r *request) conflict(name string) *apierrors.StatusError {
	return apierrors.NewConflict(r.group(), name, errOptimisticLock)
}

// uidConflict is the failed storage precondition of an update whose body
// carries the uid of another object (apiserver v0.36, storage.Preconditions).
func (r *request) uidConflict(want, have types.UID) *apierrors.StatusError {
	res, name := r.table.res, r.call.Name
	key := res.storageKey + path.Join(r.call.Namespace, name)
	if r.dryRun {
		key = strings.TrimPrefix(key, "/registry") // DryRunnableStorage knows no prefix
	}
	return apierrors.NewConflict(r.group(), name, fmt.Errorf(
		"StorageError: invalid object, Code: 4, Key: %s, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: %v, UID in object meta: %v",
		key, want, have))
}

// mustSpecifyVersion is the 422 for an unconditional PUT of a resource that
// does not allow one. Upstream puts the resource where the kind belongs.
func (r *resource) mustSpecifyVersion(name string) *apierrors.StatusError {
	kind := r.kind.GroupKind()
	kind.Kind = r.plural
	return apierrors.NewInvalid(kind, name, field.ErrorList{
		field.Invalid(field.NewPath("metadata", "resourceVersion"), uint64(0), "must be specified for an update")})
}

func (r *resource) invalid(name string, errs field.ErrorList) *apierrors.StatusError {
	said := map[string]bool{} // several checks may find the same
	errs = slices.DeleteFunc(errs, func(e *field.Error) bool {
		again := said[e.Error()]
		said[e.Error()] = true
		return again
	})
	return apierrors.NewInvalid(r.kind.GroupKind(), name, errs)
}

// deletePrecondition is the 409 of rest.BeforeDelete, which names the kind
// where other conflicts name the resource.
func (r *resource) deletePrecondition(name, what, want, have, happened string) *apierrors.StatusError {
	gr := r.group
	gr.Resource = r.kind.Kind
	return apierrors.NewConflict(gr, name, fmt.Errorf(
		"the %s in the precondition (%s) does not match the %s in record (%s). The object might have been %s",
		what, want, what, have, happened))
}

// tooOld is the status that ends a watch on a resourceVersion no longer in the log.
func tooOld(rv, oldest uint64) *apierrors.StatusError {
	return apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %d (%d)", rv, oldest))
}

// tooLate is what the audit log shows for a request whose deadline had passed.
func tooLate() *apierrors.StatusError {
	return apierrors.NewTimeoutError("request did not complete within requested timeout - context deadline exceeded", 0)
}

// errHungUp is what the audit log shows for a request whose client's connection
// was gone when the server came to it.
var errHungUp = errors.New("client disconnected")

// unknown is an error the server has no reason for: 500 with the bare text.
func unknown(err error) *apierrors.StatusError {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure,
		Code: http.StatusInternalServerError, Reason: metav1.StatusReasonUnknown, Message: err.Error()}}
}

// timeoutError is net/http's for a request cut off by http.Client.Timeout.
type timeoutError struct{}

func (timeoutError) Error() string {
	return "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
}
func (timeoutError) Timeout() bool   { return true }
func (timeoutError) Temporary() bool { return true }

// Is makes errors.Is(err, context.DeadlineExceeded) hold, as net/http does.
func (timeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// handshakeError is net/http's for a server that accepts a connection and then
// is silent.
type handshakeError struct{}

func (handshakeError) Error() string   { return "net/http: TLS handshake timeout" }
func (handshakeError) Timeout() bool   { return true }
func (handshakeError) Temporary() bool { return true }

var (
	// errLost ends a request or watch on a connection whose HTTP/2 ping was
	// not answered. Upstream: golang.org/x/net/http2.
	errLost = errors.New("http2: client connection lost")

	// errGaveUp ends what is on a connection that TCP has given up, errClosed on
	// one that the client has closed itself.
	errGaveUp error = &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ETIMEDOUT)}
	errClosed error = &net.OpError{Op: "read", Net: "tcp", Err: net.ErrClosed}

	errTimeout   error = timeoutError{}
	errDial      error = &net.OpError{Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded}
	errRefused   error = &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	errHandshake error = handshakeError{}
	errReset     error = &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}

	// errKilled is recorded for a call whose client was killed while it waited.
	errKilled = fmt.Errorf("the client was killed while it awaited the answer: %w", io.ErrClosedPipe)
)

// transportError wraps err as net/http's client does, with verb and URL.
func (r *request) transportError(err error) error {
	return &url.Error{Op: httpMethod[r.op], URL: r.url(), Err: err}
}

// url is the request's address, for error texts.
func (r *request) url() string {
	c, q := &r.call, url.Values{}
	if r.path != "" {
		return endpoint + r.path
	}
	u := endpoint + r.table.res.path
	if r.view != nil {
		u = endpoint + pathOf(r.view.kind.GroupVersion())
	}
	if api := r.client.leaseAPI; api != "" && r.table == r.table.s.leases {
		u = endpoint + path.Join(path.Dir(r.table.res.path), api)
	}
	if c.Namespace != "" {
		u += "/namespaces/" + c.Namespace
	}
	u += "/" + r.table.res.plural
	if c.Name != "" && (r.op != opCreate || c.Subresource != "") && r.op != opList && r.op != opWatch {
		u += "/" + url.PathEscape(c.Name)
	}
	if c.Subresource != "" {
		u += "/" + c.Subresource
	}
	r.addQuery(q)
	if len(q) > 0 {
		u += "?" + q.Encode()
	}
	return u
}

// addQuery adds what client-go makes of the options, and of a timeout. Upstream:
// rest.Request.VersionedParams and Timeout (client-go v0.37).
func (r *request) addQuery(q url.Values) {
	if t := r.client.timeout; t > 0 {
		q.Set("timeout", t.String())
	}
	o := r.listOptions
	o.Watch = r.op == opWatch
	if o.TimeoutSeconds != nil {
		q.Set("timeout", (time.Duration(*o.TimeoutSeconds) * time.Second).String())
	}
	params, err := queryparams.Convert(&o)
	if err != nil {
		panic(err) // these options always convert
	}
	for key, values := range params { // order: each key is on its own
		q[key] = values
	}
	if r.dryRun && r.op != opDelete {
		q.Set("dryRun", metav1.DryRunAll)
	}
}
