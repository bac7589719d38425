package scenario

import (
	"slices"
	"strconv"
	"strings"

	"github.com/holter-sim/holter/heartbeat/version"
)

// What of a kubelet's settings is about its clients, and the gate that makes Leases.

// ClientLimits are how many requests the two clients of a kubelet that are limited may send: a second, and at once.
// Heartbeats have a client without a limit.
type ClientLimits struct {
	KubeAPIQPS, KubeAPIBurst   int32
	EventRecordQPS, EventBurst int32
}

// clientLimits gives the defaults of a version (v1.36: SetDefaults_KubeletConfiguration).
func clientLimits(b *version.Behaviors) ClientLimits {
	qps, burst := int32(b.Kubelet.KubeAPIQPS), int32(b.Kubelet.KubeAPIBurst)
	return ClientLimits{KubeAPIQPS: qps, KubeAPIBurst: burst, EventRecordQPS: qps, EventBurst: burst}
}

// clientLimit is one of them: how it is called, where it is kept, and whether 0 is "not set", as it is for a burst.
type clientLimit struct {
	name      string
	of        func(*ClientLimits) *int32
	spec      func(*KubeletSpec) *int32
	zeroUnset bool
}

var kubeletClientLimits = []clientLimit{
	{"kubeAPIQPS", func(l *ClientLimits) *int32 { return &l.KubeAPIQPS }, func(s *KubeletSpec) *int32 { return s.KubeAPIQPS }, false},
	{"kubeAPIBurst", func(l *ClientLimits) *int32 { return &l.KubeAPIBurst }, func(s *KubeletSpec) *int32 { return s.KubeAPIBurst }, true},
	{"eventRecordQPS", func(l *ClientLimits) *int32 { return &l.EventRecordQPS }, func(s *KubeletSpec) *int32 { return s.EventRecordQPS }, false},
	{"eventBurst", func(l *ClientLimits) *int32 { return &l.EventBurst }, func(s *KubeletSpec) *int32 { return s.EventBurst }, true},
}

// clientLimits resolves them. What is not set is by each kubelet's own version. Upstream: ValidateKubeletConfiguration.
func (r *settingsResolver) clientLimits(spec KubeletSpec, config *kubeletConfigFile, byFlag KubeletSpec, flags map[string]flagValue) {
	k := &r.effective.Kubelet
	k.ClientLimits = clientLimits(&r.effective.Behaviors)
	for _, limit := range kubeletClientLimits {
		value, origin := firstSet(limit.name, limit.spec(&spec), limit.spec(&config.spec), config)
		if value != nil && *value == 0 && limit.zeroUnset {
			value = nil
		}
		if flag := limit.spec(&byFlag); flag != nil {
			value, origin = flag, flagOrigin(flags[limit.name])
		}
		if value == nil {
			origin = r.byDefault()
		} else {
			*limit.of(&k.ClientLimits) = *value
			k.limitsSet = append(k.limitsSet, limit.name)
		}
		number := *limit.of(&k.ClientLimits)
		if number < 0 {
			r.problemAt(origin, strconv.Itoa(int(number)), "is negative; the kubelet does not start with it", "a whole number from 0")
		}
		r.setting("kubelet."+limit.name, strconv.Itoa(int(number)), origin, "")
	}
}

// maxImages resolves nodeStatusMaxImages. Upstream: ValidateKubeletConfiguration.
func (r *settingsResolver) maxImages(spec KubeletSpec, config *kubeletConfigFile, byFlag KubeletSpec, flags map[string]flagValue) {
	value, origin := firstSet("nodeStatusMaxImages", spec.NodeStatusMaxImages, config.spec.NodeStatusMaxImages, config)
	if byFlag.NodeStatusMaxImages != nil {
		value, origin = byFlag.NodeStatusMaxImages, flagOrigin(flags["nodeStatusMaxImages"])
	}
	images := int32(defaultNodeStatusMaxImages)
	if value == nil {
		origin = r.byDefault()
	} else {
		images = *value
	}
	if images < -1 {
		r.problemAt(origin, strconv.Itoa(int(images)), "is too small; the kubelet does not start with it", "a whole number from 0, or -1 for all images")
	}
	r.effective.Kubelet.NodeStatusMaxImages = images
	r.setting("kubelet.nodeStatusMaxImages", strconv.Itoa(int(images)), origin, "")
}

