package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/holter-sim/holter/heartbeat/kubelet"
	"github.com/holter-sim/holter/heartbeat/version"
)

// Effective is what the components run with: every default filled in, every derived interval worked out.
type Effective struct {
	KubernetesVersion string
	// Behaviors are those of KubernetesVersion.
	Behaviors         version.Behaviors
	Kubelet           Kubelet
	ControllerManager ControllerManager
	APIServer         APIServer
	Model             Model
	// Settings lists every value with where it came from, in the order to print them.
	Settings []Setting
}

// Setting is one effective value and its provenance.
type Setting struct {
	Path   string // as Set takes it: "kubelet.nodeStatusUpdateFrequency"
	Value  string
	Source string // "default 1.36", "spec.kubelet", "kubelet.yaml", "--node-status-update-frequency"
	Note   string // what is surprising about it, "" mostly
	// Derived is true for what follows from other settings alone; Set does not take its Path.
	Derived bool
}

// Kubelet is what each kubelet runs with.
type Kubelet struct {
	NodeStatusUpdateFrequency time.Duration
	// NodeStatusReportFrequency is that of kubernetesVersion; what was not set is otherwise in other versions.
	NodeStatusReportFrequency time.Duration
	reportByDefault           bool
	NodeLeaseDurationSeconds  int32
	NodeLeaseDuration         time.Duration
	// RenewInterval is a quarter of NodeLeaseDuration.
	RenewInterval time.Duration
	// HeartbeatTimeout is the client timeout of heartbeats, the lesser of NodeStatusUpdateFrequency and NodeLeaseDuration.
	HeartbeatTimeout time.Duration
	RegisterNode     bool
	// NodeStatusMaxImages is how many images a status lists at most; -1 is all.
	NodeStatusMaxImages int32
	// ClientLimits are those of kubernetesVersion; what was not set is otherwise in other versions.
	ClientLimits
	limitsSet []string
	// RotateCertificates: the kubelet gets itself new client certificates. It decides what a kubelet does to its
	// connections after failures, see version.Kubelet.
	RotateCertificates bool
	// NodeLease is the gate of that name, nil where it is not set.
	NodeLease *bool
}

// ControllerManager is what the node lifecycle controller runs with.
type ControllerManager struct {
	NodeMonitorGracePeriod    time.Duration
	NodeMonitorPeriod         time.Duration
	NodeStartupGracePeriod    time.Duration
	NodeEvictionRate          float32
	SecondaryNodeEvictionRate float32
	UnhealthyZoneThreshold    float32
	LargeClusterSizeThreshold int32
	// KubeAPIQPS and KubeAPIBurst are how many requests each of its clients may send, a second and at once. Under 0 a
	// second is no limit, and 0 is 5.
	KubeAPIQPS   float32
	KubeAPIBurst int32
	// EnableTaintManager and TaintBasedEvictions are true where they cannot be set. Where one is false, the node lifecycle
	// controller deletes the pods of a node that has been not ready for PodEvictionTimeout.
	EnableTaintManager  bool
	TaintBasedEvictions bool
	PodEvictionTimeout  time.Duration
	// TerminatedPodGCThreshold is how many pods that have ended the pod garbage collector leaves; all if it is not over 0.
	TerminatedPodGCThreshold int32
	// TaintEvictionController and PodGCController tell which controllers of those names run.
	TaintEvictionController, PodGCController bool
	// Behaviors are those of its version.
	Behaviors version.Behaviors
}

// Model is what the model itself costs.
type Model struct {
	MonitorPassCostPerNode time.Duration
}

// What is filled in where nothing is set; Kubernetes v1.36: pkg/kubelet/apis/config/v1beta1/defaults.go,
// pkg/controller/nodelifecycle/config/v1alpha1/defaults.go and the flags of kube-controller-manager.
const (
	defaultVersion = "1.36"

	defaultNodeStatusUpdateFrequency = 10 * time.Second
	defaultNodeLeaseDurationSeconds  = 40

	defaultNodeMonitorPeriod         = 5 * time.Second
	defaultNodeStartupGracePeriod    = 60 * time.Second
	defaultNodeEvictionRate          = 0.1
	defaultSecondaryNodeEvictionRate = 0.01
	defaultUnhealthyZoneThreshold    = 0.55
	defaultLargeClusterSizeThreshold = 50

	// A pass of the controller over one node, fitted from a recording of real components.
	defaultMonitorPassCostPerNode = 400 * time.Microsecond
)

// longestSetting bounds every duration of a setting, so that no sum of them leaves virtual time.
const longestSetting = 10 * 365 * 24 * time.Hour

