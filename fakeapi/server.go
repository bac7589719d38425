package fakeapi

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/holter-sim/holter/sim"
)

// Options configure a Server. The zero value is a server without latency.
type Options struct {
	// WatchLog is how many changes are kept per resource for watches that
	// resume; a watch that asks for more ends with 410. Default 4096.
	WatchLog int

	// Latency is how long a request takes to the server, and again how long
	// the answer takes back. The zero Dist is no latency.
	Latency sim.Dist

	// Work is how long the server works on a request before it commits and answers.
	// The zero Dist is no time: then no two requests are ever worked on at once.
	Work sim.Dist

	// FlowControl bounds how many requests are worked on at once; nil is no bound.
	FlowControl *FlowControl

	// WatchLatency is how long a watch event takes from the server to the
	// watcher. The zero Dist is Latency.
	WatchLatency sim.Dist

	// Observer is told of every call, change and delivery. It may be nil.
	Observer Observer

	// UntaintedNodes has new Nodes left without the taint not-ready, as before
	// admission plugin TaintNodesByCondition was on (v1.13.3).
	UntaintedNodes bool

	// NoBookmarks has watches get none, though they ask, as before gate
	// WatchBookmark was on (v1.16).
	NoBookmarks bool

	// NodeRestriction has a client whose User is system:node:NAME write nothing but
	// what belongs to that node, as admission plugin NodeRestriction does. Without
	// it kubelets are trusted.
	NodeRestriction bool

	// AnyNamespace has objects created in namespaces that are not there, without
	// admission plugin NamespaceLifecycle.
	AnyNamespace bool

	// CollectGarbage has the server delete objects whose owners are gone, and what
	// is in namespaces that are deleted, as two controllers do in a cluster. Each
	// deletion then costs a look at every object.
	CollectGarbage bool

	// EmptyNamespaces has it do so with namespaces alone, and see to no owners. It
	// costs nothing until a namespace is deleted.
	EmptyNamespaces bool

	// Release is what /version says of the server, without its v: "1.36.3".
	Release string

	// Through has clients make their calls through client-go; nil is straight.
	Through Through

	// CheckImmutable hashes stored objects and panics when one that was handed
	// out has been written to. It is slow, and meant for tests.
	CheckImmutable bool
}

// Server is a Kubernetes API server and its store. It starts empty, and keeps
// its objects through Kill and Restart of its host, as etcd would; its watch
// log it loses, as the apiserver's watch cache does, so that watches from
// before the restart end with 410.
type Server struct {
	engine   *sim.Engine
	host     *sim.Host
	network  *Network
	observer Observer
	checked  bool

	untaintedNodes, noBookmarks   bool
	nodeRestriction, anyNamespace bool
	collects, empties, collecting bool // Options.CollectGarbage, EmptyNamespaces; collect is to run

	nodes, leases, pods, events *table
	namespaces                  *table
	tables                      []*table
	paths                       *table // for requests that are not about objects: it has none
	release                     string
	through                     Through

	watchLog int             // Options.WatchLog
	scheme   *runtime.Scheme // see apply.go
	version  uint64          // the last resourceVersion given out
	pending  []change        // committed, not yet told to observer and watches
	telling  bool

	committing int // commits that are not finished: between two events only where one has panicked

	work   sim.Dist
	flow   flowControl // nil: no bound
	inside inside

	calls    uint64
	free     *request // pool
	backlog  requests // arrived while the host was paused, oldest first
	streams  streamList
	attached int // incarnation of the host that the server runs in, -1 if none

	stalls       uint64   // how often requests have found the host paused
	stalledSince sim.Time // the last time

	uids  interface{ Int64N(int64) int64 }
	stats Stats
}

// Stats count what a server has done.
type Stats struct {
	Calls   uint64 // sent by clients
	Commits uint64 // writes that changed something
	Watches int    // open now
	Events  uint64 // Event objects created, however many are still kept
}

