package registry

// Events of the group events.k8s.io are those of the core group, as its requests
// read, write and check them.
const newEvents = "/apis/events.k8s.io/v1/namespaces/default/events"

// newEvent is an event as a recorder of client-go's tools/events writes it.
func newEvent(name string, members ...string) string {
	return object("events.k8s.io/v1", "Event", name, "default", append([]string{
		`"regarding":{"kind":"Node","name":"a","namespace":"default"}`, `"eventTime":"2001-01-01T00:00:00.000001Z"`,
		`"reportingController":"c.io/c"`, `"reportingInstance":"i"`, `"action":"A"`, `"reason":"R"`, `"type":"Normal"`, `"note":"n"`}, members...))
}

var eventCases = []Case{
	{"an event of either group is read in both", []*Request{
		post(newEvents, newEvent("e", `"related":{"kind":"Pod","name":"p"},"series":{"count":3,"lastObservedTime":"2001-01-01T00:00:01.000001Z"}`)),
		post(events, event("f", `"firstTimestamp":"2001-01-01T00:00:00Z","lastTimestamp":"2001-01-01T00:00:05Z","count":2,"source":{"component":"kubelet","host":"a"},"message":"m"`)),
		get(events + "/e"), get(newEvents + "/e"), get(events + "/f"), get(newEvents + "/f"), get(events), get(newEvents),
		get("/apis/events.k8s.io/v1/events?limit=1")}},
	{"what the older recorder fills is to be unset", []*Request{
		post(newEvents, newEvent("e", `"deprecatedCount":1,"deprecatedSource":{"component":"c"},"deprecatedFirstTimestamp":"2001-01-01T00:00:00Z","deprecatedLastTimestamp":"2001-01-01T00:00:00Z"`)),
		post(newEvents, newEvent("e", `"deprecatedSource":{"host":"h"}`))}},
	{"an event without what the newer recorder fills is refused", []*Request{
		post(newEvents, object("events.k8s.io/v1", "Event", "e", "default", nil)),
		post(newEvents, newEvent("e", `"eventTime":null`)), post(newEvents, newEvent("e", `"type":""`)), post(newEvents, newEvent("e", `"type":"Odd"`)),
		post(newEvents, newEvent("e", `"reportingController":""`)), post(newEvents, newEvent("e", `"reportingController":"bad name"`)),
		post(newEvents, newEvent("e", `"reportingInstance":""`)), post(newEvents, newEvent("e", `"action":""`)), post(newEvents, newEvent("e", `"reason":""`)),
		post(newEvents, newEvent("e", `"regarding":{"kind":"Node","name":"a"}`)),
		post(newEvents, newEvent("e", `"series":{"count":1}`))}},
	{"an event of the newer recorder has a name, labels and finalizers", []*Request{
		post(newEvents, newEvent("Not_a_name")), post(newEvents, newEvent("e", `"metadata":{"labels":{"-bad-":"v"},"finalizers":["bad"]}`)),
		post(newEvents, newEvent("", `"metadata":{"generateName":"e-"}`)), post(newEvents+"?dryRun=All", newEvent("d")), get(newEvents + "/d")}},
	{"an event of one group is not sent to the other", []*Request{
		post(newEvents, event("e")), post(events, newEvent("e")), post(newEvents, node("e")),
		post(newEvents+"?fieldValidation=Strict", newEvent("e", `"message":"m"`)), post(newEvents, newEvent("e", `"message":"m"`))}},
	{"an event that is there conflicts in both groups", []*Request{
		post(events, event("e")), post(newEvents, newEvent("e")), get(newEvents + "/x")}},
	{"a series goes on by a patch", []*Request{
		post(newEvents, newEvent("e")),
		strategicPatch(newEvents+"/e", `{"series":{"count":2,"lastObservedTime":"2001-01-01T00:00:02.000000Z"}}`), get(events + "/e"),
		mergePatch(newEvents+"/e", `{"series":{"count":3}}`), jsonPatch(newEvents+"/e", `[{"op":"replace","path":"/series/count","value":4}]`),
		strategicPatch(newEvents+"/e", `{"series":{"count":1}}`), mergePatch(newEvents+"/e", `{"series":{"lastObservedTime":null}}`),
		mergePatch(newEvents+"/e", `{"series":null}`), strategicPatch(newEvents+"/x", `{}`)}},
	{"a patch is of the fields of its group", []*Request{
		post(newEvents, newEvent("e")),
		mergePatch(newEvents+"/e", `{"message":"m"}`),
		strategicPatch(newEvents+"/e", `{"involvedObject":{"name":"b"}}`),
		mergePatch(events+"/e", `{"message":"m","count":7}`), get(newEvents + "/e"),
		jsonPatch(newEvents+"/e", `[{"op":"test","path":"/note","value":"m"},{"op":"add","path":"/metadata/labels","value":{"a":"b"}}]`)}},
	{"what an event tells stays", []*Request{
		post(newEvents, newEvent("e")),
		mergePatch(newEvents+"/e", `{"note":"m"}`), mergePatch(newEvents+"/e", `{"reason":"S"}`), mergePatch(newEvents+"/e", `{"type":"Warning"}`),
		mergePatch(newEvents+"/e", `{"action":"B"}`), mergePatch(newEvents+"/e", `{"reportingController":"d","reportingInstance":"j"}`),
		mergePatch(newEvents+"/e", `{"eventTime":"2002-01-01T00:00:00.000000Z"}`), mergePatch(newEvents+"/e", `{"deprecatedCount":5}`),
		mergePatch(newEvents+"/e", `{"deprecatedFirstTimestamp":"2001-01-01T00:00:00Z","deprecatedLastTimestamp":"2001-01-01T00:00:00Z"}`),
		mergePatch(newEvents+"/e", `{"metadata":{"labels":{"a":"b"},"annotations":{"a":"b"}}}`), mergePatch(newEvents+"/e", `{"metadata":{"finalizers":["bad"]}}`),
		mergePatch(newEvents+"/e", `{"metadata":{"labels":{"-bad-":"v"}}}`), mergePatch(events+"/e", `{"reason":"S"}`)}},
	{"what an event is about stays", []*Request{
		post(newEvents, newEvent("e")),
		mergePatch(newEvents+"/e", `{"regarding":{"name":"b"}}`), mergePatch(newEvents+"/e", `{"related":{"name":"b"}}`),
		mergePatch(newEvents+"/e", `{"deprecatedSource":{"component":"c"}}`)}},
	{"an event is replaced in either group", []*Request{
		post(newEvents, newEvent("e")), put(newEvents+"/e", newEvent("e", `"metadata":{"labels":{"a":"b"}}`)),
		put(newEvents+"/e", newEvent("e", `"metadata":{"resourceVersion":"{rv 1}"}`)), put(newEvents+"/e", newEvent("e", `"note":"m"`)),
		put(newEvents+"/f", newEvent("f")), put(newEvents+"/f", newEvent("e")),
		put(events+"/f", event("f", `"message":"m"`)), get(newEvents + "/f")}},
	{"an event of the older recorder may be labelled in the newer group, if it would pass", []*Request{
		post(events, event("e")), mergePatch(newEvents+"/e", `{"metadata":{"labels":{"a":"b"}}}`)}},
	{"events are selected by the names of the group", []*Request{
		post(newEvents, newEvent("e")), post(newEvents, newEvent("f", `"reason":"S","reportingController":"d"`)),
		get(newEvents + "?fieldSelector=regarding.name%3Da"), get(newEvents + "?fieldSelector=regarding.name%21%3Da"),
		get(newEvents + "?fieldSelector=regarding.kind%3DNode,regarding.namespace%3Ddefault,reason%3DS"),
		get(newEvents + "?fieldSelector=reportingController%3Dd"), get(newEvents + "?fieldSelector=type%3DNormal,metadata.name%3De"),
		get(newEvents + "?fieldSelector=metadata.namespace%3Ddefault,regarding.uid%3D,regarding.apiVersion%3D,regarding.resourceVersion%3D,regarding.fieldPath%3D"),
		get(newEvents + "?fieldSelector=involvedObject.name%3Da"), get(newEvents + "?fieldSelector=source%3Dd"),
		get(newEvents + "?fieldSelector=reportingComponent%3Dd"), get(events + "?fieldSelector=regarding.name%3Da")}},
	{"events of both groups are deleted in either", []*Request{
		post(newEvents, newEvent("e")), post(events, event("f")), post(events, event("g")), del(newEvents + "/f"), del(events + "/e"), del(newEvents + "/e"),
		post(newEvents, newEvent("e")), delWith(newEvents+"/e", `{"preconditions":{"uid":"other"}}`),
		del(newEvents + "?fieldSelector=regarding.name%3Da"), get(events), del(newEvents), get(events)}},
	{"an event that is to be kept for a while is answered with", []*Request{
		post(newEvents, newEvent("e", `"metadata":{"finalizers":["example.com/f"]}`)), del(newEvents + "/e"), get(events + "/e"),
		mergePatch(newEvents+"/e", `{"metadata":{"finalizers":null}}`), get(newEvents + "/e")}},
	{"an event is applied in either group", []*Request{
		apply(newEvents+"/e?fieldManager=m", newEvent("e")), get(events + "/e"),
		apply(events+"/e?fieldManager=o&force=true", `{"apiVersion":"v1","kind":"Event","metadata":{"name":"e","namespace":"default","labels":{"a":"b"}}}`),
		apply(newEvents+"/e?fieldManager=m", newEvent("e", `"metadata":{"labels":{"a":"c"}}`)),
		apply(newEvents+"/e?fieldManager=m", newEvent("e", `"series":{"count":2,"lastObservedTime":"2001-01-01T00:00:02.000000Z"}`)),
		apply(newEvents+"/e?fieldManager=m", event("e"))}},
	{"events are printed in both groups", []*Request{
		post(newEvents, newEvent("e", `"series":{"count":3,"lastObservedTime":"2001-01-01T00:00:01.000001Z"}`)),
		post(events, event("f", `"lastTimestamp":"2001-01-01T00:00:05Z","count":2,"source":{"component":"kubelet","host":"a"}`)),
		get(newEvents).asTable(), get(newEvents + "/e").asTable(), get(newEvents + "?includeObject=Object").asTable(), get(newEvents + "?watch=true").asTable(),
		get(newEvents).accept("application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"), get(newEvents).accept("application/yaml"),
		get(newEvents + "/none").asTable()}},
	{"events are watched in both groups", []*Request{
		post(newEvents, newEvent("e")), post(events, event("f")), mergePatch(newEvents+"/e", `{"series":{"count":2,"lastObservedTime":"2001-01-01T00:00:02.000000Z"}}`), del(events + "/f"),
		get(newEvents + "?watch=true&resourceVersion={rv 1}"), get(newEvents + "?watch=true"), get(events + "?watch=true&resourceVersion={rv 1}"),
		get(newEvents + "?watch=true&resourceVersion={rv 1}&fieldSelector=regarding.kind%3DNode,reportingController%3Dc.io/c"),
		get(newEvents + "?watch=true&resourceVersion={rv 1}&fieldSelector=involvedObject.kind%3DNode"),
		get(newEvents + "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true")}},
	{"the newer group is told", []*Request{
		get("/apis/events.k8s.io"), get("/apis/events.k8s.io/v1"), get("/apis/events.k8s.io/v1beta1")}},
}
