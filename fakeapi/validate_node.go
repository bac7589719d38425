package fakeapi

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apiresource "k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

var (
	taintsPath      = metaPath.Child("taints")
	capacityPath    = field.NewPath("status", "capacity")
	allocatablePath = field.NewPath("status", "allocatable")
	noNode          = &corev1.Node{}
)

// validate is ValidateNode and ValidateNodeUpdate (v1.37). What is as it is
// stored is not looked at again: most writes are heartbeats.
func (nodeStrategy) validate(obj, old object, _ string) field.ErrorList {
	node := obj.(*corev1.Node)
	if old == nil {
		errs := validateCoreMeta(&node.ObjectMeta, false, validation.NameIsDNSSubdomain)
		errs = append(errs, validateNodeTaints(node.Spec.Taints, taintsPath)...)
		errs = append(errs, validateNodeResources(node, nil)...)
		return append(errs, validatePodCIDRs(node)...)
	}
	from := old.(*corev1.Node)
	var errs field.ErrorList
	changed := metaChanged(&node.ObjectMeta, &from.ObjectMeta)
	if changed {
		errs = append(errs, validateCoreMeta(&node.ObjectMeta, false, validation.NameIsDNSSubdomain)...)
	}
	errs = append(errs, validateChangedTaints(node, from)...)
	errs = append(errs, validateNodeResources(node, from)...)
	if !slices.Equal(node.Spec.PodCIDRs, from.Spec.PodCIDRs) {
		errs = append(errs, validatePodCIDRs(node)...)
	}
	if changed {
		errs = append(errs, validateMetaUpdate(&node.ObjectMeta, &from.ObjectMeta)...)
	}
	errs = append(errs, validateAddresses(node, from)...)
	return append(errs, validateIdentity(node, from)...)
}

// validateChangedTaints checks the taints if they are others than before.
func validateChangedTaints(node, from *corev1.Node) field.ErrorList {
	if slices.EqualFunc(node.Spec.Taints, from.Spec.Taints, func(a, b corev1.Taint) bool {
		return a.Key == b.Key && a.Value == b.Value && a.Effect == b.Effect
	}) {
		return nil
	}
	return validateNodeTaints(node.Spec.Taints, taintsPath)
}

// validateNodeTaints is the function of that name. Upstream looks for taints
// below metadata, where they once were.
func validateNodeTaints(taints []corev1.Taint, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	type pair struct {
		key    string
		effect corev1.TaintEffect
	}
	seen := make(map[pair]bool, len(taints))
	for i, taint := range taints {
		at := path.Index(i)
		errs = append(errs, metav1validation.ValidateLabelName(taint.Key, at.Child("key"))...)
		if msgs := utilvalidation.IsValidLabelValue(taint.Value); len(msgs) > 0 {
			errs = append(errs, field.Invalid(at.Child("value"), taint.Value, strings.Join(msgs, ";")))
		}
		errs = append(errs, validateTaintEffect(taint.Effect, at.Child("effect"))...)
		if seen[pair{taint.Key, taint.Effect}] {
			err := field.Duplicate(at, internalTaint{taint.Key, taint.Value, taint.Effect, taint.TimeAdded})
			err.Detail = "taints must be unique by key and effect pair"
			errs = append(errs, err)
		}
		seen[pair{taint.Key, taint.Effect}] = true
	}
	return errs
}

// internalTaint is a taint as upstream's errors print it: without JSON names.
type internalTaint struct {
	Key, Value string
	Effect     corev1.TaintEffect
	TimeAdded  *metav1.Time
}

func validateTaintEffect(effect corev1.TaintEffect, path *field.Path) field.ErrorList {
	switch effect {
	case "":
		return field.ErrorList{field.Required(path, "")}
	case corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute:
		return nil
	}
	return field.ErrorList{field.NotSupported(path, effect,
		[]corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute})}
}

