package fakeapi

import (
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/holter-sim/holter/sim"
)

// request is a Call on its way. It is used again when nobody refers to it: the
// client's process, an event on its way to or from the server, a timer.
type request struct {
	attempt

	onArrive, onHandle, onDue, onReply, onGiveUp func() // bound once, for the engine

	touched []*rule
	next    *request // in the pool or the backlog
}

// attempt is all of a request that is cleared before it is used again.
type attempt struct {
	call   Call
	client *Client
	table  *table
	space  *space // nil for all namespaces
	row    *row   // the place of the named object, as far as it is known: see stored
	asked

	direct bool // the server itself deletes, without a request
	watch  *Watch

	// what the server answers
	obj     object
	list    []object
	created bool
	size    int    // of what is written, in bytes, if it came over the wire
	listed  string // resourceVersion of the list
	more    string // continue token of the list, "" if it is whole
	// how many objects follow, nil for unknown
	remaining *int64
	left      object    // what a deletion answers with, nil for a Status
	uid       types.UID // of what was deleted
	warnings  []string
	status    *apierrors.StatusError
	// what the transport fails with instead
	err error

	waiter       sim.Waiter
	timer        sim.Timer
	until        sim.Time      // when the client's timeout is over, all its tries together
	deadline     sim.Time      // when the client gives up
	cut          error         // and with what
	conn         *connection   // that it was sent on
	dialing      bool          // there was no connection: the server never sees the request
	served       bool          // the server has worked on it: another arrival is a SYN that nobody needs
	syn          time.Duration // when the last SYN was sent again, after the first
	disconnected bool          // the connection was lost, not just the request
	hungUp       bool          // the connection was lost or closed before its client's time was up
	armed        bool          // timer is set, and counts as a reference
	settled      bool          // the client has what it waits for, or has stopped waiting
	gaveUp       bool          // it has stopped waiting because its time was up
	done         bool          // the client's process goes on
	refs         int

	// while the server is at it, see work.go
	stage         stage
	held          sim.Timer // the server's, for the end of the stage
	expires       bool      // that end is the request's deadline
	place         *place
	waits         uint64 // cause token of a request that waits
	before, after *request
}

// asked is what the client wants, and the same in each of its tries.
type asked struct {
	op       op
	resource string // "nodes/status"
	path     string // of a request that is not about objects
	wired    bool   // it has come over the wire
	view     *view  // the kind that is sent and answered, nil for the resource's own

	body      object
	patchType types.PatchType
	dryRun    bool

	// of PatchOptions, and where other writes have them too
	fieldManager, fieldValidation string
	force                         bool

	delete      *metav1.DeleteOptions
	listOptions metav1.ListOptions
	sel         selector
	selErr      *apierrors.StatusError // what is wrong with the request itself
}

type op uint8

const (
	opCreate op = iota
	opUpdate
	opPatch
	opGet
	opList
	opWatch
	opDelete
	opDeleteCollection
)

var (
	verbs = [...]string{opCreate: "create", opUpdate: "update", opPatch: "patch", opGet: "get",
		opList: "list", opWatch: "watch", opDelete: "delete", opDeleteCollection: "deletecollection"}
	// httpMethod as net/http's client spells it in errors.
	httpMethod = [...]string{opCreate: "Post", opUpdate: "Put", opPatch: "Patch", opGet: "Get",
		opList: "Get", opWatch: "Get", opDelete: "Delete", opDeleteCollection: "Delete"}
)

// newRequest takes a request from the pool.
func (s *Server) newRequest(c *Client, t *table, sp *space, ns string, o op) *request {
	r := s.free
	if r == nil {
		r = &request{}
		r.onArrive, r.onHandle, r.onDue, r.onReply, r.onGiveUp = r.arrive, r.handle, r.due, r.reply, r.giveUp
	} else {
		s.free, r.next = r.next, nil
	}
	r.client, r.table, r.space, r.op, r.resource = c, t, sp, o, t.res.plural
	r.refs = 1
	k := &r.call
	k.Client, k.User, k.UserAgent = c.name, c.user, c.userAgent
	k.Verb, k.Group, k.Resource, k.Namespace = verbs[o], t.res.group.Group, t.res.plural, ns
	return r
}

