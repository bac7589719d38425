// Package conformance holds Holter's model of heartbeats against Kubernetes'
// own code: the lease controller, the reflector, the node lifecycle controller
// and the kubelet's setters, unmodified. Both are put through the same fault
// schedules, which rapid draws, and every request, transition, taint and event
// must be the same at the same instant.
//
// Upstream's controllers are made of goroutines and timers, so they run in a
// bubble of testing/synctest, whose clock moves when everybody sleeps. Holter's
// API server runs on Holter's engine. A [bubble.Bridge] keeps the two clocks together.
//
// Both sides draw the same jitter: upstream from the global source of
// math/rand, seeded, ours from a second source of that seed ([Draws]).
package conformance
