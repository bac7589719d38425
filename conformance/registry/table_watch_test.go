package registry

var watchCases = []Case{
	{"a watch without a version begins with what there is", threeNodes(get(nodes + "?watch=true"))},
	{"a watch from version 0 begins with what there is", threeNodes(get(nodes+"?watch=true&resourceVersion=0"), get(nodes+"?watch=1&resourceVersion=0"))},
	{"a watch from a version has what came after", threeNodes(
		mergePatch(nodes+"/a", `{"metadata":{"labels":{"k":"v"}}}`), del(nodes+"/b"), get(nodes+"?watch=true&resourceVersion={rv 3}"))},
	{"a watch from the last version has nothing", threeNodes(get(nodes + "?watch=true&resourceVersion={rv 3}"))},
	{"a write that changes nothing is no event", threeNodes(
		mergePatch(nodes+"/a", `{}`), get(nodes+"?watch=true&resourceVersion={rv 3}"))},
	{"a deleted object comes with the version of its deletion", []*Request{
		post(leases, lease("a")), del(leases + "/a"), post(leases, lease("b")), get(leases + "?watch=true&resourceVersion={rv 1}")}},
	{"a pod that goes gracefully is modified before it is deleted", []*Request{
		post(pods, pod("p", running)), del(pods + "/p"), del(pods + "/p?gracePeriodSeconds=0"), get(pods + "?watch=true&resourceVersion={rv 1}")}},
	{"a pod deleted with no grace is modified and deleted", []*Request{
		post(pods, pod("p", running)), del(pods + "/p?gracePeriodSeconds=0"), get(pods + "?watch=true&resourceVersion={rv 1}")}},
	{"a pod that never ran is modified and deleted", []*Request{
		post(pods, pod("p")), del(pods + "/p"), get(pods + "?watch=true&resourceVersion={rv 1}")}},
	{"a finalizer taken away is a deletion", []*Request{
		post(nodes, node("a", `"metadata":{"finalizers":["x.io/f"]}`)), del(nodes + "/a"), mergePatch(nodes+"/a", `{"metadata":{"finalizers":null}}`),
		get(nodes + "?watch=true&resourceVersion={rv 1}")}},
	{"a label selects events, and what ceases to match is deleted", []*Request{
		post(nodes, node("a", `"metadata":{"labels":{"k":"v"}}`)), post(nodes, node("b")),
		mergePatch(nodes+"/b", `{"metadata":{"labels":{"k":"v"}}}`), mergePatch(nodes+"/a", `{"metadata":{"labels":{"k":null}}}`),
		get(nodes + "?watch=true&labelSelector=k%3Dv&resourceVersion={rv 1}"), get(nodes + "?watch=true&labelSelector=k%3Dv")}},
	{"a field selects events", threeNodes(
		strategicPatch(nodes+"/a", `{"spec":{"unschedulable":true}}`), strategicPatch(nodes+"/c", `{"spec":{"unschedulable":null}}`),
		get(nodes+"?watch=true&fieldSelector=spec.unschedulable%3Dtrue&resourceVersion={rv 3}"), get(nodes+"?watch=true&fieldSelector=metadata.name%3Db"))},
	{"pods of a node are watched by what they are bound to", []*Request{
		post(pods, pod("p", running)), post(pods, pod("q")),
		post(pods+"/q/binding", `{"apiVersion":"v1","kind":"Binding","metadata":{"name":"q"},"target":{"kind":"Node","name":"a"}}`),
		get("/api/v1/pods?watch=true&fieldSelector=spec.nodeName%3Da&resourceVersion={rv 1}")}},
	{"one lease is watched by its name", []*Request{
		post(leases, lease("a")), post(leases, lease("b")), get(leases + "?watch=true&fieldSelector=metadata.name%3Da"), get(leases + "/a?watch=true")}},
	{"the old paths of watches still lead to them", []*Request{
		post(nodes, node("a")), get("/api/v1/watch/nodes?watch=true"), get("/api/v1/watch/nodes/a?watch=true")}},
	{"a watch of all namespaces", []*Request{
		post(leases, lease("a")), post("/apis/coordination.k8s.io/v1/namespaces/default/leases", object("coordination.k8s.io/v1", "Lease", "c", "default", nil)),
		get(allLeases + "?watch=true&resourceVersion=0")}},
	{"initial events end with a bookmark", threeNodes(
		get(nodes+"?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"),
		get(nodes+"?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=0"),
		get(nodes+"?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion={rv 1}"))},
	{"initial events of nothing are a bookmark", []*Request{
		get(nodes + "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true")}},
	{"initial events of what is selected", threeNodes(
		get(nodes + "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&labelSelector=zone"))},
	{"initial events without bookmarks are not told to end", threeNodes(
		get(nodes + "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"))},
	{"no initial events: only what comes", threeNodes(
		get(nodes+"?watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan"),
		get(nodes+"?watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion={rv 1}&allowWatchBookmarks=true"))},
	{"initial events of Events", []*Request{
		post(events, event("e")), get(events + "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true")}},
	{"initial events want a match", []*Request{
		get(nodes + "?watch=true&sendInitialEvents=true"), get(nodes + "?watch=true&sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=1"),
		get(nodes + "?watch=true&resourceVersionMatch=NotOlderThan&resourceVersion=1"), get(nodes + "?watch=true&sendInitialEvents=maybe")}},
	{"a watch from a version that is none is refused", []*Request{get(nodes + "?watch=true&resourceVersion=x"), get(nodes + "?watch=true&resourceVersion=-5")}},
	{"a watch with a selector that is none is refused", []*Request{
		get(nodes + "?watch=true&labelSelector=a%3D%3D%3Db"), get(nodes + "?watch=true&fieldSelector=x%3Dy")}},
	{"a watch that is not one is a list", []*Request{get(nodes + "?watch=false"), get(nodes + "?watch=0")}},
	{"a watch that asks for neither yes nor no is a list", []*Request{get(nodes + "?watch=perhaps")}},
	{"a continue token is nothing for a watch", []*Request{post(nodes, node("a")), get(nodes + "?watch=true&continue=x&resourceVersion={rv 1}")}},
	{"a watch in YAML is refused", []*Request{get(nodes + "?watch=true").accept("application/yaml")}},
	{"a watch as tables", threeNodes(get(nodes + "?watch=true&resourceVersion=0").asTable())},
	{"a watch in a namespace that is not there has nothing", []*Request{get("/api/v1/namespaces/nowhere/pods?watch=true&resourceVersion=0")}},
}
