package fakeapi

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// What is read: one object, a list, or a page of one, as it is now or as it was
// at an earlier version. Upstream: storage.Interface with its watch cache
// (apiserver v0.37, pkg/storage/cacher, pkg/storage/etcd3).

// read answers a get. A version asked for is the least that will do, and the
// store has always the newest.
func (r *request) read() (object, *apierrors.StatusError) {
	if v := r.listOptions.ResourceVersion; v != "" {
		version, err := strconv.ParseUint(v, 10, 64)
		if err != nil {
			invalid := field.Invalid(field.NewPath("resourceVersion"), v, err.Error())
			if r.table.res.uncached {
				return nil, apierrors.NewBadRequest("invalid resource version: " + invalid.Error())
			}
			return nil, unknown(invalid)
		}
		if err := r.table.notYet(version); err != nil {
			return nil, err
		}
	}
	obj := r.space.get(r.call.Name)
	if obj == nil {
		return nil, r.notFound(r.call.Name)
	}
	return obj, nil
}

// notYet refuses a version that the store has not come to.
func (t *table) notYet(version uint64) *apierrors.StatusError {
	current := t.s.version
	if version <= current {
		return nil
	}
	again := 1 // second, by which the watch cache may have come to it
	if t.res.uncached {
		again = 0
	}
	err := apierrors.NewTimeoutError(fmt.Sprintf("Too large resource version: %d, current: %d", version, current), again)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{
		{Type: metav1.CauseTypeResourceVersionTooLarge, Message: "Too large resource version"}}
	return err
}

// page is where a list begins, and at which version of the store.
type page struct {
	version uint64 // 0 for now
	from    string // the key to begin at, "" for the first
	limit   int    // objects at most, 0 for all
}

// readList answers a list.
func (r *request) readList() *apierrors.StatusError {
	o := &r.listOptions
	if err := checkOptions(o, false); err != nil {
		return err
	}
	p, err := r.page(o)
	if err != nil {
		return err
	}
	if p.version == 0 {
		r.list = r.table.selectObjects(r.space, &r.sel)
		r.listed = strconv.FormatUint(r.table.s.version, 10)
	} else {
		if r.list, err = r.table.selectAt(r.space, &r.sel, p.version); err != nil {
			return r.tooOldToList(o, p)
		}
		r.listed = strconv.FormatUint(p.version, 10)
	}
	r.turnTo(p)
	return nil
}

// page reads the options that say which part of which list is wanted. Upstream:
// storage.ValidateListOptions, and ShouldDelegateList for a list at version "0",
// which the watch cache answers whole.
func (r *request) page(o *metav1.ListOptions) (page, *apierrors.StatusError) {
	version, parsed := strconv.ParseUint(o.ResourceVersion, 10, 64)
	p := page{limit: int(max(o.Limit, 0))}
	switch {
	case o.Continue != "":
		from, at, err := decodeContinue(o.Continue)
		if err != nil {
			return p, apierrors.NewBadRequest(fmt.Sprintf("invalid continue token: %v", err))
		}
		if o.ResourceVersion != "" && o.ResourceVersion != "0" {
			return p, apierrors.NewBadRequest("specifying resource version is not allowed when using continue")
		}
		p.from = from
		if o.ResourceVersion == "0" && !r.table.res.uncached {
			p.limit = 0
		}
		if at > 0 {
			p.version = uint64(at)
			return p, r.table.notYet(p.version)
		}
	case o.ResourceVersion == "":
	case parsed != nil:
		return p, apierrors.NewBadRequest("invalid resource version: " +
			field.Invalid(field.NewPath("resourceVersion"), o.ResourceVersion, parsed.Error()).Error())
	case o.ResourceVersion == "0" && !r.table.res.uncached:
		p.limit = 0
	case o.ResourceVersionMatch == metav1.ResourceVersionMatchExact,
		o.ResourceVersionMatch == "" && o.Limit > 0 && version > 0:
		p.version = version
		return p, r.table.notYet(version)
	default:
		return p, r.table.notYet(version)
	}
	return p, nil
}

// turnTo leaves of the list what is on the page, and makes the token that goes on
// behind it.
func (r *request) turnTo(p page) {
	if p.from != "" {
		r.list = slices.DeleteFunc(r.list, func(obj object) bool { return r.key(obj) < p.from })
	}
	if p.limit <= 0 || len(r.list) <= p.limit {
		return
	}
	rest := len(r.list) - p.limit
	r.list = r.list[:p.limit]
	version, _ := strconv.ParseInt(r.listed, 10, 64)
	r.more = encodeContinue(r.key(r.list[p.limit-1])+"\x00", version)
	if r.sel.trivial() {
		n := int64(rest)
		r.remaining = &n
	}
}

// key is where an object is among those of a list: "/node-1", or
// "/kube-node-lease/node-1" in a list of all namespaces. Upstream's watch cache
// has the slash, its storage has not.
func (r *request) key(obj object) string {
	m := metaOf(obj)
	key := m.Name
	if r.table.res.namespaced && r.space == nil {
		key = m.Namespace + "/" + key
	}
	if r.table.res.uncached {
		return key
	}
	return "/" + key
}

// continueToken is what a continue token says. Upstream: storage.continueToken.
type continueToken struct {
	APIVersion      string `json:"v"`
	ResourceVersion int64  `json:"rv"`
	StartKey        string `json:"start"`
}

const continueVersion = "meta.k8s.io/v1"

