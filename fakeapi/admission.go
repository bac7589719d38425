package fakeapi

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
)

// Admit does to a Node or Pod what admission does to one that is created by a
// request, for [Server.Put], which admits nothing. obj must be the caller's own.
func Admit(obj runtime.Object) {
	if o, ok := obj.(object); ok {
		(&Server{}).mutate(o)
	}
}

// admitCreate runs the admission plugins for a new object, in upstream's order
// (kubeapiserver/options/plugins.go, v1.37). obj is fresh, but its parts may be
// shared.
func (r *request) admitCreate(obj object) *apierrors.StatusError {
	if err := r.liveNamespace(obj); err != nil {
		return err
	}
	if err := r.restrict(obj, nil); err != nil {
		return err
	}
	r.table.s.mutate(obj)
	return nil
}

// admitUpdate runs them for an update of old, of the whole or of its status.
func (r *request) admitUpdate(obj, old object) *apierrors.StatusError {
	if err := r.restrict(obj, old); err != nil {
		return err
	}
	if pod, ok := obj.(*corev1.Pod); ok && r.call.Subresource == "" {
		tolerateForAWhile(pod)
	}
	return nil
}

// admitDelete runs them for a deletion of old.
func (r *request) admitDelete(old object) *apierrors.StatusError {
	if err := r.immortal(old); err != nil {
		return err
	}
	return r.restrict(nil, old)
}

// mutate runs the two admission plugins, on by default upstream, that change
// what heartbeats depend on.
func (s *Server) mutate(obj object) {
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
