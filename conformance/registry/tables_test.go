package registry

// tables are the cases, by topic.
var tables = []struct {
	topic string
	cases []Case
}{
	{"create", createCases},
	{"get", getCases},
	{"list", listCases},
	{"update", updateCases},
	{"status", statusCases},
	{"patch", patchCases},
	{"delete", deleteCases},
	{"watch", watchCases},
	{"restarts", restartCases},
	{"events", eventCases},
	{"bad requests", badCases},
	{"protobuf", protobufCases},
	{"field validation", fieldValidationCases},
	{"namespaces", namespaceCases},
	{"printed", tableCases},
	{"discovery", discoveryCases},
	{"users", userCases},
}
