package registry

var updateCases = []Case{
	{"an update with the version that is stored is done", []*Request{
		post(nodes, node("a")), put(nodes+"/a", node("a", `"metadata":{"resourceVersion":"{rv 1}","labels":{"k":"v"}}`)), get(nodes + "/a")}},
	{"an update with an old version conflicts", []*Request{
		post(nodes, node("a")), put(nodes+"/a", node("a", `"metadata":{"labels":{"k":"v"}}`)),
		put(nodes+"/a", node("a", `"metadata":{"resourceVersion":"{rv 1}","labels":{"k":"w"}}`))}},
	{"an update without a version overwrites a node, a pod and an event, but no lease", []*Request{
		post(nodes, node("a")), put(nodes+"/a", node("a", `"metadata":{"labels":{"k":"v"}}`)),
		post(leases, lease("a")), put(leases+"/a", lease("a", `"spec":{"holderIdentity":"x"}`)),
		post(events, event("e")), put(events+"/e", event("e", `"count":2`))}},
	{"an update with version 0 is one without", []*Request{
		post(nodes, node("a")), put(nodes+"/a", node("a", `"metadata":{"resourceVersion":"0","labels":{"k":"v"}}`)),
		post(leases, lease("a")), put(leases+"/a", lease("a", `"metadata":{"resourceVersion":"0"}`))}},
	{"an update with a version that is none is refused", []*Request{
		post(nodes, node("a")), put(nodes+"/a", node("a", `"metadata":{"resourceVersion":"x"}`))}},
	{"an update with a version to come conflicts", []*Request{
		post(nodes, node("a")), put(nodes+"/a", node("a", `"metadata":{"resourceVersion":"999999999"}`))}},
	{"an update that changes nothing keeps the version", []*Request{
		post(leases, lease("a", `"spec":{"holderIdentity":"x"}`)), put(leases+"/a", lease("a", `"metadata":{"resourceVersion":"{rv 1}"}`, `"spec":{"holderIdentity":"x"}`)),
		get(leases)}},
	{"a node updated without its taint loses it", []*Request{post(nodes, node("a")), put(nodes+"/a", node("a"))}},
	{"an update of what is not there is not found, or creates it", []*Request{
		put(nodes+"/a", node("a")), put(pods+"/p", pod("p")),
		put(leases+"/a", lease("a")), put(events+"/e", event("e")), put(nss+"/n", namespace("n"))}},
	{"an update that would create does not want a version or a uid", []*Request{
		put(leases+"/a", lease("a", `"metadata":{"resourceVersion":"1"}`)),
		put(leases+"/b", lease("b", `"metadata":{"uid":"u"}`))}},
	{"an update of another name than the path's is refused", []*Request{
		post(nodes, node("a")), put(nodes+"/a", node("b"))}},
	{"an update without a name takes that of the path", []*Request{
		post(nodes, node("a")), put(nodes+"/a", node("", `"metadata":{"labels":{"k":"v"}}`))}},
	{"an update into another namespace is refused", []*Request{
		post(leases, lease("a")), put(leases+"/a", object("coordination.k8s.io/v1", "Lease", "a", "default", []string{`"metadata":{"resourceVersion":"{rv 1}"}`}))}},
	{"an update without a namespace takes that of the path", []*Request{
		post(leases, lease("a")), put(leases+"/a", object("coordination.k8s.io/v1", "Lease", "a", "", []string{`"metadata":{"resourceVersion":"{rv 1}","labels":{"k":"v"}}`}))}},
	{"an update with another uid conflicts", []*Request{
		post(nodes, node("a")), put(nodes+"/a", node("a", `"metadata":{"uid":"other"}`)),
		post(leases, lease("a")), put(leases+"/a", lease("a", `"metadata":{"uid":"other","resourceVersion":"{rv 3}"}`))}},
	{"an update with its uid is done", []*Request{
		post(nodes, node("a")), put(nodes+"/a", node("a", `"metadata":{"uid":"{uid 1}","labels":{"k":"v"}}`))}},
	{"an update of a status through the whole is ignored", []*Request{
		post(nodes, node("a", `"status":{"phase":"Running"}`)), put(nodes+"/a", node("a", `"status":{"phase":"Pending","capacity":{"cpu":"1"}}`)),
		post(pods, pod("p")), get(pods + "/p")}},
	{"what the server keeps cannot be updated", []*Request{
		post(nodes, node("a")),
		put(nodes+"/a", node("a", `"metadata":{"creationTimestamp":"2001-01-01T00:00:00Z","generation":9,"selfLink":"/x"}`)),
		put(nodes+"/a", node("a", `"metadata":{"deletionTimestamp":"2001-01-01T00:00:00Z"}`)),
		put(nodes+"/a", node("a", `"metadata":{"deletionGracePeriodSeconds":5}`))}},
	{"a renewal of a lease", []*Request{
		post(leases, lease("a", `"spec":{"holderIdentity":"a","leaseDurationSeconds":40,"renewTime":"2001-01-01T00:00:00.000001Z"}`)),
		put(leases+"/a", lease("a", `"metadata":{"resourceVersion":"{rv 1}"}`, `"spec":{"holderIdentity":"a","leaseDurationSeconds":40,"renewTime":"2001-01-01T00:00:10.5Z"}`)),
		put(leases+"/a", lease("a", `"metadata":{"resourceVersion":"{rv 1}"}`, `"spec":{"holderIdentity":"a","leaseDurationSeconds":40,"renewTime":"2001-01-01T00:00:20Z"}`))}},
	{"a lease may be updated to nothing that is invalid", []*Request{
		post(leases, lease("a")), put(leases+"/a", lease("a", `"metadata":{"resourceVersion":"{rv 1}"}`, `"spec":{"leaseDurationSeconds":0}`))}},
	{"the provider and pod range of a node cannot be changed once they are set", []*Request{
		post(nodes, node("a")), put(nodes+"/a", node("a", `"spec":{"providerID":"p","podCIDR":"10.0.0.0/24","podCIDRs":["10.0.0.0/24"]}`)),
		put(nodes+"/a", node("a", `"spec":{"providerID":"q","podCIDR":"10.0.0.0/24","podCIDRs":["10.0.0.0/24"]}`)),
		put(nodes+"/a", node("a", `"spec":{"providerID":"p","podCIDR":"10.0.1.0/24","podCIDRs":["10.0.1.0/24"]}`)),
		put(nodes+"/a", node("a"))}},
	{"a node's taints may be updated, but not to invalid ones", []*Request{
		post(nodes, node("a")),
		put(nodes+"/a", node("a", `"spec":{"taints":[{"key":"node.kubernetes.io/unreachable","effect":"NoExecute","timeAdded":"2001-01-01T00:00:00Z"}]}`)),
		put(nodes+"/a", node("a", `"spec":{"taints":[{"key":"k","effect":"x"}]}`))}},
	{"a cordoned node", []*Request{post(nodes, node("a")), put(nodes+"/a", node("a", `"spec":{"unschedulable":true}`)), put(nodes+"/a", node("a"))}},
	{"a pod's spec may not be changed but for little", []*Request{
		post(pods, pod("p")),
		put(pods+"/p", pod("p", `"metadata":{"labels":{"k":"v"}}`, `"spec":{"containers":[{"name":"c","image":"j"}]}`)),
		put(pods+"/p", pod("p", `"spec":{"nodeName":"a","containers":[{"name":"c","image":"i"}]}`))}},
	{"a dry run of an update changes nothing", []*Request{
		post(nodes, node("a")), put(nodes+"/a?dryRun=All", node("a", `"metadata":{"labels":{"k":"v"}}`)), get(nodes + "/a")}},
	{"labels that are none are refused in an update", []*Request{
		post(nodes, node("a")), put(nodes+"/a", node("a", `"metadata":{"labels":{"k":"bad value"}}`))}},
	{"an update of a list is not allowed", []*Request{put(nodes, node("a"))}},
	{"an event may be counted up", []*Request{
		post(events, event("e", `"count":1`)), put(events+"/e", event("e", `"count":2`, `"metadata":{"resourceVersion":"{rv 1}"}`)),
		put(events+"/e", event("e", `"count":3`, `"metadata":{"resourceVersion":"{rv 1}"}`))}},
}
