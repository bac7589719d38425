package scenario

import (
	"fmt"

	"github.com/holter-sim/holter/fakeapi"
)

// setLatencies gives the requests of each entry their latency.
func (n *NetworkSpec) setLatencies(network *fakeapi.Network) error {
	var list []fakeapi.LatencyOf
	for _, entry := range n.Latencies {
		dist, err := entry.Dist()
		if err != nil {
			return err
		}
		var match fakeapi.Match
		if entry.Verb != "" {
			match.Verbs = []string{entry.Verb}
		}
		if entry.Resource != "" {
			match.Resources = []string{entry.Resource}
		}
		list = append(list, fakeapi.LatencyOf{Match: match, Latency: dist})
	}
	network.SetLatencyOf(list)
	return nil
}

// latencies judges spec.network.latencies.
func (v *scenarioValidator) latencies(path string, list []LatencySpec) {
	for i := range list {
		entry, at := &list[i], fmt.Sprintf("%s[%d]", path, i)
		if entry.Verb != "" {
			v.checkOneOf(at+".verb", entry.Verb, "verb of a request", requestVerbs())
		}
		if entry.Resource != "" {
			v.checkOneOf(at+".resource", entry.Resource, "resource of the model", requestResources())
		}
		if entry.IsZero() {
			v.add(missingValue(at, ": no latency is given", acceptedDist))
			continue
		}
		v.checkDist(at, entry.DistSpec)
	}
}
