package registry

// three nodes, the second labelled, the third unschedulable.
func threeNodes(more ...*Request) []*Request {
	return append([]*Request{
		post(nodes, node("a")),
		post(nodes, node("b", `"metadata":{"labels":{"zone":"x","tier":"1"}}`)),
		post(nodes, node("c", `"metadata":{"labels":{"zone":"y"}}`, `"spec":{"unschedulable":true}`)),
	}, more...)
}

var listCases = []Case{
	{"an empty list has a version and no items", []*Request{
		get(nodes), get(leases), get(pods), get(events), get(allLeases), get("/api/v1/pods"), get("/api/v1/events")}},
	{"a list is ordered by name and its items have no kind", threeNodes(get(nodes))},
	{"a list over all namespaces is ordered by namespace", []*Request{
		post(leases, lease("b")), post(leases, lease("a")),
		post("/apis/coordination.k8s.io/v1/namespaces/default/leases", object("coordination.k8s.io/v1", "Lease", "c", "default", nil)),
		get(allLeases), get(leases)}},
	{"a list in a namespace that is not there is empty", []*Request{
		get("/apis/coordination.k8s.io/v1/namespaces/nowhere/leases"), get("/api/v1/namespaces/nowhere/pods")}},
	{"labels select", threeNodes(
		get(nodes+"?labelSelector=zone%3Dx"), get(nodes+"?labelSelector=zone"), get(nodes+"?labelSelector=!zone"),
		get(nodes+"?labelSelector=zone!%3Dx"), get(nodes+"?labelSelector=zone+in+(x,y),tier"), get(nodes+"?labelSelector=zone+notin+(x)"))},
	{"a label selector that is none is refused", []*Request{
		get(nodes + "?labelSelector=a%3D%3D%3Db"), get(nodes + "?labelSelector=zone+in+x"), get(nodes + "?labelSelector=-bad-%3Dx")}},
	{"fields select nodes", threeNodes(
		get(nodes+"?fieldSelector=metadata.name%3Db"), get(nodes+"?fieldSelector=metadata.name!%3Db"),
		get(nodes+"?fieldSelector=spec.unschedulable%3Dtrue"), get(nodes+"?fieldSelector=spec.unschedulable!%3Dtrue,metadata.name!%3Da"))},
	{"a field that nodes are not selected by is refused", []*Request{
		get(nodes + "?fieldSelector=spec.providerID%3Dx"), get(nodes + "?fieldSelector=metadata.namespace%3Dx"), get(nodes + "?fieldSelector=bad")}},
	{"a field that leases are not selected by is refused", []*Request{
		get(leases + "?fieldSelector=spec.holderIdentity%3Dx")}},
	{"a field that pods and events are not selected by is refused", []*Request{
		get(pods + "?fieldSelector=spec.x%3Dx"), get(events + "?fieldSelector=message%3Dx")}},
	{"leases are selected by name and namespace", []*Request{
		post(leases, lease("a")), post(leases, lease("b")),
		get(leases + "?fieldSelector=metadata.name%3Da"), get(allLeases + "?fieldSelector=metadata.namespace%3Dkube-node-lease,metadata.name%3Db"),
		get(allLeases + "?fieldSelector=metadata.namespace%3Ddefault")}},
	{"pods are selected by node, phase and the rest", []*Request{
		post(pods, pod("p", `"spec":{"nodeName":"a","containers":[{"name":"c","image":"i"}]}`)), post(pods, pod("q")),
		get(pods + "?fieldSelector=spec.nodeName%3Da"), get(pods + "?fieldSelector=spec.nodeName%3D"),
		get("/api/v1/pods?fieldSelector=spec.nodeName!%3Da,status.phase%3DPending"), get(pods + "?fieldSelector=spec.restartPolicy%3DAlways,spec.schedulerName%3Ddefault-scheduler"),
		get(pods + "?fieldSelector=status.phase!%3DPending"), get(pods + "?fieldSelector=spec.hostNetwork%3Dfalse")}},
	{"events are selected by what they are about", []*Request{
		post(events, event("e", `"source":{"component":"kubelet","host":"a"}`)),
		post(events, event("f", `"involvedObject":{"kind":"Pod","name":"p","namespace":"default"}`, `"reason":"Killing","type":"Warning"`)),
		get(events + "?fieldSelector=involvedObject.kind%3DNode"), get(events + "?fieldSelector=involvedObject.name%3Dp,type%3DWarning"),
		get(events + "?fieldSelector=reason%3DKilling"), get(events + "?fieldSelector=source%3Dkubelet"), get("/api/v1/events?fieldSelector=involvedObject.uid%3Da")}},
	{"one item may be listed by its name", threeNodes(get(nodes+"?fieldSelector=metadata.name%3Db&limit=1"), get(nodes+"?fieldSelector=metadata.name%3Dnone"))},
	{"pages go on where they ended, at the version of the first", threeNodes(
		get(nodes+"?limit=2"), post(nodes, node("bb")), get(nodes+"?limit=2&continue={continue 4}"), get(nodes+"?limit=1&continue={continue 4}"))},
	{"a page that holds all has no token", threeNodes(get(nodes+"?limit=3"), get(nodes+"?limit=500"), get(nodes+"?limit=0"))},
	{"pages of what is selected do not tell how much remains", threeNodes(
		get(nodes+"?limit=1&labelSelector=zone"), get(nodes+"?limit=1&labelSelector=zone&continue={continue 4}"))},
	{"pages over namespaces", []*Request{
		post(leases, lease("a")), post(leases, lease("b")),
		post("/apis/coordination.k8s.io/v1/namespaces/default/leases", object("coordination.k8s.io/v1", "Lease", "c", "default", nil)),
		get(allLeases + "?limit=2"), get(allLeases + "?limit=2&continue={continue 4}")}},
	{"pages of events", []*Request{
		post(events, event("e")), post(events, event("f")), get(events + "?limit=1"), get(events + "?limit=1&continue={continue 3}")}},
	{"a continue token that is none is refused", []*Request{
		get(nodes + "?limit=1&continue=bad"), get(nodes + "?continue=e30"),
		get(nodes + "?limit=1&continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MCwic3RhcnQiOiJhIn0")}},
	{"a continue token of a version to come is refused", []*Request{
		get(events + "?limit=1&continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6OTk5OTk5OTk5LCJzdGFydCI6ImEifQ")}},
	{"a version beside a continue token is refused", threeNodes(
		get(nodes+"?limit=1"), get(nodes+"?limit=1&resourceVersion={rv 4}&continue={continue 4}"), get(nodes+"?limit=1&resourceVersion=0&continue={continue 4}"))},
	{"a negative limit is none", threeNodes(get(nodes + "?limit=-1"))},
	{"a limit that is none is refused", []*Request{get(nodes + "?limit=many")}},
	{"version 0 is served from the cache", threeNodes(
		get(nodes+"?resourceVersion=0"), get(nodes+"?resourceVersion=0&limit=2"),
		get(nodes+"?resourceVersion=0&resourceVersionMatch=NotOlderThan"), get(events+"?resourceVersion=0"))},
	{"not older than a version is what there is now", threeNodes(
		get(nodes+"?resourceVersion={rv 1}"), get(nodes+"?resourceVersion={rv 1}&resourceVersionMatch=NotOlderThan"),
		get(nodes+"?resourceVersion={rv 1}&resourceVersionMatch=NotOlderThan&limit=2"))},
	{"exactly a version is what there was then", threeNodes(
		get(nodes+"?resourceVersion={rv 1}&resourceVersionMatch=Exact"), get(nodes+"?resourceVersion={rv 2}&resourceVersionMatch=Exact&limit=1"),
		get(nodes+"?resourceVersion={rv 2}&limit=1"), get(nodes+"?resourceVersion={rv 2}&limit=5"))},
	{"exactly version 0 is refused", []*Request{get(nodes + "?resourceVersion=0&resourceVersionMatch=Exact")}},
	{"a match without a version is refused", []*Request{
		get(nodes + "?resourceVersionMatch=Exact"), get(nodes + "?resourceVersionMatch=NotOlderThan")}},
	{"an unknown match is refused", []*Request{get(nodes + "?resourceVersion=1&resourceVersionMatch=About")}},
	{"a match beside a continue token is refused", threeNodes(
		get(nodes+"?limit=1"), get(nodes+"?limit=1&resourceVersion={rv 4}&resourceVersionMatch=Exact&continue={continue 4}"))},
	{"a list at a version to come is refused", []*Request{
		get(events + "?resourceVersion=999999999"), get(events + "?resourceVersion=999999999&resourceVersionMatch=Exact")}},
	{"a version that is none is refused", []*Request{
		get(nodes + "?resourceVersion=x"), get(events + "?resourceVersion=x"), get(nodes + "?resourceVersion=-1")}},
	{"initial events are not for lists", []*Request{get(nodes + "?sendInitialEvents=true")}},
	{"an unknown option is ignored", []*Request{get(nodes + "?colour=blue")}},
	{"a timeout of a list is taken", []*Request{get(nodes + "?timeoutSeconds=5"), get(nodes + "?timeoutSeconds=x")}},
}
