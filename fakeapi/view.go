package fakeapi

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// view is another kind, of another group, that the objects of a resource are read
// and written as over the wire. The store has one kind: what is sent is made into
// that when it is decoded or patched, and what is answered is made of it before it
// is encoded. Of what is invalid the kind is the resource's own, as upstream, where
// one registry serves both.
type view struct {
	kind schema.GroupVersionKind

	blank func() object           // a new empty object of the kind, with its TypeMeta set
	show  func(obj object) object // a stored object as the kind; what it points to is shared
	take  func(obj object) object // an object of the kind, which is fresh, as one to store

	// fields are the labels that selectors may name, and what the resource calls them.
	fields map[string]string
	// validate stands in the place of the strategy's.
	validate func(obj, old object) field.ErrorList
}

// setView has the request be about that kind; nil is the resource's own.
func (r *request) setView(v *view) {
	if v != nil {
		r.view, r.call.Group = v, v.kind.Group
	}
}

// kind is the kind of what is sent and answered.
func (r *request) kind() schema.GroupVersionKind {
	if r.view != nil {
		return r.view.kind
	}
	return r.table.res.kind
}

// group is how errors name the resource. Upstream: qualifiedResourceFromContext.
func (r *request) group() schema.GroupResource {
	if r.view != nil {
		return schema.GroupResource{Group: r.view.kind.Group, Resource: r.table.res.plural}
	}
	return r.table.res.group
}

// blank returns a new empty object of the kind that is sent.
func (r *request) blank() object {
	if r.view != nil {
		return r.view.blank()
	}
	return r.table.res.blank()
}

// taken returns an object that was sent, and is fresh, as one to store.
func (r *request) taken(obj object) object {
	if r.view != nil {
		obj = r.view.take(obj)
	}
	r.table.res.clean(obj)
	return obj
}

// shown returns a stored object as the kind that is answered.
func (r *request) shown(obj object) object { return r.view.shown(obj) }

func (v *view) shown(obj object) object {
	if v != nil {
		return v.show(obj)
	}
	return obj
}

// validate returns what is wrong with an object that the request writes.
func (r *request) validate(obj, old object, subresource string) field.ErrorList {
	if r.view != nil {
		return r.view.validate(obj, old)
	}
	return r.table.res.validate(obj, old, subresource)
}

// label returns what the resource calls a field that a selector names.
func (v *view) label(res *resource, name string) (string, error) {
	if v == nil {
		return name, res.checkField(name)
	}
	if own, ok := v.fields[name]; ok {
		return own, nil
	}
	return "", fmt.Errorf(res.unknownFieldTemplate, name)
}

// viewConvertor converts between the kinds of a resource, for server-side apply:
// managers own fields of the kind that they have written.
type viewConvertor struct {
	*runtime.Scheme
	views []*view
}

// ConvertToVersion implements runtime.ObjectConvertor. It returns a copy.
func (c viewConvertor) ConvertToVersion(in runtime.Object, target runtime.GroupVersioner) (runtime.Object, error) {
	from := in.GetObjectKind().GroupVersionKind()
	if from.Empty() { // a new object of the library's
		kinds, _, err := c.ObjectKinds(in)
		if err != nil {
			return nil, err
		}
		from = kinds[0]
	}
	wanted := func(v *view) bool {
		_, ok := target.KindForGroupVersionKinds([]schema.GroupVersionKind{v.kind})
		return ok
	}
	is := slices.IndexFunc(c.views, func(v *view) bool { return v.kind == from })
	becomes := slices.IndexFunc(c.views, wanted)
	if is == becomes {
		return c.Scheme.ConvertToVersion(in, target)
	}
	out, err := c.Scheme.ConvertToVersion(in, from.GroupVersion())
	if err != nil {
		return nil, err
	}
	if is >= 0 {
		out = c.views[is].take(out.(object))
	}
	if becomes >= 0 {
		return c.views[becomes].show(out.(object)), nil
	}
	return c.Scheme.ConvertToVersion(out, target)
}
