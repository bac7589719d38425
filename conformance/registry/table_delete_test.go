package registry

const running = `"spec":{"nodeName":"a","terminationGracePeriodSeconds":30,"containers":[{"name":"c","image":"i"}]}`

var deleteCases = []Case{
	{"a node is deleted, and is gone", []*Request{post(nodes, node("a")), del(nodes + "/a"), get(nodes + "/a"), del(nodes + "/a")}},
	{"a lease, an event and a pod that never ran are deleted", []*Request{
		post(leases, lease("a")), del(leases + "/a"), post(events, event("e")), del(events + "/e"),
		post(pods, pod("p")), del(pods + "/p"), get(pods + "/p")}},
	{"what is not there is not found", []*Request{del(nodes + "/a"), del(leases + "/a"), del(pods + "/p"), del(events + "/e")}},
	{"a pod on a node is given its grace period", []*Request{post(pods, pod("p", running)), del(pods + "/p"), get(pods + "/p")}},
	{"the grace period may be shortened, and not prolonged", []*Request{
		post(pods, pod("p", running)), del(pods + "/p"), delWith(pods+"/p", `{"gracePeriodSeconds":5}`), delWith(pods+"/p", `{"gracePeriodSeconds":60}`), get(pods + "/p")}},
	{"a pod deleted with no grace is gone at once", []*Request{
		post(pods, pod("p", running)), delWith(pods+"/p", `{"gracePeriodSeconds":0}`), get(pods + "/p")}},
	{"a terminating pod deleted with no grace is gone", []*Request{
		post(pods, pod("p", running)), del(pods + "/p"), del(pods + "/p?gracePeriodSeconds=0"), get(pods + "/p")}},
	{"a grace period below 0 is one second", []*Request{
		post(pods, pod("p", running)), delWith(pods+"/p", `{"gracePeriodSeconds":-5}`), get(pods + "/p")}},
	{"a grace period in the query", []*Request{
		post(pods, pod("p", running)), del(pods + "/p?gracePeriodSeconds=7"), get(pods + "/p")}},
	{"options are in the body or in the query", []*Request{
		post(pods, pod("p", running)), delWith(pods+"/p?gracePeriodSeconds=7", `{"gracePeriodSeconds":9}`), get(pods + "/p")}},
	{"an ended pod is deleted at once", []*Request{
		post(pods, pod("p", running)), strategicPatch(pods+"/p/status", `{"status":{"phase":"Succeeded"}}`), del(pods + "/p"), get(pods + "/p")}},
	{"nodes are not deleted gracefully", []*Request{post(nodes, node("a")), del(nodes + "/a?gracePeriodSeconds=30"), get(nodes + "/a")}},
	{"a uid that is not the object's is a conflict", []*Request{
		post(nodes, node("a")), delWith(nodes+"/a", `{"preconditions":{"uid":"other"}}`), delWith(nodes+"/a", `{"preconditions":{"uid":"{uid 1}"}}`),
		post(pods, pod("p", running)), delWith(pods+"/p", `{"preconditions":{"uid":"other"}}`), delWith(pods+"/p", `{"preconditions":{"uid":"{uid 4}"}}`)}},
	{"a version that is not the object's is a conflict", []*Request{
		post(nodes, node("a")), mergePatch(nodes+"/a", `{"metadata":{"labels":{"k":"v"}}}`),
		delWith(nodes+"/a", `{"preconditions":{"resourceVersion":"{rv 1}"}}`), delWith(nodes+"/a", `{"preconditions":{"resourceVersion":"{rv 2}"}}`)}},
	{"a finalizer keeps a node until it is taken away", []*Request{
		post(nodes, node("a", `"metadata":{"finalizers":["x.io/f"]}`)), del(nodes + "/a"), get(nodes + "/a"), del(nodes + "/a"),
		mergePatch(nodes+"/a", `{"metadata":{"finalizers":null}}`), get(nodes + "/a")}},
	{"a finalizer keeps a pod that has no grace left", []*Request{
		post(pods, pod("p", running, `"metadata":{"finalizers":["x.io/f"]}`)), delWith(pods+"/p", `{"gracePeriodSeconds":0}`), get(pods + "/p"),
		put(pods+"/p", pod("p", `"spec":{"containers":[{"name":"c","image":"j"}]}`)), mergePatch(pods+"/p", `{"metadata":{"finalizers":[]}}`), get(pods + "/p")}},
	{"no finalizer is added to what is being deleted", []*Request{
		post(nodes, node("a", `"metadata":{"finalizers":["x.io/f"]}`)), del(nodes + "/a"), mergePatch(nodes+"/a", `{"metadata":{"finalizers":["x.io/f","x.io/g"]}}`)}},
	{"what is being deleted is not created again", []*Request{
		post(nodes, node("a", `"metadata":{"finalizers":["x.io/f"]}`)), del(nodes + "/a"), post(nodes, node("a"))}},
	{"a deletion cannot be undone", []*Request{
		post(nodes, node("a", `"metadata":{"finalizers":["x.io/f"]}`)), del(nodes + "/a"),
		put(nodes+"/a", node("a", `"metadata":{"finalizers":["x.io/f"]}`)), mergePatch(nodes+"/a", `{"metadata":{"deletionTimestamp":null,"labels":{"k":"v"}}}`)}},
	{"orphans and foreground are finalizers", []*Request{
		post(nodes, node("a")), delWith(nodes+"/a", `{"propagationPolicy":"Orphan"}`), get(nodes + "/a"),
		post(nodes, node("b")), delWith(nodes+"/b", `{"propagationPolicy":"Foreground"}`), get(nodes + "/b"),
		post(nodes, node("c")), delWith(nodes+"/c", `{"propagationPolicy":"Background"}`), get(nodes + "/c"),
		post(nodes, node("d")), delWith(nodes+"/d", `{"orphanDependents":true}`), get(nodes + "/d")}},
	{"a propagation in the query", []*Request{post(leases, lease("a")), del(leases + "/a?propagationPolicy=Foreground"), get(leases + "/a")}},
	{"a propagation that is none is refused", []*Request{
		post(nodes, node("a")), delWith(nodes+"/a", `{"propagationPolicy":"Sideways"}`), delWith(nodes+"/a", `{"propagationPolicy":"Orphan","orphanDependents":true}`)}},
	{"a dry run deletes nothing", []*Request{
		post(nodes, node("a")), del(nodes + "/a?dryRun=All"), get(nodes + "/a"),
		post(pods, pod("p", running)), delWith(pods+"/p", `{"dryRun":["All"]}`), get(pods + "/p"), delWith(nodes+"/a", `{"dryRun":["Some"]}`)}},
	{"options that are none are refused", []*Request{
		post(nodes, node("a")), delWith(nodes+"/a", `{"gracePeriodSeconds":"x"}`), delWith(nodes+"/a", `[`), del(nodes + "/a?gracePeriodSeconds=x"),
		delWith(nodes+"/a", `{"kind":"Node","apiVersion":"v1"}`)}},
	{"options may name their kind", []*Request{
		post(nodes, node("a")), delWith(nodes+"/a", `{"kind":"DeleteOptions","apiVersion":"v1"}`),
		post(nodes, node("b")), delWith(nodes+"/b", `{"kind":"DeleteOptions","apiVersion":"meta.k8s.io/v1"}`)}},
	{"an unknown option is ignored", []*Request{post(nodes, node("a")), delWith(nodes+"/a", `{"colour":"blue"}`)}},
	{"a list of pods is deleted by label", []*Request{
		post(pods, pod("p", `"metadata":{"labels":{"k":"v"}}`)), post(pods, pod("q")), del(pods + "?labelSelector=k%3Dv"), get(pods)}},
	{"a list of nodes is deleted", threeNodes(del(nodes), get(nodes))},
	{"a list of nothing is deleted", []*Request{del(nodes), del(leases), del(events)}},
	{"a list of leases is deleted by name", []*Request{
		post(leases, lease("a")), post(leases, lease("b")), del(leases + "?fieldSelector=metadata.name%3Da"), get(leases)}},
	{"a list of pods is deleted gracefully", []*Request{
		post(pods, pod("p", running)), post(pods, pod("q")), del(pods), get(pods), delWith(pods, `{"gracePeriodSeconds":0}`), get(pods)}},
	{"a list of events is deleted, but not of all namespaces", []*Request{
		post(events, event("e")), del("/api/v1/events"), del(events), get(events)}},
	{"a dry run of a list deletes nothing", threeNodes(del(nodes+"?dryRun=All"), get(nodes))},
	{"a list is deleted in pages", threeNodes(del(nodes+"?limit=2"), get(nodes))},
	{"a list with a selector that is none is not deleted", threeNodes(del(nodes+"?labelSelector=a%3D%3D%3Db"), del(nodes+"?fieldSelector=x%3Dy"), get(nodes))},
	{"an update of a terminating pod keeps its deletion", []*Request{
		post(pods, pod("p", running)), del(pods + "/p"), mergePatch(pods+"/p", `{"metadata":{"labels":{"k":"v"}}}`),
		strategicPatch(pods+"/p/status", `{"status":{"phase":"Failed"}}`), get(pods + "/p")}},
}
