package podworkers

import (
	"context"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// mirrorAnnotation marks a pod that shows a static one in the API server.
const mirrorAnnotation = corev1.MirrorPodAnnotationKey

// RunStatic runs a pod of the kubelet's own folder: nobody can delete it, only
// its mirror in the API server, which is then created again. Its name gets the
// node's, and it tolerates every NoExecute taint. Upstream: applyDefaults
// (pkg/kubelet/config/common.go), HandlePodAdditions.
func (w *Workers) RunStatic(pod *corev1.Pod) {
	own := pod.DeepCopy()
	own.Name += "-" + w.cfg.NodeName
	own.UID = types.UID("static/" + own.Namespace + "/" + own.Name)
	own.Spec.NodeName = w.cfg.NodeName
	own.Spec.Tolerations = append(own.Spec.Tolerations, corev1.Toleration{Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute})
	own.Status.Phase = corev1.PodPending
	p := &worker{pod: own, static: true, container: w.cfg.Runtime.container(own.UID)}
	if mirror, ok := w.cfg.Informer.Store().Get(own.Namespace + "/" + own.Name); ok {
		p.mirror = mirror
	}
	w.add(p)
}

func isMirror(pod *corev1.Pod) bool {
	_, ok := pod.Annotations[mirrorAnnotation]
	return ok
}

// sawMirror notes what has become of a mirror pod, now nil if it is gone, and
// has the worker of the static pod look.
func (w *Workers) sawMirror(mirror, now *corev1.Pod) {
	p := w.byUID[types.UID(mirror.Annotations[mirrorAnnotation])]
	if p == nil {
		return
	}
	looks := p.mirror == nil || now == nil || !p.mirror.DeletionTimestamp.Equal(now.DeletionTimestamp)
	p.mirror = now
	if looks {
		w.updatePod(p)
	}
}

// tryReconcileMirrorPods creates the mirror of a static pod. One that is being
// deleted makes room for another.
func (w *Workers) tryReconcileMirrorPods(p *worker) {
	if !p.static || p.mirror != nil && p.mirror.DeletionTimestamp == nil {
		return
	}
	ctx, client := context.Background(), w.cfg.Pods(p.pod.Namespace)
	if p.mirror != nil {
		options := *metav1.NewDeleteOptions(0)
		options.Preconditions = metav1.NewUIDPreconditions(string(p.mirror.UID))
		if client.Delete(ctx, p.mirror.Name, options) != nil {
			w.resync(p)
			return
		}
	}
	mirror := p.pod.DeepCopy()
	mirror.UID = ""
	mirror.Annotations = maps.Clone(mirror.Annotations)
	if mirror.Annotations == nil {
		mirror.Annotations = map[string]string{}
	}
	mirror.Annotations[mirrorAnnotation] = string(p.pod.UID)
	if _, err := client.Create(ctx, mirror, metav1.CreateOptions{}); err != nil {
		w.resync(p) // upstream logs it
	}
}
