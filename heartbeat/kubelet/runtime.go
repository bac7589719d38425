package kubelet

import (
	"errors"
	"time"

	"github.com/holter-sim/holter/heartbeat"
)

const (
	// runtimeUpPeriod is how often the container runtime is asked for its state.
	runtimeUpPeriod = 5 * time.Second
	// maxWaitForContainerRuntime is how long its silence is borne.
	maxWaitForContainerRuntime = 30 * time.Second
)

var (
	errRuntimeUnchecked = errors.New("container runtime status check may not have completed yet")
	errRuntimeDown      = errors.New("container runtime is down")
)

// runtimeState is what makes a node not ready. Upstream: pkg/kubelet/runtime.go.
type runtimeState struct {
	lastBaseRuntimeSync time.Time
	storageError        error
	cidr                string // of the pods, as the kubelet knows it
}

// errors lists why the node is not ready, in the order of the Ready setter:
// runtime, then storage. The runtime is checked every 5 s and always answers
// in this model; the PLEG and the network are always healthy.
func (s *runtimeState) errors(now time.Time) []error {
	var errs []error
	if s.lastBaseRuntimeSync.IsZero() {
		errs = append(errs, errRuntimeUnchecked)
	} else if !s.lastBaseRuntimeSync.Add(maxWaitForContainerRuntime).After(now) {
		errs = append(errs, errRuntimeDown)
	}
	if s.storageError != nil {
		errs = append(errs, s.storageError)
	}
	return errs
}

// updateRuntimeUp asks the runtime, which answers at once that all is well.
// Upstream: Kubelet.updateRuntimeUp.
func (kl *Kubelet) updateRuntimeUp() {
	kl.runtimeState.lastBaseRuntimeSync = heartbeat.Monotonic(kl.host)
}
