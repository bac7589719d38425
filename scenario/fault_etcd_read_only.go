package scenario

import (
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/sim"
)

// Why etcd takes no writes.
const (
	EtcdNoSpace  = "noSpace"  // its alarm NOSPACE: what would add to it is refused at once
	EtcdNoQuorum = "noQuorum" // most of its members are gone: a write is given up after 7 s
)

// EtcdReadOnlyFault has the API server's store take no writes.
type EtcdReadOnlyFault struct {
	Cause string `json:"cause"`
}

// etcdReadOnlyAction has writes fail as they do over an etcd that takes none.
// Reads and watches go on, as from the watch cache; that reads of the most
// recent state fail too without a quorum is not modelled.
//
// Upstream: etcd v3.6 server/etcdserver, applierV3Capped, which lets deletions
// pass, and Config.ReqTimeout, 5 s and two elections. The API server has no
// reason for either, and tells the text with 500: ErrorToAPIStatus (apiserver
// v0.36).
type etcdReadOnlyAction struct{ *EtcdReadOnlyFault }

func (a etcdReadOnlyAction) verb() string     { return "etcdReadOnly" }
func (a etcdReadOnlyAction) nodes() []string  { return nil }
func (a etcdReadOnlyAction) describe() string { return a.Cause }

func (a etcdReadOnlyAction) begin(c *Cluster) func() {
	rule := fakeapi.Rule{
		Name:    a.verb(),
		Match:   fakeapi.Match{Verbs: []string{"create", "update", "patch"}},
		Respond: etcdError("etcdserver: mvcc: database space exceeded"),
	}
	if a.Cause == EtcdNoQuorum {
		givenUp := sim.Fixed(7 * time.Second)
		rule.Match.Verbs, rule.Work, rule.Respond = writeVerbs(), &givenUp, etcdError("etcdserver: request timed out")
	}
	return c.server.Network().Add(rule)
}

func etcdError(text string) *metav1.Status {
	return &metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: text}
}
