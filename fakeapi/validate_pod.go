package fakeapi

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/diff"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

var podSpecPath = field.NewPath("spec")

// validate is ValidatePodCreate, ValidatePodUpdate and ValidatePodStatusUpdate
// (v1.37), for the fields that nodes and evictions have to do with: volumes,
// resources and security are stored as they come.
func (podStrategy) validate(obj, old object, subresource string) field.ErrorList {
	pod := obj.(*corev1.Pod)
	if old == nil {
		return validatePodSpec(pod)
	}
	from := old.(*corev1.Pod)
	var errs field.ErrorList
	if metaChanged(&pod.ObjectMeta, &from.ObjectMeta) {
		errs = validateMetaUpdate(&pod.ObjectMeta, &from.ObjectMeta)
	}
	if subresource == "status" {
		return append(errs, validatePodStatus(pod, from)...)
	}
	if samePodSpec(&pod.Spec, &from.Spec) {
		return errs
	}
	errs = append(errs, validatePodSpec(pod)...)
	return append(errs, validatePodSpecUpdate(pod, from)...)
}

// samePodSpec is a comparison of the specs, quick for one that is shared.
func samePodSpec(a, b *corev1.PodSpec) bool {
	if len(a.Containers) > 0 && len(a.Containers) == len(b.Containers) && &a.Containers[0] == &b.Containers[0] &&
		a.NodeName == b.NodeName && len(a.Tolerations) == len(b.Tolerations) &&
		(len(a.Tolerations) == 0 || &a.Tolerations[0] == &b.Tolerations[0]) &&
		a.TerminationGracePeriodSeconds == b.TerminationGracePeriodSeconds && a.ActiveDeadlineSeconds == b.ActiveDeadlineSeconds {
		return true
	}
	return equality.Semantic.DeepEqual(a, b)
}

// validatePodSpec is validatePodMetadataAndSpec.
func validatePodSpec(pod *corev1.Pod) field.ErrorList {
	spec := &pod.Spec
	errs := validateCoreMeta(&pod.ObjectMeta, true, validation.NameIsDNSSubdomain)
	errs = append(errs, validateContainers(spec.Containers, podSpecPath.Child("containers"))...)
	switch spec.RestartPolicy {
	case corev1.RestartPolicyAlways, corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever:
	case "":
		errs = append(errs, field.Required(podSpecPath.Child("restartPolicy"), ""))
	default:
		errs = append(errs, field.NotSupported(podSpecPath.Child("restartPolicy"), spec.RestartPolicy,
			[]corev1.RestartPolicy{corev1.RestartPolicyAlways, corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever}))
	}
	if spec.NodeName != "" {
		for _, msg := range validation.NameIsDNSSubdomain(spec.NodeName, false) {
			errs = append(errs, field.Invalid(podSpecPath.Child("nodeName"), spec.NodeName, msg))
		}
	}
	if d := spec.ActiveDeadlineSeconds; d != nil && (*d < 1 || *d > maxDeadline) {
		errs = append(errs, field.Invalid(podSpecPath.Child("activeDeadlineSeconds"), *d, utilvalidation.InclusiveRangeError(1, maxDeadline)))
	}
	errs = append(errs, validateTolerations(spec.Tolerations, podSpecPath.Child("tolerations"))...)
	if g := spec.TerminationGracePeriodSeconds; g != nil {
		errs = append(errs, validation.ValidateNonnegativeField(*g, podSpecPath.Child("terminationGracePeriodSeconds"))...)
	}
	return errs
}

const maxDeadline = 1<<31 - 1

func validateContainers(containers []corev1.Container, path *field.Path) field.ErrorList {
	if len(containers) == 0 {
		return field.ErrorList{field.Required(path, "")}
	}
	var errs field.ErrorList
	seen := make(map[string]bool, len(containers))
	for i, c := range containers {
		at := path.Index(i)
		switch {
		case c.Name == "":
			errs = append(errs, field.Required(at.Child("name"), ""))
		case seen[c.Name]:
			errs = append(errs, field.Duplicate(at.Child("name"), c.Name))
		default:
			for _, msg := range utilvalidation.IsDNS1123Label(c.Name) {
				errs = append(errs, field.Invalid(at.Child("name"), c.Name, msg))
			}
		}
		seen[c.Name] = true
		if c.Image == "" {
			errs = append(errs, field.Required(at.Child("image"), ""))
		}
	}
	return errs
}

