package fakeapi

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Admit does to a Node or Pod what admission does to one that is created by a
// request, for [Server.Put], which admits nothing. obj must be the caller's own.
func Admit(obj runtime.Object) {
	if o, ok := obj.(object); ok {
		(&Server{}).admitCreate(o)
	}
}

// admitCreate runs the two admission plugins, on by default upstream, that
// heartbeats depend on. obj is fresh, but its parts may be shared.
func (s *Server) admitCreate(obj object) {
	switch obj := obj.(type) {
	case *corev1.Node:
		if !s.untaintedNodes {
			taintNotReady(obj)
		}
	case *corev1.Pod:
		tolerateForAWhile(obj)
	}
}

// taintNotReady keeps pods off a node until the node lifecycle controller has
// seen it ready. Upstream: TaintNodesByCondition, on since v1.13.3.
func taintNotReady(node *corev1.Node) {
	taint := corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule}
	for i := range node.Spec.Taints {
		if node.Spec.Taints[i].MatchTaint(&taint) {
			return
		}
	}
	node.Spec.Taints = append(slices.Clip(node.Spec.Taints), taint)
}

// tolerationSeconds is how long a pod that says nothing about it stays on a
// node that is not ready or not reachable.
const tolerationSeconds = 300

// tolerateForAWhile gives a pod the default tolerations for failed nodes.
// Upstream: DefaultTolerationSeconds.
func tolerateForAWhile(pod *corev1.Pod) {
	for _, key := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
		tolerated := slices.ContainsFunc(pod.Spec.Tolerations, func(t corev1.Toleration) bool {
			return (t.Key == key || t.Key == "") && (t.Effect == corev1.TaintEffectNoExecute || t.Effect == "")
		})
		if tolerated {
			continue
		}
		seconds := int64(tolerationSeconds)
		pod.Spec.Tolerations = append(slices.Clip(pod.Spec.Tolerations), corev1.Toleration{
			Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds})
	}
}
