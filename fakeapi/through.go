package fakeapi

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// Through is how the calls of clients are made through client-go instead of
// straight: for every client there is a function that makes a call by a real
// clientset over [Transport] of that client, so that whatever uses the client's
// methods, or its watches, goes over the wire without knowing. It is there to
// hold the two surfaces against each other; package clientgo has one.
type Through func(c *Client) func(ctx context.Context, call *TypedCall) error

// TypedCall is a call of a client's method, as a typed client of client-go would
// be asked for it, with room for the answer.
type TypedCall struct {
	Verb                  string // that of Call
	Resource, Subresource string
	Namespace, Name       string

	Object runtime.Object // of a create or update; the caller's copy
	Type   types.PatchType
	Patch  []byte
	DryRun bool

	FieldManager, FieldValidation string
	Force                         bool // of an apply patch

	Version string // resourceVersion of a get
	List    metav1.ListOptions
	Delete  *metav1.DeleteOptions

	// Result is the object or the list, Watch the watch, nil if there is none.
	Result runtime.Object
	Watch  *WireWatch
}

// through makes the call of a request by the client's function, and takes the
// answer for the server's.
func (r *request) through(ctx context.Context) error {
	call := &TypedCall{
		Verb: r.call.Verb, Resource: r.call.Resource, Subresource: r.call.Subresource, Namespace: r.call.Namespace, Name: r.call.Name,
		Type: r.patchType, Patch: r.call.Patch, DryRun: r.dryRun, Version: r.listOptions.ResourceVersion,
		FieldManager: r.fieldManager, FieldValidation: r.fieldValidation, Force: r.force,
		List: r.listOptions, Delete: r.delete,
	}
	if r.body != nil {
		call.Object = r.body.DeepCopyObject()
	}
	if err := r.client.through(ctx, call); err != nil {
		return err
	}
	switch {
	case r.watch != nil:
		r.watch.wire = call.Watch
	case r.op == opList:
		return r.takeList(call.Result)
	case call.Result != nil:
		r.obj = call.Result.(object)
		r.table.res.clean(r.obj)
	}
	return nil
}

// takeList takes a list apart, as the server's answer would be.
func (r *request) takeList(list runtime.Object) error {
	m := list.(metav1.ListInterface)
	r.listed, r.more, r.remaining = m.GetResourceVersion(), m.GetContinue(), m.GetRemainingItemCount()
	return meta.EachListItem(list, func(item runtime.Object) error {
		obj := item.(object)
		r.table.res.clean(obj)
		r.list = append(r.list, obj)
		return nil
	})
}
