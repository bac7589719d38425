package registry

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage"
)

// objects is one resource in a Memory, as the registries want to have it. It
// does what pkg/storage/etcd3/store.go (apiserver v0.37.1) does with etcd.
type objects struct {
	memory    *Memory
	codec     runtime.Codec
	prefix    string // "/registry" is put before the keys that come in
	resource  string // "/minions"
	newFunc   func() runtime.Object
	versioner storage.APIObjectVersioner
}

var _ storage.Interface = (*objects)(nil)

// Versioner implements storage.Interface.
func (o *objects) Versioner() storage.Versioner { return o.versioner }

// Create implements storage.Interface. Nothing expires: ttl is ignored.
func (o *objects) Create(_ context.Context, key string, obj, out runtime.Object, _ uint64) error {
	path, err := o.path(key, false)
	if err != nil {
		return err
	}
	if version, err := o.versioner.ObjectResourceVersion(obj); err == nil && version != 0 {
		return storage.ErrResourceVersionSetOnCreate
	}
	if err := o.versioner.PrepareObjectForStorage(obj); err != nil {
		return err
	}
	data, err := runtime.Encode(o.codec, obj)
	if err != nil {
		return err
	}
	revision, ok := o.memory.Put(path, data, 0)
	if !ok {
		return storage.NewKeyExistsError(path, 0)
	}
	if out == nil {
		return nil
	}
	return o.decode(version{revision, data}, out)
}

// Delete implements storage.Interface. What the caller thinks is stored is
// never relied on.
func (o *objects) Delete(ctx context.Context, key string, out runtime.Object, preconditions *storage.Preconditions,
	validate storage.ValidateObjectFunc, _ runtime.Object, _ storage.DeleteOptions) error {
	path, err := o.path(key, false)
	if err != nil {
		return err
	}
	for {
		now, _ := o.memory.Get(path)
		if now.data == nil {
			return storage.NewKeyNotFoundError(path, 0)
		}
		obj := o.newFunc()
		if err := o.decode(now, obj); err != nil {
			return err
		}
		if err := preconditions.Check(path, obj); err != nil {
			return err
		}
		if err := validate(ctx, obj); err != nil {
			return err
		}
		if revision, ok := o.memory.Put(path, nil, now.revision); ok {
			return o.decode(version{revision, now.data}, out)
		}
	}
}

// Get implements storage.Interface.
func (o *objects) Get(_ context.Context, key string, opts storage.GetOptions, out runtime.Object) error {
	path, err := o.path(key, false)
	if err != nil {
		return err
	}
	now, revision := o.memory.Get(path)
	if err := o.notOlder(opts.ResourceVersion, revision); err != nil {
		return err
	}
	switch {
	case now.data != nil:
		return o.decode(now, out)
	case opts.IgnoreNotFound:
		return runtime.SetZeroValue(out)
	}
	return storage.NewKeyNotFoundError(path, 0)
}

// GuaranteedUpdate implements storage.Interface. An update to the same bytes
// writes nothing.
func (o *objects) GuaranteedUpdate(_ context.Context, key string, out runtime.Object, ignoreNotFound bool,
	preconditions *storage.Preconditions, update storage.UpdateFunc, _ runtime.Object) error {
	path, err := o.path(key, false)
	if err != nil {
		return err
	}
	for {
		now, _ := o.memory.Get(path)
		obj := o.newFunc()
		switch {
		case now.data != nil:
			err = o.decode(now, obj)
		case ignoreNotFound:
			now, err = version{}, runtime.SetZeroValue(obj)
		default:
			err = storage.NewKeyNotFoundError(path, 0)
		}
		if err != nil {
			return err
		}
		if err := preconditions.Check(path, obj); err != nil {
			return err
		}
		next, _, err := update(obj, storage.ResponseMeta{ResourceVersion: uint64(now.revision)})
		if err != nil {
			return err
		}
		if err := o.versioner.PrepareObjectForStorage(next); err != nil {
			return err
		}
		data, err := runtime.Encode(o.codec, next)
		if err != nil {
			return err
		}
		if now.data != nil && bytes.Equal(data, now.data) {
			return o.decode(now, out)
		}
		if revision, ok := o.memory.Put(path, data, now.revision); ok {
			return o.decode(version{revision, data}, out)
		}
	}
}

// GetCurrentResourceVersion implements storage.Interface.
func (o *objects) GetCurrentResourceVersion(context.Context) (uint64, error) {
	return uint64(o.memory.Revision()), nil
}

// Stats implements storage.Interface.
func (o *objects) Stats(context.Context) (storage.Stats, error) {
	found := o.memory.Range(o.prefix+o.resource+"/", o.memory.Revision())
	return storage.Stats{ObjectCount: int64(len(found))}, nil
}

// ReadinessCheck implements storage.Interface: a memory is always ready.
func (o *objects) ReadinessCheck() error { return nil }

// RequestWatchProgress implements storage.Interface: every watch is told of
// every revision without being asked.
func (o *objects) RequestWatchProgress(context.Context) error { return nil }

// EnableResourceSizeEstimation implements storage.Interface: sizes are not
// estimated.
func (o *objects) EnableResourceSizeEstimation(storage.KeysFunc) error { return nil }

// CompactRevision implements storage.Interface: nothing is ever compacted.
func (o *objects) CompactRevision() int64 { return 0 }

// path is the key in the memory.
func (o *objects) path(key string, recursive bool) (string, error) {
	key, err := storage.PrepareKey(o.resource, key, recursive)
	if err != nil {
		return "", err
	}
	return o.prefix + "/" + strings.TrimPrefix(key, "/"), nil
}

// decode reads a value into an object, and sets its resourceVersion.
func (o *objects) decode(v version, into runtime.Object) error {
	got, _, err := o.codec.Decode(v.data, nil, into)
	if err != nil {
		return err
	}
	if got != into {
		return fmt.Errorf("unable to decode object into %T", into)
	}
	return o.versioner.UpdateObject(into, uint64(v.revision))
}

// notOlder refuses reads that are to be newer than the memory is.
func (o *objects) notOlder(wanted string, revision int64) error {
	v, err := o.versioner.ParseResourceVersion(wanted)
	if err != nil {
		return apierrors.NewBadRequest(fmt.Sprintf("invalid resource version: %v", err))
	}
	if v > uint64(revision) {
		return storage.NewTooLargeResourceVersionError(v, uint64(revision), 0)
	}
	return nil
}

// itemsOf returns what a list is to be filled through.
func itemsOf(list runtime.Object) (func([]runtime.Object) error, error) {
	if _, err := meta.GetItemsPtr(list); err != nil {
		return nil, err
	}
	return func(items []runtime.Object) error { return meta.SetList(list, items) }, nil
}
