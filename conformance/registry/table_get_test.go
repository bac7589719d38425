package registry

var getCases = []Case{
	{"what is not there is not found", []*Request{
		get(nodes + "/a"), get(leases + "/a"), get(pods + "/p"), get(events + "/e"), get(nss + "/n")}},
	{"a node is read at any version that there was", []*Request{
		post(nodes, node("a")), get(nodes + "/a?resourceVersion=0"), get(nodes + "/a?resourceVersion={rv 1}")}},
	{"a node at a version to come is refused", []*Request{
		post(nodes, node("a")), get(nodes + "/a?resourceVersion=999999999")}},
	{"a version that is none is refused", []*Request{
		post(nodes, node("a")), get(nodes + "/a?resourceVersion=x")}},
	{"a read of a status is of the whole", []*Request{
		post(nodes, node("a")), get(nodes + "/a/status"),
		post(pods, pod("p")), get(pods + "/p/status")}},
	{"a lease has no status", []*Request{post(leases, lease("a")), get(leases + "/a/status")}},
	{"a lease in another namespace is not found", []*Request{
		post(leases, lease("a")), get("/apis/coordination.k8s.io/v1/namespaces/default/leases/a")}},
	{"a read in a namespace that is not there is not found", []*Request{
		get("/apis/coordination.k8s.io/v1/namespaces/nowhere/leases/a"),
		get("/api/v1/namespaces/nowhere/pods/p")}},
	{"pretty prints the same", []*Request{post(nodes, node("a")), get(nodes + "/a?pretty=true")}},
	{"a HEAD has no handler", []*Request{post(nodes, node("a")), {Method: "HEAD", Path: nodes + "/a"}}},
	{"an event is read in both its versions", []*Request{
		post(events, event("e", `"count":3,"source":{"component":"kubelet"},"lastTimestamp":"2001-01-01T00:00:00Z"`)),
		get("/apis/events.k8s.io/v1/namespaces/default/events/e")}},
}
