package scenario

import "strconv"

// defaultTerminatedPodGCThreshold is how many pods that have ended are kept.
// Upstream: RecommendedDefaultPodGCControllerConfiguration.
const defaultTerminatedPodGCThreshold = 12500

// terminatedPods resolves how many pods that have ended the pod garbage
// collector leaves.
func (r *settingsResolver) terminatedPods(spec, byFlag *ControllerManagerSpec, flags map[string]flagValue) {
	const name = "terminated-pod-gc-threshold"
	n, origin := managerSetting(r, name, spec.TerminatedPodGCThreshold, byFlag.TerminatedPodGCThreshold, flags, defaultTerminatedPodGCThreshold)
	r.effective.ControllerManager.TerminatedPodGCThreshold = n
	r.setting("controllerManager."+name, strconv.Itoa(int(n)), origin, "")
}