func encodeContinue(from string, version int64) string {
	data, err := json.Marshal(continueToken{continueVersion, version, from})
	if err != nil {
		panic(err) // strings and numbers always encode
	}
	return base64.RawURLEncoding.EncodeToString(data)
}

// decodeContinue is DecodeContinue. A version below zero is the newest.
func decodeContinue(token string) (from string, version int64, err error) {
	const invalid = "continue key is not valid"
	data, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return "", 0, fmt.Errorf("%s: %w", invalid, err)
	}
	var t continueToken
	if err := json.Unmarshal(data, &t); err != nil {
		return "", 0, fmt.Errorf("%s: %w", invalid, err)
	}
	switch {
	case t.APIVersion != continueVersion:
		return "", 0, fmt.Errorf("%s: server does not recognize this encoded version %v", invalid, t.APIVersion)
	case t.ResourceVersion == 0:
		return "", 0, fmt.Errorf("%s: incorrect encoded start resourceVersion (version %s)", invalid, continueVersion)
	case t.StartKey == "":
		return "", 0, fmt.Errorf("%s: encoded start key empty (version %s)", invalid, continueVersion)
	}
	key := t.StartKey
	if !strings.HasPrefix(key, "/") {
		key = "/" + key
	}
	if path.Clean(key) != key {
		return "", 0, fmt.Errorf("%s: %v", invalid, t.StartKey)
	}
	return t.StartKey, t.ResourceVersion, nil
}

// selectAt is selectObjects at an earlier version: what is there now, with the
// changes since then taken back. It reports an error if the log does not reach
// back that far.
func (t *table) selectAt(sp *space, sel *selector, version uint64) ([]object, *apierrors.StatusError) {
	first, err := t.log.after(version)
	if err != nil {
		return nil, err
	}
	type place struct {
		space *space
		name  string
	}
	then := map[place]object{}
	for i := t.log.n - 1; i >= first; i-- {
		e := t.log.at(i)
		then[place{e.space, metaOf(e.obj).Name}] = e.old
	}
	list := slices.DeleteFunc(t.selectObjects(sp, &selector{res: t.res}), func(obj object) bool {
		m := metaOf(obj)
		_, changed := then[place{t.space(m.Namespace), m.Name}]
		return changed
	})
	for _, old := range then { // order: sorted below
		if old != nil && (sp == nil || sp.name == metaOf(old).Namespace) {
			list = append(list, old)
		}
	}
	slices.SortFunc(list, func(a, b object) int {
		x, y := metaOf(a), metaOf(b)
		if c := compareNamespaces(x.Namespace, y.Namespace); c != 0 {
			return c
		}
		return strings.Compare(x.Name, y.Name)
	})
	return slices.DeleteFunc(list, func(obj object) bool { return !sel.matches(obj) }), nil
}

// tooOldToList is the 410 for a list at a version that is forgotten. One that
// would go on is told how to go on at another version. Upstream:
// interpretListError, handleCompactedErrorForPaging.
func (r *request) tooOldToList(o *metav1.ListOptions, p page) *apierrors.StatusError {
	if o.Continue == "" {
		return apierrors.NewResourceExpired("The resourceVersion for the provided list is too old.")
	}
	err := apierrors.NewResourceExpired("The provided continue parameter is too old to display a consistent list result. " +
		"You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. " +
		"Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between " +
		"the time the first chunk was returned and now may show up in the list.")
	err.ErrStatus.ListMeta.Continue = encodeContinue(p.from, -1)
	return err
}

var listOptionsKind = schema.GroupKind{Group: metav1.GroupName, Kind: "ListOptions"}

// checkOptions is ValidateListOptions (apimachinery v0.37).
func checkOptions(o *metav1.ListOptions, watching bool) *apierrors.StatusError {
	var errs field.ErrorList
	path := field.NewPath("resourceVersionMatch")
	forbid := func(text string) { errs = append(errs, field.Forbidden(path, text)) }
	match, exact, notOlder := o.ResourceVersionMatch, metav1.ResourceVersionMatchExact, metav1.ResourceVersionMatchNotOlderThan
	if watching {
		if o.SendInitialEvents != nil && match != notOlder {
			forbid("sendInitialEvents requires setting resourceVersionMatch to " + string(notOlder))
		}
		if match != "" && o.SendInitialEvents == nil {
			forbid("resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided")
		}
		if match != "" && match != notOlder {
			errs = append(errs, field.NotSupported(path, match, []string{string(notOlder)}))
		}
	} else if match != "" && o.ResourceVersion == "" {
		forbid("resourceVersionMatch is forbidden unless resourceVersion is provided")
	}
	if match != "" && o.Continue != "" {
		forbid("resourceVersionMatch is forbidden when continue is provided")
	}
	if !watching {
		if match != "" && match != exact && match != notOlder {
			errs = append(errs, field.NotSupported(path, match, []string{string(exact), string(notOlder), ""}))
		}
		if match == exact && o.ResourceVersion == "0" {
			forbid(`resourceVersionMatch "exact" is forbidden for resourceVersion "0"`)
		}
		if o.SendInitialEvents != nil {
			errs = append(errs, field.Forbidden(field.NewPath("sendInitialEvents"), "sendInitialEvents is forbidden for list"))
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(listOptionsKind, "", errs)
}

// parseVersion reads a resourceVersion to watch from; "" is 0.
func parseVersion(s string) (uint64, *apierrors.StatusError) {
	if s == "" {
		return 0, nil
	}
	v, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0, unknown(field.Invalid(field.NewPath("resourceVersion"), s, err.Error()))
	}
	return v, nil
}
