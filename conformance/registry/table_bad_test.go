package registry

var badCases = []Case{
	{"a body that is no JSON is refused", []*Request{
		post(nodes, `{`), post(nodes, ``), post(nodes, `[]`), post(nodes, `"x"`), post(nodes, `null`), put(nodes+"/a", `{`)}},
	{"a body of another kind is refused", []*Request{
		post(nodes, pod("p")), post(nodes, object("v2", "Node", "a", "", nil)), post(leases, node("a")), post(nodes, `{"kind":"NodeList","apiVersion":"v1"}`)}},
	{"a body without a kind is taken for what the path says", []*Request{
		post(nodes, `{"metadata":{"name":"a"}}`), post(leases, `{"metadata":{"name":"a"}}`), post(nodes, `{"kind":"Node","metadata":{"name":"b"}}`), post(nodes, `{"apiVersion":"v1","metadata":{"name":"c"}}`)}},
	{"a field of another type is refused", []*Request{
		post(nodes, `{"metadata":{"name":5}}`), post(nodes, `{"metadata":{"name":"a"},"spec":"x"}`), post(nodes, `{"metadata":{"name":"a","labels":["x"]}}`),
		post(leases, lease("a", `"spec":{"leaseDurationSeconds":"40"}`)), post(leases, lease("a", `"spec":{"leaseDurationSeconds":1.5}`)), post(leases, lease("a", `"spec":{"renewTime":"yesterday"}`)),
		post(leases, lease("a", `"spec":{"leaseDurationSeconds":9999999999}`))}},
	{"a renewal with whole seconds is taken", []*Request{post(leases, lease("a", `"spec":{"renewTime":"2001-01-01T00:00:00Z","acquireTime":"2001-01-01T01:00:00+01:00"}`))}},
	{"a content type that is none is refused", []*Request{
		send("POST", nodes, "text/plain", node("a")), send("POST", nodes, "application/cbor", node("a")), send("POST", nodes, "application/x-www-form-urlencoded", node("a")), send("PUT", nodes+"/a", "text/html", node("a"))}},
	{"a body without a content type is JSON", []*Request{send("POST", nodes, "", node("a")), send("POST", nodes, "application/json; charset=utf-8", node("b"))}},
	{"a body in YAML is taken", []*Request{send("POST", nodes, "application/yaml", "metadata:\n  name: a\n  labels: {k: v}\n"), send("POST", nodes, "application/yaml", "a: b: c")}},
	{"a body that says it is protobuf and is not is refused", []*Request{send("POST", nodes, "application/vnd.kubernetes.protobuf", node("a"))}},
	{"an answer nobody has is refused", []*Request{
		get(nodes).accept("text/plain"), get(nodes).accept("application/cbor"), get(nodes).accept("image/png, text/html"), post(nodes, node("a")).accept("text/plain")}},
	{"an answer in any type is JSON", []*Request{get(nodes).accept("*/*"), get(nodes).accept("text/html, application/*"), get(nodes).accept("")}},
	{"the best of several types is taken", []*Request{
		get(nodes).accept("text/html, application/yaml"), get(nodes).accept("application/json;q=0.5, application/yaml;q=0.9")}},
	{"an answer in YAML", []*Request{post(nodes, node("a")).accept("application/yaml"), get(nodes).accept("application/yaml"), get(nodes + "/b").accept("application/yaml")}},
	{"an answer in protobuf", []*Request{
		post(nodes, node("a")).accept("application/vnd.kubernetes.protobuf"), get(nodes).accept("application/vnd.kubernetes.protobuf,application/json"), get(nodes + "/b").accept("application/vnd.kubernetes.protobuf")}},
	{"a resource that is none is not found", []*Request{
		get("/api/v1/nothings"), get("/api/v1/namespaces/default/nothings/x"), post("/api/v1/nothings", `{}`), del("/api/v1/nothings/x"), get("/apis/coordination.k8s.io/v1/nothings")}},
	{"a group or version that is none is not found", []*Request{
		get("/apis/none.io/v1/leases"), get("/apis/coordination.k8s.io/v9/leases"), get("/api/v2/nodes"), get("/apis/none.io"), get("/apis/none.io/v1"), get("/none")}},
	{"a resource of another scope is not found", []*Request{
		get("/api/v1/namespaces/default/nodes"), get("/api/v1/namespaces/default/nodes/a"), get("/api/v1/pods/p"), get(allLeases + "/a")}},
	{"a subresource that is none is not found", []*Request{post(nodes, node("a")), get(nodes + "/a/nothing"), put(leases+"/a/status", lease("a")), get(events + "/e/status")}},
	{"a method that is not served is not allowed", []*Request{
		{Method: "POST", Path: nodes + "/a", Body: `{}`}, {Method: "PUT", Path: nodes, Body: `{}`}, {Method: "OPTIONS", Path: nodes}, {Method: "BREW", Path: nodes}, {Method: "HEAD", Path: nodes}}},
	{"a path with a slash at its end", []*Request{get(nodes + "/"), get("/api/v1/"), get("/api/")}},
	{"a name that cannot be one is not found", []*Request{get(nodes + "/A_b"), get(nodes + "/%20"), get(nodes + "/a%2Fb"), get(nodes + "/..")}},
	{"a namespace that cannot be one", []*Request{get("/api/v1/namespaces/A_b/pods"), post("/api/v1/namespaces/A_b/pods", object("v1", "Pod", "p", "", []string{`"spec":{"containers":[{"name":"c","image":"i"}]}`}))}},
	{"options that are none are refused", []*Request{
		post(nodes+"?fieldManager=%00", node("a")), post(nodes+"?fieldManager="+"m123456789m123456789m123456789m123456789m123456789m123456789m123456789m123456789m123456789m123456789m123456789m123456789m123456789", node("a")),
		post(nodes+"?dryRun=", node("b")), put(nodes+"/b?dryRun=No", node("b"))}},
	{"a body larger than 3 MB is refused", []*Request{post(nodes, node("a", `"metadata":{"annotations":{"k":"`+large+`"}}`))}},
	{"annotations larger than 256 kB are refused", []*Request{post(nodes, node("a", `"metadata":{"annotations":{"k":"`+large[:300_000]+`"}}`))}},
}