// validateNodeResources is ValidateNodeResources. from may be nil.
func validateNodeResources(node, from *corev1.Node) field.ErrorList {
	if from == nil {
		from = noNode
	}
	errs := validateQuantities(node.Status.Capacity, from.Status.Capacity, capacityPath)
	return append(errs, validateQuantities(node.Status.Allocatable, from.Status.Allocatable, allocatablePath)...)
}

func validateQuantities(list, before corev1.ResourceList, path *field.Path) field.ErrorList {
	if len(list) == 0 || reflect.ValueOf(list).Pointer() == reflect.ValueOf(before).Pointer() {
		return nil
	}
	var errs field.ErrorList
	for _, name := range slices.Sorted(maps.Keys(list)) {
		value, at := list[name], path.Child(string(name))
		if value.Cmp(apiresource.Quantity{}) < 0 {
			errs = append(errs, field.Invalid(at, value.String(), validation.IsNegativeErrorMsg))
		}
		if wholeResource(name) && value.MilliValue()%1000 != 0 {
			errs = append(errs, field.Invalid(at, value, "must be an integer"))
		}
	}
	return errs
}

// wholeResource says which resources are counted, not measured. Upstream:
// IsIntegerResourceName, IsExtendedResourceName.
func wholeResource(name corev1.ResourceName) bool {
	switch name {
	case corev1.ResourcePods, corev1.ResourceQuotas, corev1.ResourceServices, corev1.ResourceReplicationControllers,
		corev1.ResourceSecrets, corev1.ResourceConfigMaps, corev1.ResourcePersistentVolumeClaims:
		return true
	}
	native := !strings.Contains(string(name), "/") || strings.Contains(string(name), corev1.ResourceDefaultNamespacePrefix)
	return !native && !strings.HasPrefix(string(name), corev1.DefaultResourceRequestsPrefix)
}

func validatePodCIDRs(node *corev1.Node) field.ErrorList {
	var errs field.ErrorList
	path := field.NewPath("spec", "podCIDRs")
	for i, value := range node.Spec.PodCIDRs {
		errs = append(errs, utilvalidation.IsValidCIDRForLegacyField(path.Index(i), value, true, nil)...)
	}
	return errs
}

// validateAddresses refuses an address that is there twice.
func validateAddresses(node, from *corev1.Node) field.ErrorList {
	list := node.Status.Addresses
	if slices.Equal(list, from.Status.Addresses) {
		return nil
	}
	var errs field.ErrorList
	seen := make(map[corev1.NodeAddress]bool, len(list))
	for i, address := range list {
		if seen[address] {
			errs = append(errs, field.Duplicate(field.NewPath("status", "addresses").Index(i), internalAddress(address)))
		}
		seen[address] = true
	}
	return errs
}

// internalAddress is an address as upstream's errors print it.
type internalAddress struct {
	Type    corev1.NodeAddressType
	Address string
}

// validateIdentity keeps what a cloud has decided about a node: its provider's
// id and its pods' addresses are set once.
func validateIdentity(node, from *corev1.Node) field.ErrorList {
	var errs field.ErrorList
	if had := from.Spec.PodCIDRs; len(had) > 0 {
		path, text := field.NewPath("spec", "podCIDRs"), `node updates may not change podCIDR except from "" to valid`
		have := node.Spec.PodCIDRs
		if len(have) != len(had) {
			errs = append(errs, field.Forbidden(path, text))
		} else {
			for i := range had {
				if had[i] != have[i] {
					errs = append(errs, field.Forbidden(path, text))
				}
			}
		}
	}
	switch had, have := from.Spec.ProviderID, node.Spec.ProviderID; {
	case had == "" || had == have:
	case have == "":
		errs = append(errs, field.Invalid(field.NewPath("spec", "providerID"), nil, "field cannot be cleared once set"))
	default:
		errs = append(errs, field.Invalid(field.NewPath("spec", "providerID"), nil, "field cannot be modified once set"))
	}
	if node.Spec.DoNotUseExternalID != from.Spec.DoNotUseExternalID {
		errs = append(errs, field.Forbidden(field.NewPath("spec", "externalID"), "may not be updated"))
	}
	return errs
}
