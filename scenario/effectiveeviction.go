package scenario

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// What of the flags of kube-controller-manager is about its clients, and about who deletes the pods of a node that is
// not ready.

const (
	defaultPodEvictionTimeout = 5 * time.Minute
	leastKubeAPIQPS           = 0.001

	// What became of two flags that are as old as the controller.
	taintManagerIsGone = "is no flag of a kube-controller-manager from 1.27 on: pods are always evicted by taint"
	timeoutIsGone      = "is no flag of a kube-controller-manager from 1.27 on: a pod's tolerationSeconds say how long it stays"
	upTo1_26           = "a version up to 1.26, or nothing"
)

// managerClientLimits resolves how many requests each client of the controller-manager may send: every controller has one of
// its own. Upstream: ClientConnectionConfiguration, restclient.Config.
func (r *settingsResolver) managerClientLimits(spec, byFlag *ControllerManagerSpec, flags map[string]flagValue) {
	m := &r.effective.ControllerManager
	b := &m.Behaviors.NodeLifecycle
	qps, origin := managerSetting(r, "kube-api-qps", spec.KubeAPIQPS, byFlag.KubeAPIQPS, flags, float32(b.KubeAPIQPS))
	m.KubeAPIQPS = qps
	if qps > 0 && qps < leastKubeAPIQPS {
		r.problemAt(origin, formatRate(qps), "is too few: the controller would do nothing else than wait", "a number from 0.001; 0 is 5, and under 0 is no limit")
	}
	r.setting("controllerManager.kube-api-qps", formatRate(qps), origin, "")

	burst, origin := managerSetting(r, "kube-api-burst", spec.KubeAPIBurst, byFlag.KubeAPIBurst, flags, int32(b.KubeAPIBurst))
	m.KubeAPIBurst = burst
	if qps > 0 && burst <= 0 {
		r.problemAt(origin, strconv.Itoa(int(burst)), "is no burst; kube-controller-manager does not start with it", "a whole number from 1, or a kube-api-qps under 0, which is no limit")
	}
	r.setting("controllerManager.kube-api-burst", strconv.Itoa(int(burst)), origin, "")
}

// podEviction resolves who deletes the pods of a node that is not ready. Two flags of it are gone since 1.27.
func (r *settingsResolver) podEviction(spec, byFlag *ControllerManagerSpec, flags map[string]flagValue) {
	m := &r.effective.ControllerManager
	known := m.Behaviors.NodeLifecycle.PodEviction
	m.TaintBasedEvictions = true

	manager, origin := managerSetting(r, "enable-taint-manager", spec.EnableTaintManager, byFlag.EnableTaintManager, flags, true)
	m.EnableTaintManager = manager
	r.versionedSetting("enable-taint-manager", strconv.FormatBool(manager), origin, known, taintManagerIsGone)

	timeout, origin := managerSetting(r, "pod-eviction-timeout", spec.PodEvictionTimeout, byFlag.PodEvictionTimeout, flags, Duration{defaultPodEvictionTimeout})
	m.PodEvictionTimeout = timeout.Duration
	r.checkDuration(origin, timeout.Duration, "")
	r.versionedSetting("pod-eviction-timeout", timeout.String(), origin, known, timeoutIsGone)
}

// versionedSetting is a setting that some versions have not got: there it is refused if it is set, and else not shown.
func (r *settingsResolver) versionedSetting(name, value string, origin settingOrigin, known bool, gone string) {
	switch {
	case known:
		r.setting("controllerManager."+name, value, origin, "")
	case origin.field != "":
		origin.text = cmp.Or(origin.text, name)
		r.problemAt(origin, value, gone, upTo1_26)
	}
}

