// Package holtertest runs simulated clusters in `go test`: build one, break
// something, run until a condition or a time, assert on transitions and
// requests. Minutes of virtual time take milliseconds, and one seed is one run.
//
//	func TestADeadNodeIsNoticedWithinAMinute(t *testing.T) {
//		c := holtertest.New(t, holtertest.Nodes(3))
//		c.RunFor(time.Minute)
//		c.Kill("node-1")
//		c.RequireReady("node-1", "Unknown", holtertest.Within(39*time.Second, 56*time.Second))
//		c.RequireReadyStays("node-0", "True")
//	}
//
// A test that fails says what it wanted and got, the seed, and the story of
// the run.
package holtertest
