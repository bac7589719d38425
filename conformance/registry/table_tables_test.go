package registry

var tableCases = []Case{
	{"nodes are printed", threeNodes(get(nodes).asTable(), get(nodes+"/a").asTable(), get(nodes+"/none").asTable())},
	{"a node's roles, status and versions are printed", []*Request{
		post(nodes, node("a", `"metadata":{"labels":{"node-role.kubernetes.io/control-plane":"","kubernetes.io/role":"x"}}`,
			`"status":{"conditions":[{"type":"Ready","status":"True"}],"nodeInfo":{"kubeletVersion":"v1.37.1","osImage":"OS","kernelVersion":"6.1","containerRuntimeVersion":"containerd://2"},"addresses":[{"type":"InternalIP","address":"10.0.0.1"},{"type":"ExternalIP","address":"1.2.3.4"}]}`)),
		get(nodes).asTable(), strategicPatch(nodes+"/a/status", `{"status":{"conditions":[{"type":"Ready","status":"Unknown"}]}}`), get(nodes).asTable(),
		strategicPatch(nodes+"/a", `{"spec":{"unschedulable":true}}`), get(nodes + "/a").asTable()}},
	{"leases are printed", []*Request{post(leases, lease("a", `"spec":{"holderIdentity":"h"}`)), post(leases, lease("b")), get(leases).asTable(), get(leases + "/a").asTable(), get(allLeases).asTable()}},
	{"pods are printed", []*Request{
		post(pods, pod("p")), post(pods, pod("q", running)),
		put(pods+"/q/status", pod("q", `"status":{"phase":"Running","podIP":"10.0.0.1","podIPs":[{"ip":"10.0.0.1"}],"conditions":[{"type":"Ready","status":"True"}],"containerStatuses":[{"name":"c","image":"i","imageID":"x","ready":true,"restartCount":3,"state":{"running":{"startedAt":"2001-01-01T00:00:00Z"}}}]}`)),
		get(pods).asTable(), del(pods + "/q"), get(pods + "/q").asTable(), strategicPatch(pods+"/p/status", `{"status":{"phase":"Failed","reason":"Evicted"}}`), get("/api/v1/pods").asTable()}},
	{"events are printed", []*Request{
		post(events, event("e", `"count":3,"source":{"component":"kubelet","host":"a"},"involvedObject":{"kind":"Node","name":"a","fieldPath":"spec.x"}`)),
		post(events, event("f", `"type":"Warning","reportingComponent":"c","reportingInstance":"i"`)), get(events).asTable()}},
	{"namespaces are printed", []*Request{get(nss).asTable()}},
	{"an empty list is printed", []*Request{get(nodes).asTable(), get(pods).asTable(), get(leases).asTable(), get(events).asTable()}},
	{"a page is printed with its token", threeNodes(get(nodes + "?limit=2").asTable())},
	{"what was created, changed and deleted is printed", []*Request{
		post(nodes, node("a")).asTable(), mergePatch(nodes+"/a", `{"metadata":{"labels":{"k":"v"}}}`).asTable(), put(nodes+"/a", node("a")).asTable(), del(nodes + "/a").asTable()}},
	{"rows carry metadata, objects or nothing", threeNodes(
		get(nodes+"?includeObject=None").asTable(), get(nodes+"?includeObject=Metadata").asTable(), get(nodes+"?includeObject=Object").asTable(), get(nodes+"?includeObject=Half").asTable())},
	{"tables of another version are refused", []*Request{
		get(nodes).accept("application/json;as=Table;v=v1alpha1;g=meta.k8s.io"), get(nodes).accept("application/json;as=Table;v=v1beta1;g=meta.k8s.io"), get(nodes).accept("application/json;as=Table;v=v1;g=x")}},
	{"tables in YAML, and in protobuf", threeNodes(
		get(nodes).accept("application/yaml;as=Table;v=v1;g=meta.k8s.io"), get(nodes).accept("application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io"))},
	{"metadata alone may be asked for", threeNodes(
		get(nodes).accept("application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"), get(nodes+"/a").accept("application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"),
		get(nodes+"/a").accept("application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"), get(nodes+"?watch=true").accept("application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"))},
}

