package informer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/pager"
	"k8s.io/utils/ptr"

	"github.com/holter-sim/holter/heartbeat"
	"github.com/holter-sim/holter/heartbeat/version"
)

const (
	// minWatchTimeout: watches are asked to end after a time drawn from
	// [min, 2*min). Upstream: defaultMinWatchTimeout.
	minWatchTimeout = 5 * time.Minute
	// veryShortWatch: a watch that ends sooner and empty has failed.
	// Upstream: VeryShortWatchError.
	veryShortWatch = time.Second
)

// proceed runs one way to get at a watch, as a process. If it fails it is the
// backoff's turn, and then a new list. Upstream: the loop of
// Reflector.RunWithContext.
func (i *Informer[T]) proceed(open func() bool) {
	i.host.Go("informer/"+i.cfg.Name, func() {
		for ok := open(); !ok; ok = i.relist() {
			i.host.Sleep(i.backoff.next())
		}
	})
}

// relist asks for the present state. Upstream: the choice in
// Reflector.ListAndWatchWithContext.
func (i *Informer[T]) relist() bool {
	if i.cfg.ListFirst {
		return i.list()
	}
	return i.watchList()
}

// watchList opens a watch that streams the present state first, and returns
// whether a watch is open. Upstream: Reflector.watchList and what
// ListAndWatchWithContext does if it fails.
func (i *Informer[T]) watchList() bool {
	for {
		i.start, i.events = heartbeat.Monotonic(i.host), 0
		w, err := i.open(metav1.ListOptions{
			ResourceVersion:      i.rewatchResourceVersion(),
			AllowWatchBookmarks:  true,
			SendInitialEvents:    ptr.To(true),
			ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
			TimeoutSeconds:       i.drawTimeout(),
		})
		if err == nil {
			i.initial, i.order = map[string]T{}, nil
			i.follow(w)
			return true
		}
		i.failed(err)
		if !i.retriableWithSideEffects(err) {
			return i.list()
		}
	}
}

// list asks for the whole state, and opens a watch from there. A version that
// the server cannot serve is left out of the second try. Upstream:
// Reflector.list and Reflector.watch.
func (i *Informer[T]) list() bool {
	if i.cfg.List == nil {
		return false
	}
	list, err := i.listPages()
	if err != nil && isVersionUnavailable(err) {
		i.isLastSyncResourceVersionUnavailable = true
		list, err = i.listPages()
	}
	if err != nil {
		i.failed(fmt.Errorf("failed to list: %w", err))
		return false
	}
	items, err := meta.ExtractList(list)
	if err != nil {
		panic(err) // a List function that returns no list
	}
	i.initial, i.order = map[string]T{}, nil
	for _, item := range items {
		i.collect(watch.Event{Type: watch.Added, Object: item})
	}
	i.replace(list.(metav1.ListInterface).GetResourceVersion())
	return i.rewatch()
}

// listPages asks for 500 objects at a time, unless it names a version: then the
// server answers from its cache, which has no pages. Upstream: Reflector.list.
func (i *Informer[T]) listPages() (runtime.Object, error) {
	options := metav1.ListOptions{FieldSelector: i.cfg.FieldSelector, ResourceVersion: i.relistResourceVersion()}
	pages := pager.New(func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return i.cfg.List(ctx, o) })
	if options.ResourceVersion != "" && options.ResourceVersion != "0" {
		pages.PageSize = 0
	}
	list, _, err := pages.List(context.Background(), options)
	return list, err
}

// rewatch opens a watch at the last version seen. What keeps that place differs
// by version; any other error asks for a new list. Upstream: Reflector.watch.
func (i *Informer[T]) rewatch() bool {
	for {
		i.start, i.events = heartbeat.Monotonic(i.host), 0
		w, err := i.open(metav1.ListOptions{
			ResourceVersion:     i.lastSyncResourceVersion,
			AllowWatchBookmarks: i.cfg.Behaviors.Bookmarks,
			TimeoutSeconds:      i.drawTimeout(),
		})
		if err == nil {
			i.follow(w)
			return true
		}
		i.failed(err)
		if !i.isWatchErrorRetriable(err) {
			return false
		}
		i.host.Sleep(i.connectPause())
	}
}

// open opens a watch. A connection that ends or is not answered in time yields
// one that is over already. Upstream: rest.Request.Watch.
func (i *Informer[T]) open(o metav1.ListOptions) (heartbeat.Watch, error) {
	o.FieldSelector = i.cfg.FieldSelector
	w, err := i.cfg.Watch(context.Background(), o)
	if err != nil && (utilnet.IsProbableEOF(err) || utilnet.IsTimeout(err)) {
		return emptyWatch{}, nil
	}
	return w, err
}

