package scenario

import (
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

const acceptedNamespace = "up to 63 lower-case letters, digits and '-', a letter or digit first and last"

// mostPodSeconds bounds what a pod tolerates, and how long it may take to end.
const mostPodSeconds = 999999

// podTimes judges what a group of pods says about its tolerations and its end.
// Upstream: ValidateTolerations (pkg/apis/core/validation).
func (v *scenarioValidator) podTimes(p *PodTimes, at string) {
	v.podSeconds(at+".tolerationSeconds", p.TolerationSeconds)
	v.podSeconds(at+".terminationGracePeriodSeconds", p.TerminationGracePeriodSeconds)
	for i := range p.Tolerations {
		v.toleration(&p.Tolerations[i], fmt.Sprintf("%s.tolerations[%d]", at, i))
	}
}

// podRun judges for how long a group's pods run, and by whom.
func (v *scenarioValidator) podRun(p *PodGroup, at string) {
	const accepted = "whole seconds from 1s to 999999s"
	if d := p.RunFor.Duration; d < 0 || d > mostPodSeconds*time.Second || d%time.Second != 0 || d == 0 && v.written(at+".runFor") {
		v.add(badValue(at+".runFor", p.RunFor.String(), "is no time for a pod to run", accepted))
	}
	if p.Static && p.PerNode != 1 {
		v.add(badValue(at+".perNode", strconv.Itoa(p.PerNode), "does not go with static, of which each node has one", "1"))
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
