package traces

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// modelRequest draws a request as the model makes them: times from the start on, actors and objects of a cluster.
func modelRequest() *rapid.Generator[Event] {
	return rapid.Custom(func(t *rapid.T) Event {
		node := fmt.Sprintf("node-%d", rapid.IntRange(0, 99).Draw(t, "node"))
		ev := Event{
			Kind: KindRequest, Seq: uint64(rapid.IntRange(1, 1e6).Draw(t, "seq")),
			Sent:   time.Duration(rapid.Int64Range(0, 1e9).Draw(t, "sent")) * time.Microsecond,
			Actor:  rapid.SampledFrom([]string{"kubelet/" + node, "kube-controller-manager", "writer/" + node, "x y"}).Draw(t, "actor"),
			Verb:   rapid.SampledFrom([]string{"get", "watch", "create", "update", "patch", "delete"}).Draw(t, "verb"),
			Detail: rapid.SampledFrom([]string{"", "Panic", "client gave up"}).Draw(t, "detail"),
		}
		if ev.Verb == "watch" && rapid.Bool().Draw(t, "started") {
			ev.Detail = "ResponseStarted"
		}
		ev.At = ev.Sent + time.Duration(rapid.Int64Range(0, 1e7).Draw(t, "took"))*time.Microsecond
		if rapid.Bool().Draw(t, "answered") {
			ev.Code = rapid.SampledFrom([]int{200, 201, 404, 409, 500, 504}).Draw(t, "code")
			ev.ResourceVersion = rapid.StringMatching(`([1-9][0-9]{0,6})?`).Draw(t, "rv")
		}
		if ev.Code >= 400 {
			ev.Reason = rapid.SampledFrom([]string{"NotFound", "Conflict", ""}).Draw(t, "reason")
		}
		switch rapid.IntRange(0, 2).Draw(t, "resource") {
		case 0:
			ev.Resource, ev.Namespace, ev.Name, ev.Node = "leases", "kube-node-lease", node, node
			ev.RenewTime = "2026-01-01T00:01:54.999210Z"
			if rapid.Bool().Draw(t, "body") {
				ev.Body = leaseBody(node, ev.RenewTime)
			}
		case 1:
			ev.Resource, ev.Name, ev.Node = "nodes/status", node, node
			ev.Body = json.RawMessage(`{"status":{"conditions":[{"type":"Ready","message":"\u003cnone> \"é\""}]}}`)
		case 2:
			ev.Resource, ev.Namespace, ev.Name, ev.Node = "pods", "default", "web-1", node
			ev.Body = json.RawMessage(`{"spec":{"nodeName":"` + node + `"}}`)
		}
		return ev
	})
}

func TestRequestsSurviveTheAuditLog(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		ev := modelRequest().Draw(t, "ev")
		rec, ok := ev.ToAudit(start)
		require.True(t, ok)
		line, err := rec.MarshalJSON()
		require.NoError(t, err)
		require.NotContains(t, string(line), "\n")
		records, _, err := read(line, AuditOptions{Strict: true})
		require.NoError(t, err)
		require.Len(t, records, 1)
		got := records[0].ToEvent(start)
		require.Equal(t, rec.ID, records[0].ID)

		want := ev
		want.Seq = 0
		if want.Body == nil && want.RenewTime != "" {
			want.Body = leaseBody(ev.Name, ev.RenewTime)
		}
		require.Equal(t, want, got)
	})
}

func TestOnlyRequestsHaveAnAuditEvent(t *testing.T) {
	ev := wentUnknown()
	_, ok := ev.ToAudit(recordedStart())
	require.False(t, ok)
}