// evictionGate takes a feature gate of the node lifecycle controller, and tells whether it is one.
func (r *settingsResolver) evictionGate(name string, on bool, pair string, origin settingOrigin) bool {
	m := &r.effective.ControllerManager
	b := &m.Behaviors.NodeLifecycle
	switch name {
	case "TaintBasedEvictions":
		if !b.TaintBasedEvictionsGate && !on {
			r.problemAt(origin, pair, "is no value of a gate that is locked to true since 1.18", "true, or a version up to 1.17")
		}
		m.TaintBasedEvictions = on
	case "NodeControllerLeaseCircuitBreaker":
		if !b.NodeLeaseCircuitBreaker {
			r.problemAt(origin, pair, "is no gate of a kube-controller-manager before 1.37", "a version from 1.37 on, or nothing")
		}
		b.NodeLeaseCircuitBreaker = b.NodeLeaseCircuitBreaker && on
	default:
		return false
	}
	return true
}

// Names of controllers. The pod garbage collector has two, the second since 1.28.
const (
	taintEvictionController = "taint-eviction-controller"
	nodeLifecycleController = "node-lifecycle-controller"
	nodeLifecycleOldName    = "nodelifecycle" // up to 1.27, and an alias since
)

var podGCNames = []string{"podgc", "pod-garbage-collector-controller"}

// controllers resolves --controllers, by which taint eviction (since 1.29, when it became a controller of its own) and
// the pod garbage collector can be switched off. Upstream: genericcontrollermanager.IsControllerEnabled.
func (r *settingsResolver) controllers(spec, byFlag *ControllerManagerSpec, flags map[string]flagValue) {
	m := &r.effective.ControllerManager
	text, origin := managerSetting(r, "controllers", spec.Controllers, byFlag.Controllers, flags, "*")
	var list []string
	for _, name := range strings.Split(text, ",") {
		name = strings.TrimSpace(name)
		list = append(list, name)
		if strings.TrimPrefix(name, "-") == taintEvictionController && !m.Behaviors.TaintEviction.Separate {
			r.problemAt(origin, name, "is no controller of a kube-controller-manager before 1.29, where taint eviction is part of the node lifecycle controller",
				"a version from 1.29 on; up to 1.26 there is enable-taint-manager")
		}
	}
	r.warnControllers(list, origin)
	if !enabled(list, nodeLifecycleController, nodeLifecycleOldName) {
		r.problemAt(origin, text, "switches the node lifecycle controller off, and nothing here would look at the nodes", "a list with * or "+nodeLifecycleController)
	}
	m.TaintEvictionController = !m.Behaviors.TaintEviction.Separate || enabled(list, taintEvictionController)
	m.PodGCController = enabled(list, podGCNames...)
	r.setting("controllerManager.controllers", text, origin, "")
}

// warnControllers warns of names that switch nothing on or off here; upstream refuses those that no controller has.
func (r *settingsResolver) warnControllers(list []string, origin settingOrigin) {
	modelled := append([]string{"*", nodeLifecycleController, nodeLifecycleOldName, taintEvictionController, ""}, podGCNames...)
	for _, name := range list {
		if !slices.Contains(modelled, strings.TrimPrefix(name, "-")) {
			r.warnings = append(r.warnings, Warning{File: origin.file, Line: origin.line, Field: origin.field,
				Message: inputQuote(name) + " is no controller that can be switched here; it has no effect" + didYouMean(strings.TrimPrefix(name, "-"), modelled)})
		}
	}
}

// enabled tells whether a list of controllers, as the flag has it, switches on the one with these names.
func enabled(list []string, names ...string) bool {
	for _, name := range names {
		if slices.Contains(list, name) {
			return true
		}
		if slices.Contains(list, "-"+name) {
			return false
		}
	}
	return slices.Contains(list, "*")
}

// runsTaintEviction tells whether the controller runs that deletes the pods of nodes with NoExecute taints.
func (m *ControllerManager) runsTaintEviction() bool {
	if m.Behaviors.NodeLifecycle.PodEviction {
		return m.EnableTaintManager
	}
	return m.TaintEvictionController
}
