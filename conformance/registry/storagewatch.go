package registry

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/storage"
)

// Watch implements storage.Interface, as pkg/storage/etcd3/watcher.go
// (apiserver v0.37.1) does: what is there first, if that is asked for or no
// version is told, then the changes. The bookmarks that ProgressNotify asks for
// come after every write to any resource.
func (o *objects) Watch(ctx context.Context, key string, opts storage.ListOptions) (watch.Interface, error) {
	prefix, err := o.path(key, opts.Recursive)
	if err != nil {
		return nil, err
	}
	after, err := o.versioner.ParseResourceVersion(opts.ResourceVersion)
	if err != nil {
		return nil, err
	}
	w := &objectWatch{objects: o, opts: opts, results: make(chan watch.Event)}
	w.ctx, w.cancel = context.WithCancel(ctx)
	current := o.memory.Revision()
	initial := after == 0
	if opts.SendInitialEvents != nil {
		initial = *opts.SendInitialEvents
	}
	var first []watch.Event
	switch {
	case initial && after > uint64(current):
		return nil, storage.NewTooLargeResourceVersionError(after, uint64(current), 1)
	case initial:
		if first, err = w.initial(prefix, current); err != nil {
			return nil, err
		}
		after = uint64(current)
	case after == 0:
		after = uint64(current)
	}
	feed := o.memory.follow(prefix, int64(after))
	go w.run(first, feed)
	return w, nil
}

// objectWatch is a watch on objects.
type objectWatch struct {
	*objects
	opts    storage.ListOptions
	ctx     context.Context
	cancel  context.CancelFunc
	results chan watch.Event
}

// Stop implements watch.Interface.
func (w *objectWatch) Stop() { w.cancel() }

// ResultChan implements watch.Interface.
func (w *objectWatch) ResultChan() <-chan watch.Event { return w.results }

// run sends what there is to send until the watch is stopped.
func (w *objectWatch) run(events []watch.Event, feed *feed) {
	defer close(w.results)
	defer feed.leave()
	for {
		for _, ev := range events {
			select {
			case w.results <- ev:
			case <-w.ctx.Done():
				return
			}
		}
		changes, revision, ok := feed.more(w.ctx)
		if !ok {
			return
		}
		events = events[:0]
		for _, c := range changes {
			ev, err := w.event(c)
			if err != nil {
				panic(err) // what was encoded here cannot be decoded here
			}
			if ev != nil {
				events = append(events, *ev)
			}
		}
		if w.opts.ProgressNotify {
			events = append(events, w.bookmark(revision))
		}
	}
}

// initial returns what a watch begins with, and the bookmark that says so.
func (w *objectWatch) initial(prefix string, revision int64) ([]watch.Event, error) {
	p, err := w.page(w.from(prefix, "", revision, w.opts.Recursive), &storage.SelectionPredicate{
		Label: w.opts.Predicate.Label, Field: w.opts.Predicate.Field, GetAttrs: w.opts.Predicate.GetAttrs})
	if err != nil {
		return nil, err
	}
	var events []watch.Event
	for _, obj := range p.items {
		events = append(events, watch.Event{Type: watch.Added, Object: obj})
	}
	if s := w.opts.SendInitialEvents; s != nil && *s && w.opts.Predicate.AllowWatchBookmarks {
		end := w.bookmark(revision)
		if err := storage.AnnotateInitialEventsEndBookmark(end.Object); err != nil {
			return nil, err
		}
		events = append(events, end)
	}
	return events, nil
}

func (w *objectWatch) bookmark(revision int64) watch.Event {
	obj := w.newFunc()
	if err := w.versioner.UpdateObject(obj, uint64(revision)); err != nil {
		panic(err)
	}
	return watch.Event{Type: watch.Bookmark, Object: obj}
}

// event is what a change means to the watch: an object that begins to match is
// added, one that ceases to is deleted. A deleted object has the revision of
// its deletion.
func (w *objectWatch) event(c change) (*watch.Event, error) {
	before, err := w.matching(version{c.revision, c.before})
	if err != nil {
		return nil, err
	}
	after, err := w.matching(version{c.revision, c.after})
	if err != nil {
		return nil, err
	}
	switch {
	case before != nil && after != nil:
		return &watch.Event{Type: watch.Modified, Object: after}, nil
	case after != nil:
		return &watch.Event{Type: watch.Added, Object: after}, nil
	case before != nil:
		return &watch.Event{Type: watch.Deleted, Object: before}, nil
	}
	return nil, nil
}

// matching decodes a value, to nil if there is none or it is not selected.
func (w *objectWatch) matching(v version) (runtime.Object, error) {
	if v.data == nil {
		return nil, nil
	}
	obj := w.newFunc()
	if err := w.decode(v, obj); err != nil {
		return nil, err
	}
	if ok, err := w.opts.Predicate.Matches(obj); err != nil || !ok {
		return nil, nil
	}
	return obj, nil
}
