package scenario

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/traces"
)

func TestTheControllerIsKnownByItsClientInEveryCluster(t *testing.T) {
	const agent = "kube-controller-manager/v1.36.3 (linux/amd64) kubernetes/abcdef0/"
	for _, who := range []struct {
		user, agent string
		want        requester
	}{
		{"system:serviceaccount:kube-system:node-controller", agent + "system:serviceaccount:kube-system:node-controller", theController},
		{"system:serviceaccount:kube-system:node-controller", "k3s/v1.36.1+k3s1 (linux/amd64) k3s/abcdef0/system:serviceaccount:kube-system:node-controller", theController},
		{"system:kube-controller-manager", agent + "node-controller", theController},
		{"system:kube-controller-manager", agent + "shared-informers", theInformers},
		{"admin", agent + "node-controller", theController}, // one credential for all, as in a test cluster
		{"admin", agent + "shared-informers", theInformers},
		{"system:kube-controller-manager", "", theController}, // agents are sometimes redacted
		{"system:kube-controller-manager", agent + "leader-election", somebodyElse},
		{"system:kube-controller-manager", agent + "ttl-controller", somebodyElse},
		{"system:serviceaccount:kube-system:attachdetach-controller", agent + "system:serviceaccount:kube-system:attachdetach-controller", somebodyElse},
		{"system:serviceaccount:kube-system:ttl-controller", agent + "system:serviceaccount:kube-system:ttl-controller", somebodyElse},
		{"system:serviceaccount:kube-system:generic-garbage-collector", agent + "system:serviceaccount:kube-system:generic-garbage-collector", somebodyElse},
		{"system:cloud-controller-manager", "cloud-controller-manager/v1.36.3 (linux/amd64) kubernetes/abcdef0/shared-informers", somebodyElse},
		{"system:serviceaccount:kube-system:cloud-node-lifecycle-controller", "aws-cloud-controller-manager/v1.36.0 (linux/amd64) kubernetes/abcdef0", somebodyElse},
		{"system:node:node-1", "kubelet/v1.36.3 (linux/amd64) kubernetes/abcdef0", somebodyElse},
		{"alice", "kubectl/v1.36.3 (linux/amd64) kubernetes/abcdef0", somebodyElse},
		{"node-controller", "node-controller", somebodyElse},
		{"", "", somebodyElse},
	} {
		require.Equal(t, who.want, requesterOf(&traces.AuditRecord{User: who.user, UserAgent: who.agent}), "%s %s", who.user, who.agent)
	}
}

// twoNodes are node-1, which is silent from 100 s to 180 s, and node-2, which
// is well all the time, as the log of a cluster that has been there for long.
func twoNodes() []traces.AuditRecord {
	return slices.Concat(
		renewals("node-1", 1, 100), renewals("node-1", 180, 300), renewals("node-2", 2, 300),
		[]traces.AuditRecord{
			status("node-1", 20, "True"), status("node-2", 21, "True"),
			asController(status("node-1", 143, "Unknown")),
			status("node-1", 181, "True"),
		},
	)
}

func ask(t *testing.T, records []traces.AuditRecord) (*Recording, *WhatIf, *Baseline) {
	t.Helper()
	r := readRecording(t, writeLog(t, records))
	w := whatIf(t, r, nil)
	return r, w, baseline(t, w)
}

// whats are the changes of one node, without the domain of their taints.
func whats(changes []Change, node string) []string {
	list := []string{}
	for _, c := range changes {
		if c.Node == node {
			list = append(list, strings.ReplaceAll(c.What, "node.kubernetes.io/", ""))
		}
	}
	return list
}

func TestALogOfServiceAccountsIsReplayed(t *testing.T) {
	r, w, b := ask(t, twoNodes())
	require.Empty(t, r.Warnings)
	require.Equal(t, []string{"node-1", "node-2"}, r.Nodes)
	require.Equal(t, 1, b.Reproduced)
	require.Equal(t, "node-1", w.Fit().On.Node)
	require.Empty(t, b.Missed)
	require.Equal(t, []string{"+unreachable:NoSchedule", "+unreachable:NoExecute", "-unreachable:NoSchedule", "-unreachable:NoExecute"}, whats(b.Phantom, "node-1"),
		"taints that this log has not got")
	require.Empty(t, whats(b.Phantom, "node-2"))
}

