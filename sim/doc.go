// Package sim is a deterministic discrete-event engine: a virtual clock,
// machines with clocks and random numbers of their own, and straight-line code
// that sleeps on them. It knows nothing of Kubernetes.
//
// # Events
//
// An [Engine] holds events and runs them one at a time in a total order: by
// instant, then by the order in which they were scheduled. The clock jumps from
// event to event. What is scheduled for the present instant goes through a FIFO
// and runs after the timers that fall on that instant, all of which were
// scheduled before it. Timers on one instant are ties: [Engine.Stats] counts
// them, since a result that depends on their order is one to be careful with,
// and [Options].ShuffleTies draws another order from the seed.
//
// # Processes
//
// [Host.Go] starts a process: a coroutine that runs until it blocks and holds
// the whole engine meanwhile. It blocks in [Host.Sleep], in Lock of a mutex from
// [Host.NewMutex], in Wait of a [Waiter], and in nothing else: a sync.Mutex held
// over a Sleep, a channel, or the real clock stops the engine for good.
//
// A periodic loop, [Host.Every], is a timer between ticks; each tick borrows a
// coroutine from a pool for as long as it runs. A hundred thousand loops asleep
// are a hundred thousand entries of a heap and not one stack. Callbacks, the
// events of [Engine.At] and [Host.After], have no coroutine and cannot block.
//
// # Faults
//
// Processes and host events belong to a [Host], which can be paused, resumed,
// killed and restarted. A killed process is unwound: the call it is blocked in
// panics with a value of this package that its root recovers, so deferred calls
// run and nothing else does. Code that recovers it goes on only to its next
// block, where it is unwound again.
//
// Any other panic ends the run, not the program, with a [*ProcessPanic].
//
// # Determinism
//
// The same program with the same seed does the same, whatever GOMAXPROCS, the
// garbage collector and the machine. Each random stream is named, and seeded
// by hashing the root seed with its name, so that one more host or one more draw
// shifts nobody else's numbers; see [Host.Rand]. Times are integers, and so is
// the arithmetic of clocks, jitter and distributions ([Dist]).
//
// # Limits
//
// An engine belongs to one goroutine at a time. runtime.Goexit in a process, and
// so t.FailNow, also ends the goroutine that called Run: the test fails as it
// should, and a deferred [Engine.Close] cleans up. runtime.LockOSThread in a
// process is a fatal error of the Go runtime.
package sim
