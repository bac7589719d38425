package registry

var createCases = []Case{
	{"a new node is tainted not-ready and gets a uid, a version and a time", []*Request{
		post(nodes, node("a")), get(nodes + "/a")}},
	{"a node may bring its taints, and is tainted not-ready besides", []*Request{
		post(nodes, node("a", `"spec":{"taints":[{"key":"k","value":"v","effect":"NoSchedule"}]}`))}},
	{"a node that brings the not-ready taint is not tainted twice", []*Request{
		post(nodes, node("a", `"spec":{"taints":[{"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"}]}`))}},
	{"the same taint key with another effect is another taint", []*Request{
		post(nodes, node("a", `"spec":{"taints":[{"key":"node.kubernetes.io/not-ready","effect":"NoExecute"}]}`))}},
	{"a node with a taint twice is refused", []*Request{
		post(nodes, node("a", `"spec":{"taints":[{"key":"k","effect":"NoSchedule"},{"key":"k","effect":"NoSchedule"}]}`))}},
	{"a taint of an unknown effect is refused", []*Request{
		post(nodes, node("a", `"spec":{"taints":[{"key":"k","effect":"Never"}]}`))}},
	{"a taint without key or effect is refused", []*Request{
		post(nodes, node("a", `"spec":{"taints":[{"value":"v"}]}`))}},
	{"a node may come with a status", []*Request{
		post(nodes, node("a", `"status":{"conditions":[{"type":"Ready","status":"False","reason":"R","message":"m","lastHeartbeatTime":"2001-01-01T00:00:00Z","lastTransitionTime":"2001-01-01T00:00:00Z"}],"addresses":[{"type":"Hostname","address":"a"}],"capacity":{"cpu":"2","memory":"1Gi"}}`))}},
	{"allocatable is the capacity if it is not told", []*Request{
		post(nodes, node("a", `"status":{"capacity":{"cpu":"2000m","pods":"110"}}`)), get(nodes + "/a")}},
	{"a pod range is the first of the pod ranges", []*Request{
		post(nodes, node("a", `"spec":{"podCIDR":"10.0.0.0/24"}`)), get(nodes + "/a"), post(nodes, node("b", `"spec":{"podCIDRs":["10.0.1.0/24"]}`)),
		post(nodes, node("c", `"spec":{"podCIDR":"10.0.2.0/24","podCIDRs":["10.0.3.0/24"]}`)), post(nodes, node("d", `"spec":{"podCIDR":"none"}`)),
		mergePatch(nodes+"/a", `{"spec":{"unschedulable":true}}`)}},
	{"a node that is there already conflicts", []*Request{
		post(nodes, node("a")), post(nodes, node("a")), get(nodes + "/a")}},
	{"a node without a name is refused", []*Request{post(nodes, node(""))}},
	{"a node with a name that is none is refused", []*Request{post(nodes, node("A_b"))}},
	{"a node with labels that are none is refused", []*Request{
		post(nodes, node("a", `"metadata":{"labels":{"-bad-":"v"}}`)), post(nodes, node("a", `"metadata":{"labels":{"k":"bad value"}}`))}},
	{"a node with annotations that are none is refused", []*Request{
		post(nodes, node("a", `"metadata":{"annotations":{"bad key":"v"}}`))}},
	{"a node with finalizers that are none is refused", []*Request{
		post(nodes, node("a", `"metadata":{"finalizers":["bad"]}`))}},
	{"a version in a new object is refused", []*Request{
		post(nodes, node("a", `"metadata":{"resourceVersion":"1"}`))}},
	{"the version 0 in a new object is none", []*Request{
		post(nodes, node("a", `"metadata":{"resourceVersion":"0"}`))}},
	{"uid, times and generation in a new object are replaced", []*Request{
		post(nodes, node("a", `"metadata":{"uid":"mine","creationTimestamp":"2001-01-01T00:00:00Z","generation":7,"selfLink":"/x"}`))}},
	{"a deletion in a new object is forgotten", []*Request{
		post(nodes, node("a", `"metadata":{"deletionTimestamp":"2001-01-01T00:00:00Z","deletionGracePeriodSeconds":5}`)), get(nodes + "/a")}},
	{"a name is generated", []*Request{
		post(nodes, node("", `"metadata":{"generateName":"n-"}`)), get(nodes)}},
	{"a name wins over generateName", []*Request{
		post(nodes, node("a", `"metadata":{"generateName":"n-"}`))}},
	{"a generateName that leads to no name is refused", []*Request{
		post(nodes, node("", `"metadata":{"generateName":"N_"}`))}},
	{"a generateName of a lease and of an event are completed", []*Request{
		post(leases, lease("", `"metadata":{"generateName":"l-"}`)),
		post(events, event("", `"metadata":{"generateName":"e."}`))}},
	{"a dry run creates nothing, but checks everything", []*Request{
		post(nodes+"?dryRun=All", node("a")), get(nodes + "/a"),
		post(nodes, node("a")), post(nodes+"?dryRun=All", node("a")),
		post(nodes+"?dryRun=Some", node("b"))}},
	{"a node may not be created in a namespace", []*Request{
		post(nodes, node("a", `"metadata":{"namespace":"default"}`)),
		post("/api/v1/namespaces/default/nodes", node("a"))}},
	{"a lease is created with all that a kubelet sends", []*Request{
		post(leases, lease("a", `"spec":{"holderIdentity":"a","leaseDurationSeconds":40,"renewTime":"2001-01-01T00:00:00.123456Z"}`,
			`"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"a","uid":"u"}]}`)),
		get(leases + "/a")}},
	{"a lease without a spec is one", []*Request{post(leases, lease("a"))}},
	{"a lease that lasts no time is refused", []*Request{
		post(leases, lease("a", `"spec":{"leaseDurationSeconds":0}`)),
		post(leases, lease("a", `"spec":{"leaseDurationSeconds":-1,"leaseTransitions":-1}`))}},
	{"a lease with an empty holder is refused", []*Request{
		post(leases, lease("a", `"spec":{"holderIdentity":""}`))}},
	{"a lease with a strategy needs no holder, a preferred holder needs a strategy", []*Request{
		post(leases, lease("a", `"spec":{"strategy":"OldestEmulationVersion"}`)),
		post(leases, lease("b", `"spec":{"preferredHolder":"x"}`)),
		post(leases, lease("c", `"spec":{"strategy":"bad strategy","holderIdentity":"x"}`))}},
	{"an owner without a uid is refused", []*Request{
		post(leases, lease("a", `"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"a"}]}`))}},
	{"two controllers are refused", []*Request{
		post(leases, lease("a", `"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"a","uid":"u","controller":true},{"apiVersion":"v1","kind":"Node","name":"b","uid":"v","controller":true}]}`))}},
	{"an owner twice is warned of", []*Request{
		post(leases, lease("a", `"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"a","uid":"u"},{"apiVersion":"v1","kind":"Node","name":"a","uid":"u"}]}`))}},
	{"a lease in another namespace than its path's is refused", []*Request{
		post(leases, object("coordination.k8s.io/v1", "Lease", "a", "default", nil))}},
	{"a lease without a namespace takes that of the path", []*Request{
		post(leases, object("coordination.k8s.io/v1", "Lease", "a", "", nil))}},
	{"a lease cannot be created for all namespaces", []*Request{post(allLeases, lease("a"))}},
	{"a pod gets the defaults its deletion depends on", []*Request{post(pods, pod("p")), get(pods + "/p")}},
	{"a pod keeps the tolerations it brings", []*Request{
		post(pods, pod("p", `"spec":{"containers":[{"name":"c","image":"i"}],"tolerations":[{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":60}]}`))}},
	{"a pod that tolerates everything gets no other tolerations", []*Request{
		post(pods, pod("p", `"spec":{"containers":[{"name":"c","image":"i"}],"tolerations":[{"operator":"Exists"}]}`))}},
	{"a pod without containers is refused", []*Request{post(pods, pod("p", `"spec":{}`))}},
	{"a pod that begins with a status loses it", []*Request{
		post(pods, pod("p", `"status":{"phase":"Running","podIP":"10.0.0.1"}`))}},
	{"a pod whose toleration is none is refused", []*Request{
		post(pods, pod("p", `"spec":{"containers":[{"name":"c","image":"i"}],"tolerations":[{"key":"k","operator":"Exists","value":"v","effect":"NoSchedule","tolerationSeconds":5}]}`))}},
	{"an event is created as it comes", []*Request{
		post(events, event("e", `"firstTimestamp":"2001-01-01T00:00:00Z","lastTimestamp":"2001-01-01T00:00:05Z","count":2,"source":{"component":"kubelet","host":"a"}`)),
		get(events + "/e")}},
	{"an event of a node belongs into the default namespace", []*Request{
		post("/api/v1/namespaces/kube-system/events", object("v1", "Event", "e", "kube-system", []string{`"involvedObject":{"kind":"Node","name":"a"}`}))}},
	{"an event of a pod belongs into the pod's namespace", []*Request{
		post(events, event("e", `"involvedObject":{"kind":"Pod","name":"p","namespace":"kube-system"}`))}},
	{"an event of the new kind needs its fields", []*Request{
		post("/apis/events.k8s.io/v1/namespaces/default/events", object("events.k8s.io/v1", "Event", "e", "default", []string{`"regarding":{"kind":"Node","name":"a"}`})),
		post("/apis/events.k8s.io/v1/namespaces/default/events", object("events.k8s.io/v1", "Event", "f", "default", []string{
			`"regarding":{"kind":"Node","name":"a","namespace":"default"},"eventTime":"2001-01-01T00:00:00.000001Z","reportingController":"c.io/c","reportingInstance":"i","action":"A","reason":"R","type":"Normal","note":"n"`})),
		get(events + "/f")}},
}
