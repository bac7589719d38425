package fakeapi

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/holter-sim/holter/fakeapi/wire"
)

// reading is an HTTP request that is being read.
type reading struct {
	h     *http.Request
	info  wire.Info
	query url.Values
	q     *request
	a     *answer
}

// negotiated is what an Accept header has come to.
type negotiated struct {
	out wire.Output
	err *apierrors.StatusError
}

// read makes of an HTTP request the request that the client's own methods would
// make, and what its answer is to look like. What is wrong with it is for the
// server to say, once it is there: [request.selErr].
func (t *roundTripper) read(h *http.Request) (*request, *answer) {
	rd := &reading{h: h, a: &answer{}}
	if h.URL.RawQuery != "" {
		rd.query = h.URL.Query()
	}
	rd.info = wire.ParseInfo(h.Method, h.URL.Path, wire.Watching(rd.query))
	if !rd.info.IsResource {
		t.readPath(rd)
		return rd.q, rd.a
	}
	res, sub, refused := wire.Route(t.about.Served, &rd.info, h.Method)
	if res == nil {
		rd.q = t.client.s.newRequest(t.client, t.client.s.paths, nil, "", opOf(h.Method))
		rd.path()
		return rd.refuse(refused)
	}
	table, view := t.client.s.served(res.Kind.Group, res.Plural)
	var sp *space
	switch {
	case !res.Namespaced:
		sp = table.space("")
	case rd.info.Namespace != "":
		sp = table.look(rd.info.Namespace)
	}
	rd.q = t.client.s.newRequest(t.client, table, sp, rd.namespace(res), rd.op())
	rd.q.setView(view)
	rd.q.setSubresource(rd.info.Subresource)
	rd.q.call.Name = rd.info.Name
	if rd.q.call.Verb = rd.info.Verb; rd.info.Verb == "" {
		rd.q.call.Verb = strings.ToLower(h.Method)
	}
	if rd.a.out, refused = t.output(rd, refused); refused != nil {
		return rd.refuse(refused)
	}
	kind := res.Kind
	if sub != nil {
		kind = sub.Kind
	}
	if refused = rd.readVerb(kind); refused != nil {
		return rd.refuse(refused)
	}
	return rd.q, rd.a
}

// namespace is that of the request as the store knows it: none for a resource
// that has none, though its own name may stand where namespaces stand.
func (rd *reading) namespace(res *wire.Resource) string {
	if res.Namespaced {
		return rd.info.Namespace
	}
	return ""
}

// op is what the verb is among those of the store.
func (rd *reading) op() op {
	if i := slices.Index(verbs[:], rd.info.Verb); i >= 0 {
		return op(i)
	}
	return opOf(rd.h.Method)
}

func opOf(method string) op {
	switch method {
	case http.MethodPost:
		return opCreate
	case http.MethodPut:
		return opUpdate
	case http.MethodPatch:
		return opPatch
	case http.MethodDelete:
		return opDelete
	}
	return opGet
}

// refuse has the server refuse the request. The body is let go unread.
func (rd *reading) refuse(err *apierrors.StatusError) (*request, *answer) {
	closeBody(rd.h)
	rd.q.selErr = err
	return rd.q, rd.a
}

// output negotiates the encoding of the answer, before which nothing but the
// route is looked at.
func (t *roundTripper) output(rd *reading, refused *apierrors.StatusError) (wire.Output, *apierrors.StatusError) {
	accept, verb := rd.h.Header.Get("Accept"), rd.info.Verb
	key := accept
	if verb == "watch" || verb == "list" {
		key = verb + " " + accept
	}
	n, ok := t.outputs[key]
	if !ok {
		n.out, n.err = wire.NegotiateOutput(accept, verb)
		if len(t.outputs) < 32 { // clients have few
			t.outputs[key] = n
		}
	}
	if refused == nil {
		refused = n.err
	}
	if refused == nil && n.out.As != nil && n.out.As.Kind == "Table" {
		var table metav1.TableOptions
		if table, refused = wire.TableOptions(rd.query); refused == nil {
			rd.a.table = &table
		}
	}
	return n.out, refused
}

// readVerb reads what the verb takes: options, and a body of that kind.
func (rd *reading) readVerb(kind schema.GroupVersionKind) *apierrors.StatusError {
	switch rd.q.op {
	case opCreate:
		return rd.readCreate(kind)
	case opUpdate:
		return rd.readUpdate(kind)
	case opPatch:
		return rd.readPatch()
	case opGet:
		o, err := wire.GetOptions(rd.query)
		rd.q.listOptions.ResourceVersion = o.ResourceVersion
		return err
	case opList, opWatch:
		return rd.readList()
	default:
		return rd.readDelete()
	}
}

