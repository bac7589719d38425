package scenario

import (
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// mostPodSeconds bounds what a pod tolerates, and how long it may take to end.
const mostPodSeconds = 999999

// podTimes judges what a group of pods says about its tolerations and its end.
// Upstream: ValidateTolerations (pkg/apis/core/validation).
func (v *scenarioValidator) podTimes(p *PodGroup, at string) {
	v.podSeconds(at+".tolerationSeconds", p.TolerationSeconds)
	v.podSeconds(at+".terminationGracePeriodSeconds", p.TerminationGracePeriodSeconds)
	for i := range p.Tolerations {
		v.toleration(&p.Tolerations[i], fmt.Sprintf("%s.tolerations[%d]", at, i))
	}
}

func (v *scenarioValidator) podSeconds(path string, seconds *int32) {
	if seconds != nil {
		v.checkCount(path, int(*seconds), 0, mostPodSeconds)
	}
}

func (v *scenarioValidator) toleration(t *PodToleration, at string) {
	const exists, equal = string(corev1.TolerationOpExists), string(corev1.TolerationOpEqual)
	if t.Operator != "" {
		v.checkOneOf(at+".operator", t.Operator, "operator of a toleration", []string{equal, exists})
	}
	switch {
	case t.Key == "" && t.Operator != exists:
		v.add(missingValue(at+".key", "", "key of a taint, or operator: Exists for every taint"))
	case t.Key != "" && len(validation.IsQualifiedName(t.Key)) > 0:
		v.add(badValue(at+".key", t.Key, "is no key of a taint", "a name such as node.kubernetes.io/unreachable"))
	}
	if t.Value != "" && t.Operator == exists {
		v.add(badValue(at+".value", t.Value, "does not go with operator: Exists", "a value with Equal alone"))
	}
	effects := []string{string(corev1.TaintEffectNoSchedule), string(corev1.TaintEffectPreferNoSchedule), string(corev1.TaintEffectNoExecute)}
	if t.Effect != "" {
		v.checkOneOf(at+".effect", t.Effect, "effect of a taint", effects)
	}
	v.podSeconds(at+".tolerationSeconds", t.TolerationSeconds)
	if t.TolerationSeconds != nil && t.Effect != string(corev1.TaintEffectNoExecute) {
		v.add(badValue(at+".tolerationSeconds", strconv.Itoa(int(*t.TolerationSeconds)), "goes with the effect NoExecute alone", "effect: NoExecute beside it"))
	}
}
