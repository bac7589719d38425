package informer

import (
	"context"
	"fmt"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/version"
	"github.com/holter-sim/holter/sim"
)

// tester is a test, or one case of a property.
type tester interface {
	require.TestingT
	Helper()
	Cleanup(func())
}

// lab runs an informer of nodes, against a server or a script.
type lab struct {
	t        tester
	engine   *sim.Engine
	host     *sim.Host
	informer *Informer[*corev1.Node]

	requests []request
	told     []string // what handlers were told
	failures []string // what the tracer was told
}

// request is one WATCH or LIST of the informer.
type request struct {
	at   time.Duration
	list bool
	o    metav1.ListOptions
}

func newLab(t tester, watch heartbeat.WatchFunc, list heartbeat.ListFunc) *lab {
	l := &lab{t: t, engine: sim.New(sim.Options{Seed: 1})}
	t.Cleanup(l.engine.Close)
	l.host = l.engine.NewHost("kube-controller-manager")
	l.begin(Config{Behaviors: newest}, watch, list)
	return l
}

// newest are the behaviours of the newest version, which streams the state.
var newest = version.Lookup(version.Version{Minor: version.NewestSeries, Patch: version.Newest}).Informer

// newLabOf runs an informer of an older version, which lists.
func newLabOf(t tester, release string, watch heartbeat.WatchFunc, list heartbeat.ListFunc) *lab {
	v, err := version.Parse(release)
	require.NoError(t, err)
	l := &lab{t: t, engine: sim.New(sim.Options{Seed: 1})}
	t.Cleanup(l.engine.Close)
	l.host = l.engine.NewHost("kube-controller-manager")
	l.begin(Config{ListFirst: true, Behaviors: version.Lookup(v).Informer}, watch, list)
	return l
}

// newServerLab watches the nodes of a server.
func newServerLab(t tester, o fakeapi.Options) (*lab, *fakeapi.Server) {
	l := &lab{t: t, engine: sim.New(sim.Options{Seed: 1})}
	t.Cleanup(l.engine.Close)
	l.host = l.engine.NewHost("kube-controller-manager")
	o.CheckImmutable = true
	server := fakeapi.New(l.engine, o)
	nodes := server.NewClient(fakeapi.ClientOptions{Host: l.host, Name: "kube-controller-manager"}).Nodes()
	l.begin(Config{Behaviors: newest}, func(ctx context.Context, o metav1.ListOptions) (heartbeat.Watch, error) {
		if w, err := nodes.Watch(ctx, o); err == nil {
			return w, nil
		} else {
			return nil, err
		}
	}, func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return nodes.List(ctx, o) })
	return l, server
}

func (l *lab) begin(cfg Config, watch heartbeat.WatchFunc, list heartbeat.ListFunc) {
	cfg.Name, cfg.Tracer = "nodes", l
	cfg.Watch = func(ctx context.Context, o metav1.ListOptions) (heartbeat.Watch, error) {
		l.requests = append(l.requests, request{l.engine.Now().Duration(), false, o})
		return watch(ctx, o)
	}
	if list != nil {
		cfg.List = func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			l.requests = append(l.requests, request{l.engine.Now().Duration(), true, o})
			return list(ctx, o)
		}
	}
	l.informer = New[*corev1.Node](l.host, cfg)
	l.informer.AddHandler(Handler[*corev1.Node]{
		Added:   func(node *corev1.Node) { l.tell("added", node) },
		Updated: func(old, node *corev1.Node) { l.tell("updated from "+old.ResourceVersion, node) },
		Deleted: func(node *corev1.Node) { l.tell("deleted", node) },
	})
	l.informer.Run()
}

func (l *lab) tell(what string, node *corev1.Node) {
	l.told = append(l.told, fmt.Sprintf("%s %s %s", node.Name, node.ResourceVersion, what))
}

func (l *lab) Decided(_, _, detail string) { l.failures = append(l.failures, detail) }

// to runs the engine to so long after its start.
func (l *lab) to(d time.Duration) {
	l.t.Helper()
	require.NoError(l.t, l.engine.RunUntil(sim.Time(d)))
}

// kinds says of each request what it asked for.
func (l *lab) kinds() []string {
	var out []string
	for _, r := range l.requests {
		switch {
		case r.list:
			out = append(out, "list at "+r.o.ResourceVersion)
		case r.o.SendInitialEvents != nil:
			out = append(out, "state at "+r.o.ResourceVersion)
		default:
			out = append(out, "watch at "+r.o.ResourceVersion)
		}
	}
	return out
}

// names are those of the nodes known.
func (l *lab) names() []string {
	var out []string
	for _, node := range l.informer.Store().List() {
		out = append(out, node.Name)
	}
	return out
}

// node is a node of that name and version.
func node(name string, version int) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, ResourceVersion: fmt.Sprint(version)}}
}

// answers opens one watch after the other: streams, or errors.
func answers(all ...any) heartbeat.WatchFunc {
	n := 0
	return func(context.Context, metav1.ListOptions) (heartbeat.Watch, error) {
		n++
		switch a := all[min(n, len(all))-1].(type) {
		case error:
			return nil, a
		default:
			return a.(heartbeat.Watch), nil
		}
	}
}

// stream is a watch whose events the test sends.
type stream struct {
	events []watch.Event
	err    error
	ready  func()
}

// streaming returns a stream that begins with the state of version 10 made of
// those nodes.
func streaming(nodes ...*corev1.Node) *stream {
	s := &stream{}
	for _, node := range nodes {
		s.send(watch.Added, node)
	}
	s.send(watch.Bookmark, initialEnd(10))
	return s
}

func initialEnd(version int) *corev1.Node {
	end := node("", version)
	end.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
	return end
}

func (s *stream) send(kind watch.EventType, obj runtime.Object) {
	s.events = append(s.events, watch.Event{Type: kind, Object: obj})
	s.wake()
}

// end ends the stream: nil is the server's timeout.
func (s *stream) end(err error) {
	if s.err = err; err == nil {
		s.err = io.EOF
	}
	s.wake()
}

func (s *stream) wake() {
	if f := s.ready; f != nil {
		s.ready = nil
		f()
	}
}

func (s *stream) TryNext() (watch.Event, bool, error) {
	if len(s.events) > 0 {
		ev := s.events[0]
		s.events = s.events[1:]
		return ev, true, nil
	}
	return watch.Event{}, false, s.err
}

func (s *stream) OnReady(f func()) { s.ready = f }
func (s *stream) Stop()            {}
