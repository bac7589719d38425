package wire

import (
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/duration"
)

// What kubectl get prints is made here: it asks for tables, and shows their
// cells as they are. Upstream: kubernetes v1.37, pkg/printers/internalversion.

// asTable makes a table of an object or a list. Every column is in it, those of
// `-o wide` with priority 1. Upstream: asTable and GenerateTable.
func asTable(obj runtime.Object, o *metav1.TableOptions, gv schema.GroupVersion, now time.Time) (runtime.Object, *apierrors.StatusError) {
	if o == nil {
		o = &metav1.TableOptions{}
	}
	table := &metav1.Table{TypeMeta: metav1.TypeMeta{APIVersion: gv.String(), Kind: "Table"}, Rows: []metav1.TableRow{}}
	var failed *apierrors.StatusError
	add := func(item runtime.Object) error {
		columns, row := rowOf(item, now)
		if columns == nil {
			failed = notTransformed("no table handler registered for this type %T", item)
			return failed
		}
		if !o.NoHeaders {
			table.ColumnDefinitions = columns
		}
		failed = include(&row, item, o.IncludeObject, gv)
		table.Rows = append(table.Rows, row)
		if failed != nil {
			return failed
		}
		return nil
	}
	if list, err := meta.ListAccessor(obj); err == nil {
		table.ListMeta = metav1.ListMeta{ResourceVersion: list.GetResourceVersion(), Continue: list.GetContinue(), RemainingItemCount: list.GetRemainingItemCount()}
		if !o.NoHeaders {
			table.ColumnDefinitions = columnsOfList(obj)
		}
		if meta.EachListItem(obj, add) != nil && failed != nil {
			return nil, failed
		}
		return table, nil
	}
	if m, err := meta.CommonAccessor(obj); err == nil {
		table.ResourceVersion = m.GetResourceVersion()
	}
	if add(obj) != nil {
		return nil, failed
	}
	return table, nil
}

// include puts into a row what the client wants of its object: metadata unless
// it says otherwise, and always that of the bookmark after the initial events.
func include(row *metav1.TableRow, item runtime.Object, policy metav1.IncludeObjectPolicy, gv schema.GroupVersion) *apierrors.StatusError {
	m, err := meta.Accessor(item)
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	last := m.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true"
	switch {
	case policy == metav1.IncludeObject:
		row.Object.Object = withKind(item)
	case policy == metav1.IncludeMetadata, policy == "", last:
		partial := meta.AsPartialObjectMetadata(m)
		partial.SetGroupVersionKind(gv.WithKind("PartialObjectMetadata"))
		row.Object.Object = partial
	}
	return nil
}

// withKind returns an item of a list as an object that says its kind.
func withKind(item runtime.Object) runtime.Object {
	if !item.GetObjectKind().GroupVersionKind().Empty() {
		return item
	}
	kinds, _, err := scheme.ObjectKinds(item)
	if err != nil {
		return item
	}
	out := item.DeepCopyObject()
	out.GetObjectKind().SetGroupVersionKind(kinds[0])
	return out
}

// rowOf returns the cells of an object, and the columns that they belong to;
// nil columns for a kind that has none.
func rowOf(obj runtime.Object, now time.Time) ([]metav1.TableColumnDefinition, metav1.TableRow) {
	switch obj := obj.(type) {
	case *corev1.Node:
		return nodeColumns, nodeRow(obj, now)
	case *corev1.Pod:
		return podColumns, podRow(obj, now)
	case *corev1.Event:
		return eventColumns, eventRow(obj, now)
	case *eventsv1.Event:
		return eventColumns, eventRow(EventFromV1(obj), now)
	case *corev1.Namespace:
		return namespaceColumns, metav1.TableRow{Cells: []any{obj.Name, string(obj.Status.Phase), age(obj.CreationTimestamp, now)}}
	case *coordinationv1.Lease:
		holder := ""
		if obj.Spec.HolderIdentity != nil {
			holder = *obj.Spec.HolderIdentity
		}
		return leaseColumns, metav1.TableRow{Cells: []any{obj.Name, holder, age(obj.CreationTimestamp, now)}}
	}
	return nil, metav1.TableRow{}
}

// columnsOfList returns the columns of a list, which may be empty.
func columnsOfList(list runtime.Object) []metav1.TableColumnDefinition {
	switch list.(type) {
	case *corev1.NodeList:
		return nodeColumns
	case *corev1.PodList:
		return podColumns
	case *corev1.EventList, *eventsv1.EventList:
		return eventColumns
	case *corev1.NamespaceList:
		return namespaceColumns
	case *coordinationv1.LeaseList:
		return leaseColumns
	}
	return nil
}

// column defines a column of text. priority 1 is shown by `-o wide` only.
func column(name string, priority int32, description string) metav1.TableColumnDefinition {
	return metav1.TableColumnDefinition{Name: name, Type: "string", Priority: priority, Description: description}
}

// nameColumn defines the column that names the object.
func nameColumn(priority int32) metav1.TableColumnDefinition {
	c := column("Name", priority, metav1.ObjectMeta{}.SwaggerDoc()["name"])
	c.Format = "name"
	return c
}

// ageColumn defines the column of an object's age.
func ageColumn() metav1.TableColumnDefinition {
	return column("Age", 0, metav1.ObjectMeta{}.SwaggerDoc()["creationTimestamp"])
}

var namespaceColumns = []metav1.TableColumnDefinition{
	nameColumn(0),
	column("Status", 0, "The status of the namespace"),
	ageColumn(),
}

var leaseColumns = []metav1.TableColumnDefinition{
	nameColumn(0),
	column("Holder", 0, coordinationv1.LeaseSpec{}.SwaggerDoc()["holderIdentity"]),
	ageColumn(),
}

// age tells how long ago something was.
func age(at metav1.Time, now time.Time) string {
	if at.IsZero() {
		return "<unknown>"
	}
	return duration.HumanDuration(now.Sub(at.Time))
}

// microAge is age for an instant that is known more exactly.
func microAge(at metav1.MicroTime, now time.Time) string { return age(metav1.Time{Time: at.Time}, now) }

// orNone is what a cell shows of something that may not be there.
func orNone(s string) string {
	if s == "" {
		return "<none>"
	}
	return s
}
