// Package traces records what happens in a run, writes and reads it, tells whether two runs are the same, and reads
// the audit logs of real clusters into the same form.
//
// # Recording
//
// A Recorder numbers the events of a run and keeps a rolling hash over them, always; the hash is what "the same
// scenario, seed and binary give the same run" is checked by. Sinks take the events: a Writer (a file), a Memory (a
// slice), a Comparer (an earlier run). Without a sink nothing is stored and no JSON is made, and recording an event
// costs a seventh of writing it; neither allocates.
//
// # The trace format, trace/v1alpha1
//
// A trace is JSON Lines, one object a line, UTF-8, as it is or packed with gzip or zstd. Its first line is a Header
// with the whole scenario, its last a Footer with the number and the hash of the events. Each line between is an
// Event:
//
//	{"holter":"trace/v1alpha1","name":"node-death","seed":1,"kubernetesVersion":"1.36","scenario":"apiVersion: ..."}
//	{"seq":1,"at":"000000.000000s","actor":"kubelet/node-1","kind":"start","node":"node-1"}
//	{"seq":2,"at":"000000.004120s","atNs":35,"actor":"kubelet/node-1","kind":"request","cause":1,"node":"node-1",
//	 "verb":"create","resource":"nodes","name":"node-1","code":201,"resourceVersion":"7"}    (one line in the file)
//	{"events":2,"hash":"9cfb4340f099d445"}
//
// The keys stand in this order: seq, at, atNs, actor, kind, cause, node, verb, resource, namespace, name, code, reason,
// sent, sentNs, resourceVersion, renewTime, from, to, detail, body. A field that is zero is left out, except seq and
// at. Times are durations since the start of the run, cut to the microsecond and of fixed width, so that text sorts;
// what was cut off is in atNs and sentNs (0 to 999), so that a file loses nothing and its hash is that of the run. A
// reader ignores keys that it does not know.
//
// The hash is described at its code (hash.go). It covers every field but body, which is there only on request.
//
// # Damage
//
// A trace or log that is cut off or corrupt is read up to that place, and Damage says where it is and what is wrong;
// with Strict it is an error. A single line of an audit log that cannot be read, with readable ones after it, is skipped
// and counted. A trace that can be read and is not what was written (an event is missing, the hash is another) is
// Altered. A file of which nothing can be used is an error always, and it names the file.
//
// # Audit logs
//
// ReadAudit reads the log of a kube-apiserver; AuditRecord.ToEvent and Event.ToAudit convert both ways and lose
// nothing that the model uses.
package traces
