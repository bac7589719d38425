package scenario

import "github.com/holter-sim/holter/fakeapi"

// WebhookFault has the API server work longer on the requests it matches, writes where no verbs are given.
type WebhookFault struct {
	DistSpec      `json:",inline"`
	RequestTarget `json:",inline"`
}

// webhookAction is an admission webhook that takes its time: what it is asked
// about is committed after it has answered, if anybody waits for that still.
type webhookAction struct{ *WebhookFault }

func (a webhookAction) verb() string    { return "webhook" }
func (a webhookAction) nodes() []string { return a.Nodes }

func (a webhookAction) describe() string {
	dist, err := a.Dist()
	if err != nil {
		return err.Error()
	}
	return dist.String()
}

func (a webhookAction) begin(c *Cluster) func() {
	dist, err := a.Dist()
	if err != nil {
		panic(err) // Validate has refused it
	}
	match := a.match(c)
	if len(match.Verbs) == 0 {
		match.Verbs = writeVerbs()
	}
	return c.server.Network().Add(fakeapi.Rule{Name: a.verb(), Match: match, Work: &dist})
}

// writeVerbs are those that change what is stored.
func writeVerbs() []string {
	return []string{"create", "update", "patch", "delete", "deletecollection"}
}