const defaultNodeStatusMaxImages = 50

// limitsOf are the limits of a kubelet of that version.
func (k *Kubelet) limitsOf(b *version.Behaviors) ClientLimits {
	limits := clientLimits(b)
	for _, limit := range kubeletClientLimits {
		if slices.Contains(k.limitsSet, limit.name) {
			*limit.of(&limits) = *limit.of(&k.ClientLimits)
		}
	}
	return limits
}

// rotateCertificates resolves the one of that name.
func (r *settingsResolver) rotateCertificates(spec KubeletSpec, config *kubeletConfigFile, byFlag KubeletSpec, flags map[string]flagValue) {
	value, origin := firstSet("rotateCertificates", spec.RotateCertificates, config.spec.RotateCertificates, config)
	if byFlag.RotateCertificates != nil {
		value, origin = byFlag.RotateCertificates, flagOrigin(flags["rotateCertificates"])
	}
	if value == nil {
		origin = r.byDefault()
	}
	r.effective.Kubelet.RotateCertificates = value != nil && *value
	r.setting("kubelet.rotateCertificates", strconv.FormatBool(r.effective.Kubelet.RotateCertificates), origin, "")
}

// kubeletGates resolves the gate NodeLease, the one that is modelled, where the version has it. It takes effect in the
// behaviours, for every kubelet whose version lets it be set.
func (r *settingsResolver) kubeletGates(spec KubeletSpec, config *kubeletConfigFile) {
	written := func(s *KubeletSpec) *bool {
		if s.FeatureGates == nil {
			return nil
		}
		return s.FeatureGates.NodeLease
	}
	value, origin := firstSet("featureGates.NodeLease", written(&spec), written(&config.spec), config)
	if value == nil {
		return
	}
	if origin.file != "" {
		origin.line = config.lines["featureGates"]
	}
	lease := &r.effective.Behaviors.Lease
	if !lease.NodeLeaseGate && *value != lease.NodeLease {
		r.problemAt(origin, strconv.FormatBool(*value), nodeLeaseIsLocked, nodeLeaseAccepted)
		return
	}
	r.effective.Kubelet.NodeLease = value
	lease.NodeLease = *value
	r.setting("kubelet.featureGates.NodeLease", strconv.FormatBool(*value), origin, "")
}

const (
	nodeLeaseIsLocked = "is no value of a gate that is locked to true: Leases are not optional since 1.17"
	nodeLeaseAccepted = "true, or a version up to 1.16"
)

// managerGates reads --feature-gates. Without NodeLease the node lifecycle controller looks at no Lease; for the others
// that are modelled see evictionGate.
func (r *settingsResolver) managerGates(text *string, origin settingOrigin) {
	if text == nil {
		return
	}
	lease := &r.effective.ControllerManager.Behaviors.Lease
	for _, pair := range strings.Split(*text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
		on, err := strconv.ParseBool(strings.TrimSpace(value))
		switch {
		case strings.TrimSpace(pair) == "":
		case err != nil:
			r.problemAt(origin, pair, "is no gate with its value", "NAME=true or NAME=false, with commas between them")
		case r.evictionGate(name, on, pair, origin):
		case name != "NodeLease":
			r.warn(origin.field, "feature gate "+name+" is not modelled; it has its default here")
		case !lease.NodeLeaseGate && on != lease.NodeLease:
			r.problemAt(origin, pair, nodeLeaseIsLocked, nodeLeaseAccepted)
		default:
			lease.NodeLease = on
		}
	}
	r.setting("controllerManager.feature-gates", *text, origin, "")
}
