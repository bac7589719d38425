package kubelet

import (
	"errors"
	"fmt"
	"time"

	"github.com/holter-sim/holter/heartbeat"
)

const (
	// runtimeUpPeriod is how often the container runtime is asked for its state.
	runtimeUpPeriod = 5 * time.Second
	// maxWaitForContainerRuntime is how long its silence is borne.
	maxWaitForContainerRuntime = 30 * time.Second
)

// errNetworkUnknown holds until the runtime has answered once.
var errNetworkUnknown = errors.New("network state unknown")

// runtimeState is what makes a node not ready. Upstream: pkg/kubelet/runtime.go.
type runtimeState struct {
	lastBaseRuntimeSync time.Time
	networkError        error
	runtimeError        error
	storageError        error
	cidr                string // of the pods, as the kubelet knows it
}

// runtimeErrors lists what is wrong with the runtime. Upstream:
// runtimeState.runtimeErrors.
func (kl *Kubelet) runtimeErrors() []error {
	s, now := &kl.runtimeState, heartbeat.Monotonic(kl.host)
	var errs []error
	if s.lastBaseRuntimeSync.IsZero() {
		errs = append(errs, kl.runtimeFault("container runtime status check may not have completed yet"))
	} else if !s.lastBaseRuntimeSync.Add(maxWaitForContainerRuntime).After(now) {
		errs = append(errs, kl.runtimeFault("container runtime is down"))
	}
	if err := kl.pleg.healthy(now); err != nil {
		errs = append(errs, kl.runtimeFault("PLEG is not healthy: "+err.Error()))
	}
	if s.runtimeError != nil {
		errs = append(errs, s.runtimeError)
	}
	return errs
}

func (kl *Kubelet) runtimeFault(text string) error {
	if kl.cfg.Behaviors.Kubelet.RuntimeErrorsEndInPeriod {
		text += "."
	}
	return errors.New(text)
}

// updateRuntimeUp asks the runtime for its state. One that does not answer
// leaves what is known as it was, and so grows old. Upstream:
// Kubelet.updateRuntimeUp.
func (kl *Kubelet) updateRuntimeUp() {
	in, s, rules := &kl.cfg.Inputs, &kl.runtimeState, &kl.cfg.Behaviors.Kubelet
	if in.RuntimeDown {
		return
	}
	s.networkError = nil
	if in.NetworkNotReady != "" {
		s.networkError = fmt.Errorf("%s: %s", rules.NetworkError, in.NetworkNotReady)
	}
	if in.RuntimeNotReady != "" {
		if rules.RuntimeError != "" {
			s.runtimeError = fmt.Errorf("%s: %s", rules.RuntimeError, in.RuntimeNotReady)
		}
		return
	}
	s.runtimeError = nil
	s.lastBaseRuntimeSync = heartbeat.Monotonic(kl.host)
}
