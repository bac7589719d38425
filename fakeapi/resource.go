package fakeapi

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// resource is what the server knows about one kind of object.
type resource struct {
	strategy

	plural     string // "leases"
	status     string // "nodes/status", "" if there is no such subresource
	kind       schema.GroupVersionKind
	group      schema.GroupResource // how errors name it
	storageKey string               // "/registry/leases/", as etcd and some errors name it
	path       string               // "/apis/coordination.k8s.io/v1", for URLs

	namespaced           bool
	createOnUpdate       bool            // PUT of an object that is not there creates it
	unconditionalUpdate  bool            // PUT without a resourceVersion overwrites
	index                string          // a field that watches and lists are indexed by, beside metadata.name
	scheme               *runtime.Scheme // of a registered resource, nil for our own
	graceful             bool            // its objects may be given time to end: [strategy.grace]
	returnsDeleted       bool            // a DELETE answers with the object, not with a Status
	uncached             bool            // it is read from the storage, not through a watch cache
	uncollected          bool            // the garbage collector leaves its objects alone
	bound                int             // objects kept at most, oldest deleted first; 0 is no bound
	fields               []string
	unknownFieldTemplate string
	views                []*view // what else it is served as

	// removal is what a resource does before its objects are deleted; not nil is
	// what is left of an object that stays. held keeps one that is being deleted
	// from going with its last finalizer.
	removal func(r *request, old object, o *metav1.DeleteOptions) object
	held    func(obj object) bool
}

// strategy is the part of a resource that depends on the Go type. Upstream:
// the strategy.go files of k8s.io/kubernetes/pkg/registry.
type strategy interface {
	// blank returns a new empty object with its TypeMeta set.
	blank() object
	// take copies an object of the caller's, so that the store may keep it:
	// TypeMeta set and times cut to what the API carries. Parts that are equal
	// to those of like, an object in the store or nil, may be shared with it.
	take(in, like object) object
	// clean does to a new object that the store owns what take does to a copy.
	clean(obj object)
	// shallow copies the top-level struct of a stored object.
	shallow(obj object) object
	// graft puts the parts of from named by the top-level JSON keys into obj,
	// which is fresh. It reports false if it does not know a key.
	graft(obj, from object, keys []string) bool
	// prepareCreate and prepareUpdate do what the strategy upstream does to
	// the new object before it is validated.
	prepareCreate(obj object)
	prepareUpdate(obj, old object, subresource string)
	// defaults fills in what an object that is sent may leave out, on create and
	// on every update of the whole.
	defaults(obj object)
	// validate returns what is wrong with obj; old is nil on create.
	validate(obj, old object, subresource string) field.ErrorList
	// same reports whether two objects are stored as the same bytes.
	same(a, b object) bool
	// indexed returns the value of the indexed field.
	indexed(obj object) string
	// selectable returns the fields a selector may name.
	selectable(obj object) fields.Set
	// grace sets the default of a delete request's grace period and reports
	// whether the resource is deleted gracefully at all.
	grace(obj object, o *metav1.DeleteOptions) bool
}

// common is the behaviour most strategies share.
type common struct{}

func (common) graft(object, object, []string) bool             { return false }
func (common) prepareCreate(object)                            {}
func (common) prepareUpdate(object, object, string)            {}
func (common) defaults(object)                                 {}
func (common) validate(object, object, string) field.ErrorList { return nil }
func (common) same(a, b object) bool                           { return sameMeta(a, b) && equality.Semantic.DeepEqual(a, b) }
func (common) indexed(object) string                           { return "" }
func (common) grace(object, *metav1.DeleteOptions) bool        { return false }

func (common) selectable(obj object) fields.Set {
	m := metaOf(obj)
	return fields.Set{"metadata.name": m.Name, "metadata.namespace": m.Namespace}
}

// sameMeta compares the metadata that changes most often, to save the slow
// comparison of the whole.
func sameMeta(a, b object) bool {
	x, y := metaOf(a), metaOf(b)
	return x.UID == y.UID && x.ResourceVersion == y.ResourceVersion && maps.Equal(x.Labels, y.Labels) &&
		maps.Equal(x.Annotations, y.Annotations) && slices.Equal(x.Finalizers, y.Finalizers)
}

// checkField refuses field selectors that the server does not know.
func (r *resource) checkField(label string) error {
	if slices.Contains(r.fields, label) {
		return nil
	}
	return fmt.Errorf(r.unknownFieldTemplate, label)
}

// name returns the resource as rules and the audit log name it.
func (r *resource) name(subresource string) string {
	switch subresource {
	case "":
		return r.plural
	case "status":
		return r.status
	}
	return r.plural + "/" + subresource
}

const (
	unknownField     = "field label not supported: %s"
	unknownMetaField = `%q is not a known field selector: only "metadata.name", "metadata.namespace"`
)
