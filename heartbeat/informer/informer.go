// Package informer keeps a local copy of a resource as client-go's reflector
// and shared informer do (v0.36): a watch that begins with the present state
// (WatchList), resumes where it ended, and starts over after an error, with
// backoff. What a component knows, and how old it is, is decided here.
package informer

import (
	"time"

	"k8s.io/apimachinery/pkg/watch"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/version"
)

// Config says what is watched.
type Config struct {
	// Name of the informer, unique on its host: its backoff and watch
	// timeouts draw from streams of that name.
	Name string
	// Watch opens a watch on the resource.
	Watch heartbeat.WatchFunc
	// List lists the resource. It is asked where a watch cannot stream the
	// present state. May be nil: then the backoff follows at once.
	List heartbeat.ListFunc
	// ListFirst has the informer begin with a LIST, and not with a watch that
	// streams the present state (WatchListClient, by version). It needs List.
	ListFirst bool
	// Behaviors is what differs by version. Of the two about streaming the
	// present state the owner makes its choice in ListFirst.
	Behaviors version.Informer
	// FieldSelector limits what is watched, e.g. "metadata.name=node-1".
	FieldSelector string
	// Tracer is told of watches that fail. May be nil.
	Tracer heartbeat.Tracer
}

// Handler is told of changes to the store, after they were made. Any of its
// functions may be nil.
type Handler[T Object] struct {
	Added   func(obj T)
	Updated func(old, obj T)
	Deleted func(old T)
}

// Informer fills a Store from a watch. Between changes it holds no process.
type Informer[T Object] struct {
	host     heartbeat.Host
	cfg      Config
	backoff  *backoff
	connect  *backoff // after a refused connection, where the version has one of its own; else nil
	timeouts heartbeat.Rand
	handlers []Handler[T]

	store   Store[T]
	initial map[string]T // the state that a starting watch streams; nil once it is complete
	order   []string     // keys of initial, as they arrived
	synced  bool

	lastSyncResourceVersion string
	// isLastSyncResourceVersionUnavailable: the server cannot serve that
	// version (any more), so the next list asks for the most recent state.
	isLastSyncResourceVersionUnavailable bool

	watch  heartbeat.Watch
	start  time.Time // when the watch, or its part after the initial state, began
	events int       // received since
}

// New returns an informer that does nothing until Run.
func New[T Object](host heartbeat.Host, cfg Config) *Informer[T] {
	i := &Informer[T]{
		host:     host,
		cfg:      cfg,
		backoff:  newBackoff(host, cfg.Name+"/backoff", &cfg.Behaviors),
		timeouts: host.Rand("informer/" + cfg.Name + "/timeout"),
		store:    Store[T]{items: map[string]T{}},
	}
	if cfg.Behaviors.RefusedConnection == version.PauseOfItsOwn {
		i.connect = newBackoff(host, cfg.Name+"/connect", &cfg.Behaviors)
	}
	return i
}

// AddHandler registers h for changes from now on. What the informer knows by then is
// added for h at once, in the order of the keys. Upstream:
// sharedIndexInformer.AddEventHandler.
func (i *Informer[T]) AddHandler(h Handler[T]) {
	i.handlers = append(i.handlers, h)
	if h.Added != nil && i.store.Len() > 0 {
		for _, obj := range i.store.List() {
			h.Added(obj)
		}
	}
}

// Store is what the informer knows.
func (i *Informer[T]) Store() *Store[T] { return &i.store }

// LastSyncResourceVersion is the version that the store has reached, "" before
// the first list. Upstream: LastStoreSyncResourceVersion.
func (i *Informer[T]) LastSyncResourceVersion() string { return i.lastSyncResourceVersion }

// HasSynced tells whether the first full state has been taken over.
func (i *Informer[T]) HasSynced() bool { return i.synced }

// Run starts the informer and returns. Upstream: Reflector.RunWithContext.
func (i *Informer[T]) Run() { i.proceed(i.relist) }

// pump takes what has arrived and asks to be called again for the rest. It
// never blocks, so an idle informer is a callback and no stack.
func (i *Informer[T]) pump() {
	for {
		ev, ok, err := i.watch.TryNext()
		if err == nil && ok && ev.Type == watch.Error {
			err = errorOf(ev)
		}
		if err != nil {
			i.ended(err)
			return
		}
		if !ok {
			i.watch.OnReady(i.pump)
			return
		}
		i.take(ev)
	}
}

// take applies one event of the watch. Upstream: handleAnyWatch.
func (i *Informer[T]) take(ev watch.Event) {
	i.events++
	if i.initial != nil {
		i.collect(ev)
		return
	}
	meta := ev.Object.(metav1.Object)
	i.lastSyncResourceVersion = meta.GetResourceVersion()
	switch ev.Type {
	case watch.Bookmark:
	case watch.Deleted:
		if old, had := i.store.remove(Key(meta)); had {
			i.deleted(old)
		}
	default:
		i.put(ev.Object.(T))
	}
}

// collect notes an object of the state that a starting watch streams, and
// takes that state over at its end.
func (i *Informer[T]) collect(ev watch.Event) {
	meta := ev.Object.(metav1.Object)
	key := Key(meta)
	switch ev.Type {
	case watch.Bookmark:
		if meta.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true" {
			i.replace(meta.GetResourceVersion())
			i.start, i.events = heartbeat.Monotonic(i.host), 0
		}
	case watch.Deleted:
		delete(i.initial, key)
	default:
		if _, had := i.initial[key]; !had {
			i.order = append(i.order, key)
		}
		i.initial[key] = ev.Object.(T)
	}
}

// replace takes the collected state over, which is that of a version: what is
// missing from it was deleted, and is told before the rest, or after it.
// Upstream: Reflector.syncWith, RealFIFO.Replace (DeltaFIFO.Replace before
// v0.33) and sharedIndexInformer.
func (i *Informer[T]) replace(resourceVersion string) {
	state, order := i.initial, i.order
	i.initial, i.order = nil, nil
	before := i.store.List()
	if i.cfg.Behaviors.DeletesFirst {
		i.deleteMissing(before, state)
	}
	for _, key := range order {
		if obj, ok := state[key]; ok {
			i.put(obj)
		}
	}
	if !i.cfg.Behaviors.DeletesFirst {
		i.deleteMissing(before, state)
	}
	i.synced = true
	i.isLastSyncResourceVersionUnavailable = false
	i.lastSyncResourceVersion = resourceVersion
}

// deleteMissing drops what was there before and is not in the new state.
func (i *Informer[T]) deleteMissing(before []T, state map[string]T) {
	for _, obj := range before {
		if _, kept := state[Key(obj)]; !kept {
			i.store.remove(Key(obj))
			i.deleted(obj)
		}
	}
}

func (i *Informer[T]) put(obj T) {
	old, had := i.store.set(obj)
	for _, h := range i.handlers {
		switch {
		case had && h.Updated != nil:
			h.Updated(old, obj)
		case !had && h.Added != nil:
			h.Added(obj)
		}
	}
}

func (i *Informer[T]) deleted(old T) {
	for _, h := range i.handlers {
		if h.Deleted != nil {
			h.Deleted(old)
		}
	}
}

func (i *Informer[T]) failed(err error) {
	heartbeat.Decide(i.cfg.Tracer, heartbeat.DecisionWatchFailed, "", i.cfg.Name+": "+err.Error())
}
