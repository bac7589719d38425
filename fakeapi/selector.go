package fakeapi

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// selector says which objects a list or watch is about. The two requirements
// that there are a hundred thousand of, metadata.name=x and the index field of
// the resource, are kept apart so that they can be looked up.
type selector struct {
	res      *resource
	hasName  bool
	hasIndex bool
	name     string
	index    string
	fields   fields.Selector // the other requirements, nil if none
	labels   labels.Selector // nil if none
}

// newSelector reads the selectors of a request, whose fields are those of the view.
func newSelector(res *resource, v *view, o *metav1.ListOptions) (selector, *apierrors.StatusError) {
	sel := selector{res: res}
	if o.LabelSelector != "" {
		l, err := labels.Parse(o.LabelSelector)
		if err != nil {
			return sel, apierrors.NewBadRequest(err.Error())
		}
		if !l.Empty() {
			sel.labels = l
		}
	}
	if o.FieldSelector == "" {
		return sel, nil
	}
	f, err := fields.ParseSelector(o.FieldSelector)
	if err != nil {
		return sel, apierrors.NewBadRequest(err.Error())
	}
	var rest []fields.Selector
	for _, q := range f.Requirements() {
		label, err := v.label(res, q.Field)
		if err != nil {
			return sel, apierrors.NewBadRequest(err.Error())
		}
		exact := q.Operator == selection.Equals || q.Operator == selection.DoubleEquals
		switch {
		case exact && label == "metadata.name" && !sel.hasName:
			sel.hasName, sel.name = true, q.Value
		case exact && label == res.index && !sel.hasIndex:
			sel.hasIndex, sel.index = true, q.Value
		case exact:
			rest = append(rest, fields.OneTermEqualSelector(label, q.Value))
		default:
			rest = append(rest, fields.OneTermNotEqualSelector(label, q.Value))
		}
	}
	if len(rest) > 0 {
		sel.fields = fields.AndSelectors(rest...)
	}
	return sel, nil
}

// trivial reports whether everything matches.
func (sel *selector) trivial() bool { return !sel.hasName && !sel.hasIndex && sel.simple() }

// simple reports whether nothing is asked beyond name and index.
func (sel *selector) simple() bool { return sel.fields == nil && sel.labels == nil }

// matches reports whether obj is selected.
func (sel *selector) matches(obj object) bool {
	if sel.hasName && metaOf(obj).Name != sel.name {
		return false
	}
	if sel.hasIndex && sel.res.indexed(obj) != sel.index {
		return false
	}
	return sel.rest(obj)
}

// rest checks what is asked beyond name and index.
func (sel *selector) rest(obj object) bool {
	if sel.labels != nil && !sel.labels.Matches(labels.Set(metaOf(obj).Labels)) {
		return false
	}
	return sel.fields == nil || sel.fields.Matches(sel.res.selectable(obj))
}
