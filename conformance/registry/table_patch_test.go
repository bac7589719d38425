package registry

var patchCases = []Case{
	{"a merge patch sets, replaces and takes away", []*Request{
		post(nodes, node("a", `"metadata":{"labels":{"k":"v","l":"w"}}`)),
		mergePatch(nodes+"/a", `{"metadata":{"labels":{"k":null,"m":"x"}},"spec":{"taints":[{"key":"t","effect":"NoSchedule"}]}}`), get(nodes + "/a")}},
	{"a strategic patch merges taints by key", []*Request{
		post(nodes, node("a")), strategicPatch(nodes+"/a", `{"spec":{"taints":[{"key":"t","effect":"NoExecute"}]}}`),
		strategicPatch(nodes+"/a", `{"spec":{"taints":[{"key":"t","effect":"NoSchedule","value":"v"}]}}`),
		strategicPatch(nodes+"/a", `{"spec":{"taints":[{"key":"t","$patch":"delete"}]}}`),
		strategicPatch(nodes+"/a", `{"spec":{"taints":null}}`)}},
	{"the controller's patch of taints replaces them if the version is the one it saw", []*Request{
		post(nodes, node("a")),
		strategicPatch(nodes+"/a", `{"metadata":{"resourceVersion":"{rv 1}"},"spec":{"taints":[{"effect":"NoSchedule","key":"node.kubernetes.io/unreachable","timeAdded":"2001-01-01T00:00:00Z"},{"$patch":"delete","effect":"NoSchedule","key":"node.kubernetes.io/not-ready"}]}}`),
		strategicPatch(nodes+"/a", `{"metadata":{"resourceVersion":"{rv 1}"},"spec":{"taints":null}}`)}},
	{"a JSON patch adds, replaces, tests, moves, copies and removes", []*Request{
		post(nodes, node("a", `"metadata":{"labels":{"k":"v"}}`)),
		jsonPatch(nodes+"/a", `[{"op":"add","path":"/metadata/labels/l","value":"w"},{"op":"replace","path":"/metadata/labels/k","value":"x"}]`),
		jsonPatch(nodes+"/a", `[{"op":"test","path":"/metadata/labels/k","value":"x"},{"op":"move","from":"/metadata/labels/k","path":"/metadata/labels/m"},{"op":"copy","from":"/metadata/labels/m","path":"/metadata/labels/n"}]`),
		jsonPatch(nodes+"/a", `[{"op":"remove","path":"/metadata/labels/n"},{"op":"add","path":"/spec/taints/-","value":{"key":"t","effect":"NoSchedule"}}]`)}},
	{"a JSON patch whose test fails is refused", []*Request{
		post(nodes, node("a", `"metadata":{"labels":{"k":"v"}}`)), jsonPatch(nodes+"/a", `[{"op":"test","path":"/metadata/labels/k","value":"x"}]`)}},
	{"a JSON patch of what is not there is refused", []*Request{
		post(nodes, node("a")), jsonPatch(nodes+"/a", `[{"op":"remove","path":"/metadata/labels/k"}]`),
		jsonPatch(nodes+"/a", `[{"op":"replace","path":"/spec/unschedulable","value":true}]`)}},
	{"a JSON patch that is none is refused", []*Request{
		post(nodes, node("a")), jsonPatch(nodes+"/a", `{"op":"remove"}`), jsonPatch(nodes+"/a", `[{"op":"paint","path":"/x"}]`), jsonPatch(nodes+"/a", `[`)}},
	{"a merge patch that is none is refused", []*Request{
		post(nodes, node("a")), mergePatch(nodes+"/a", `[`), mergePatch(nodes+"/a", `[]`), mergePatch(nodes+"/a", ``), mergePatch(nodes+"/a", `"x"`)}},
	{"a strategic patch that is none is refused", []*Request{
		post(nodes, node("a")), strategicPatch(nodes+"/a", `[`), strategicPatch(nodes+"/a", `[]`), strategicPatch(nodes+"/a", ``), strategicPatch(nodes+"/a", `{"spec":{"taints":[{"effect":"NoSchedule"}]}}`)}},
	{"an empty patch changes nothing", []*Request{
		post(nodes, node("a")), mergePatch(nodes+"/a", `{}`), strategicPatch(nodes+"/a", `{}`), jsonPatch(nodes+"/a", `[]`), get(nodes)}},
	{"a patch of what is not there is not found", []*Request{
		mergePatch(nodes+"/a", `{}`), strategicPatch(pods+"/p", `{}`), jsonPatch(leases+"/a", `[]`), strategicPatch(events+"/e", `{}`)}},
	{"a patch with an old version conflicts", []*Request{
		post(nodes, node("a")), mergePatch(nodes+"/a", `{"metadata":{"labels":{"k":"v"}}}`),
		mergePatch(nodes+"/a", `{"metadata":{"resourceVersion":"{rv 1}","labels":{"k":"w"}}}`),
		mergePatch(nodes+"/a", `{"metadata":{"resourceVersion":"{rv 2}","labels":{"k":"w"}}}`)}},
	{"a patch with another uid conflicts", []*Request{
		post(nodes, node("a")), mergePatch(nodes+"/a", `{"metadata":{"uid":"other","labels":{"k":"w"}}}`)}},
	{"a patch of the name is refused", []*Request{
		post(nodes, node("a")), mergePatch(nodes+"/a", `{"metadata":{"name":"b"}}`), mergePatch(nodes+"/a", `{"metadata":{"name":null}}`)}},
	{"a patch of the namespace is refused", []*Request{
		post(leases, lease("a")), mergePatch(leases+"/a", `{"metadata":{"namespace":"default"}}`)}},
	{"a patch to another kind is refused", []*Request{
		post(nodes, node("a")), mergePatch(nodes+"/a", `{"kind":"Pod"}`), mergePatch(nodes+"/a", `{"apiVersion":"v2"}`)}},
	{"a patch to what is invalid is refused", []*Request{
		post(nodes, node("a")), mergePatch(nodes+"/a", `{"metadata":{"labels":{"k":"bad value"}}}`),
		mergePatch(nodes+"/a", `{"spec":{"taints":[{"key":"k","effect":"Never"}]}}`)}},
	{"a patch to another type is refused", []*Request{
		post(nodes, node("a")), mergePatch(nodes+"/a", `{"spec":{"unschedulable":"yes"}}`),
		strategicPatch(nodes+"/a", `{"spec":{"unschedulable":"yes"}}`), strategicPatch(nodes+"/a", `{"spec":{"taints":"none"}}`)}},
	{"a lease is patched", []*Request{
		post(leases, lease("a", `"spec":{"holderIdentity":"a","leaseDurationSeconds":40}`)),
		mergePatch(leases+"/a", `{"spec":{"renewTime":"2001-01-01T00:00:00.000000Z"}}`),
		strategicPatch(leases+"/a", `{"spec":{"holderIdentity":"b"}}`), jsonPatch(leases+"/a", `[{"op":"replace","path":"/spec/leaseDurationSeconds","value":50}]`),
		mergePatch(leases+"/a", `{"spec":{"leaseDurationSeconds":0}}`)}},
	{"an event is counted up by a patch", []*Request{
		post(events, event("e", `"count":1,"lastTimestamp":"2001-01-01T00:00:00Z"`)),
		strategicPatch(events+"/e", `{"count":2,"lastTimestamp":"2001-01-01T00:00:05Z","message":"n"}`), mergePatch(events+"/e", `{"count":3}`)}},
	{"a finalizer is added and taken away", []*Request{
		post(nodes, node("a")), strategicPatch(nodes+"/a", `{"metadata":{"finalizers":["x.io/f"]}}`),
		strategicPatch(nodes+"/a", `{"metadata":{"finalizers":["x.io/g"]}}`),
		strategicPatch(nodes+"/a", `{"metadata":{"$deleteFromPrimitiveList/finalizers":["x.io/f"]}}`), mergePatch(nodes+"/a", `{"metadata":{"finalizers":null}}`)}},
	{"a dry run of a patch changes nothing", []*Request{
		post(nodes, node("a")), mergePatch(nodes+"/a?dryRun=All", `{"spec":{"unschedulable":true}}`), get(nodes + "/a")}},
	{"a server-side apply creates and changes", []*Request{
		apply(nodes+"/a?fieldManager=m", node("a", `"metadata":{"labels":{"k":"v"}}`)),
		apply(nodes+"/a?fieldManager=m", node("a", `"metadata":{"labels":{"l":"w"}}`)), get(nodes + "/a")}},
	{"a server-side apply of what another owns conflicts, unless forced", []*Request{
		apply(leases+"/a?fieldManager=m", lease("a", `"spec":{"holderIdentity":"x"}`)),
		apply(leases+"/a?fieldManager=n", lease("a", `"spec":{"holderIdentity":"y"}`)),
		apply(leases+"/a?fieldManager=n&force=true", lease("a", `"spec":{"holderIdentity":"y"}`))}},
	{"a server-side apply needs a manager", []*Request{apply(nodes+"/a", node("a"))}},
	{"a server-side apply in YAML", []*Request{
		apply(nodes+"/a?fieldManager=m", "apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n  labels: {k: v}\n")}},
	{"a server-side apply of a pod's status", []*Request{
		post(pods, pod("p")), apply(pods+"/p/status?fieldManager=TaintManager&force=true",
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"default"},"status":{"conditions":[{"type":"DisruptionTarget","status":"True","reason":"DeletionByTaintManager","message":"m","lastTransitionTime":"2001-01-01T00:00:00Z"}]}}`)}},
	{"force is for apply alone", []*Request{post(nodes, node("a")), mergePatch(nodes+"/a?force=true", `{}`)}},
	{"a patch of a kind that is none is refused", []*Request{
		post(nodes, node("a")), send("PATCH", nodes+"/a", "application/json", `{}`), send("PATCH", nodes+"/a", "text/plain", `{}`), send("PATCH", nodes+"/a", "", `{}`)}},
	{"a patch of a list is not allowed", []*Request{mergePatch(nodes, `{}`)}},
	{"a cordon as kubectl sends it", []*Request{
		post(nodes, node("a")), strategicPatch(nodes+"/a", `{"spec":{"unschedulable":true}}`), strategicPatch(nodes+"/a", `{"spec":{"unschedulable":null}}`)}},
}