// drop gives up one reference, and the request with the last of them.
func (r *request) drop() {
	if r.refs--; r.refs > 0 {
		return
	}
	s := r.table.s
	clear(r.touched)
	r.attempt, r.touched, r.next = attempt{}, r.touched[:0], s.free
	s.free = r
}

// send lets the request travel and blocks the client's process until there is
// an outcome. It returns the error the client sees.
func (r *request) send() error {
	s, e, c := r.table.s, r.table.s.engine, r.client
	now := e.Now()
	s.calls++
	k := &r.call
	k.ID, k.Cause, k.Sent = s.calls, e.Cause(), now
	k.Arrived, k.Answered, k.Received = sim.Never, sim.Never, sim.Never
	c.connect(r)
	r.deadline, r.cut = r.until, errTimeout
	if c.timeout == 0 {
		r.deadline, r.cut = now.Add(pingAfter+pingTimeout), errLost
	}
	r.waiter = *c.host.NewWaiter()
	d := s.network.delay(r)
	if now.Add(d) >= r.deadline {
		r.arm()
	}
	r.refs++
	e.After(d, r.onArrive)

	defer r.unwound()
	r.waiter.Wait()
	r.conn.left(r)
	r.done = true
	k.Received = e.Now()
	return r.outcome()
}

// outcome is what the client makes of what it got.
func (r *request) outcome() error {
	s, k := r.table.s, &r.call
	switch {
	case r.err != nil:
		k.Err = r.transportError(r.err)
	case r.status != nil:
		k.Err = r.status
	}
	if s.observer != nil {
		s.observer.Received(k)
	}
	return k.Err
}

// unwound takes note of a client that was killed while it waited. The request
// goes on without it.
func (r *request) unwound() {
	if r.done {
		return
	}
	r.settled = true
	if !r.client.host.Alive() {
		r.conn.left(r)
		r.call.Err = errKilled
		if o := r.table.s.observer; o != nil {
			o.Received(&r.call)
		}
		r.drop()
	}
}

// arm sets the client's timer, unless it is set. That is put off until an
// answer can no longer come in time on its own, since it nearly always does.
func (r *request) arm() {
	if r.armed || r.settled {
		return
	}
	r.armed = true
	r.refs++
	r.timer = r.client.host.After(r.deadline.Sub(r.table.s.engine.Now()), r.onGiveUp)
}

// late reports whether the client has given up, or would have if it were not
// paused.
func (r *request) late() bool { return r.gaveUp || r.table.s.engine.Now() >= r.deadline }

// arrive is the request at the server's door.
func (r *request) arrive() {
	s := r.table.s
	switch {
	case r.settled && r.syn > 0, r.served: // it was dialing, and has given up or got through otherwise
		r.drop()
	case r.conn.dead:
		r.conn.lostOn(r)
		r.drop()
	case len(s.network.rules) > 0 && s.network.losesRequest(r):
		r.arm()
		if r.dialing {
			r.resend()
		}
		r.drop()
	case !s.host.Alive():
		s.killed()
		r.fail(errRefused)
	case s.host.Paused() || s.backlog.head != nil:
		s.attach()
		s.stall()
		r.severed(s.stalledSince, handshakeTimeout, errHandshake)
		r.arm()
		s.backlog.push(r)
		s.host.After(0, r.onHandle)
	default:
		s.attach()
		r.serve()
	}
}

// handle is arrive, once a server that was paused gets to it. What was given up
// before there was a connection never gets there.
func (r *request) handle() {
	r.table.s.backlog.pop()
	if r.dialing && r.late() {
		r.drop()
		return
	}
	r.serve()
}

