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
//	call       what an [Observer] is told: one request from sending to answer
//
// What the server answers is upstream's, to the letter where a client can see
// it: conflict texts, preconditions, the split of spec and status, writes that
// change nothing, expired watches. Left out: authentication, admission other
// than the two plugins heartbeats depend on, managed fields, server-side
// apply, and pages of lists (limit is ignored, as it is upstream for
// resourceVersion "0").
package fakeapi