// Effective works out what the components run with, as they do it themselves. Kubelet settings come, the later over the
// earlier, from the KubeletConfiguration file, spec.kubelet (as if edited into that file), the defaults, and the flags.
// The order matters for the one default that depends on another: where nodeStatusReportFrequency is not set it is 5m, but
// equal to nodeStatusUpdateFrequency where the configuration, not a flag, sets that. Every error is an *InputError.
func (s *Scenario) Effective() (Effective, error) {
	r := s.resolveSettings()
	if len(r.problems) > 0 {
		return Effective{}, r.problems[0]
	}
	return r.effective, nil
}

// settingsResolver works out the effective settings, and collects what is wrong and what is odd on the way.
type settingsResolver struct {
	scenario  *Scenario
	effective Effective
	warnings  []Warning
	problems  []*InputError
	origins   map[string]settingOrigin // by Setting.Path

	managerVersion string

	reportFollows bool // nodeStatusReportFrequency is what nodeStatusUpdateFrequency is
}

func (s *Scenario) resolveSettings() *settingsResolver {
	r := &settingsResolver{scenario: s, origins: map[string]settingOrigin{}}
	r.versions()
	r.requires()
	r.kubelet()
	r.controllerManager()
	r.apiServer()
	r.model()
	return r
}

// versions resolves what each component runs. A scenario without them is of defaultVersion.
func (r *settingsResolver) versions() {
	spec, e := &r.scenario.Spec, &r.effective
	v := r.parseVersion("spec.kubernetesVersion", spec.KubernetesVersion)
	e.KubernetesVersion, e.Behaviors = v.String(), version.Lookup(v)
	e.ControllerManager.Behaviors, r.managerVersion = e.Behaviors, v.String()
	if own := spec.ControllerManager.Version; own != "" {
		v := r.parseVersion("spec.controllerManager.version", own)
		e.ControllerManager.Behaviors, r.managerVersion = version.Lookup(v), v.String()
	}
	served := e.Behaviors.APIServer.WatchList // by the API server, which is of kubernetesVersion
	e.ControllerManager.Behaviors.Informer.WatchListInManager = e.ControllerManager.Behaviors.Informer.WatchListInManager && served
	e.Behaviors.Informer.WatchListInKubelet = e.Behaviors.Informer.WatchListInKubelet && served
	for i := range spec.Nodes {
		if own := spec.Nodes[i].Version; own != "" {
			r.parseVersion(fmt.Sprintf("spec.nodes[%d].version", i), own)
		}
	}
}

// requires checks that the versions have the behaviours that the scenario is about: the controller-manager's those of the
// controllers, and the oldest kubelets' the others.
func (r *settingsResolver) requires() {
	spec := &r.scenario.Spec
	for i, path := range spec.Requires {
		field := fmt.Sprintf("spec.requires[%d]", i)
		if !slices.Contains(version.Bools(), path) {
			r.problem(badValue(field, path, "is no behaviour that a version has or has not"+didYouMean(path, version.Bools()), "a path as holter versions prints it, as in Kubelet.DelayAfterNodeStatusChange"))
			continue
		}
		needed := []string{spec.KubernetesVersion}
		if controllers := []string{"NodeLifecycle", "TaintEviction", "PodGC"}; slices.Contains(controllers, strings.Split(path, ".")[0]) {
			needed = []string{r.managerVersion}
		} else {
			for _, group := range spec.Nodes {
				needed = append(needed, cmp.Or(group.Version, spec.KubernetesVersion))
			}
		}
		for _, text := range needed {
			v, err := version.Parse(text)
			if err != nil {
				continue // told already
			}
			var missing *version.MissingError
			if err := version.RequireFlag(v, path); errors.As(err, &missing) {
				r.problem(badValue(field, path, "is not in Kubernetes "+missing.Version.String(), missing.Releases()))
				break
			}
		}
	}
}

func (r *settingsResolver) parseVersion(field, text string) version.Version {
	v, err := version.Parse(text)
	var bad *version.ParseError
	if errors.As(err, &bad) {
		r.problem(badValue(field, text, bad.Problem, bad.Accepted))
		v, _ = version.Parse(defaultVersion)
	}
	return v
}

// settingOrigin is where a value was written.
type settingOrigin struct {
	source string // for Setting.Source
	file   string // "" for the scenario itself
	line   int
	field  string
	text   string // what was written, where that is more than the value
}