// TestAuditEventsAreWhatKubernetesToolsRead pins the line, since no Kubernetes type is imported here to decode it.
func TestAuditEventsAreWhatKubernetesToolsRead(t *testing.T) {
	ev := lostRenewal()
	ev.Seq = 17
	rec, _ := ev.ToAudit(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	line, err := json.Marshal(rec)
	require.NoError(t, err)
	require.Equal(t, `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse",`+
		`"auditID":"00000000-0000-4000-8000-000000000011","stage":"ResponseComplete",`+
		`"requestURI":"/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-1","verb":"update",`+
		`"user":{"username":"system:node:node-1","groups":["system:nodes","system:authenticated"]},`+
		`"userAgent":"holter/kubelet/node-1","objectRef":{"resource":"leases","namespace":"kube-node-lease",`+
		`"name":"node-1","apiGroup":"coordination.k8s.io","apiVersion":"v1"},`+
		`"responseStatus":{"metadata":{},"status":"Failure","reason":"Conflict","code":409},`+
		`"requestObject":{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"node-1",`+
		`"namespace":"kube-node-lease"},"spec":{"renewTime":"2026-01-01T00:01:54.999210Z"}},`+
		`"responseObject":{"metadata":{"resourceVersion":"1234"}},`+
		`"requestReceivedTimestamp":"2026-01-01T00:01:54.999210Z","stageTimestamp":"2026-01-01T00:01:55.003210Z"}`,
		string(line))
}

// TestARealLogSurvivesBeingWrittenAgain holds the writer against lines of kube-apiserver: all that is read of them is
// read of ours.
func TestARealLogSurvivesBeingWrittenAgain(t *testing.T) {
	records, _, err := read(recordedLog(t), AuditOptions{Strict: true})
	require.NoError(t, err)
	var log bytes.Buffer
	for i := range records {
		line, err := records[i].MarshalJSON()
		require.NoError(t, err)
		log.Write(append(line, '\n'))
	}
	again, _, err := read(log.Bytes(), AuditOptions{Strict: true})
	require.NoError(t, err)
	require.Equal(t, records, again)
}

func TestActorsAreKnownByTheirUserOrAgent(t *testing.T) {
	lease := AuditRecord{Resource: "leases", Namespace: "kube-node-lease", Name: "node-1"}
	for _, c := range []struct{ user, agent, want string }{
		{"system:node:ip-10-0-0-1", "kubelet/v1.33.1 (linux/amd64) kubernetes/abc", "kubelet/ip-10-0-0-1"},
		{"admin", "hollow-kubelet", "kubelet/node-1"},
		{"admin", "kubelet/v1.33.1", "kubelet/node-1"},
		{"system:serviceaccount:kube-system:node-controller", "kube-controller-manager/v1.36.3 (linux/amd64) kubernetes/abc/system:serviceaccount:kube-system:node-controller", "kube-controller-manager"},
		{"admin", "kubectl/v1.36.3 (linux/amd64) kubernetes/abc", "kubectl"},
		{"somebody", "", "somebody"},
		{"whoever", "holter/writer/node-0", "writer/node-0"},
	} {
		r := lease
		r.User, r.UserAgent = c.user, c.agent
		require.Equal(t, c.want, r.Actor())
	}
	r := AuditRecord{Resource: "services", UserAgent: "kubelet/v1.36.3"}
	require.Equal(t, "kubelet", r.Actor())
}

func TestTheNodeOfARequestIsFound(t *testing.T) {
	for want, r := range map[string]AuditRecord{
		"node":     {Resource: "nodes", Subresource: "status", Name: "node"},
		"owner":    {Resource: "leases", Namespace: "kube-node-lease", Name: "owner"},
		"":         {Resource: "leases", Namespace: "kube-system", Name: "election"},
		"bound":    {Resource: "pods", ResponseObject: json.RawMessage(`{"spec":{"nodeName":"bound"}}`)},
		"watched":  {Resource: "pods", Verb: "watch", URI: "/api/v1/pods?fieldSelector=spec.nodeName%3Dwatched&watch=true"},
		"last":     {Resource: "pods", Verb: "list", URI: "/api/v1/pods?limit=500&fieldSelector=spec.nodeName%3Dlast"},
		"involved": {Resource: "events", Object: json.RawMessage(`{"involvedObject":{"kind":"Node","name":"involved"}}`)},
		"asking":   {Resource: "secrets", User: "system:node:asking"},
	} {
		require.Equal(t, want, r.Node())
	}
}
