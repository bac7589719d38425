package registry

// restartCases show what a server knows after its process was started again:
// everything that is stored, and nothing of what its watch caches held.
var restartCases = []Case{
	{"what is stored is still there", threeNodes(restart(), get(nodes), get(nodes+"/b?resourceVersion=0"), mergePatch(nodes+"/a", `{"metadata":{"labels":{"k":"v"}}}`))},
	{"a watch from before a restart is too old, unless it knew the last version", threeNodes(
		restart(), get(nodes+"?watch=true&resourceVersion={rv 1}"), get(nodes+"?watch=true&resourceVersion={rv 3}"))},
	{"a watch of events, which are not cached, goes on over a restart", []*Request{
		post(events, event("e")), post(events, event("f")), restart(), get(events + "?watch=true&resourceVersion={rv 1}")}},
	{"a watch from the list after a restart has nothing", threeNodes(
		restart(), get(nodes), get(nodes+"?watch=true&resourceVersion={rv 5}"), get(nodes+"?watch=true&resourceVersion=0"))},
	{"initial events after a restart", threeNodes(
		restart(), get(nodes+"?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion={rv 1}"))},
	{"pages go on over a restart", threeNodes(get(nodes+"?limit=1"), restart(), get(nodes+"?limit=1&continue={continue 4}"))},
	{"a list at an old version is read from etcd", threeNodes(restart(), get(nodes+"?resourceVersion={rv 2}&resourceVersionMatch=Exact"), get(nodes+"?resourceVersion={rv 2}"))},
	{"an update with a version from before a restart is done", []*Request{
		post(leases, lease("a")), restart(), put(leases+"/a", lease("a", `"metadata":{"resourceVersion":"{rv 1}"}`, `"spec":{"holderIdentity":"a"}`))}},
}