func (r *settingsResolver) kubelet() {
	spec, config := r.scenario.Spec.Kubelet, &kubeletConfigFile{}
	if text := r.scenario.Spec.KubeletConfig; text != "" {
		parsed, problems := parseKubeletConfig(text, r.scenario.kubeletConfigName())
		for _, p := range problems {
			r.problem(p)
		}
		if parsed == nil {
			return
		}
		config = parsed
		r.warnings = append(r.warnings, config.warnings...)
	} else if name := r.scenario.Spec.KubeletConfigFile; name != "" {
		r.problem(badValue("spec.kubeletConfigFile", name, "has not been read", "a scenario that was read with Load, or one with kubeletConfig"))
		return
	}
	var byFlag KubeletSpec
	flags, warnings, problems := kubeletFlagSet().parseFlags("spec.kubeletFlags", r.scenario.Spec.KubeletFlags, &byFlag)
	for _, p := range problems {
		r.problem(p)
	}
	r.warnings = append(r.warnings, warnings...)

	k := &r.effective.Kubelet
	r.statusFrequencies(spec, config, byFlag, flags)
	r.leaseDuration(spec, config)

	origin, register := r.byDefault(), true
	if value, from := firstSet("registerNode", spec.RegisterNode, config.spec.RegisterNode, config); value != nil {
		register, origin = *value, from
	}
	if byFlag.RegisterNode != nil {
		register, origin = *byFlag.RegisterNode, flagOrigin(flags["registerNode"])
	}
	k.RegisterNode = register
	r.setting("kubelet.registerNode", strconv.FormatBool(register), origin, "")

	r.maxImages(spec, config, byFlag, flags)
	r.clientLimits(spec, config, byFlag, flags)
	r.rotateCertificates(spec, config, byFlag, flags)
	r.kubeletGates(spec, config)

	lease := &r.effective.Behaviors.Lease
	k.RenewInterval = kubelet.RenewInterval(lease.RenewInterval, k.NodeLeaseDuration, k.NodeStatusUpdateFrequency)
	k.HeartbeatTimeout = k.NodeStatusUpdateFrequency
	if lease.NodeLease {
		k.HeartbeatTimeout = min(k.HeartbeatTimeout, k.NodeLeaseDuration)
	}
	r.derived("kubelet.leaseRenewInterval", k.RenewInterval, string(lease.RenewInterval))
	r.derived("kubelet.heartbeatTimeout", k.HeartbeatTimeout, "the lesser of nodeStatusUpdateFrequency and nodeLeaseDurationSeconds")
	r.noteKubeletVersions()
}

// statusFrequencies resolves the two that depend on each other, in the order of upstream's SetDefaults.
func (r *settingsResolver) statusFrequencies(spec KubeletSpec, config *kubeletConfigFile, byFlag KubeletSpec, flags map[string]flagValue) {
	k := &r.effective.Kubelet
	update, updateFrom := firstSet("nodeStatusUpdateFrequency", spec.NodeStatusUpdateFrequency, config.spec.NodeStatusUpdateFrequency, config)
	report, reportFrom := firstSet("nodeStatusReportFrequency", spec.NodeStatusReportFrequency, config.spec.NodeStatusReportFrequency, config)
	configured, isSet := durationIfSet(update)

	note := ""
	if d, ok := durationIfSet(report); ok {
		k.NodeStatusReportFrequency = d
		r.checkDuration(reportFrom, d, "would be no pause between reports")
	} else if isSet {
		k.NodeStatusReportFrequency, r.reportFollows = configured, true
		reportFrom = settingOrigin{source: "nodeStatusUpdateFrequency"}
		note = fmt.Sprintf("not set, and nodeStatusUpdateFrequency is, so it is the same; the default %s holds only where neither is set",
			formatDuration(r.effective.Behaviors.Kubelet.NodeStatusReportFrequency))
	} else {
		k.NodeStatusReportFrequency, k.reportByDefault, reportFrom = r.effective.Behaviors.Kubelet.NodeStatusReportFrequency, true, r.byDefault()
	}

	switch {
	case byFlag.NodeStatusUpdateFrequency != nil:
		flag := flags["nodeStatusUpdateFrequency"]
		k.NodeStatusUpdateFrequency, updateFrom = byFlag.NodeStatusUpdateFrequency.Duration, flagOrigin(flag)
		if isSet && configured != k.NodeStatusUpdateFrequency {
			r.warn(flag.path, fmt.Sprintf("--%s=%s wins over nodeStatusUpdateFrequency: %s of the configuration", flag.name, flag.value, formatDuration(configured)))
		}
	case isSet:
		k.NodeStatusUpdateFrequency = configured
	default:
		k.NodeStatusUpdateFrequency, updateFrom = defaultNodeStatusUpdateFrequency, r.byDefault()
	}
	r.checkPeriod(updateFrom, k.NodeStatusUpdateFrequency)
	r.setting("kubelet.nodeStatusUpdateFrequency", formatDuration(k.NodeStatusUpdateFrequency), updateFrom, "")
	r.setting("kubelet.nodeStatusReportFrequency", formatDuration(k.NodeStatusReportFrequency), reportFrom, note)
}

