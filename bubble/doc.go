// Package bubble runs your own controller, goroutines and all, beside simulated
// kubelets on one virtual time. The controller is any code over client-go or
// controller-runtime: informers, work queues, leader election, a manager. It runs
// unchanged inside a bubble of testing/synctest, whose clock jumps when everybody
// sleeps; the kubelets, the controller-manager and the API server run on Holter's
// engine, which follows that clock.
//
//	func TestANodeThatIsCutOffForFiveMinutesIsReplaced(t *testing.T) {
//		bubble.Test(t, func(b *bubble.Bubble) {
//			client := kubernetes.NewForConfigOrDie(b.Config("remediation"))
//			go remediation.Run(b.Context(), client)
//			time.Sleep(time.Minute)
//			b.Do(func(c *holtertest.Cluster) { c.Partition(10*time.Minute, "node-1") })
//			time.Sleep(6 * time.Minute)
//			_, err := client.CoreV1().Nodes().Get(b.Context(), "node-1", metav1.GetOptions{})
//			...
//		}, holtertest.Nodes(3))
//	}
//
// What the simulated side does is the same in every run of one seed. What the
// controller does is as repeatable as its own code: synctest puts timers that fall
// on one instant, and select cases that are ready at once, into an order that is
// random on purpose. Requests that the controller sends at one instant reach the
// server in the order of their methods and paths, so that most controllers give
// one trace all the same.
//
// The rules of synctest hold: every goroutine that the test starts must end when
// [Bubble.Context] does, a goroutine that waits for a mutex stops the clock, and
// real I/O is never waited for. So nobody may hold a lock over a request that
// another goroutine wants: the test would hang, and panics instead, with the stacks
// of those who wait, after some seconds of the wall. Libraries do so over discovery, which is answered at
// once therefore, in no virtual time and untraced, except while a fault would keep
// it from being answered.
//
// A controller-runtime manager serves its metrics and webhooks by real I/O: give it
// metrics/server.Options{BindAddress: "0"}, and Controller.SkipNameValidation, for
// the names of controllers are unique in a process and not in a bubble. The example
// in examples/manager does.
package bubble
