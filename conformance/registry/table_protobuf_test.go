package registry

import (
	"bytes"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

const protobufType = "application/vnd.kubernetes.protobuf"

// protobufCases are what the kubelet and the controllers really send.
var protobufCases = []Case{
	{"a node comes and goes in protobuf", []*Request{
		asProtobuf(post(nodes, node("a", `"status":{"conditions":[`+readyCondition+`]}`))), asProtobuf(put(nodes+"/a", node("a", `"spec":{"unschedulable":true}`))),
		asProtobuf(put(nodes+"/a/status", node("a", `"status":{"capacity":{"cpu":"2"}}`))), get(nodes + "/a").accept(protobufType), get(nodes).accept(protobufType),
		del(nodes + "/a").accept(protobufType), get(nodes + "/a").accept(protobufType)}},
	{"a lease is created and renewed in protobuf", []*Request{
		asProtobuf(post(leases, lease("a", `"spec":{"holderIdentity":"a","leaseDurationSeconds":40,"renewTime":"2001-01-01T00:00:00.000001Z"}`))),
		asProtobuf(put(leases+"/a", lease("a", `"spec":{"holderIdentity":"a","leaseDurationSeconds":40,"renewTime":"2001-01-01T00:00:10.000002Z"}`))),
		asProtobuf(post(leases, lease("a"))), get(leases + "/a").accept(protobufType)}},
	{"times in protobuf lose what JSON would have cut", []*Request{
		asProtobuf(post(leases, lease("a", `"spec":{"renewTime":"2001-01-01T00:00:00.123456Z"}`))), get(leases + "/a"), get(leases + "/a").accept(protobufType)}},
	{"a pod, its binding and an event in protobuf", []*Request{
		asProtobuf(post(pods, pod("p"))), asProtobuf(post(pods+"/p/binding", binding("p", "a"))), asProtobuf(post(events, event("e"))),
		get(pods).accept(protobufType), get(events).accept(protobufType), delWith(pods+"/p", `{"gracePeriodSeconds":0}`).accept(protobufType)}},
	{"an object of another kind in protobuf", []*Request{
		{Method: "POST", Path: nodes, Body: toProtobuf(pod("p")), Header: map[string]string{"Content-Type": protobufType}}}},
	{"a patch is JSON, and its answer protobuf", []*Request{
		post(nodes, node("a")), strategicPatch(nodes+"/a/status", `{"status":{"conditions":[`+readyCondition+`]}}`).accept(protobufType),
		mergePatch(nodes+"/none", `{}`).accept(protobufType)}},
	{"options of a deletion in protobuf", []*Request{
		post(pods, pod("p", running)), {Method: "DELETE", Path: pods + "/p", Header: map[string]string{"Content-Type": protobufType, "Accept": protobufType},
			Body: toProtobuf(`{"apiVersion":"v1","kind":"DeleteOptions","gracePeriodSeconds":3}`)}, get(pods + "/p")}},
	{"a watch in protobuf", threeNodes(
		mergePatch(nodes+"/a", `{"metadata":{"labels":{"k":"v"}}}`), del(nodes+"/b"),
		get(nodes+"?watch=true&resourceVersion={rv 1}").accept(protobufType), get(nodes+"?watch=true&resourceVersion={rv 1}").accept(protobufType+";stream=watch"),
		get(nodes+"?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true").accept(protobufType+",application/json"))},
	{"tables are not in protobuf, and then JSON", threeNodes(
		get(nodes).accept(protobufType + ";as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1;g=meta.k8s.io,application/json"))},
}

// asProtobuf sends the body in protobuf, and asks for an answer in it.
func asProtobuf(r *Request) *Request {
	r.Body = toProtobuf(r.Body)
	return r.with("Content-Type", protobufType).accept(protobufType)
}

// toProtobuf writes an object, told in JSON, in protobuf.
func toProtobuf(json string) string {
	obj, _, err := legacyscheme.Codecs.UniversalDeserializer().Decode([]byte(json), nil, nil)
	if err != nil {
		panic(err)
	}
	var out bytes.Buffer
	var encoder runtime.Encoder = protobuf.NewSerializer(legacyscheme.Scheme, legacyscheme.Scheme)
	if err := encoder.Encode(obj, &out); err != nil {
		panic(err)
	}
	return out.String()
}
