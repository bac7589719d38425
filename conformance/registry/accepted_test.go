package registry

// acceptedOfOurs are the differences between our server and upstream's
// registries that are meant to stay. The other side is upstream.
var acceptedOfOurs = []accept{
	{`\.(securityContext|schedulerName|enableServiceLinks|dnsPolicy|terminationMessagePath|terminationMessagePolicy|imagePullPolicy): .* \| nothing$`,
		"a pod has no more defaults than its eviction and deletion depend on"},
	{`^discovery: the version is told: `, "a simulated server has no build, and no versions to emulate"},
	{`^discovery: the paths are told: `, "the paths that are served"},
	{`(pods/|\.)(ephemeralcontainers|resize|bindings): .* \| nothing$`, "nobody here changes containers of a pod that runs, or binds by the old path"},
	{`^users: a binding may carry labels and wants a node: step 4: `, "the old path of bindings"},
	{`cannot be handled as a .*: converting \(v1\.\w+\) to \(\w+\.\w+\)`, "there are no internal versions to convert to"},
	{`you requested PartialObjectMetadataList, but .* \(\*core\.Node\)`, "there are no internal versions to convert to"},
	{`^restarts: a watch from before a restart is too old, .*: step 6`, "a server that starts has written to etcd for itself, as one with an identity does, so that no watch goes on from the last version before"},
	{`Forbidden: pod updates may not change`, "the difference at the end is of the kind that clients know, not of the internal one"},
	{`\\"(Kind|Component)\\":.*field is immutable`, "there are no internal versions to convert to"},
	{`^get: a node at a version to come.*retry-after`, "a transport that has tried again as often as it was asked to does not ask for more"},
	{`^patch: a patch to another kind is refused: step 2: .*converting \(v1\.Pod\) to \(core\.Node\)`, "there are no internal versions to convert to"},
}

// lackingInOurs are the differences that are to be mended. A row that finds
// nothing any more fails the test, and goes.
var lackingInOurs = []accept{
	{`^events: an event is applied in either group: step [45]: `, "a field that was applied in one group conflicts in the other, where upstream lets it pass"},
}

// lackingInSequences are those that only drawn sequences have come upon.
var lackingInSequences = []accept{}
