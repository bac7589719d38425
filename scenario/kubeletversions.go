package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/holter-sim/holter/heartbeat/kubelet"
	"github.com/holter-sim/holter/heartbeat/version"
)

// What differs where groups of nodes have a version of their own.

// KubeletVersions are the versions of the kubelets, each once, in the order of the groups. A text that is no version is
// left out.
func (s *Scenario) KubeletVersions() []string {
	var list []string
	for i := range s.Spec.Nodes {
		v, err := version.Parse(s.kubeletVersion(i))
		if err == nil && !slices.Contains(list, v.String()) {
			list = append(list, v.String())
		}
	}
	return list
}

// kubeletVersion is the version of one group, as it is written.
func (s *Scenario) kubeletVersion(group int) string {
	return cmp.Or(s.Spec.Nodes[group].Version, s.Spec.KubernetesVersion)
}

// reportFrequencyOf is how often a kubelet of that version sends a status that has not changed: where nothing says it, the
// default is by version.
func (k *Kubelet) reportFrequencyOf(b *version.Behaviors) time.Duration {
	if k.reportByDefault {
		return b.Kubelet.NodeStatusReportFrequency
	}
	return k.NodeStatusReportFrequency
}

// noteKubeletVersions says of the settings that decide how soon a node is called Unknown where a group's version makes
// them others than they are in kubernetesVersion.
func (r *settingsResolver) noteKubeletVersions() {
	k := &r.effective.Kubelet
	var report, renewal []string
	for _, text := range r.scenario.KubeletVersions() {
		v, _ := version.Parse(text)
		b := version.Lookup(v)
		if text == r.effective.KubernetesVersion {
			continue
		}
		if d := k.reportFrequencyOf(&b); d != k.NodeStatusReportFrequency {
			report = append(report, fmt.Sprintf("%s on kubelets of %s", formatDuration(d), text))
		}
		if k.NodeLease != nil && b.Lease.NodeLeaseGate {
			b.Lease.NodeLease = *k.NodeLease
		}
		if !b.Lease.NodeLease {
			renewal = append(renewal, "no Leases on kubelets of "+text)
		} else if d := kubelet.RenewInterval(b.Lease.RenewInterval, k.NodeLeaseDuration, k.NodeStatusUpdateFrequency); d != k.RenewInterval {
			renewal = append(renewal, fmt.Sprintf("%s on kubelets of %s", formatDuration(d), text))
		}
	}
	r.note("kubelet.nodeStatusReportFrequency", report)
	r.note("kubelet.leaseRenewInterval", renewal)
}

// note adds to what is said of a setting.
func (r *settingsResolver) note(path string, texts []string) {
	for i := range r.effective.Settings {
		s := &r.effective.Settings[i]
		if s.Path == path && len(texts) > 0 {
			if s.Note != "" {
				texts = append([]string{s.Note}, texts...)
			}
			s.Note = strings.Join(texts, "; ")
		}
	}
}

// warnVersions finds faults that a node's kubelet is too old to show.
func (s *Scenario) warnVersions() []Warning {
	var list []Warning
	names := s.NodeNames()
	for i := range s.Spec.Faults {
		f := &s.Spec.Faults[i]
		for group := range names {
			v, err := version.Parse(s.kubeletVersion(group))
			if err != nil {
				break // which is refused
			}
			b := version.Lookup(v)
			struck := func(n *NodeFault) bool {
				return n != nil && (n.Node == EveryNode || slices.Contains(names[group], n.Node))
			}
			if struck(f.StorageError) && !b.Kubelet.StorageErrors {
				list = append(list, Warning{Field: fmt.Sprintf("spec.faults[%d].storageError", i), Message: fmt.Sprintf("changes nothing on kubelets of %s, which do not look at their storage before they are ready", v)})
			}
			if struck(f.Shutdown) && !b.Kubelet.GracefulNodeShutdown {
				list = append(list, Warning{Field: fmt.Sprintf("spec.faults[%d].shutdown", i), Message: fmt.Sprintf("kubelets of %s are not told that their machine shuts down: the nodes are ready until it is off", v)})
			}
		}
	}
	return list
}
