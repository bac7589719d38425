package scenario

import (
	"fmt"

	"github.com/holter-sim/holter/heartbeat/version"
)

// warnSkew finds components whose versions are further apart than Kubernetes supports: kubelets no newer than the API
// server and at most three minor versions older (two, for kubelets before 1.25), a controller-manager no newer and at most
// one older. Upstream: the version skew policy. They are simulated all the same.
func (s *Scenario) warnSkew() []Warning {
	server, err := version.Parse(s.Spec.KubernetesVersion)
	if err != nil {
		return nil // which is refused
	}
	var list []Warning
	check := func(field, what, text string, behind func(v version.Version) int) {
		v, err := version.Parse(text)
		if text == "" || err != nil {
			return
		}
		switch most := behind(v); {
		case v.Minor > server.Minor:
			list = append(list, Warning{Field: field, Message: fmt.Sprintf("%s of %s is newer than its API server of %s, which Kubernetes does not support", what, v, server)})
		case server.Minor-v.Minor > most:
			list = append(list, Warning{Field: field, Message: fmt.Sprintf("%s of %s is %d minor versions older than its API server of %s, and Kubernetes supports %d", what, v, server.Minor-v.Minor, server, most)})
		}
	}
	for i := range s.Spec.Nodes {
		check(fmt.Sprintf("spec.nodes[%d].version", i), "a kubelet", s.Spec.Nodes[i].Version, func(v version.Version) int {
			if v.Minor < 25 {
				return 2
			}
			return 3
		})
	}
	check("spec.controllerManager.version", "a controller-manager", s.Spec.ControllerManager.Version, func(version.Version) int { return 1 })
	return list
}
