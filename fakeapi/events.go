package fakeapi

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Events is a client for events, with the methods of client-go's EventInterface
// that heartbeats use. The server keeps the newest 4096 of them and deletes the
// oldest, where upstream lets them expire after an hour.
type Events struct {
	resourceClient[*corev1.Event, *corev1.EventList]
}

const maxEvents = 4096

func eventList(version string, objects []object) *corev1.EventList {
	list := &corev1.EventList{ListMeta: metav1.ListMeta{ResourceVersion: version}, Items: make([]corev1.Event, len(objects))}
	for i, obj := range objects {
		list.Items[i] = *obj.(*corev1.Event)
	}
	return list
}

func eventResource() *resource {
	return &resource{
		strategy:            eventStrategy{},
		plural:              "events",
		kind:                corev1.SchemeGroupVersion.WithKind("Event"),
		group:               schema.GroupResource{Resource: "events"},
		storageKey:          "/registry/events/",
		path:                "/api/v1",
		namespaced:          true,
		createOnUpdate:      true,
		unconditionalUpdate: true,
		uncached:            true,
		uncollected:         true,
		bound:               maxEvents,
		fields: []string{"metadata.name", "metadata.namespace", "involvedObject.kind", "involvedObject.namespace", "involvedObject.name",
			"involvedObject.uid", "involvedObject.apiVersion", "involvedObject.resourceVersion", "involvedObject.fieldPath",
			"reason", "reportingComponent", "source", "type"},
		unknownFieldTemplate: unknownField,
		views:                []*view{eventsV1()},
	}
}

var eventType = metav1.TypeMeta{APIVersion: "v1", Kind: "Event"}

type eventStrategy struct{ common }

func (eventStrategy) blank() object { return &corev1.Event{TypeMeta: eventType} }

func (eventStrategy) shallow(obj object) object {
	out := *obj.(*corev1.Event)
	return &out
}

func (s eventStrategy) take(in, _ object) object {
	out := in.(*corev1.Event).DeepCopy()
	s.clean(out)
	return out
}

func (eventStrategy) clean(obj object) {
	ev := obj.(*corev1.Event)
	ev.TypeMeta = eventType
	cleanMeta(&ev.ObjectMeta)
	cleanSeconds(&ev.FirstTimestamp)
	cleanSeconds(&ev.LastTimestamp)
	cleanMicros(&ev.EventTime)
	if ev.Series != nil {
		cleanMicros(&ev.Series.LastObservedTime)
	}
}

func (s eventStrategy) selectable(obj object) fields.Set {
	ev, set := obj.(*corev1.Event), s.common.selectable(obj)
	source := ev.Source.Component
	if source == "" {
		source = ev.ReportingController
	}
	set["involvedObject.kind"] = ev.InvolvedObject.Kind
	set["involvedObject.namespace"] = ev.InvolvedObject.Namespace
	set["involvedObject.name"] = ev.InvolvedObject.Name
	set["involvedObject.uid"] = string(ev.InvolvedObject.UID)
	set["involvedObject.apiVersion"] = ev.InvolvedObject.APIVersion
	set["involvedObject.resourceVersion"] = ev.InvolvedObject.ResourceVersion
	set["involvedObject.fieldPath"] = ev.InvolvedObject.FieldPath
	set["reason"] = ev.Reason
	set["reportingComponent"] = ev.ReportingController
	set["source"] = source
	set["type"] = ev.Type
	return set
}

// validate is ValidateEventCreate and ValidateEventUpdate of v1.37 for requests of
// group "": the metadata is not looked at.
func (eventStrategy) validate(obj, _ object, _ string) field.ErrorList {
	return validateAnyEvent(obj.(*corev1.Event), "reportingComponent")
}

// validateAnyEvent is legacyValidateEvent, which holds in both groups. reporting is
// what the group of the request calls the controller.
func validateAnyEvent(ev *corev1.Event, reporting string) field.ErrorList {
	about := ev.InvolvedObject.Namespace
	if !ev.EventTime.IsZero() {
		return validateNewEvent(ev, reporting)
	}
	if about == ev.Namespace || about == "" && ev.Namespace == metav1.NamespaceDefault {
		return nil
	}
	return field.ErrorList{otherNamespace(about)}
}

func otherNamespace(about string) *field.Error {
	return field.Invalid(field.NewPath("involvedObject", "namespace"), about, "does not match event.namespace")
}

// The limits of an event's texts.
const (
	maxInstance = 128
	maxReason   = 128
	maxAction   = 128
	maxNote     = 1024
)

// validateNewEvent is the part of legacyValidateEvent for events with an
// eventTime, as recorders of k8s.io/client-go/tools/events write them.
func validateNewEvent(ev *corev1.Event, reporting string) field.ErrorList {
	var errs field.ErrorList
	if ev.InvolvedObject.Namespace == "" && ev.Namespace != metav1.NamespaceDefault && ev.Namespace != metav1.NamespaceSystem {
		errs = append(errs, otherNamespace(""))
	}
	controller := field.NewPath(reporting)
	if ev.ReportingController == "" {
		errs = append(errs, field.Required(controller, ""))
	}
	for _, msg := range utilvalidation.IsQualifiedName(ev.ReportingController) {
		errs = append(errs, field.Invalid(controller, ev.ReportingController, msg))
	}
	text := func(name, value string, limit int, required bool) {
		path := field.NewPath(name)
		if required && value == "" {
			errs = append(errs, field.Required(path, ""))
		}
		if len(value) > limit {
			errs = append(errs, field.Invalid(path, "", fmt.Sprintf("can have at most %v characters", limit)))
		}
	}
	text("reportingInstance", ev.ReportingInstance, maxInstance, true)
	text("action", ev.Action, maxAction, true)
	text("reason", ev.Reason, maxReason, true)
	text("message", ev.Message, maxNote, false)
	return errs
}
