package nodelifecycle

import (
	"context"
	"encoding/json"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Conflicts over taints are retried four times, 100 to 200 ms apart.
// Upstream: controller.UpdateTaintBackoff.
const (
	taintUpdateSteps = 5
	taintUpdateWait  = 100 * time.Millisecond
)

var (
	unreachableTaint = corev1.Taint{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute}
	notReadyTaint    = corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoExecute}
)

// swapTaints adds, stamped with the present time, and then removes. It returns
// false if either failed. Upstream: controllerutil.SwapNodeControllerTaint.
func (nc *Controller) swapTaints(add, remove []corev1.Taint, node *corev1.Node) bool {
	now := metav1.Time{Time: nc.host.Now()}
	for i := range add {
		add[i].TimeAdded = &now
	}
	if err := nc.addTaints(node.Name, add); err != nil {
		return false
	}
	return nc.removeTaints(node, remove) == nil
}

// addTaints. Upstream: controller.AddOrUpdateTaintOnNode.
func (nc *Controller) addTaints(name string, taints []corev1.Taint) error {
	if len(taints) == 0 {
		return nil
	}
	return nc.updateTaints(name, func(current []corev1.Taint) ([]corev1.Taint, bool) {
		updated, changed := append([]corev1.Taint(nil), current...), false
		for i := range taints {
			updated = putTaint(updated, &taints[i], &changed)
		}
		return updated, changed
	})
}

// removeTaints asks nothing of the API server if node, as it is known here,
// has none of them. Upstream: controller.RemoveTaintOffNode.
func (nc *Controller) removeTaints(node *corev1.Node, taints []corev1.Taint) error {
	if !hasAnyTaint(node.Spec.Taints, taints) {
		return nil
	}
	return nc.updateTaints(node.Name, func(current []corev1.Taint) ([]corev1.Taint, bool) {
		var kept []corev1.Taint
		for i := range current {
			if !hasTaint(taints, &current[i]) {
				kept = append(kept, current[i])
			}
		}
		return kept, len(kept) != len(current)
	})
}

// updateTaints reads the node, from the server's cache the first time, and
// patches its taints under the resourceVersion it has read.
func (nc *Controller) updateTaints(name string, update func([]corev1.Taint) ([]corev1.Taint, bool)) error {
	opts := metav1.GetOptions{ResourceVersion: "0"}
	var err error
	for step := 1; ; step++ {
		var node *corev1.Node
		if node, err = nc.clients.Nodes.Get(context.Background(), name, opts); err == nil {
			taints, changed := update(node.Spec.Taints)
			if !changed {
				return nil
			}
			err = nc.patchTaints(node, taints)
		}
		if !apierrors.IsConflict(err) || step == taintUpdateSteps {
			return err
		}
		opts.ResourceVersion = ""
		nc.host.Sleep(taintUpdateWait + time.Duration(nc.taintBackoff.Int64N(int64(taintUpdateWait))))
	}
}

// patchTaints replaces the whole list, since taints have no merge key; the
// resourceVersion turns a race into a conflict (since v1.26). Upstream:
// controller.PatchNodeTaints.
func (nc *Controller) patchTaints(node *corev1.Node, taints []corev1.Taint) error {
	data, err := taintPatch(node, taints, nc.cfg.Behaviors.NodeLifecycle.TaintPatchHasVersion)
	if err != nil {
		return err
	}
	_, err = nc.clients.Nodes.Patch(context.Background(), node.Name, types.StrategicMergePatchType, data, metav1.PatchOptions{})
	return err
}

func taintPatch(node *corev1.Node, taints []corev1.Taint, versioned bool) ([]byte, error) {
	var patch struct {
		Metadata struct {
			ResourceVersion string `json:"resourceVersion,omitempty"`
		} `json:"metadata"`
		Spec struct {
			Taints []corev1.Taint `json:"taints"`
		} `json:"spec"`
	}
	if versioned {
		patch.Metadata.ResourceVersion = node.ResourceVersion
	}
	if len(taints) > 0 { // else null
		patch.Spec.Taints = taints
	}
	return json.Marshal(patch)
}

// putTaint adds taint or replaces the one of its key and effect. Upstream:
// taintutils.AddOrUpdateTaint.
func putTaint(taints []corev1.Taint, taint *corev1.Taint, changed *bool) []corev1.Taint {
	for i := range taints {
		if taints[i].MatchTaint(taint) {
			*changed = *changed || !apiequality.Semantic.DeepEqual(taints[i], *taint)
			taints[i] = *taint
			return taints
		}
	}
	*changed = true
	return append(taints, *taint)
}

func hasTaint(taints []corev1.Taint, taint *corev1.Taint) bool {
	for i := range taints {
		if taints[i].MatchTaint(taint) {
			return true
		}
	}
	return false
}

func hasAnyTaint(taints, of []corev1.Taint) bool {
	for i := range of {
		if hasTaint(taints, &of[i]) {
			return true
		}
	}
	return false
}
