// Package fakeapi is a Kubernetes API server in memory, on virtual time: the
// resources that node heartbeats touch, with the conflicts, watches and faults
// that decide whether a node is called dead.
//
// One [Server] holds one store of immutable objects. A [Client] belongs to a
// host of the simulation and offers the methods of client-go's typed clients;
// each call is a request that travels through the [Network], waits for the
// server if that is paused, and comes back, or does not. A [Watch] is pulled.
//
//	store      one resourceVersion counter, copy on write, a bounded log for watches
//	network    latency, lost requests, replies lost after the commit, held watches
//	connection one for each client; HTTP/2 pings find out that it is dead
//	work       how long a request is worked on, and how many at once: [FlowControl]
//	call       what an [Observer] is told: one request from sending to answer
//	transport  the same for client-go's own clients: HTTP in a process; see [Transport]
//	register   any typed resource besides nodes, leases, pods, events and namespaces
//
// What the server answers is upstream's, to the letter where a client can see
// it: defaults and validation, conflicts, preconditions, the four kinds of
// patch, the split of spec and status, writes that change nothing, pages of
// lists, lists at an old version, expired watches, finalizers, dry runs. Of
// admission there are NamespaceLifecycle, TaintNodesByCondition,
// DefaultTolerationSeconds and, if asked for, NodeRestriction; the garbage
// collector is there if asked for. Left out: authentication, authorization,
// defaults and validation of what has nothing to do with nodes (volumes,
// resources and security of pods), and managed fields of objects that nobody
// applies. Package conformance/registry puts the same requests to upstream's own
// registries.
package fakeapi