func TestALogWithoutRenewalsSaysWhatIsMissing(t *testing.T) {
	var records []traces.AuditRecord
	for _, r := range twoNodes() {
		if r.Resource != "leases" {
			records = append(records, r)
		}
	}
	r, _, b := ask(t, records)
	require.Len(t, r.Warnings, 1)
	require.Contains(t, r.Warnings[0], "no renewal of a Lease in kube-node-lease is in the log: every node looks dead")
	require.Contains(t, r.Warnings[0], "add to the audit policy, above any rule that drops them: {level: Metadata, namespaces: [kube-node-lease]")
	require.NotEmpty(t, whats(b.Phantom, "node-2"), "as the warning says")
}

func TestALogThatLacksOneNodesRenewalsNamesTheNode(t *testing.T) {
	var records []traces.AuditRecord
	for _, r := range twoNodes() {
		if r.Resource != "leases" || r.Name != "node-2" {
			records = append(records, r)
		}
	}
	r, _, _ := ask(t, records)
	require.Len(t, r.Warnings, 1)
	require.Contains(t, r.Warnings[0], "no renewal of the Lease of node-2 is in the log")
	require.Contains(t, r.Warnings[0], "give the logs of all of them")
}

func TestALogOfLeasesAloneTakesEveryNodeForReady(t *testing.T) {
	r, _, b := ask(t, slices.Concat(renewals("node-1", 1, 60), renewals("node-1", 150, 200), renewals("node-2", 2, 200)))
	require.Len(t, r.Warnings, 2)
	require.Contains(t, r.Warnings[0], "no status of a node is in the log: the model takes every node for ready; add to the audit policy: {level: RequestResponse,")
	require.Contains(t, r.Warnings[1], "no request of kube-controller-manager is in the log")
	require.Contains(t, whats(b.Phantom, "node-1"), "Ready=Unknown")
	require.Empty(t, whats(b.Phantom, "node-2"))
}

func TestARestartOfTheControllerIsSaid(t *testing.T) {
	start := func(second float64) []traces.AuditRecord {
		return []traces.AuditRecord{informerWatch("nodes", second), informerWatch("leases", second+0.2)}
	}
	r, _, _ := ask(t, slices.Concat(twoNodes(), start(0.5)))
	require.True(t, r.ControllerSeen)
	require.Equal(t, 500*time.Millisecond, r.ControllerStart)
	require.Empty(t, r.Warnings)

	r, _, _ = ask(t, slices.Concat(twoNodes(), start(0.5), start(200)))
	require.Equal(t, 500*time.Millisecond, r.ControllerStart)
	require.Len(t, r.Warnings, 1)
	require.Contains(t, r.Warnings[0], "kube-controller-manager started again at 2026-11-21T09:12:32Z")

	r, _, _ = ask(t, slices.Concat(twoNodes(), []traces.AuditRecord{asController(status("node-2", 3, "Unknown"))}, start(200)))
	require.False(t, r.ControllerSeen, "the one that was first at work had started before the log")
	require.Len(t, r.Warnings, 1)

	r, _, _ = ask(t, slices.Concat(twoNodes(), start(0.5), []traces.AuditRecord{informerWatch("leases", 200)}))
	require.Empty(t, r.Warnings, "one informer that starts over is no restart")
}

