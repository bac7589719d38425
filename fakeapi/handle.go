package fakeapi

import (
	"errors"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// What the server does with a request. Upstream: the generic registry
// (apiserver v0.37, pkg/registry/generic/registry/store.go) and rest.Before*.

// dispatch works out the answer to a request.
func (r *request) dispatch() {
	if r.status = r.selErr; r.status != nil || r.path != "" {
		return
	}
	if r.space != nil && !r.space.kept {
		r.space = r.table.look(r.space.name) // it may be there by now
	}
	if r.space == nil && r.op != opList && r.op != opWatch && r.op != opDeleteCollection {
		r.status = apierrors.NewBadRequest("an empty namespace may not be set when a resource name is provided")
		return
	}
	switch r.op {
	case opCreate:
		switch r.call.Subresource {
		case bindingSubresource:
			r.status = r.bind()
			return
		case evictionSubresource:
			r.status = r.evict()
			return
		}
		r.obj, r.status = r.create()
	case opUpdate:
		r.obj, r.status = r.update()
	case opPatch:
		r.obj, r.status = r.patch()
	case opGet:
		r.obj, r.status = r.read()
	case opList:
		r.status = r.readList()
	case opWatch:
		r.status = r.watch.open(&r.listOptions)
	case opDelete:
		r.status = r.remove()
	case opDeleteCollection:
		r.status = r.removeList()
	}
	if r.table.s.checked {
		r.checkAnswer()
	}
}

// create stores the body under a new identity. Upstream: createHandler and
// Store.Create.
func (r *request) create() (object, *apierrors.StatusError) {
	if err := r.checkNamespace(); err != nil {
		return nil, err
	}
	obj := r.ownBody()
	r.table.res.defaults(obj)
	return r.insert(obj)
}

// insert stores obj, which is fresh.
func (r *request) insert(obj object) (object, *apierrors.StatusError) {
	res, s, m := r.table.res, r.table.s, metaOf(obj)
	if m.Name == "" && m.GenerateName != "" {
		m.Name = s.generateName(r.space, m.GenerateName)
	}
	if m.Name == "" {
		return nil, res.invalid("", field.ErrorList{field.Required(metaPath.Child("name"), "name or generateName is required")})
	}
	if err := r.admitCreate(obj); err != nil {
		return nil, err
	}
	r.dropDuplicateOwners(m)
	m.SelfLink = ""
	m.DeletionTimestamp, m.DeletionGracePeriodSeconds = nil, nil
	res.prepareCreate(obj)
	errs := r.validate(obj, nil, "")
	if len(errs) == 0 {
		errs = validateMeta(m, res.namespaced, pathSegment)
	}
	if len(errs) > 0 {
		return nil, res.invalid(m.Name, errs)
	}
	if version, err := strconv.ParseUint(m.ResourceVersion, 10, 64); err == nil && version != 0 { // what is no version does not count
		return nil, unknown(errors.New("resourceVersion should not be set on objects to be created"))
	}
	if old := r.space.get(m.Name); old != nil {
		err := apierrors.NewAlreadyExists(r.group(), m.Name)
		if metaOf(old).DeletionTimestamp != nil {
			err.ErrStatus.Message = "object is being deleted: " + err.ErrStatus.Message
		}
		return nil, err
	}
	m.UID, m.CreationTimestamp = s.newUID(), s.now()
	r.created = true
	if err := r.checkSize(obj); err != nil {
		return nil, err
	}
	if r.dryRun {
		return obj, nil
	}
	return r.commit(r.space.row(m.Name), obj), nil
}

// update replaces an object by the body. The uid in the body is a condition.
// Upstream: UpdateResource and Store.Update.
func (r *request) update() (object, *apierrors.StatusError) {
	res, m := r.table.res, metaOf(r.body)
	if err := r.checkNamespace(); err != nil {
		return nil, err
	}
	row := r.stored()
	if row == nil {
		return r.createByUpdate()
	}
	old, om := row.obj, metaOf(row.obj)
	if m.UID != "" && m.UID != om.UID {
		return nil, r.uidConflict(m.UID, om.UID)
	}
	next := r.ownBody()
	res.defaults(next)
	if err := r.admitUpdate(next, old); err != nil {
		return nil, err
	}
	if err := r.checkVersion(metaOf(next), om); err != nil {
		return nil, err
	}
	return r.replace(row, next)
}

// createByUpdate is an update of what is not there.
func (r *request) createByUpdate() (object, *apierrors.StatusError) {
	res, name, m := r.table.res, r.call.Name, metaOf(r.body)
	switch {
	case name == "":
		return nil, res.invalid("", field.ErrorList{field.Required(metaPath.Child("name"), "name or generateName is required")})
	case !res.createOnUpdate || r.call.Subresource != "":
		return nil, r.notFound(name)
	case m.UID != "":
		return nil, r.uidConflict(m.UID, "")
	}
	version := m.ResourceVersion
	obj := r.ownBody()
	res.defaults(obj)
	metaOf(obj).ResourceVersion = ""
	out, err := r.insert(obj)
	if err == nil && r.dryRun {
		metaOf(out).ResourceVersion = version // as upstream, where only the storage clears it
	}
	return out, err
}

// checkVersion is the optimistic lock: the version that is sent must be the one
// that is stored, or none if the resource allows that.
func (r *request) checkVersion(m, om *metav1.ObjectMeta) *apierrors.StatusError {
	res := r.table.res
	if m.ResourceVersion == om.ResourceVersion {
		return nil
	}
	version, err := strconv.ParseUint(m.ResourceVersion, 10, 64)
	switch {
	case m.ResourceVersion != "" && err != nil:
		return unknown(err)
	case version != 0:
		return r.conflict(om.Name)
	case !res.unconditionalUpdate:
		return res.mustSpecifyVersion(om.Name)
	}
	return nil
}

// replace stores next, which is fresh, in the place of the row's object.
// Upstream: rest.BeforeUpdate and the rest of Store.Update.
func (r *request) replace(row *row, next object) (object, *apierrors.StatusError) {
	res, old := r.table.res, row.obj
	m, om := metaOf(next), metaOf(old)
	r.dropDuplicateOwners(m)
	if len(om.ManagedFields) > 0 {
		next = r.trackFields(next, old)
		m = metaOf(next)
	}
	m.Generation = om.Generation
	res.prepareUpdate(next, old, r.call.Subresource)
	m.ResourceVersion = om.ResourceVersion
	m.SelfLink = ""
	if m.UID == "" {
		m.UID = om.UID
	}
	m.CreationTimestamp = om.CreationTimestamp
	if om.DeletionTimestamp != nil {
		m.DeletionTimestamp = om.DeletionTimestamp
	}
	if om.DeletionGracePeriodSeconds != nil && m.DeletionGracePeriodSeconds == nil {
		m.DeletionGracePeriodSeconds = om.DeletionGracePeriodSeconds
	}
	if errs := r.validateUpdate(next, old); len(errs) > 0 {
		return nil, res.invalid(om.Name, errs)
	}
	if res.gone(next, old) {
		if !r.dryRun {
			r.commit(row, nil)
		}
		return next, nil
	}
	if err := r.checkSize(next); err != nil {
		return nil, err
	}
	return r.store(row, next), nil
}

// maxObject is how many bytes an object may have. Upstream: etcd's
// --max-request-bytes.
const maxObject = 3 << 19

// checkSize refuses what comes over the wire and is too large for etcd. Otherwise
// patches could make an object grow without end, and the log keeps all it ever was.
func (r *request) checkSize(obj object) *apierrors.StatusError {
	if r.size = r.sizeOf(obj); r.size > maxObject {
		return unknown(errors.New("etcdserver: request is too large"))
	}
	return nil
}

// sizeOf is how many bytes an object has, 0 for what has not come over the wire.
func (r *request) sizeOf(obj object) int {
	if sized, ok := obj.(interface{ Size() int }); ok && r.wired {
		return sized.Size()
	}
	return 0
}

// validateUpdate is rest.ValidateUpdate.
func (r *request) validateUpdate(next, old object) field.ErrorList {
	m, om := metaOf(next), metaOf(old)
	changed := metaChanged(m, om)
	var errs field.ErrorList
	if changed {
		errs = append(errs, validateMeta(m, r.table.res.namespaced, pathSegment)...)
		errs = append(errs, validateMetaUpdate(m, om)...)
	}
	errs = append(errs, r.validate(next, old, r.call.Subresource)...)
	if changed {
		errs = append(errs, validateKept(m, om)...)
	}
	return errs
}

// commit changes the store in the name of the request.
func (r *request) commit(row *row, next object) object {
	if r.direct {
		return r.table.commit(row, next, nil)
	}
	out := r.table.commit(row, next, &r.call)
	if r.wired {
		if next == nil {
			r.size = r.sizeOf(out)
		}
		r.table.log.weigh(r.size)
	}
	return out
}

// store puts next in the place of the row's object, unless it is the same or
// this is a dry run.
func (r *request) store(row *row, next object) object {
	switch {
	case r.table.res.same(next, row.obj):
		return row.obj
	case r.dryRun:
		return next
	}
	return r.commit(row, next)
}

// stored returns the place of the object that is named, or nil if there is none.
func (r *request) stored() *row {
	if r.row == nil || r.row.obj == nil { // not looked up yet, or before the object was deleted and perhaps made anew
		r.row = r.space.rows[r.call.Name]
	}
	if r.row == nil || r.row.obj == nil {
		return nil
	}
	return r.row
}

// setOptions takes the options of a list or watch.
func (r *request) setOptions(o metav1.ListOptions) {
	r.listOptions = o
	r.sel, r.selErr = newSelector(r.table.res, r.view, &o)
	r.call.Name = r.sel.name
}

// setBody takes the object that is sent.
func (r *request) setBody(obj object) {
	r.body = obj
	r.call.Object = obj
}

func (r *request) setSubresource(name string) {
	if name != "" {
		r.call.Subresource = name
		r.resource = r.table.res.name(name)
	}
}

// ownBody returns the body for the store to keep, in the namespace of the
// request. Observers are shown the body as it was sent, so then it is copied.
func (r *request) ownBody() object {
	obj := r.body
	if r.table.s.observer != nil {
		obj = r.table.res.shallow(obj)
	}
	metaOf(obj).Namespace = r.call.Namespace
	return obj
}

// checkNamespace makes sure the body belongs where the request does.
func (r *request) checkNamespace() *apierrors.StatusError {
	if have, want := metaOf(r.body).Namespace, r.call.Namespace; have != want && have != "" && want != "" {
		return apierrors.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	return nil
}

// generateName completes a name that is not taken. Upstream: names.SimpleNameGenerator
// with the eight tries of RetryGenerateName.
func (s *Server) generateName(sp *space, base string) string {
	const alphabet, tries, length, limit = "bcdfghjklmnpqrstvwxz2456789", 8, 5, 63
	base = base[:min(len(base), limit-length)]
	draws := s.host.Rand("names")
	name := ""
	for range tries {
		b := []byte(base)
		for range length {
			b = append(b, alphabet[draws.Int64N(int64(len(alphabet)))])
		}
		if name = string(b); sp.get(name) == nil {
			break
		}
	}
	return name
}
