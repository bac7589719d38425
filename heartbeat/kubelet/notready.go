package kubelet

import (
	"errors"
	"strings"

	corev1 "k8s.io/api/core/v1"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
)

var errShuttingDown = errors.New("node is shutting down")

// notReady is the message of a node that is not ready, "" for one that is.
// Upstream: nodestatus.ReadyCondition.
func (kl *Kubelet) notReady(node *corev1.Node) string {
	s, in, rules := &kl.runtimeState, &kl.cfg.Inputs, &kl.cfg.Behaviors.Kubelet
	errs := kl.runtimeErrors()
	if s.networkError != nil {
		errs = append(errs, s.networkError)
	}
	if rules.StorageErrors {
		if s.storageError != nil {
			errs = append(errs, s.storageError)
		} else if in.StorageError != nil {
			errs = append(errs, in.StorageError)
		}
	}
	if in.ShuttingDown && rules.GracefulNodeShutdown {
		errs = append(errs, errShuttingDown)
	}
	if missing := missingCapacity(node.Status.Capacity); len(missing) > 0 {
		errs = append(errs, errors.New(rules.MissingCapacity+": "+strings.Join(missing, ", ")))
	}
	return joinErrors(errs, rules.AggregatesErrors)
}

// joinErrors makes one text of them: "[a, b]" without repeats, or "a,b".
func joinErrors(errs []error, aggregate bool) string {
	switch {
	case len(errs) == 0:
		return ""
	case aggregate:
		return utilerrors.NewAggregate(errs).Error()
	}
	texts := make([]string, len(errs))
	for i, err := range errs {
		texts[i] = err.Error()
	}
	return strings.Join(texts, ",")
}
