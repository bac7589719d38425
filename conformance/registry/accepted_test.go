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
	{`events\.k8s\.io`, "events are served in the version that the kubelet and the controllers write"},
	{`^(create: an event of the new kind|get: an event is read in both)`, "events are served in the version that the kubelet and the controllers write"},
	{`^restarts: a watch from before a restart is too old, .*: step 6`, "a server that starts has written to etcd for itself, as one with an identity does, so that no watch goes on from the last version before"},
}

// lackingInOurs are the differences that are to be mended. A row that finds
// nothing any more fails the test, and goes.
var lackingInOurs = []accept{
	// Objects.
	{`Forbidden: pod updates may not change`, "ValidatePodUpdate ends with what differs between the two specs"},
	// Reads.
	{`^get: a node at a version to come.*retry-after|^list: a list at a version to come.*retryAfterSeconds`, "Too large resource version: GET from the cache has a Retry-After, a list of events from etcd has none"},
	// Writes.
	{`^patch: a patch to another kind`, "a patch that changes kind or apiVersion: the text, with the whole object in it"},
	{`^field validation: an unknown field in YAML: step 2`, "the warning of YAML keys twice"},
	{`^delete: options (may name|that are none)`, "DeleteOptions of the group meta.k8s.io, and of a kind that is another"},
	// Namespaces and subresources.
	{`resources\.namespaces(/finalize|\.)`, "namespaces/finalize, and the verbs of namespaces"},
	// Words.
	{`406: Not Acceptable|only the following media types are accepted|^watch: a watch in YAML`, "the media types a 406 names"},
	{`404 <nil> "404 page not found"`, "paths of no group are answered in plain text"},
	{`answer: 405 <nil> null \| 405`, "an answer to HEAD has no body"},
	{`^(discovery|bad requests): .*(apiVersion: nothing|responseKind\.(version|group): ""|serverAddressByClientCIDRs)`, "discovery to the letter: no apiVersion in /api/v1, no version in responseKind"},
}

// lackingInSequences are those that only drawn sequences have come upon.
var lackingInSequences = []accept{
	{`StorageError: invalid object, Code: 4, Key: /(leases|events|pods|minions)/`, "a uid that does not fit, in a dry run of an update: the key has no /registry (DryRunnableStorage)"},
	{`PUT .*body\.metadata\.resourceVersion: ".*" \| nothing$`, "a dry run of a PUT that would create answers with the version it was given"},
}
