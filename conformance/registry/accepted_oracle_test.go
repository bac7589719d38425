//go:build apiserver

package registry

// acceptedOfOracle are the differences between the oracle and a kube-apiserver
// with etcd. The other side is kube-apiserver.
var acceptedOfOracle = []accept{
	{`^(discovery: |events: the newer group is told: |bad requests: a path with a slash at its end: ).*body\.(resources|groups|items)\..* \| nothing$`, "the resources and groups that have nothing to do with heartbeats, and the hashes of their storage"},
	{`^discovery: the other groups are told: step 1: body\.(apiVersion|groups\.)`, "/apis is answered by the aggregator"},
	{`serverAddressByClientCIDRs`, "the address"},
	{`^discovery: the paths are told: `, "the paths of everything else"},
}

// acceptedOfKubectl are the commands that print something else of our server.
var acceptedOfKubectl = []accept{
	{`^kubectl explain (lease|pods)`, "the schema that is served does not list what a field may be, and tells a type's words once"},
	{`^kubectl auth can-i`, "everybody may do everything, and nobody is asked"},
}
