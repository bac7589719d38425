package registry

import "strings"

var large = strings.Repeat("x", 3_200_000)

var namespaceCases = []Case{
	{"the namespaces of every cluster are there", []*Request{get(nss), get(nss + "/default"), get(nss + "/kube-node-lease")}},
	{"a namespace is created, labelled with its name and active", []*Request{post(nss, namespace("n")), get(nss + "/n")}},
	{"a namespace that is there conflicts", []*Request{post(nss, namespace("default"))}},
	{"a namespace with a name that is none is refused", []*Request{post(nss, namespace("A_b")), post(nss, namespace("a.b"))}},
	{"nothing is created in a namespace that is not there", []*Request{
		post("/api/v1/namespaces/nowhere/pods", object("v1", "Pod", "p", "nowhere", []string{`"spec":{"containers":[{"name":"c","image":"i"}]}`})),
		post("/apis/coordination.k8s.io/v1/namespaces/nowhere/leases", object("coordination.k8s.io/v1", "Lease", "a", "nowhere", nil)),
		post("/api/v1/namespaces/nowhere/events", object("v1", "Event", "e", "nowhere", []string{`"involvedObject":{"kind":"Pod","name":"p","namespace":"nowhere"}`}))}},
	{"a namespace that is deleted stays until it is finalized", []*Request{
		post(nss, namespace("n")), del(nss + "/n"), get(nss + "/n"),
		post("/api/v1/namespaces/n/pods", object("v1", "Pod", "p", "n", []string{`"spec":{"containers":[{"name":"c","image":"i"}]}`})),
		del(nss + "/n"), put(nss+"/n/finalize", namespace("n", `"spec":{"finalizers":[]}`)), get(nss + "/n")}},
	{"some namespaces are not deleted", []*Request{del(nss + "/default"), del(nss + "/kube-system"), del(nss + "/kube-public")}},
	{"a namespace is labelled and selected", []*Request{
		mergePatch(nss+"/default", `{"metadata":{"labels":{"k":"v"}}}`), get(nss + "?labelSelector=k%3Dv"), get(nss + "?fieldSelector=status.phase%3DActive,metadata.name%3Ddefault"),
		get(nss + "?fieldSelector=spec.x%3Dy")}},
	{"the label with a namespace's name comes back", []*Request{mergePatch(nss+"/default", `{"metadata":{"labels":null}}`)}},
	{"namespaces are not deleted as a list", []*Request{del(nss)}},
	{"a namespace's status", []*Request{get(nss + "/default/status"), mergePatch(nss+"/default/status", `{"status":{"phase":"Terminating"}}`)}},
	{"namespaces are watched", []*Request{post(nss, namespace("n")), get(nss + "?watch=true&resourceVersion={rv 1}"), get(nss + "?watch=true&fieldSelector=metadata.name%3Dn")}},
}
