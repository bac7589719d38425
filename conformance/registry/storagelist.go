package registry

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage"
)

// GetList implements storage.Interface, in pages if there is a limit. A page
// goes on where the last one ended, at the revision of the first.
func (o *objects) GetList(_ context.Context, key string, opts storage.ListOptions, list runtime.Object) error {
	prefix, err := o.path(key, opts.Recursive)
	if err != nil {
		return err
	}
	fill, err := itemsOf(list)
	if err != nil {
		return err
	}
	revision, from, err := storage.ValidateListOptions(prefix, o.versioner, opts)
	if err != nil {
		return err
	}
	current := o.memory.Revision()
	switch {
	case revision > current:
		return storage.NewTooLargeResourceVersionError(uint64(revision), uint64(current), 0)
	case revision == 0:
		if err := o.notOlder(opts.ResourceVersion, current); err != nil {
			return err
		}
		revision = current
	}
	page, err := o.page(o.from(prefix, from, revision, opts.Recursive), &opts.Predicate)
	if err != nil {
		return err
	}
	if err := fill(page.items); err != nil {
		return err
	}
	token, remaining, err := storage.PrepareContinueToken(page.last, prefix, revision, page.count, page.more, opts)
	if err != nil {
		return err
	}
	return o.versioner.UpdateList(list, uint64(revision), token, remaining)
}

// page is a part of a list.
type page struct {
	items []runtime.Object
	last  string // the key that the page ends with
	count int64  // keys there were, from where the page begins
	more  bool   // there are keys after last
}

// from returns the entries that a list reads, beginning with the key from.
func (o *objects) from(prefix, from string, revision int64, recursive bool) []entry {
	all := o.memory.Range(prefix, revision)
	if !recursive {
		if len(all) > 0 && all[0].key == prefix {
			return all[:1]
		}
		return nil
	}
	for len(all) > 0 && all[0].key < from {
		all = all[1:]
	}
	return all
}

// page takes what matches from entries, up to the limit.
func (o *objects) page(entries []entry, pred *storage.SelectionPredicate) (*page, error) {
	p := &page{count: int64(len(entries)), items: []runtime.Object{}}
	for _, e := range entries {
		if pred.Limit > 0 && int64(len(p.items)) >= pred.Limit {
			p.more = true
			break
		}
		p.last = e.key
		obj := o.newFunc()
		if err := o.decode(e.version, obj); err != nil {
			return nil, err
		}
		if ok, err := pred.Matches(obj); err == nil && ok {
			p.items = append(p.items, obj)
		}
	}
	return p, nil
}