func (i *Informer[T]) follow(w heartbeat.Watch) {
	i.watch = w
	i.pump()
}

// ended decides how to go on after the stream closed. Upstream: the ends of
// Reflector.watchList and Reflector.watch.
func (i *Informer[T]) ended(err error) {
	i.watch.Stop()
	if errors.Is(err, io.EOF) {
		err = nil
		if i.events == 0 && heartbeat.Monotonic(i.host).Sub(i.start) < veryShortWatch {
			err = fmt.Errorf("very short watch: %s: Unexpected watch close - watch lasted less than a second and no items received", i.cfg.Name)
		}
	}
	if err != nil {
		i.failed(err)
	}
	if i.initial != nil {
		i.initial, i.order = nil, nil
		i.proceed(func() bool { return i.afterWatchList(err) })
		return
	}
	i.proceed(func() bool { return i.afterWatch(err) })
}

// afterWatchList goes on where the initial state never came to its end.
func (i *Informer[T]) afterWatchList(err error) bool {
	if err == nil || i.retriableWithSideEffects(err) {
		return i.watchList()
	}
	return i.list()
}

// afterWatch goes on after a watch, from its last version if it was closed in
// good order.
func (i *Informer[T]) afterWatch(err error) bool {
	switch {
	case err == nil:
		return i.rewatch()
	case apierrors.IsTooManyRequests(err) && i.cfg.Behaviors.BusyKeepsPlace:
		i.host.Sleep(i.connectPause())
		return i.rewatch()
	default: // 410 among others
		return false
	}
}

// retriableWithSideEffects tells whether to ask for a stream of the state
// again: after the backoff, or without the version that cannot be served.
// Upstream: isErrorRetriableWithSideEffectsFn of Reflector.watchList.
func (i *Informer[T]) retriableWithSideEffects(err error) bool {
	if i.isWatchErrorRetriable(err) {
		i.host.Sleep(i.connectPause())
		return true
	}
	if isVersionUnavailable(err) {
		i.isLastSyncResourceVersionUnavailable = true
		return true
	}
	return false
}

// rewatchResourceVersion. Upstream: same name.
func (i *Informer[T]) rewatchResourceVersion() string {
	if i.isLastSyncResourceVersionUnavailable {
		return ""
	}
	return i.lastSyncResourceVersion
}

// relistResourceVersion: the first list may be served from the server's cache,
// however old; before v0.17 every list might. Upstream: same name.
func (i *Informer[T]) relistResourceVersion() string {
	switch {
	case !i.cfg.Behaviors.RelistsAtVersion:
		return "0"
	case i.isLastSyncResourceVersionUnavailable:
		return ""
	case i.lastSyncResourceVersion == "":
		return "0"
	default:
		return i.lastSyncResourceVersion
	}
}

// drawTimeout draws how long the server is asked to keep the watch, in whole
// seconds as the API takes them.
func (i *Informer[T]) drawTimeout() *int64 {
	d := minWatchTimeout + time.Duration(i.timeouts.Int64N(int64(minWatchTimeout)))
	return ptr.To(int64(d / time.Second))
}

// errorOf is the error that an event of a watch carries.
func errorOf(ev watch.Event) error { return apierrors.FromObject(ev.Object) }

// isWatchErrorRetriable tells whether a watch that could not be opened keeps
// its place. Upstream: same name; before v0.27 in Reflector.ListAndWatch.
func (i *Informer[T]) isWatchErrorRetriable(err error) bool {
	rules := &i.cfg.Behaviors
	if utilnet.IsConnectionRefused(err) {
		return rules.RefusedConnection != version.PauseAndList
	}
	return apierrors.IsTooManyRequests(err) && rules.BusyKeepsPlace
}

// connectPause is how long a watch that keeps its place waits for the server.
// Upstream: Reflector.initConnBackoffManager, where there is one.
func (i *Informer[T]) connectPause() time.Duration {
	switch i.cfg.Behaviors.RefusedConnection {
	case version.PauseOf1s:
		return fixedBackoff
	case version.PauseOfItsOwn:
		return i.connect.next()
	default:
		return i.backoff.next()
	}
}

// isVersionUnavailable tells a version that the server no longer has, or not
// yet. Upstream: isExpiredError, isTooLargeResourceVersionError.
func isVersionUnavailable(err error) bool {
	return apierrors.IsResourceExpired(err) || apierrors.IsGone(err) ||
		apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge)
}

// emptyWatch is over before it began.
type emptyWatch struct{}

func (emptyWatch) TryNext() (watch.Event, bool, error) { return watch.Event{}, false, io.EOF }
func (emptyWatch) OnReady(func())                      {}
func (emptyWatch) Stop()                               {}
