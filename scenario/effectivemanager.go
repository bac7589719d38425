package scenario

import (
	"fmt"
	"strconv"
	"time"
)

// controllerManager resolves the flags of kube-controller-manager: those of the list over those of the mapping.
// Upstream checks none of them (NodeLifecycleControllerOptions.Validate, v1.36, is empty); what is refused here would
// have it run without pause, or means nothing.
func (r *settingsResolver) controllerManager() {
	set := controllerManagerFlagSet()
	var byFlag ControllerManagerSpec
	flags, warnings, problems := set.parseFlags("spec.controllerManagerFlags", r.scenario.Spec.ControllerManagerFlags, &byFlag)
	for _, p := range problems {
		r.problem(p)
	}
	r.warnings = append(r.warnings, warnings...)

	m, spec := &r.effective.ControllerManager, &r.scenario.Spec.ControllerManager
	duration := func(name string, into *time.Duration, value, flag *Duration, fallback time.Duration, ifZero string) {
		d, origin := managerSetting(r, name, value, flag, flags, Duration{fallback})
		*into = d.Duration
		if ifZero == noPause {
			r.checkPeriod(origin, d.Duration)
		} else {
			r.checkDuration(origin, d.Duration, ifZero)
		}
		r.setting("controllerManager."+name, d.String(), origin, "")
	}
	rate := func(name string, into *float32, value, flag *float32, fallback float32) {
		n, origin := managerSetting(r, name, value, flag, flags, fallback)
		*into = n
		if text := formatRate(n); !(n >= 0) {
			r.problemAt(origin, text, "is negative", "a number from 0")
		}
		r.setting("controllerManager."+name, formatRate(n), origin, "")
	}
	duration("node-monitor-grace-period", &m.NodeMonitorGracePeriod, spec.NodeMonitorGracePeriod, byFlag.NodeMonitorGracePeriod, m.Behaviors.NodeLifecycle.NodeMonitorGracePeriod, "would turn every node Unknown at once")
	duration("node-monitor-period", &m.NodeMonitorPeriod, spec.NodeMonitorPeriod, byFlag.NodeMonitorPeriod, defaultNodeMonitorPeriod, noPause)
	duration("node-startup-grace-period", &m.NodeStartupGracePeriod, spec.NodeStartupGracePeriod, byFlag.NodeStartupGracePeriod, defaultNodeStartupGracePeriod, "")
	rate("node-eviction-rate", &m.NodeEvictionRate, spec.NodeEvictionRate, byFlag.NodeEvictionRate, defaultNodeEvictionRate)
	rate("secondary-node-eviction-rate", &m.SecondaryNodeEvictionRate, spec.SecondaryNodeEvictionRate, byFlag.SecondaryNodeEvictionRate, defaultSecondaryNodeEvictionRate)
	rate("unhealthy-zone-threshold", &m.UnhealthyZoneThreshold, spec.UnhealthyZoneThreshold, byFlag.UnhealthyZoneThreshold, defaultUnhealthyZoneThreshold)

	const size = "large-cluster-size-threshold"
	nodes, origin := managerSetting(r, size, spec.LargeClusterSizeThreshold, byFlag.LargeClusterSizeThreshold, flags, defaultLargeClusterSizeThreshold)
	m.LargeClusterSizeThreshold = nodes
	if nodes < 0 {
		r.problemAt(origin, strconv.Itoa(int(nodes)), "is negative", "a whole number from 0")
	}
	r.setting("controllerManager."+size, strconv.Itoa(int(nodes)), origin, "")

	r.managerClientLimits(spec, &byFlag, flags)
	r.podEviction(spec, &byFlag, flags)
	r.terminatedPods(spec, &byFlag, flags)
	r.controllers(spec, &byFlag, flags)
	const gates = "feature-gates"
	if byFlag.FeatureGates != nil {
		r.managerGates(byFlag.FeatureGates, flagOrigin(flags[gates]))
	} else {
		r.managerGates(spec.FeatureGates, settingOrigin{source: "spec.controllerManager", field: "spec.controllerManager." + gates})
	}
}

// managerSetting gives the value of a flag, with where it came from, and warns where one way of setting it hides another.
func managerSetting[T comparable](r *settingsResolver, name string, spec, flag *T, flags map[string]flagValue, fallback T) (T, settingOrigin) {
	switch {
	case flag != nil:
		given := flags[name]
		if spec != nil && *spec != *flag {
			r.warn(given.path, fmt.Sprintf("--%s=%s wins over %s: %v of spec.controllerManager", given.name, given.value, name, *spec))
		}
		return *flag, flagOrigin(given)
	case spec != nil:
		return *spec, settingOrigin{source: "spec.controllerManager", field: "spec.controllerManager." + name}
	}
	return fallback, settingOrigin{source: "default " + r.managerVersion}
}

// model resolves what is no setting of Kubernetes.
func (r *settingsResolver) model() {
	spec, m := r.scenario.Spec.Model, &r.effective.Model
	resolve := func(name string, into *time.Duration, value *Duration, fallback time.Duration) {
		origin := settingOrigin{source: "default"}
		*into = fallback
		if value != nil {
			*into, origin = value.Duration, settingOrigin{source: "spec.model", field: "spec.model." + name}
		}
		r.checkDuration(origin, *into, "")
		r.setting("model."+name, formatDuration(*into), origin, "")
	}
	resolve("monitorPassCostPerNode", &m.MonitorPassCostPerNode, spec.MonitorPassCostPerNode, defaultMonitorPassCostPerNode)
}

func formatRate(f float32) string { return strconv.FormatFloat(float64(f), 'g', -1, 32) }