// serve has the server work on the request, which takes no time unless it is
// told to.
func (r *request) serve() {
	s := r.table.s
	r.call.Arrived, r.served = s.engine.Now(), true
	if r.late() || !s.busy() {
		r.answer()
		return
	}
	r.begin()
}

// answer is the end of the work: what the server decides, and sends.
func (r *request) answer() {
	s, e, k := r.table.s, r.table.s.engine, &r.call
	gone := r.late()
	if r.client.panicked == nil {
		r.decide(gone)
	} else {
		r.decideSafely(gone)
	}
	k.Answered = e.Now()
	r.describe()
	if s.observer != nil {
		s.observer.Answered(k)
	}
	cause := e.Cause()
	s.tell()
	e.SetCause(cause)
	if gone {
		r.arm()
		r.drop()
		return
	}
	d := r.answerIn()
	e.After(d, r.onReply)
	if r.watch != nil && r.status == nil {
		r.watch.conn = r.conn
		r.watch.begin(e.Now().Add(d))
	}
}

// decide works out the answer.
func (r *request) decide(gone bool) {
	s := r.table.s
	if gone {
		r.status = tooLate()
		if r.hungUp {
			r.status = unknown(errHungUp)
		}
		return
	}
	if r.status != nil { // refused before it was worked on
		return
	}
	for _, rule := range s.network.rules {
		if rule.Respond != nil && rule.touches(r) {
			r.status = &apierrors.StatusError{ErrStatus: *rule.Respond.DeepCopy()}
			return
		}
	}
	r.dispatch()
}

// describe fills in what the server's answer was.
func (r *request) describe() {
	k := &r.call
	switch {
	case r.status != nil:
		st := &r.status.ErrStatus
		k.Code, k.Reason, k.Message = int(st.Code), st.Reason, st.Message
	case r.obj != nil:
		m := metaOf(r.obj)
		k.Code, k.Result, k.ResourceVersion, k.Name = http.StatusOK, r.obj, m.ResourceVersion, m.Name
		if r.created {
			k.Code = http.StatusCreated
		}
	default:
		k.Code, k.ResourceVersion = http.StatusOK, r.listed
	}
}

// answerIn draws how long the answer takes, and sees to it that the client
// gives up in time if that is too long.
func (r *request) answerIn() time.Duration {
	s := r.table.s
	d := s.network.delay(r)
	if s.engine.Now().Add(d) >= r.deadline {
		r.arm()
	}
	return d
}

// fail answers with an error of the transport.
func (r *request) fail(err error) {
	r.err = err
	r.table.s.engine.After(r.answerIn(), r.onReply)
}

// reply is the answer at the client's door.
func (r *request) reply() {
	s := r.table.s
	switch {
	case r.settled:
	case r.conn.dead:
		r.err = nil
		r.conn.lostOn(r)
	case len(s.network.rules) > 0 && s.network.losesReply(r):
		r.err = nil
		r.arm()
	case !r.late():
		r.conn.hear(s.engine.Now())
		r.settle()
	default: // the timer is set: it runs out, now or when a paused client resumes
	}
	r.drop()
}

// settle lets the client go on with what is in the request.
func (r *request) settle() {
	r.settled = true
	if r.armed && r.timer.Cancel() {
		r.refs--
	}
	r.waiter.Wake()
}

// giveUp is the client's timer.
func (r *request) giveUp() {
	if !r.settled {
		r.settled, r.gaveUp = true, true
		r.err = r.cut
		r.waiter.Wake()
	}
	r.drop()
}

// requests is a queue.
type requests struct{ head, tail *request }

func (q *requests) push(r *request) {
	if q.head == nil {
		q.head = r
	} else {
		q.tail.next = r
	}
	q.tail = r
}

func (q *requests) pop() *request {
	r := q.head
	if r != nil {
		q.head, r.next = r.next, nil
	}
	return r
}