func (r *settingsResolver) leaseDuration(spec KubeletSpec, config *kubeletConfigFile) {
	seconds, origin := int32(defaultNodeLeaseDurationSeconds), r.byDefault()
	value, from := firstSet("nodeLeaseDurationSeconds", spec.NodeLeaseDurationSeconds, config.spec.NodeLeaseDurationSeconds, config)
	if value != nil && *value != 0 {
		seconds, origin = *value, from
	}
	if seconds < 0 {
		r.problemAt(origin, strconv.Itoa(int(seconds)), "is negative", "a whole number of seconds from 1; 0 is the default, 40")
		return
	}
	k := &r.effective.Kubelet
	k.NodeLeaseDurationSeconds, k.NodeLeaseDuration = seconds, time.Duration(seconds)*time.Second
	r.setting("kubelet.nodeLeaseDurationSeconds", strconv.Itoa(int(seconds)), origin, "")
}

// noPause is what is wrong with a loop whose period is 0.
const noPause = "would have the loop run without pause"

// shortestPeriod bounds the periods of loops. No component is run with less, and a simulation of nanoseconds would not
// come to an end.
const shortestPeriod = time.Millisecond

// byDefault is the origin of what nobody has set.
func (r *settingsResolver) byDefault() settingOrigin {
	return settingOrigin{source: "default " + r.effective.KubernetesVersion}
}

// firstSet gives the value of spec.kubelet if it is set there, else that of the KubeletConfiguration file.
func firstSet[T any](name string, spec, config *T, file *kubeletConfigFile) (*T, settingOrigin) {
	if spec != nil {
		return spec, settingOrigin{source: "spec.kubelet", field: "spec.kubelet." + name}
	}
	return config, settingOrigin{source: file.file, file: file.file, line: file.lines[name], field: name}
}

func flagOrigin(flag flagValue) settingOrigin {
	return settingOrigin{source: "--" + flag.name, field: flag.path, text: "--" + flag.name + "=" + flag.value}
}

func (r *settingsResolver) setting(path, value string, origin settingOrigin, note string) {
	r.effective.Settings = append(r.effective.Settings, Setting{Path: path, Value: value, Source: origin.source, Note: note})
	r.origins[path] = origin
}

func (r *settingsResolver) derived(path string, value time.Duration, source string) {
	r.effective.Settings = append(r.effective.Settings, Setting{Path: path, Value: formatDuration(value), Source: source, Derived: true})
}

// checkDuration has a duration lie between 0 and longestSetting; ifZero says what is wrong with 0, "" for nothing.
func (r *settingsResolver) checkDuration(origin settingOrigin, d time.Duration, ifZero string) {
	accepted := "a duration over 0s, up to 87600h"
	if ifZero == "" {
		accepted = "a duration from 0s to 87600h"
	}
	switch {
	case d < 0:
		r.problemAt(origin, formatDuration(d), "is negative", accepted)
	case d == 0 && ifZero != "":
		r.problemAt(origin, formatDuration(d), ifZero, accepted)
	case d > longestSetting:
		r.problemAt(origin, formatDuration(d), "is too long", accepted)
	}
}

// checkPeriod has the period of a loop lie between shortestPeriod and longestSetting.
func (r *settingsResolver) checkPeriod(origin settingOrigin, d time.Duration) {
	const accepted = "a duration from 1ms to 87600h"
	switch {
	case d < 0:
		r.problemAt(origin, formatDuration(d), "is negative", accepted)
	case d == 0:
		r.problemAt(origin, formatDuration(d), noPause, accepted)
	case d < shortestPeriod:
		r.problemAt(origin, formatDuration(d), "is too short for the period of a loop: the run would do nothing else", accepted)
	case d > longestSetting:
		r.problemAt(origin, formatDuration(d), "is too long", accepted)
	}
}

func (r *settingsResolver) problemAt(origin settingOrigin, value, problem, accepted string) {
	if origin.text != "" {
		value = origin.text
	}
	e := badValue(origin.field, value, problem, accepted)
	e.File, e.Line = origin.file, origin.line
	r.problem(e)
}

func (r *settingsResolver) problem(e *InputError) {
	r.problems = append(r.problems, r.scenario.origin.located(e))
}

func (r *settingsResolver) warn(field, message string) {
	r.warnings = append(r.warnings, Warning{Field: field, Message: message})
}
