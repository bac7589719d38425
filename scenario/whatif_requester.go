package scenario

import (
	"slices"
	"strings"
	"time"

	"github.com/holter-sim/holter/traces"
)

// requester is who made a recorded request, as far as it matters here.
type requester uint8

const (
	somebodyElse  requester = iota
	theController           // the node lifecycle controller
	theInformers            // what it reads from, with the other controllers of its process
)

// requesterOf tells the requests of the node lifecycle controller and of the
// informers that it reads. Its client is called node-controller: that is the end
// of its user agent and, where kube-controller-manager runs with
// --use-service-account-credentials, its user as well; without it, all
// controllers have one user, and some of them write nodes too. Upstream:
// newNodeLifecycleController, and shared-informers in CreateControllerContext
// (cmd/kube-controller-manager/app, v1.36). The client of the IPAM controller
// has the same name; it writes nothing that tells of health.
func requesterOf(r *traces.AuditRecord) requester {
	const (
		account = "system:serviceaccount:kube-system:"
		client  = "node-controller"
	)
	product, _, _ := strings.Cut(r.UserAgent, "/")
	component := strings.TrimPrefix(r.UserAgent[strings.LastIndexByte(r.UserAgent, '/')+1:], account)
	manager := product == managerName || r.User == "system:"+managerName
	switch {
	case r.User == account+client:
		return theController
	case manager && component == "shared-informers":
		return theInformers
	case manager && component == client, r.User == "system:"+managerName && r.UserAgent == "":
		return theController
	}
	return somebodyElse
}

// informerStarts are the moments at which the controller's informers began: they
// then ask for the present state, whatever its version. One that goes on names
// the version that it goes on from.
type informerStarts struct {
	nodes, leases []time.Time
	first         time.Time // when the controller or its informers first asked for anything
}

// ask takes a request of the controller or its informers.
func (s *informerStarts) ask(r *traces.AuditRecord, by requester) {
	if s.first.IsZero() || r.Received.Before(s.first) {
		s.first = r.Received
	}
	if by != theInformers || !fromScratch(r) || r.Stage == "ResponseComplete" && r.Verb == "watch" {
		return
	}
	switch r.Resource {
	case "nodes":
		s.nodes = append(s.nodes, r.Received)
	case "leases":
		s.leases = append(s.leases, r.Received)
	}
}

// fromScratch tells a watch or list that begins with the present state from one
// that goes on.
func fromScratch(r *traces.AuditRecord) bool {
	_, query, _ := strings.Cut(r.URI, "?")
	version, streams := "", false
	for pair := range strings.SplitSeq(query, "&") {
		switch key, value, _ := strings.Cut(pair, "="); key {
		case "resourceVersion":
			version = value
		case "sendInitialEvents":
			streams = value == "true"
		}
	}
	return r.Verb == "watch" && streams && version == "" || r.Verb == "list" && version == "0"
}

// sameStart is within what time the informers of one process start. One that
// alone starts over does so because its watch expired.
const sameStart = 5 * time.Second

// processes are the starts of whole processes, in order.
func (s *informerStarts) processes() []time.Time {
	slices.SortFunc(s.nodes, time.Time.Compare)
	slices.SortFunc(s.leases, time.Time.Compare)
	var starts []time.Time
	for _, n := range s.nodes {
		for _, l := range s.leases {
			if n.Sub(l).Abs() > sameStart {
				continue
			}
			first := n
			if l.Before(n) {
				first = l
			}
			if len(starts) == 0 || first.Sub(starts[len(starts)-1]) > sameStart {
				starts = append(starts, first)
			}
		}
	}
	return starts
}

// split tells the start of the controller that was first at work, if the log
// has it, from those of its successors.
func (s *informerStarts) split() (start time.Time, seen bool, again []time.Time) {
	starts := s.processes()
	if len(starts) > 0 && starts[0].Sub(s.first) <= sameStart {
		return starts[0], true, starts[1:]
	}
	return time.Time{}, false, starts
}