var discoveryCases = []Case{
	{"the core group is told", []*Request{get("/api"), get("/api/v1")}},
	{"the other groups are told", []*Request{get("/apis"), get("/apis/coordination.k8s.io"), get("/apis/coordination.k8s.io/v1"), get("/apis/events.k8s.io/v1")}},
	{"all groups are told at once", []*Request{
		get("/api").accept("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"), get("/apis").accept("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"),
		get("/apis").accept("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json")}},
	{"the server is well", []*Request{get("/healthz"), get("/livez"), get("/readyz")}},
	{"the paths are told", []*Request{get("/")}},
	{"the version is told", []*Request{get("/version")}},
}

var userCases = []Case{
	{"a kubelet creates its node, and no other", []*Request{
		post(nodes, node("a")).as("system:node:a"), post(nodes, node("b")).as("system:node:a")}},
	{"a kubelet updates the status of its node, and of no other", []*Request{
		post(nodes, node("a")), post(nodes, node("b")), strategicPatch(nodes+"/a/status", `{"status":{"phase":"Running"}}`).as("system:node:a"),
		strategicPatch(nodes+"/b/status", `{"status":{"phase":"Running"}}`).as("system:node:a")}},
	{"a kubelet may not change its taints", []*Request{
		post(nodes, node("a")), mergePatch(nodes+"/a", `{"spec":{"taints":null}}`).as("system:node:a"), mergePatch(nodes+"/a", `{"metadata":{"labels":{"kubernetes.io/os":"linux"}}}`).as("system:node:a"),
		mergePatch(nodes+"/a", `{"metadata":{"labels":{"node-restriction.kubernetes.io/x":"y"}}}`).as("system:node:a"), mergePatch(nodes+"/a", `{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"x","uid":"u"}]}}`).as("system:node:a")}},
	{"a kubelet does not label itself as it likes", []*Request{
		post(nodes, node("a", `"metadata":{"labels":{"node-role.kubernetes.io/x":""}}`)).as("system:node:a"), post(nodes, node("a", `"metadata":{"labels":{"x.io/y":"z","kubernetes.io/hostname":"a"}}`)).as("system:node:a")}},
	{"a kubelet writes its lease, and no other", []*Request{
		post(leases, lease("a")).as("system:node:a"), post(leases, lease("b")).as("system:node:a"),
		put(leases+"/a", lease("a", `"metadata":{"resourceVersion":"{rv 1}"}`, `"spec":{"holderIdentity":"a"}`)).as("system:node:a"),
		post("/apis/coordination.k8s.io/v1/namespaces/default/leases", object("coordination.k8s.io/v1", "Lease", "a", "default", nil)).as("system:node:a"), del(leases + "/b").as("system:node:a")}},
	{"a kubelet deletes the pods of its node, and no others", []*Request{
		post(pods, pod("p", running)), post(pods, pod("q", `"spec":{"nodeName":"b","containers":[{"name":"c","image":"i"}]}`)),
		del(pods + "/p?gracePeriodSeconds=0").as("system:node:a"), del(pods + "/q?gracePeriodSeconds=0").as("system:node:a"),
		strategicPatch(pods+"/q/status", `{"status":{"phase":"Failed"}}`).as("system:node:a"), post(pods, pod("r")).as("system:node:a")}},
	{"a kubelet does not delete its node", []*Request{post(nodes, node("a")), del(nodes + "/a").as("system:node:a"), del(nodes + "/a").as("system:node:b")}},
	{"a pod is bound to a node once", []*Request{
		post(pods, pod("p")), post(pods+"/p/binding", binding("p", "a")), get(pods + "/p"), post(pods+"/p/binding", binding("p", "b")), post(pods+"/none/binding", binding("none", "a"))}},
	{"a binding may carry labels and wants a node", []*Request{
		post(pods, pod("p")), post(pods+"/p/binding", `{"apiVersion":"v1","kind":"Binding","metadata":{"name":"p"},"target":{"kind":"Pod","name":"a"}}`), post(pods+"/p/binding", `{"apiVersion":"v1","kind":"Binding","metadata":{"name":"p"},"target":{}}`),
		post("/api/v1/namespaces/default/bindings", binding("p", "a"))}},
	{"a pod is evicted", []*Request{
		post(pods, pod("p", running)), post(pods+"/p/eviction", `{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"p","namespace":"default"}}`), get(pods + "/p"),
		post(pods+"/none/eviction", `{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"none","namespace":"default"}}`)}},
}

func binding(name, target string) string {
	return object("v1", "Binding", name, "default", []string{`"target":{"kind":"Node","name":"` + target + `"}`})
}
