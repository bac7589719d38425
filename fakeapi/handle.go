package fakeapi

import (
	"errors"
	"slices"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// What the server does with a request. Upstream: the generic registry
// (apiserver v0.37, pkg/registry/generic/registry/store.go) and rest.Before*.

// dispatch works out the answer to a request.
func (r *request) dispatch() {
	if r.status = r.selErr; r.status != nil || r.path != "" {
		return
	}
	if r.space == nil && r.op != opList && r.op != opWatch {
		r.status = apierrors.NewBadRequest("an empty namespace may not be set when a resource name is provided")
		return
	}
	switch r.op {
	case opCreate:
		if r.call.Subresource == bindingSubresource {
			r.status = r.bind()
			return
		}
		r.obj, r.status = r.create()
	case opUpdate:
		r.obj, r.status = r.update()
	case opPatch:
		r.obj, r.status = r.patch()
	case opGet:
		if r.obj = r.space.get(r.call.Name); r.obj == nil {
			r.status = r.table.res.notFound(r.call.Name)
		}
	case opList:
		r.status = r.readList()
	case opWatch:
		r.status = r.watch.open(&r.listOptions)
	case opDelete:
		r.status = r.remove()
	}
	if r.table.s.checked {
		r.checkAnswer()
	}
}

// readList answers a list.
func (r *request) readList() *apierrors.StatusError {
	if err := checkOptions(&r.listOptions, false); err != nil {
		return err
	}
	version, err := parseVersion(r.listOptions.ResourceVersion)
	if err != nil {
		return err
	}
	s := r.table.s
	if version > s.version {
		return apierrors.NewTimeoutError("Too large resource version: "+strconv.FormatUint(version, 10)+", current: "+strconv.FormatUint(s.version, 10), 1)
	}
	r.list = r.table.selectObjects(r.space, &r.sel)
	r.listed = strconv.FormatUint(s.version, 10)
	return nil
}

// create stores the body under a new identity.
func (r *request) create() (object, *apierrors.StatusError) {
	res, s := r.table.res, r.table.s
	if err := r.checkNamespace(); err != nil {
		return nil, err
	}
	obj := r.ownBody()
	m := metaOf(obj)
	if m.Name == "" && m.GenerateName != "" {
		m.Name = s.generateName(r.space, m.GenerateName)
	}
	if m.Name == "" {
		return nil, res.invalid("", field.ErrorList{field.Required(field.NewPath("metadata", "name"), "name or generateName is required")})
	}
	s.admitCreate(obj)
	m.Generation = 0
	m.SelfLink = ""
	m.DeletionTimestamp, m.DeletionGracePeriodSeconds = nil, nil
	res.prepareCreate(obj)
	if errs := res.validate(obj, nil); len(errs) > 0 {
		return nil, res.invalid(m.Name, errs)
	}
	if m.ResourceVersion != "" && m.ResourceVersion != "0" {
		return nil, unknown(errors.New("resourceVersion should not be set on objects to be created"))
	}
	if old := r.space.get(m.Name); old != nil {
		err := apierrors.NewAlreadyExists(res.group, m.Name)
		if metaOf(old).DeletionTimestamp != nil {
			err.ErrStatus.Message = "object is being deleted: " + err.ErrStatus.Message
		}
		return nil, err
	}
	m.UID, m.CreationTimestamp = s.newUID(), s.now()
	r.created = true
	if r.dryRun {
		return obj, nil
	}
	return r.table.commit(r.space.row(m.Name), obj, &r.call), nil
}

// update replaces an object by the body. The uid in the body is a condition.
func (r *request) update() (object, *apierrors.StatusError) {
	res, name := r.table.res, r.call.Name
	m := metaOf(r.body)
	if err := r.checkNamespace(); err != nil {
		return nil, err
	}
	old := r.space.get(name)
	if old == nil {
		switch {
		case name == "":
			return nil, res.invalid("", field.ErrorList{field.Required(field.NewPath("metadata", "name"), "name or generateName is required")})
		case !res.createOnUpdate:
			return nil, res.notFound(name)
		case m.UID != "":
			return nil, res.uidConflict(r.call.Namespace, name, m.UID, "")
		}
		obj := r.ownBody()
		metaOf(obj).ResourceVersion = ""
		r.body = obj
		return r.create()
	}
	om := metaOf(old)
	switch {
	case m.UID != "" && m.UID != om.UID:
		return nil, res.uidConflict(r.call.Namespace, name, m.UID, om.UID)
	case m.ResourceVersion == om.ResourceVersion:
	case m.ResourceVersion != "" && m.ResourceVersion != "0":
		return nil, res.conflict(name)
	case !res.unconditionalUpdate:
		return nil, res.mustSpecifyVersion(name)
	}
	return r.replace(r.space.row(name), r.ownBody())
}

// replace stores next, which is fresh, in the place of the row's object.
func (r *request) replace(row *row, next object) (object, *apierrors.StatusError) {
	res, old := r.table.res, row.obj
	m, om := metaOf(next), metaOf(old)
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
	if errs := append(checkMetaUpdate(m, om), res.validate(next, old)...); len(errs) > 0 {
		return nil, res.invalid(om.Name, errs)
	}
	if len(m.Finalizers) == 0 && om.DeletionTimestamp != nil && (om.DeletionGracePeriodSeconds == nil || *om.DeletionGracePeriodSeconds == 0) {
		if !r.dryRun {
			r.table.commit(row, nil, &r.call)
		}
		return next, nil
	}
	if res.same(next, old) {
		return old, nil
	}
	if r.dryRun {
		return next, nil
	}
	return r.table.commit(row, next, &r.call), nil
}

// checkMetaUpdate is the part of ValidateObjectMetaUpdate that a client of this
// server can run into.
func checkMetaUpdate(m, om *metav1.ObjectMeta) field.ErrorList {
	if m.UID == om.UID && m.DeletionTimestamp == nil && om.DeletionTimestamp == nil {
		return nil
	}
	var errs field.ErrorList
	path := field.NewPath("metadata")
	if m.UID != om.UID {
		errs = append(errs, field.Invalid(path.Child("uid"), m.UID, "field is immutable"))
	}
	if om.DeletionTimestamp == nil && m.DeletionTimestamp != nil {
		errs = append(errs, field.Invalid(path.Child("deletionTimestamp"), m.DeletionTimestamp, "field is immutable"))
	}
	if om.DeletionTimestamp != nil {
		for _, f := range m.Finalizers {
			if !slices.Contains(om.Finalizers, f) {
				errs = append(errs, field.Forbidden(path.Child("finalizers"), "no new finalizers can be added if the object is being deleted, found new finalizers []string{\""+f+"\"}"))
			}
		}
	}
	return errs
}

// remove deletes an object, or marks it. Upstream: Store.Delete and
// rest.BeforeDelete.
func (r *request) remove() *apierrors.StatusError {
	res, name, o := r.table.res, r.call.Name, r.delete
	old := r.space.get(name)
	if old == nil {
		return res.notFound(name)
	}
	om := metaOf(old)
	if p := o.Preconditions; p != nil {
		if p.UID != nil && *p.UID != om.UID {
			return res.deletePrecondition(name, "UID", string(*p.UID), string(om.UID), "deleted and then recreated")
		}
		if p.ResourceVersion != nil && *p.ResourceVersion != om.ResourceVersion {
			return res.deletePrecondition(name, "ResourceVersion", *p.ResourceVersion, om.ResourceVersion, "modified")
		}
	}
	if o.GracePeriodSeconds != nil && *o.GracePeriodSeconds < 0 {
		one := int64(1)
		o.GracePeriodSeconds = &one
	}
	next, wait := r.markDeleted(old, o)
	if r.dryRun {
		return nil
	}
	row := r.space.row(name)
	if next != nil {
		r.table.commit(row, next, &r.call)
	}
	if !wait {
		r.table.commit(row, nil, &r.call)
	}
	return nil
}

// markDeleted returns a copy of old with its deletion begun, nil if there is
// nothing to note, and whether the object is to stay for now. As upstream, a
// pod that goes at once is marked all the same, and watches see both.
func (r *request) markDeleted(old object, o *metav1.DeleteOptions) (next object, wait bool) {
	res, s, om := r.table.res, r.table.s, metaOf(old)
	finalizers := len(om.Finalizers) > 0
	if om.DeletionTimestamp != nil {
		left := om.DeletionGracePeriodSeconds
		switch {
		case left == nil || *left == 0:
			return nil, finalizers
		case o.GracePeriodSeconds == nil || *o.GracePeriodSeconds >= *left:
			return nil, true
		}
		return r.shorten(old, *o.GracePeriodSeconds, *left), finalizers || *o.GracePeriodSeconds > 0
	}
	var grace int64
	graceful := res.grace(old, o)
	if graceful {
		grace = *o.GracePeriodSeconds
	} else if !finalizers {
		return nil, false
	}
	next = res.shallow(old)
	m := metaOf(next)
	at := seconds(metav1.Time{Time: s.host.Now().Add(time.Duration(grace) * time.Second)})
	m.DeletionTimestamp, m.DeletionGracePeriodSeconds = &at, &grace
	if m.Generation > 0 {
		m.Generation++
	}
	return next, finalizers || grace > 0
}

// shorten moves a deletion that has begun forward.
func (r *request) shorten(old object, grace, before int64) object {
	next := r.table.res.shallow(old)
	m := metaOf(next)
	at := metav1.Time{Time: m.DeletionTimestamp.Add(time.Duration(grace-before) * time.Second)}
	if now := r.table.s.now(); at.Before(&now) {
		at = now
		if grace != 0 {
			grace = 1
		}
	}
	m.DeletionTimestamp, m.DeletionGracePeriodSeconds = &at, &grace
	return next
}

// setOptions takes the options of a list or watch.
func (r *request) setOptions(o metav1.ListOptions) {
	r.listOptions = o
	r.sel, r.selErr = newSelector(r.table.res, &o)
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

var listOptionsKind = schema.GroupKind{Group: metav1.GroupName, Kind: "ListOptions"}

// parseVersion reads a resourceVersion to list or watch from; "" is 0.
func parseVersion(s string) (uint64, *apierrors.StatusError) {
	if s == "" {
		return 0, nil
	}
	v, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0, apierrors.NewInvalid(listOptionsKind, "", field.ErrorList{
			field.Invalid(field.NewPath("resourceVersion"), s, err.Error())})
	}
	return v, nil
}

// checkOptions is ValidateListOptions (apimachinery v0.37) for what this server
// reads of them.
func checkOptions(o *metav1.ListOptions, watching bool) *apierrors.StatusError {
	const wanted = metav1.ResourceVersionMatchNotOlderThan
	var errs field.ErrorList
	match := field.NewPath("resourceVersionMatch")
	switch {
	case !watching:
		if o.SendInitialEvents != nil {
			errs = append(errs, field.Forbidden(field.NewPath("sendInitialEvents"), "sendInitialEvents is forbidden for list"))
		}
	case o.SendInitialEvents != nil && o.ResourceVersionMatch != wanted:
		errs = append(errs, field.Forbidden(match, "sendInitialEvents requires setting resourceVersionMatch to "+string(wanted)))
	case o.SendInitialEvents == nil && o.ResourceVersionMatch != "":
		errs = append(errs, field.Forbidden(match, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"))
	}
	if watching && o.ResourceVersionMatch != "" && o.ResourceVersionMatch != wanted {
		errs = append(errs, field.NotSupported(match, o.ResourceVersionMatch, []string{string(wanted)}))
	}
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(listOptionsKind, "", errs)
}