// New adds an API server to the engine, on a new host named "kube-apiserver".
func New(e *sim.Engine, o Options) *Server {
	if o.WatchLog <= 0 {
		o.WatchLog = defaultWatchLog
	}
	if o.WatchLatency.IsZero() {
		o.WatchLatency = o.Latency
	}
	s := &Server{
		engine:   e,
		host:     e.NewHost("kube-apiserver"),
		observer: o.Observer,
		checked:  o.CheckImmutable,

		untaintedNodes: o.UntaintedNodes,
		noBookmarks:    o.NoBookmarks,

		nodeRestriction: o.NodeRestriction,
		anyNamespace:    o.AnyNamespace,
		collects:        o.CollectGarbage,
		empties:         o.EmptyNamespaces || o.CollectGarbage,
		watchLog:        o.WatchLog,

		version:  1, // the revision of an empty etcd
		attached: -1,
	}
	s.network = newNetwork(s, o.Latency, o.WatchLatency)
	s.work, s.flow = o.Work, newFlowControl(s, o.FlowControl)
	s.nodes = newTable(s, nodeResource(), o.WatchLog)
	s.leases = newTable(s, leaseResource(), o.WatchLog)
	s.pods = newTable(s, podResource(), o.WatchLog)
	s.events = newTable(s, eventResource(), o.WatchLog)
	s.namespaces = newTable(s, namespaceResource(), o.WatchLog)
	s.tables = []*table{s.nodes, s.leases, s.pods, s.events, s.namespaces}
	s.paths, s.release, s.through = pathsTable(s), o.Release, o.Through
	s.attach()
	s.startNamespaces()
	return s
}

const defaultWatchLog = 4096

// Host is the server's host. While it is paused, requests hang and are then
// served in the order they arrived. When it is killed, requests that hang are
// reset, new ones are refused, and every watch ends with a connection error.
func (s *Server) Host() *sim.Host { return s.host }

// Network is what lies between the server and its clients.
func (s *Server) Network() *Network { return s.network }

// Stats returns what the server has done so far.
func (s *Server) Stats() Stats {
	st := s.stats
	st.Calls, st.Watches = s.calls, s.streams.n
	return st
}

// attach makes sure that the server notices when its host is killed: a process
// that never wakes has a deferred call. A new incarnation begins with an empty
// watch log.
func (s *Server) attach() {
	inc := s.host.Incarnation()
	if s.attached == inc {
		return
	}
	if inc > 0 {
		// A starting server writes to etcd for itself (the lease by which its peers
		// know it), so that its first version is one that no client has seen.
		s.version++
		for _, t := range s.tables {
			if !t.res.uncached {
				t.log.begin(s.version)
			}
		}
		s.collecting = false // that has died with the host
		s.collectSoon()
	}
	s.attached = inc
	if s.flow != nil {
		s.flow.begin()
	}
	s.uids = s.host.Rand("uid")
	s.host.Go("kill-switch", func() {
		defer s.killed()
		s.host.NewWaiter().Wait()
	})
}

// killed ends what a dead server process takes with it. It also runs when the
// engine is closed, and then has nothing to do.
func (s *Server) killed() {
	if s.host.Alive() {
		return
	}
	for r := s.backlog.pop(); r != nil; r = s.backlog.pop() {
		r.fail(errReset)
	}
	s.abandon()
	for s.streams.head != nil {
		w := s.streams.head
		w.detach()
		w.send(delivery{err: cutError{}})
	}
}

// tell lets the observer and the watches know of what was committed. Deliveries
// inherit the cause that the observer sets.
func (s *Server) tell() {
	if s.telling {
		return
	}
	s.telling = true
	for i := 0; i < len(s.pending); i++ {
		ch := &s.pending[i] // which stays as it is where more are appended meanwhile
		s.stats.Commits++
		if s.observer != nil {
			s.observeChange(ch)
		}
		ch.table.publish(ch)
		s.litter(ch)
	}
	clear(s.pending)
	s.pending, s.telling = s.pending[:0], false
}

func (s *Server) observeChange(ch *change) {
	switch ch.typ {
	case watch.Added:
		s.observer.Changed(ch.table.res.plural, nil, ch.obj, ch.call)
	case watch.Deleted:
		s.observer.Changed(ch.table.res.plural, ch.old, nil, ch.call)
	default:
		s.observer.Changed(ch.table.res.plural, ch.old, ch.obj, ch.call)
	}
}

// newUID draws an RFC 4122 version 4 identifier.
func (s *Server) newUID() types.UID {
	s.attach()
	var b [16]byte
	for i := 0; i < len(b); i += 4 {
		n := s.uids.Int64N(1 << 32)
		b[i], b[i+1], b[i+2], b[i+3] = byte(n>>24), byte(n>>16), byte(n>>8), byte(n)
	}
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return types.UID(fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]))
}

// now is the time on the server's clock, as the API carries it.
func (s *Server) now() metav1.Time { return seconds(metav1.Time{Time: s.host.Now()}) }