// Somebody who writes a node back sends what the recorded controller had made
// of it: that must not reach the model by the back door.
func TestWhatOthersWriteBackOfTheControllersIsNotFed(t *testing.T) {
	const unreachable = `{"key":"node.kubernetes.io/unreachable","effect":"NoExecute"},{"key":"node.kubernetes.io/unreachable","effect":"NoSchedule"}`
	cni := patched("node-2", 40, "cni", `{"status":{"conditions":[{"type":"NetworkUnavailable","status":"False"},{"type":"Ready","status":"Unknown","lastHeartbeatTime":"2026-11-21T09:09:33Z"}]}}`)
	cni.Subresource = "status"
	stale := patched("node-2", 41, "npd", `{"status":{"conditions":[{"type":"Ready","status":"True","lastHeartbeatTime":"2026-11-21T09:09:33Z"}]}}`)
	stale.Subresource = "status"
	drain := patched("node-2", 42, "kubectl", `{"spec":{"unschedulable":true,"taints":[`+unreachable+`,{"key":"drain","effect":"NoSchedule"}]}}`)
	autoscaler := patched("node-2", 43, "cluster-autoscaler", `{"metadata":{"labels":{"topology.kubernetes.io/zone":"a"}},"spec":{"taints":[`+unreachable+`,{"key":"ToBeDeleted","effect":"NoSchedule"}]},"status":{"conditions":[{"type":"Ready","status":"Unknown"}]}}`)
	autoscaler.Verb = "update"
	uncordon := patched("node-2", 60, "kubectl", `{"spec":{"unschedulable":null,"taints":null}}`)
	jsonPatch := patched("node-2", 61, "karpenter", `[{"op":"add","path":"/spec/taints","value":[`+unreachable+`]}]`)

	r, w, b := ask(t, slices.Concat(twoNodes(), []traces.AuditRecord{cni, stale, drain, autoscaler, uncordon, jsonPatch}))
	require.Empty(t, r.Warnings)
	require.Empty(t, whats(b.Phantom, "node-2"))
	require.Equal(t, 1, b.Reproduced)
	for _, tr := range w.before.transitions {
		require.Equal(t, "node-1", tr.Node)
	}
	for i := range r.Writes {
		if n := r.Writes[i].write; n != nil && n.report {
			require.Contains(t, []time.Duration{20 * time.Second, 21 * time.Second, 181 * time.Second}, r.Writes[i].At()+r.Start.Sub(recordingStart()))
		}
	}
}

// The model's own taints stay through other people's changes of the list.
func TestTheModelsTaintsOutliveOtherPeoplesChanges(t *testing.T) {
	cordon := patched("node-1", 160, "kubectl", `{"spec":{"unschedulable":true,"taints":[{"key":"mine","effect":"NoSchedule"}]}}`)
	_, _, b := ask(t, append(twoNodes(), cordon))
	require.Equal(t, []string{"+unreachable:NoSchedule", "+unreachable:NoExecute", "-unreachable:NoSchedule", "-unreachable:NoExecute"}, whats(b.Phantom, "node-1"))
}

func TestADeletedNodeIsWatchedNoMore(t *testing.T) {
	gone := slices.Concat(renewals("node-3", 3, 100), []traces.AuditRecord{status("node-3", 22, "True"), deleted("nodes", "node-3", 105), deleted("leases", "node-3", 106)})
	_, _, b := ask(t, slices.Concat(twoNodes(), gone))
	require.Empty(t, whats(b.Phantom, "node-3"))

	again := slices.Concat([]traces.AuditRecord{created("node-3", 200)}, renewals("node-3", 201, 220), []traces.AuditRecord{status("node-3", 202, "True")})
	_, w, b := ask(t, slices.Concat(twoNodes(), gone, again))
	require.Equal(t, []string{"-not-ready:NoSchedule", "Ready=Unknown", "+unreachable:NoSchedule", "+unreachable:NoExecute"}, whats(b.Phantom, "node-3"),
		"a new node of that name is another")
	require.Len(t, w.recording.Nodes, 3)
}

func TestANodeThatAFinalizerKeepsIsThereUntilItGoes(t *testing.T) {
	kept := deleted("nodes", "node-3", 105)
	kept.Level, kept.ResponseObject = "RequestResponse", json.RawMessage(`{"kind":"Node","metadata":{"deletionTimestamp":"2026-11-21T09:10:57Z","finalizers":["karpenter.sh/termination"]}}`)
	released := patched("node-3", 170, "karpenter", `{"metadata":{"finalizers":null}}`)
	released.Level, released.ResponseObject = "RequestResponse", json.RawMessage(`{"kind":"Node","metadata":{"deletionTimestamp":"2026-11-21T09:10:57Z"}}`)
	node := slices.Concat(renewals("node-3", 3, 100), []traces.AuditRecord{status("node-3", 22, "True"), kept, released})
	_, _, b := ask(t, slices.Concat(twoNodes(), node))
	require.Contains(t, whats(b.Phantom, "node-3"), "Ready=Unknown", "silent for over 50 s before it goes")
	require.NotContains(t, whats(b.Phantom, "node-3"), "-unreachable:NoExecute")
}

func TestALeaseBeforeItsNodeIsAKubeletThatWasThereBefore(t *testing.T) {
	// The first word of node-3 is the creation of its Lease; the node itself
	// was created before the log.
	first := renewal("node-3", 5)
	first.Verb, first.Code = "create", 201
	_, _, b := ask(t, slices.Concat(twoNodes(), []traces.AuditRecord{first, status("node-3", 6, "True")}, renewals("node-3", 15, 300)))
	require.Empty(t, whats(b.Phantom, "node-3"))

	// The first word of node-4 is its creation.
	_, _, b = ask(t, slices.Concat(twoNodes(), []traces.AuditRecord{created("node-4", 5), status("node-4", 6, "True")}, renewals("node-4", 15, 300)))
	require.Equal(t, []string{"-not-ready:NoSchedule"}, whats(b.Phantom, "node-4"))
}

func TestTheOrderOfCommitsIsThatOfVersions(t *testing.T) {
	// The kubelet's report was committed first, and answered last: slow
	// to write its large answer.
	report := status("node-1", 150, "True")
	report.Completed = report.Received.Add(200 * time.Millisecond)
	report.Level, report.ResponseObject = "RequestResponse", json.RawMessage(`{"metadata":{"resourceVersion":"11"},"status":{"conditions":[{"type":"Ready","status":"True"}]}}`)
	report.ResourceVersion = "11"
	mark := asController(status("node-1", 150.1, "Unknown"))
	mark.Level, mark.ResponseObject = "RequestResponse", json.RawMessage(`{"metadata":{"resourceVersion":"12"},"status":{"conditions":[{"type":"Ready","status":"Unknown"}]}}`)
	mark.ResourceVersion = "12"
	r := readRecording(t, writeLog(t, []traces.AuditRecord{status("node-1", 20, "True"), report, mark}))
	require.Equal(t, []string{"Ready=Unknown"}, whats(r.Changes, "node-1"))
	require.Less(t, r.Writes[0].Done(), r.Writes[1].Done())
}

// What a kubelet does when it finds its node Unknown is in the log only where
// it was Unknown. Elsewhere its renewals show that it lives, and it would have
// put that right.
func TestALivingKubeletRecoversFromAnUnknownThatWasNotRecorded(t *testing.T) {
	var records []traces.AuditRecord
	for _, r := range twoNodes() {
		if requesterOf(&r) == somebodyElse && !(r.Resource == "nodes" && r.Name == "node-1" && since(r.Received) > 100*time.Second) {
			records = append(records, r)
		}
	}
	_, w, _ := ask(t, records) // no report of node-1 after its silence
	var got []string
	for _, tr := range w.before.transitions {
		got = append(got, tr.Node+" "+tr.From+" "+tr.To+" "+tr.By)
	}
	require.Equal(t, []string{"node-1 True Unknown kube-controller-manager", "node-1 Unknown True kubelet/node-1"}, got)
	require.InDelta(t, 180, since(w.recording.Start.Add(w.before.transitions[1].At.Duration())).Seconds(), 0.1)
}

func TestARepairInTheLogIsWaitedFor(t *testing.T) {
	_, w, _ := ask(t, append(twoNodes(), status("node-1", 189, "True")))
	require.InDelta(t, 181, since(w.recording.Start.Add(w.before.transitions[1].At.Duration())).Seconds(), 0.1, "the report of the log, and not the renewal before it")
}

func TestAShipperMayWrapTheLines(t *testing.T) {
	want := readRecording(t, writeLog(t, twoNodes()))
	var docker, shipper []byte
	for line := range strings.Lines(string(read(t, writeLog(t, twoNodes())))) {
		quoted, err := json.Marshal(line)
		require.NoError(t, err)
		docker = append(docker, `{"log":`+string(quoted)+`,"stream":"stdout","time":"2026-01-01T00:00:00Z"}`+"\n"...)
		shipper = append(shipper, `{"@timestamp":"2026-01-01T00:00:00Z","message":`+string(quoted)+`}`+"\n"...)
	}
	for name, log := range map[string][]byte{"docker": docker, "shipper": shipper} {
		r := readRecording(t, writeFile(t, log))
		require.Equal(t, want.Changes, r.Changes, name)
		require.Equal(t, want.Renewals, r.Renewals, name)
	}
}
