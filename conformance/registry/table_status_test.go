package registry

const readyCondition = `{"type":"Ready","status":"True","reason":"KubeletReady","message":"m","lastHeartbeatTime":"2001-01-01T00:00:00Z","lastTransitionTime":"2001-01-01T00:00:00Z"}`

var statusCases = []Case{
	{"a status update changes the status and nothing of the spec", []*Request{
		post(nodes, node("a")),
		put(nodes+"/a/status", node("a", `"spec":{"unschedulable":true}`, `"status":{"conditions":[`+readyCondition+`]}`)), get(nodes + "/a")}},
	{"a status update changes labels and annotations too", []*Request{
		post(nodes, node("a")), put(nodes+"/a/status", node("a", `"metadata":{"labels":{"k":"v"},"annotations":{"a":"b"},"finalizers":["x.io/f"]}`))}},
	{"a status update with an old version conflicts", []*Request{
		post(nodes, node("a")), put(nodes+"/a", node("a", `"metadata":{"labels":{"k":"v"}}`)),
		put(nodes+"/a/status", node("a", `"metadata":{"resourceVersion":"{rv 1}"}`))}},
	{"a status update of what is not there is not found", []*Request{
		put(nodes+"/a/status", node("a")), put(pods+"/p/status", pod("p")), put(leases+"/a/status", lease("a"))}},
	{"a status is not created", []*Request{post(nodes, node("a")), post(nodes+"/a/status", node("a"))}},
	{"a status is not deleted", []*Request{post(nodes, node("a")), del(nodes + "/a/status")}},
	{"the kubelet's patch merges conditions by type", []*Request{
		post(nodes, node("a", `"status":{"conditions":[{"type":"MemoryPressure","status":"False","lastHeartbeatTime":"2001-01-01T00:00:00Z","lastTransitionTime":"2001-01-01T00:00:00Z"},{"type":"Ready","status":"False","lastHeartbeatTime":"2001-01-01T00:00:00Z","lastTransitionTime":"2001-01-01T00:00:00Z"}]}`)),
		strategicPatch(nodes+"/a/status", `{"status":{"$setElementOrder/conditions":[{"type":"MemoryPressure"},{"type":"Ready"}],"conditions":[{"type":"Ready","status":"True","reason":"KubeletReady","lastHeartbeatTime":"2001-01-01T00:00:10Z","lastTransitionTime":"2001-01-01T00:00:10Z"}]}}`),
		get(nodes + "/a")}},
	{"a patch of a status leaves the spec", []*Request{
		post(nodes, node("a")), strategicPatch(nodes+"/a/status", `{"spec":{"unschedulable":true},"status":{"phase":"Running"}}`),
		mergePatch(nodes+"/a/status", `{"status":{"phase":"Pending"},"metadata":{"labels":{"k":"v"}}}`)}},
	{"a patch of the whole leaves the status", []*Request{
		post(nodes, node("a")), strategicPatch(nodes+"/a", `{"status":{"phase":"Running"}}`),
		strategicPatch(nodes+"/a", `{"status":{"phase":"Running"},"spec":{"unschedulable":true}}`)}},
	{"addresses are merged by type", []*Request{
		post(nodes, node("a", `"status":{"addresses":[{"type":"InternalIP","address":"10.0.0.1"},{"type":"Hostname","address":"a"}]}`)),
		strategicPatch(nodes+"/a/status", `{"status":{"addresses":[{"type":"InternalIP","address":"10.0.0.2"}]}}`),
		strategicPatch(nodes+"/a/status", `{"status":{"$patch":"replace","addresses":[{"type":"InternalIP","address":"10.0.0.3"}]}}`)}},
	{"addresses twice are refused", []*Request{
		post(nodes, node("a")), put(nodes+"/a/status", node("a", `"status":{"addresses":[{"type":"InternalIP","address":"10.0.0.1"},{"type":"InternalIP","address":"10.0.0.1"}]}`))}},
	{"quantities are written in their shortest form", []*Request{
		post(nodes, node("a")), put(nodes+"/a/status", node("a", `"status":{"capacity":{"cpu":"4000m","memory":"1024Mi","pods":"110"},"allocatable":{"cpu":"3900m"}}`))}},
	{"allocatable becomes the capacity with the first status that says none, however it comes", []*Request{
		post(nodes, node("a")), mergePatch(nodes+"/a/status", `{"status":{"capacity":{"cpu":"2"}}}`), mergePatch(nodes+"/a/status", `{"status":{"capacity":{"cpu":"3"}}}`),
		post(nodes, node("b")), put(nodes+"/b/status", node("b", `"status":{"capacity":{"cpu":"2"}}`)), strategicPatch(nodes+"/b/status", `{"status":{"capacity":{"cpu":"4"}}}`),
		post(nodes, node("c", `"status":{"capacity":{"cpu":"2"},"allocatable":{"cpu":"1"}}`)), mergePatch(nodes+"/c/status", `{"status":{"allocatable":null}}`)}},
	{"a quantity that is none is refused", []*Request{
		post(nodes, node("a")), put(nodes+"/a/status", node("a", `"status":{"capacity":{"cpu":"many"}}`))}},
	{"a pod's status is updated, its spec is not", []*Request{
		post(pods, pod("p")),
		put(pods+"/p/status", pod("p", `"status":{"phase":"Running","podIP":"10.0.0.1","podIPs":[{"ip":"10.0.0.1"}],"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2001-01-01T00:00:00Z"}]}`)),
		get(pods + "/p")}},
	{"a pod is marked not ready by a patch of its conditions", []*Request{
		post(pods, pod("p")),
		strategicPatch(pods+"/p/status", `{"status":{"conditions":[{"type":"Ready","status":"False","lastTransitionTime":"2001-01-01T00:00:00Z"}]}}`),
		strategicPatch(pods+"/p/status", `{"status":{"conditions":[{"type":"DisruptionTarget","status":"True","reason":"DeletionByTaintManager","message":"m","lastTransitionTime":"2001-01-01T00:00:00Z"}]}}`)}},
	{"a pod's status update does not delete nor own it", []*Request{
		post(pods, pod("p")),
		put(pods+"/p/status", pod("p", `"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"a","uid":"u"}],"labels":{"k":"v"}}`, `"status":{"phase":"Failed"}`))}},
	{"a patch with the uid of another conflicts", []*Request{
		post(pods, pod("p")), strategicPatch(pods+"/p/status", `{"metadata":{"uid":"other"},"status":{"phase":"Failed"}}`)}},
	{"a patch with its uid is done", []*Request{
		post(pods, pod("p")), strategicPatch(pods+"/p/status", `{"metadata":{"uid":"{uid 1}"},"status":{"phase":"Failed"}}`)}},
	{"a status that stays is not written", []*Request{
		post(nodes, node("a")), strategicPatch(nodes+"/a/status", `{"status":{"phase":"Running"}}`),
		strategicPatch(nodes+"/a/status", `{"status":{"phase":"Running"}}`), get(nodes)}},
	{"a dry run of a status changes nothing", []*Request{
		post(nodes, node("a")), put(nodes+"/a/status?dryRun=All", node("a", `"status":{"phase":"Running"}`)), get(nodes + "/a")}},
	{"a node's images and volumes are stored as they come", []*Request{
		post(nodes, node("a")), put(nodes+"/a/status", node("a", `"status":{"images":[{"names":["i@sha256:1","i:1"],"sizeBytes":5}],"volumesInUse":["v"],"volumesAttached":[{"name":"v","devicePath":"/d"}],"nodeInfo":{"kubeletVersion":"v1.37.1","bootID":"b"},"daemonEndpoints":{"kubeletEndpoint":{"Port":10250}}}`))}},
	{"attached volumes twice are refused", []*Request{
		post(nodes, node("a")), put(nodes+"/a/status", node("a", `"status":{"volumesAttached":[{"name":"v","devicePath":"/d"},{"name":"v","devicePath":"/d"}]}`))}},
}
