package scenario

import (
	"fmt"
	"strconv"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/sim"
)

// APIServerSpec holds kube-apiserver flags by their own names, and how long it works; nil is "not set".
type APIServerSpec struct {
	MaxRequestsInflight         *int32 `json:"max-requests-inflight,omitempty"`
	MaxMutatingRequestsInflight *int32 `json:"max-mutating-requests-inflight,omitempty"`
	// EnablePriorityAndFairness cannot be true before 1.20.
	EnablePriorityAndFairness *bool `json:"enable-priority-and-fairness,omitempty"`

	// Work is how long the API server works on a request; zero is no time.
	Work DistSpec `json:"work,omitzero"`
}

// APIServer is what the kube-apiserver runs with.
type APIServer struct {
	// MaxRequestsInflight and MaxMutatingRequestsInflight are how many reads and writes are worked on at once, 0 being no
	// limit; with PriorityAndFairness their sum is shared out.
	MaxRequestsInflight, MaxMutatingRequestsInflight int32
	PriorityAndFairness                              bool
	// Work is how long a request is worked on; the zero Dist is no time, and then no limit is ever reached.
	Work sim.Dist
}

// apiServer resolves the flags of kube-apiserver. Upstream: ServerRunOptions.Validate (apiserver v0.36) refuses negative
// limits, and a sum of 0 with priority and fairness.
func (r *settingsResolver) apiServer() {
	spec, s := &r.scenario.Spec.APIServer, &r.effective.APIServer
	r.inflight("max-requests-inflight", &s.MaxRequestsInflight, spec.MaxRequestsInflight, fakeapi.DefaultMaxRequestsInflight)
	r.inflight("max-mutating-requests-inflight", &s.MaxMutatingRequestsInflight, spec.MaxMutatingRequestsInflight, fakeapi.DefaultMaxMutatingRequestsInflight)

	const enable = "enable-priority-and-fairness"
	origin, has := r.byDefault(), r.effective.Behaviors.APIServer.PriorityAndFairness
	s.PriorityAndFairness = has
	if given := spec.EnablePriorityAndFairness; given != nil {
		s.PriorityAndFairness, origin = *given, apiServerOrigin(enable)
		if *given && !has {
			r.problemAt(origin, "true", "is not in Kubernetes "+r.effective.KubernetesVersion, "false, or 1.20.0 or later")
		}
	}
	if s.PriorityAndFairness && s.MaxRequestsInflight+s.MaxMutatingRequestsInflight == 0 {
		r.problemAt(apiServerOrigin("max-mutating-requests-inflight"), "0", "leaves no requests to share out by priority and fairness: max-requests-inflight is 0 as well",
			"a limit over 0 for one of them, or enable-priority-and-fairness false")
	}
	r.setting("apiServer."+enable, strconv.FormatBool(s.PriorityAndFairness), origin, "")

	s.Work, _ = spec.Work.Dist() // Validate tells what is wrong with it
	work, origin := "no time", settingOrigin{source: "default"}
	if !s.Work.IsZero() {
		work, origin = s.Work.String(), apiServerOrigin("work")
	}
	r.setting("apiServer.work", work, origin, "")
}

// mostInflight keeps the sum of the limits, times their shares, a number.
const mostInflight = 1_000_000

func (r *settingsResolver) inflight(name string, into *int32, value *int32, fallback int32) {
	origin := r.byDefault()
	*into = fallback
	if value != nil {
		*into, origin = *value, apiServerOrigin(name)
	}
	if *into < 0 || *into > mostInflight {
		r.problemAt(origin, strconv.Itoa(int(*into)), inputOutside(*into < 0), fmt.Sprintf("a whole number from 0, which is no limit, to %d", mostInflight))
	}
	r.setting("apiServer."+name, strconv.Itoa(int(*into)), origin, "")
}

func apiServerOrigin(name string) settingOrigin {
	return settingOrigin{source: "spec.apiServer", field: "spec.apiServer." + name}
}

// flowControl is how the API server bounds what it works on.
func (s *APIServer) flowControl(b *Effective) *fakeapi.FlowControl {
	server := &b.Behaviors.APIServer
	return &fakeapi.FlowControl{
		MaxRequestsInflight:         int(s.MaxRequestsInflight),
		MaxMutatingRequestsInflight: int(s.MaxMutatingRequestsInflight),
		PriorityAndFairness:         s.PriorityAndFairness,
		NodeHigh:                    server.NodeHigh,
		AdaptiveRetryAfter:          server.AdaptiveRetryAfter,
		WaitsByDeadline:             server.QueueWaitByDeadline,
		Borrowing:                   server.Seats.Borrowed,
		ExemptTakesSeats:            server.Seats.ExemptCounts,
		Seats: fakeapi.SeatRules{
			Lists:         server.Seats.Lists,
			ListsByName:   server.Seats.ListsByName,
			Writes:        server.Seats.Writes,
			ByLevel:       server.Seats.ByLevel,
			InitialEvents: server.WatchList,
			LegacyWatches: server.Seats.LegacyWatches,
			FromCache:     server.ConsistentListFromCache,
			BySize:        server.Seats.BySize,
		},
	}
}
