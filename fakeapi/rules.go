package fakeapi

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/sim"
)

// Rule is a fault or a latency for some calls.
//
// A partition is a rule with LoseRequest, LoseReply and HoldWatch that matches
// by client alone and has no Count. It silences whole connections, so its
// clients find them dead by an HTTP/2 ping, at most 45 s later: their watches
// end then, and requests without a timeout fail. After that they must dial,
// which takes 30 s to fail.
type Rule struct {
	Name  string // shows in Call.Fault
	Match Match

	// LoseRequest swallows requests as they arrive, LoseReply answers as they
	// are received: a write whose answer is lost has been committed. Either
	// way the client hears nothing until it gives up.
	LoseRequest, LoseReply bool

	// Respond is answered instead of handling the request, if it is not nil: a
	// 409, 429, 500 or 403, say. Its Code must be set. With RetryAfterSeconds
	// in its Details, and a Code of 429 or above 499, clients try again as
	// client-go does.
	Respond *metav1.Status

	// Work is how much longer the server works on matching requests, beyond
	// Options.Work: what an admission webhook takes, or a slow etcd.
	Work *sim.Dist

	// Latency replaces the one-way latency of requests, answers and watch events.
	Latency *sim.Dist

	// HoldWatch keeps matching watches from delivering anything. What is held
	// arrives when the rule is removed, in order.
	HoldWatch bool

	// Count is how many calls the rule touches at most; 0 is no limit.
	Count int
}

// Match says which calls a rule is for: those that match one entry of each list
// that is not empty.
type Match struct {
	Clients   []string // the client's name, or the part of it after the last "/"
	Verbs     []string // "create", "update", "patch", "get", "list", "watch", "delete"
	Resources []string // "leases", "nodes", "nodes/status"
	Names     []string // of the object; of a list or watch, that in metadata.name=
}

// rule is a Rule in force.
type rule struct {
	Rule
	clients map[string]bool // nil: any
	since   sim.Time
	used    int
}

func newRule(r Rule) *rule {
	out := &rule{Rule: r}
	if len(r.Match.Clients) > 0 {
		out.clients = make(map[string]bool, len(r.Match.Clients))
		for _, name := range r.Match.Clients {
			out.clients[name] = true
		}
	}
	return out
}

// severs reports whether the rule is a partition.
func (u *rule) severs() bool {
	m := &u.Match
	return u.LoseRequest && u.LoseReply && u.HoldWatch && u.Count == 0 &&
		len(m.Verbs) == 0 && len(m.Resources) == 0 && len(m.Names) == 0
}

// silence tells a request that was lost how its client finds out.
func (u *rule) silence(r *request) {
	if u.severs() {
		r.severed(u.since, dialTimeout, errDial)
	}
}

// touches reports whether the rule applies to a call, and counts the call when
// it does so for the first time.
func (u *rule) touches(r *request) bool {
	c := &r.call
	if !u.matches(r.client, c.Verb, r.resource, c.Name) {
		return false
	}
	if slices.Contains(r.touched, u) {
		return true
	}
	if u.Count > 0 && u.used >= u.Count {
		return false
	}
	u.used++
	r.touched = append(r.touched, u)
	switch {
	case c.Fault == "":
		c.Fault = u.Name
	case u.Name != "":
		c.Fault += "," + u.Name
	}
	return true
}

// matchesWatch reports whether the rule applies to a watch that is open.
func (u *rule) matchesWatch(w *Watch) bool {
	return u.matches(w.client, "watch", w.table.res.plural, w.sel.name)
}

func (u *rule) matches(c *Client, verb, resource, name string) bool {
	m := &u.Match
	return (u.clients == nil || u.clients[c.name] || u.clients[c.shortName]) &&
		oneOf(m.Verbs, verb) && oneOf(m.Resources, resource) && oneOf(m.Names, name)
}

// matches is that of a rule, for what is matched rarely or has few clients.
func (m *Match) matches(c *Client, verb, resource, name string) bool {
	return (len(m.Clients) == 0 || slices.Contains(m.Clients, c.name) || slices.Contains(m.Clients, c.shortName)) &&
		oneOf(m.Verbs, verb) && oneOf(m.Resources, resource) && oneOf(m.Names, name)
}

func oneOf(list []string, s string) bool { return len(list) == 0 || slices.Contains(list, s) }

// shortName is the part of a client's name after the last "/".
func shortName(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }
