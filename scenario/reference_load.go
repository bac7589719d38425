package scenario

import "strings"

const referenceAPIServer = "Where the API server works on requests for a time (`work`, or the fault `webhook`), it bounds how many at once: by the two\n" +
	"limits, over which a request is answered 429, or by priority and fairness, which shares out their sum among levels and has\n" +
	"requests wait in queues. Without any work no limit is ever reached."

// referenceAPIServerRows are the fields about the API server.
func referenceAPIServerRows() []referenceRow {
	const s = "spec.apiServer"
	rows := []referenceRow{
		{s, "-", "flags of kube-apiserver by name, and how long it works"},
		{s + ".max-requests-inflight", "400", "how many reads at once; 0 is no limit"},
		{s + ".max-mutating-requests-inflight", "200", "how many writes at once; 0 is no limit"},
		{s + ".enable-priority-and-fairness", "true, before 1.20 false", "whether requests wait in queues by level and flow; heartbeats have a level of their own from 1.22 on, lists and writes that many watch take several seats from 1.23 and 1.24 on, and levels lend seats from 1.26 on"},
		{s + ".work", "no time", "distribution of how long a request is worked on; a write is committed at the end of it"},
	}
	return append(rows, referenceDist(s+".work")...)
}

// referenceLatencyRows are the fields about the latency of some requests.
func referenceLatencyRows() []referenceRow {
	const n = "spec.network.latencies"
	return append([]referenceRow{
		{n, "-", "distributions for some requests, and for events of such watches; the first entry that matches decides, in the place of latency and watchLatency"},
		{n + "[].verb", "any", "one of " + strings.Join(requestVerbs(), ", ")},
		{n + "[].resource", "any", "one of " + strings.Join(requestResources(), ", ")},
	}, referenceDist(n+"[]")...)
}

// referenceLoadRows are the faults about load.
func referenceLoadRows() []referenceRow {
	const f = "spec.faults[]."
	rows := []referenceRow{{f + "webhook", "-", "the API server works longer on some requests, by a distribution, as for an admission webhook; writes where no verbs are given"}}
	rows = append(rows, referenceDist(f+"webhook")...)
	rows = append(rows, referenceTarget(f+"webhook")...)
	return append(rows,
		referenceRow{f + "etcdReadOnly", "-", "writes fail with 500, as over an etcd that takes none"},
		referenceRow{f + "etcdReadOnly.cause", fieldRequired, "`" + EtcdNoSpace + "`: its alarm NOSPACE, at once, and deletions pass; `" + EtcdNoQuorum + "`: after 7s"},
		referenceRow{f + "flood", "-", "a tenant sends requests that change nothing, however many are under way, each with a timeout of 30s"},
		referenceRow{f + "flood.user", "tenant", "whom the API server takes the tenant for"},
		referenceRow{f + "flood.qps", fieldRequired, "requests a second, from 1 to 1000, beside those that are tried again after a 429"},
		referenceRow{f + "flood.verb", "patch", "of " + strings.Join(floodVerbs(), ", ") + "; all but list are about an object that is not there"},
		referenceRow{f + "flood.resource", "events", "of " + strings.Join(floodResources(), ", ")},
	)
}