// readCreate mirrors createHandler.
func (rd *reading) readCreate(kind schema.GroupVersionKind) *apierrors.StatusError {
	if _, err := wire.NegotiateInput(rd.h.Header.Get("Content-Type")); err != nil {
		return err
	}
	body, err := wire.ReadBody(rd.h.Body)
	if err != nil {
		return err
	}
	o, err := wire.CreateOptions(rd.query)
	if err != nil {
		return err
	}
	rd.q.dryRun = len(o.DryRun) > 0
	if rd.info.Subresource != "" {
		return rd.readSubresource(kind, body, o.FieldValidation)
	}
	obj, err := rd.decode(kind, body, o.FieldValidation)
	if err != nil {
		return err
	}
	rd.q.call.Name = obj.GetName()
	return nil
}

// readSubresource reads what a subresource is created with. Upstream:
// BindingREST.Create and EvictionREST.Create, which check the name alike.
func (rd *reading) readSubresource(kind schema.GroupVersionKind, body []byte, fieldValidation string) (err *apierrors.StatusError) {
	obj := createdSubresources[rd.info.Subresource]()
	rd.a.warnings, err = wire.DecodeObject(rd.h.Header.Get("Content-Type"), body, kind, obj, fieldValidation)
	if err != nil {
		return err
	}
	if metaOf(obj).Name != rd.info.Name {
		return apierrors.NewBadRequest("name in URL does not match name in " + kind.Kind + " object")
	}
	rd.q.setBody(obj)
	return nil
}

// readUpdate mirrors UpdateResource.
func (rd *reading) readUpdate(kind schema.GroupVersionKind) *apierrors.StatusError {
	body, err := wire.ReadBody(rd.h.Body)
	if err != nil {
		return err
	}
	o, err := wire.UpdateOptions(rd.query)
	if err != nil {
		return err
	}
	rd.q.dryRun = len(o.DryRun) > 0
	obj, err := rd.decode(kind, body, o.FieldValidation)
	if err != nil {
		return err
	}
	if err := rd.q.checkNamespace(); err != nil {
		return err
	}
	return wire.CheckName(obj.GetName(), rd.info.Name)
}

// decode reads the body as the object that is sent.
func (rd *reading) decode(kind schema.GroupVersionKind, body []byte, fieldValidation string) (object, *apierrors.StatusError) {
	obj := rd.q.blank()
	warnings, err := wire.DecodeObject(rd.h.Header.Get("Content-Type"), body, kind, obj, fieldValidation)
	if err != nil {
		return nil, err
	}
	rd.a.warnings = warnings
	obj = rd.q.taken(obj)
	rd.q.setBody(obj)
	return obj, nil
}

// patchTypes are the Content-Types that a patch may have.
var patchTypes = []types.PatchType{types.JSONPatchType, types.MergePatchType, types.StrategicMergePatchType, types.ApplyYAMLPatchType}

// readPatch mirrors PatchResource.
func (rd *reading) readPatch() *apierrors.StatusError {
	contentType, _, _ := strings.Cut(rd.h.Header.Get("Content-Type"), ";")
	typ := types.PatchType(contentType)
	if !slices.Contains(patchTypes, typ) {
		return wire.UnknownPatch()
	}
	body, err := wire.ReadBody(rd.h.Body)
	if err != nil {
		return err
	}
	o, err := wire.PatchOptions(rd.query, typ)
	if err != nil {
		return err
	}
	rd.q.patchType, rd.q.call.Patch = typ, body
	rd.q.fieldManager, rd.q.fieldValidation, rd.q.force = o.FieldManager, o.FieldValidation, o.Force != nil && *o.Force
	rd.q.dryRun = len(o.DryRun) > 0
	return nil
}

// readList mirrors ListResource, of lists and watches.
func (rd *reading) readList() *apierrors.StatusError {
	o, err := wire.ListOptions(rd.query)
	if err != nil {
		return err
	}
	if name := rd.info.Name; name != "" { // /api/v1/watch/nodes/NAME
		if o.FieldSelector != "" && o.FieldSelector != "metadata.name="+name {
			return apierrors.NewBadRequest("fieldSelector metadata.name doesn't match requested name")
		}
		o.FieldSelector = "metadata.name=" + name
	}
	rd.q.setOptions(o)
	if rd.q.op == opWatch && rd.q.selErr == nil {
		rd.q.watch = rd.q.newWatch()
	}
	return rd.q.selErr
}

// readDelete mirrors DeleteResource and, with the options of a list before those
// of the deletion, DeleteCollection.
func (rd *reading) readDelete() *apierrors.StatusError {
	if rd.q.op == opDeleteCollection {
		if err := rd.readList(); err != nil {
			return err
		}
	}
	body, err := wire.ReadBody(rd.h.Body)
	if err != nil {
		return err
	}
	o, err := wire.DeleteOptions(rd.query, rd.h.Header.Get("Content-Type"), body)
	if err != nil {
		return err
	}
	rd.q.delete, rd.q.dryRun = o, len(o.DryRun) > 0
	return nil
}