var fieldValidationCases = []Case{
	{"an unknown field is dropped and warned of", []*Request{
		post(nodes, node("a", `"spec":{"colour":"blue"}`)), post(nodes+"?fieldValidation=Warn", node("b", `"spec":{"colour":"blue"},"size":5`)),
		mergePatch(nodes+"/a", `{"spec":{"colour":"red"}}`), put(nodes+"/a", node("a", `"spec":{"colour":"blue"}`))}},
	{"an unknown field is dropped silently", []*Request{post(nodes+"?fieldValidation=Ignore", node("a", `"spec":{"colour":"blue"}`))}},
	{"an unknown field is refused", []*Request{
		post(nodes+"?fieldValidation=Strict", node("a", `"spec":{"colour":"blue"},"size":5`)), post(nodes, node("a")),
		put(nodes+"/a?fieldValidation=Strict", node("a", `"spec":{"colour":"blue"}`)), mergePatch(nodes+"/a?fieldValidation=Strict", `{"spec":{"colour":"red"}}`),
		strategicPatch(nodes+"/a?fieldValidation=Strict", `{"spec":{"colour":"red"}}`), jsonPatch(nodes+"/a?fieldValidation=Strict", `[{"op":"add","path":"/spec/colour","value":"red"}]`)}},
	{"a field twice is warned of, or refused", []*Request{
		post(nodes, node("a", `"spec":{"unschedulable":true,"unschedulable":false}`)), post(nodes+"?fieldValidation=Strict", node("b", `"spec":{"unschedulable":true,"unschedulable":false}`)),
		post(nodes+"?fieldValidation=Ignore", node("c", `"spec":{"unschedulable":true,"unschedulable":false}`))}},
	{"a field in the wrong case is unknown", []*Request{post(nodes+"?fieldValidation=Strict", node("a", `"spec":{"Unschedulable":true}`)), post(nodes, node("b", `"spec":{"Unschedulable":true}`))}},
	{"a validation that is none is refused", []*Request{post(nodes+"?fieldValidation=Perhaps", node("a")), mergePatch(nodes+"/a?fieldValidation=Perhaps", `{}`)}},
	{"an unknown field in YAML", []*Request{send("POST", nodes+"?fieldValidation=Strict", "application/yaml", "metadata: {name: a}\nspec: {colour: blue}\n"), send("POST", nodes, "application/yaml", "metadata: {name: a, name: b}\n")}},
	{"an unknown field of a lease, a pod and an event", []*Request{
		post(leases+"?fieldValidation=Strict", lease("a", `"spec":{"x":1}`)), post(pods+"?fieldValidation=Strict", pod("p", `"x":1`)), post(events+"?fieldValidation=Strict", event("e", `"x":1`))}},
}
