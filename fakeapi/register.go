package fakeapi

import (
	"context"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/holter-sim/holter/fakeapi/wire"
)

// Object is a pointer to a typed API object, as client-go and controller-gen
// make them.
type Object = object

// Resource says what a server has to know of a resource of somebody else's.
type Resource[T Object] struct {
	Kind       schema.GroupVersionKind
	Plural     string // "machines"
	Namespaced bool
	// Status gives it the subresource status: the field Status of the Go type is
	// written there alone.
	Status bool
	// Validate returns what is wrong with an object besides its metadata; old is
	// nil on create. It may be nil.
	Validate func(obj, old T) field.ErrorList
}

// Registered is a resource that [Register] has added to a server.
type Registered[T Object, L runtime.Object] struct {
	t       *table
	newList reflect.Type
}

// Objects is a client for a registered resource, with the methods of client-go's
// typed clients.
type Objects[T Object, L runtime.Object] struct {
	resourceClient[T, L]
}

// Register adds a resource to the server: objects of type T, lists of type L.
// They are stored, watched, patched and deleted like custom resources: metadata
// is checked, spec and status are kept apart if there is a status, a write of
// anything else counts the generation up. A resource that is there, or a type
// that is none, panics. Register before the first [Transport] is made.
//
//	machines := fakeapi.Register[*v1.Machine, *v1.MachineList](server, fakeapi.Resource[*v1.Machine]{
//		Kind: v1.GroupVersion.WithKind("Machine"), Plural: "machines", Namespaced: true, Status: true})
//	machines.Client(client, "default").Create(ctx, machine, metav1.CreateOptions{})
func Register[T Object, L runtime.Object](s *Server, r Resource[T]) *Registered[T, L] {
	typ, list := reflect.TypeFor[T]().Elem(), reflect.TypeFor[L]().Elem()
	group := schema.GroupResource{Group: r.Kind.Group, Resource: r.Plural}
	if there, _ := s.served(r.Kind.Group, r.Plural); there != nil {
		panic(fmt.Sprintf("fakeapi: Register: %s are there already", group))
	}
	res := &resource{
		strategy: &typedStrategy[T]{r: r, typ: typ},
		plural:   r.Plural, kind: r.Kind, group: group, namespaced: r.Namespaced,
		storageKey: "/registry/" + r.Kind.Group + "/" + r.Plural + "/", path: pathOf(r.Kind.GroupVersion()),
		fields: []string{"metadata.name", "metadata.namespace"}, unknownFieldTemplate: unknownField,
		scheme: runtime.NewScheme(),
	}
	if r.Status {
		res.status = r.Plural + "/status"
	}
	item, items := reflect.New(typ).Interface().(runtime.Object), reflect.New(list).Interface().(runtime.Object)
	res.scheme.AddKnownTypeWithName(r.Kind, item)
	wire.Know(r.Kind, item, items)
	t := newTable(s, res, s.watchLog)
	t.log.begin(s.version)
	s.tables = append(s.tables, t)
	return &Registered[T, L]{t: t, newList: list}
}

func pathOf(gv schema.GroupVersion) string {
	if gv.Group == "" {
		return "/api/" + gv.Version
	}
	return "/apis/" + gv.String()
}

// Client returns a client for the objects of a namespace; "" is all, for lists
// and watches, and for a resource that has no namespaces.
func (g *Registered[T, L]) Client(c *Client, namespace string) *Objects[T, L] {
	list := func(version string, objects []object) L {
		out := reflect.New(g.newList).Interface().(L)
		items := make([]runtime.Object, len(objects))
		for i, obj := range objects {
			items[i] = obj
		}
		if err := meta.SetList(out, items); err != nil {
			panic(err) // L is no list of T
		}
		if m, err := meta.ListAccessor(out); err == nil {
			m.SetResourceVersion(version)
		}
		return out
	}
	return &Objects[T, L]{newResourceClient[T](c, g.t, namespace, list)}
}

// UpdateStatus replaces the status of an object, and nothing else.
func (o *Objects[T, L]) UpdateStatus(ctx context.Context, obj T, opts metav1.UpdateOptions) (T, error) {
	return o.update(ctx, obj, "status", opts)
}

// Get returns the stored object of that name, or nil. It must not be changed.
func (g *Registered[T, L]) Get(namespace, name string) T {
	obj, _ := g.t.space(namespace).get(name).(T)
	return obj
}

// registered reports whether a table is somebody else's.
func (s *Server) registered(t *table) bool { return t.res.scheme != nil }

// typedStrategy is that of a custom resource. Upstream: customResourceStrategy
// (apiextensions-apiserver v0.37, pkg/registry/customresource).
type typedStrategy[T Object] struct {
	common
	r   Resource[T]
	typ reflect.Type
}

func (s *typedStrategy[T]) blank() object {
	obj := reflect.New(s.typ).Interface().(object)
	obj.GetObjectKind().SetGroupVersionKind(s.r.Kind)
	return obj
}

func (s *typedStrategy[T]) take(in, _ object) object {
	out := in.DeepCopyObject().(object)
	s.clean(out)
	return out
}

func (s *typedStrategy[T]) clean(obj object) {
	obj.GetObjectKind().SetGroupVersionKind(s.r.Kind)
	cleanMeta(metaOf(obj))
}

func (s *typedStrategy[T]) shallow(obj object) object {
	out := reflect.New(s.typ)
	out.Elem().Set(reflect.ValueOf(obj).Elem())
	return out.Interface().(object)
}

// part returns a field of an object, which not every type has.
func part(obj object, name string) reflect.Value {
	return reflect.ValueOf(obj).Elem().FieldByName(name)
}

func (s *typedStrategy[T]) prepareCreate(obj object) {
	metaOf(obj).Generation = 1
	if f := part(obj, "Status"); s.r.Status && f.IsValid() {
		f.SetZero()
	}
}

func (s *typedStrategy[T]) prepareUpdate(obj, old object, subresource string) {
	status := part(obj, "Status")
	if subresource == "status" {
		sent := reflect.ValueOf(status.Interface())
		m := *metaOf(old)
		m.ResourceVersion, m.UID, m.ManagedFields = metaOf(obj).ResourceVersion, metaOf(obj).UID, metaOf(obj).ManagedFields
		reflect.ValueOf(obj).Elem().Set(reflect.ValueOf(old).Elem())
		*metaOf(obj) = m
		status.Set(sent)
		return
	}
	if s.r.Status && status.IsValid() {
		status.Set(part(old, "Status"))
	}
	same := s.shallow(obj)
	*metaOf(same) = *metaOf(old)
	if !equality.Semantic.DeepEqual(same, old) {
		metaOf(obj).Generation++
	}
}

func (s *typedStrategy[T]) validate(obj, old object, _ string) field.ErrorList {
	var errs field.ErrorList
	if old == nil {
		errs = validateMeta(metaOf(obj), s.r.Namespaced, validation.NameIsDNSSubdomain)
	} else if metaChanged(metaOf(obj), metaOf(old)) {
		errs = validateMetaUpdate(metaOf(obj), metaOf(old))
	}
	if s.r.Validate != nil {
		from, _ := old.(T)
		errs = append(errs, s.r.Validate(obj.(T), from)...)
	}
	return errs
}
