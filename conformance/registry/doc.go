// Package registry holds Holter's API server against Kubernetes' own. It runs
// the registries of kube-apiserver (nodes, pods, events, namespaces, leases)
// behind the handlers of a generic API server, with the admission plugins that
// shape heartbeats, and sends the same requests to both.
//
//	Memory    etcd's part: keys, revisions and watches, in this process
//	Oracle    upstream's API server over a Memory, as an http.Handler
//	Ours      Holter's, asked through its wire surface
//	Cluster   a real etcd and kube-apiserver, behind the build tag apiserver
//	Case      what is sent, in steps; the tables are the files table_*_test.go
//	Answer    what came back, with what differs between any two runs taken out
//	Kubectl   a script of kubectl commands, and what they print
//
// The differences that are meant stand in accepted_test.go, each with its
// reason, and those that are to be mended beside them. No others pass, and a
// row that finds nothing any more fails.
//
// The oracle is upstream's code: it has goroutines, reads the wall clock and
// draws uids from the system. All that is compared is made independent of that
// in one place ([Names]). That it is the real thing, Memory and all, is shown by
// make conformance-apiserver, which sends every case to a kube-apiserver too.
package registry
