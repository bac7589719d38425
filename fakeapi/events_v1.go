package fakeapi

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/holter-sim/holter/fakeapi/wire"
)

// eventsV1 is events as client-go's newer recorders write them (tools/events): those
// of kube-scheduler, and of managers of controller-runtime. They are the same
// objects as those of the core group, with other names for their fields and more
// that is asked of them.
func eventsV1() *view {
	kind := eventsv1.SchemeGroupVersion.WithKind("Event")
	return &view{
		kind: kind,
		blank: func() object {
			return &eventsv1.Event{TypeMeta: metav1.TypeMeta{APIVersion: kind.GroupVersion().String(), Kind: kind.Kind}}
		},
		show:     func(obj object) object { return wire.EventToV1(obj.(*corev1.Event)) },
		take:     func(obj object) object { return wire.EventFromV1(obj.(*eventsv1.Event)) },
		fields:   eventsV1Fields,
		validate: validateEventV1,
	}
}

// eventsV1Fields are the fields of selectors. Upstream: AddFieldLabelConversionsForEvent
// (kubernetes v1.37, pkg/apis/events/v1).
var eventsV1Fields = map[string]string{
	"metadata.name":             "metadata.name",
	"metadata.namespace":        "metadata.namespace",
	"reason":                    "reason",
	"regarding.apiVersion":      "involvedObject.apiVersion",
	"regarding.fieldPath":       "involvedObject.fieldPath",
	"regarding.kind":            "involvedObject.kind",
	"regarding.name":            "involvedObject.name",
	"regarding.namespace":       "involvedObject.namespace",
	"regarding.resourceVersion": "involvedObject.resourceVersion",
	"regarding.uid":             "involvedObject.uid",
	"reportingController":       "reportingComponent",
	"type":                      "type",
}

// validateEventV1 is ValidateEventCreate and ValidateEventUpdate of v1.37 for
// requests of events.k8s.io/v1. Fields have the names of the core group in it, but
// for the controller.
func validateEventV1(obj, old object) field.ErrorList {
	ev := obj.(*corev1.Event)
	errs := validateAnyEvent(ev, "reportingController")
	if old == nil {
		return append(errs, validateEventV1Create(ev)...)
	}
	return append(errs, validateEventV1Update(ev, old.(*corev1.Event))...)
}

// validateEventV1Create has the fields that only the older recorder fills unset.
func validateEventV1Create(ev *corev1.Event) field.ErrorList {
	errs := validateCoreMeta(&ev.ObjectMeta, true, validation.NameIsDNSSubdomain)
	errs = append(errs, validateEventSeries(ev)...)
	if ev.EventTime.IsZero() {
		errs = append(errs, field.Required(field.NewPath("eventTime"), ""))
	}
	if ev.Type != corev1.EventTypeNormal && ev.Type != corev1.EventTypeWarning {
		errs = append(errs, field.Invalid(field.NewPath("type"), "", fmt.Sprintf("has invalid value: %v", ev.Type)))
	}
	unset := func(name string, ok bool) {
		if !ok {
			errs = append(errs, field.Invalid(field.NewPath(name), "", "needs to be unset"))
		}
	}
	unset("firstTimestamp", ev.FirstTimestamp.IsZero())
	unset("lastTimestamp", ev.LastTimestamp.IsZero())
	unset("count", ev.Count == 0)
	unset("source", ev.Source == corev1.EventSource{})
	return errs
}

// validateEventV1Update has all but the series, and the metadata, stay as it is.
func validateEventV1Update(ev, old *corev1.Event) field.ErrorList {
	var errs field.ErrorList
	if metaChanged(&ev.ObjectMeta, &old.ObjectMeta) {
		errs = append(validateMetaUpdate(&ev.ObjectMeta, &old.ObjectMeta), validateCoreFinalizers(&ev.ObjectMeta)...)
	}
	if !equality.Semantic.DeepEqual(ev.Series, old.Series) {
		errs = append(errs, validateEventSeries(ev)...)
	}
	kept := func(name string, have, had any) {
		errs = append(errs, validation.ValidateImmutableField(have, had, field.NewPath(name))...)
	}
	kept("involvedObject", ev.InvolvedObject, old.InvolvedObject)
	kept("reason", ev.Reason, old.Reason)
	kept("message", ev.Message, old.Message)
	kept("source", ev.Source, old.Source)
	kept("firstTimestamp", ev.FirstTimestamp, old.FirstTimestamp)
	kept("lastTimestamp", ev.LastTimestamp, old.LastTimestamp)
	kept("count", ev.Count, old.Count)
	kept("type", ev.Type, old.Type)
	kept("eventTime", ev.EventTime, old.EventTime)
	kept("action", ev.Action, old.Action)
	kept("related", ev.Related, old.Related)
	kept("reportingController", ev.ReportingController, old.ReportingController)
	kept("reportingInstance", ev.ReportingInstance, old.ReportingInstance)
	return errs
}

// validateEventSeries is validateV1EventSeries.
func validateEventSeries(ev *corev1.Event) field.ErrorList {
	var errs field.ErrorList
	if s := ev.Series; s != nil && s.Count < 2 {
		errs = append(errs, field.Invalid(field.NewPath("series.count"), "", "should be at least 2"))
	}
	if s := ev.Series; s != nil && s.LastObservedTime.IsZero() {
		errs = append(errs, field.Required(field.NewPath("series.lastObservedTime"), ""))
	}
	return errs
}