// validateTolerations is ValidateTolerations.
func validateTolerations(tolerations []corev1.Toleration, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, t := range tolerations {
		at := path.Index(i)
		if t.Key != "" {
			errs = append(errs, metav1validation.ValidateLabelName(t.Key, at.Child("key"))...)
		}
		if t.Key == "" && t.Operator != corev1.TolerationOpExists {
			errs = append(errs, field.Invalid(at.Child("operator"), t.Operator,
				"operator must be Exists when `key` is empty, which means \"match all values and all keys\""))
		}
		if t.TolerationSeconds != nil && t.Effect != corev1.TaintEffectNoExecute {
			errs = append(errs, field.Invalid(at.Child("effect"), t.Effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"))
		}
		switch t.Operator {
		case corev1.TolerationOpEqual, "":
			if msgs := utilvalidation.IsValidLabelValue(t.Value); len(msgs) > 0 {
				errs = append(errs, field.Invalid(at.Child("operator"), t.Value, strings.Join(msgs, ";")))
			}
		case corev1.TolerationOpExists:
			if t.Value != "" {
				errs = append(errs, field.Invalid(at.Child("operator"), t.Value, "value must be empty when `operator` is 'Exists'"))
			}
		default:
			errs = append(errs, field.NotSupported(at.Child("operator"), t.Operator,
				[]corev1.TolerationOperator{corev1.TolerationOpEqual, corev1.TolerationOpExists}))
		}
		if t.Effect != "" {
			errs = append(errs, validateTaintEffect(t.Effect, at.Child("effect"))...)
		}
	}
	return errs
}

// updatablePodFields is what upstream's error says may change.
const updatablePodFields = "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`," +
	"`spec.tolerations` (only additions to existing tolerations)," +
	"`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"

// validatePodSpecUpdate allows what may change in the spec of a pod: images, a
// shorter deadline, tolerations that are added. The difference that the error
// shows is that of the kind as clients know it, where upstream's is of an
// internal one.
func validatePodSpecUpdate(pod, from *corev1.Pod) field.ErrorList {
	have, had := pod.Spec.DeepCopy(), &from.Spec
	if len(have.Containers) != len(had.Containers) {
		return field.ErrorList{field.Forbidden(podSpecPath.Child("containers"), "pod updates may not add or remove containers")}
	}
	if len(have.InitContainers) != len(had.InitContainers) {
		return field.ErrorList{field.Forbidden(podSpecPath.Child("initContainers"), "pod updates may not add or remove containers")}
	}
	for i := range have.Containers {
		have.Containers[i].Image = had.Containers[i].Image
	}
	for i := range have.InitContainers {
		have.InitContainers[i].Image = had.InitContainers[i].Image
	}
	errs := validateDeadline(have.ActiveDeadlineSeconds, had.ActiveDeadlineSeconds)
	errs = append(errs, validateOnlyAddedTolerations(have.Tolerations, had.Tolerations)...)
	have.ActiveDeadlineSeconds, have.Tolerations = had.ActiveDeadlineSeconds, had.Tolerations
	have.SchedulingGates = had.SchedulingGates
	if g := had.TerminationGracePeriodSeconds; g != nil && *g < 0 && have.TerminationGracePeriodSeconds != nil && *have.TerminationGracePeriodSeconds == 1 {
		have.TerminationGracePeriodSeconds = g
	}
	if !equality.Semantic.DeepEqual(have, had) {
		errs = append(errs, field.Forbidden(podSpecPath, fmt.Sprintf("pod updates may not change fields other than %s\n%v",
			updatablePodFields, diff.Diff(*had, *have))))
	}
	return errs
}

func validateDeadline(have, had *int64) field.ErrorList {
	path := podSpecPath.Child("activeDeadlineSeconds")
	switch {
	case have == nil && had != nil:
		return field.ErrorList{field.Invalid(path, have, "must not update from a positive integer to nil value")}
	case have != nil && had != nil && *had < *have:
		return field.ErrorList{field.Invalid(path, *have, "must be less than or equal to previous value")}
	}
	return nil
}

// validateOnlyAddedTolerations is the function of that name.
func validateOnlyAddedTolerations(have, had []corev1.Toleration) field.ErrorList {
	for _, old := range had {
		kept := slices.ContainsFunc(have, func(t corev1.Toleration) bool {
			return t.Key == old.Key && t.Operator == old.Operator && t.Value == old.Value && t.Effect == old.Effect
		})
		if !kept {
			return field.ErrorList{field.Forbidden(podSpecPath.Child("tolerations"), "existing toleration can not be modified except its tolerationSeconds")}
		}
	}
	return nil
}

// validatePodStatus is ValidatePodStatusUpdate: a class of service stays, and
// a container that has ended for good does not run again.
func validatePodStatus(pod, from *corev1.Pod) field.ErrorList {
	var errs field.ErrorList
	path := field.NewPath("status")
	if pod.Status.QOSClass != from.Status.QOSClass {
		errs = append(errs, field.Invalid(path.Child("qosClass"), pod.Status.QOSClass, validation.FieldImmutableErrorMsg))
	}
	return append(errs, validateContainerStates(pod, from, path.Child("containerStatuses"))...)
}

// validateContainerStates is ValidateContainerStateTransition.
func validateContainerStates(pod, from *corev1.Pod, path *field.Path) field.ErrorList {
	if from.Spec.RestartPolicy == corev1.RestartPolicyAlways || from.Spec.RestartPolicy == "" {
		return nil
	}
	var errs field.ErrorList
	for i, had := range from.Status.ContainerStatuses {
		ended := had.State.Terminated
		if ended == nil || ended.ExitCode != 0 && from.Spec.RestartPolicy == corev1.RestartPolicyOnFailure {
			continue
		}
		runs := slices.ContainsFunc(pod.Status.ContainerStatuses, func(s corev1.ContainerStatus) bool {
			return s.Name == had.Name && s.State.Terminated == nil
		})
		if runs {
			errs = append(errs, field.Forbidden(path.Index(i).Child("state"), "may not be transitioned to non-terminated state"))
		}
	}
	return errs
}
