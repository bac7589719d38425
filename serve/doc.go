// Package serve puts a simulated cluster behind HTTP, on the clock of the wall: for
// kubectl, for a browser, for a controller in a process of its own.
//
//	s, err := serve.Start(serve.Options{Scenario: scenario, Speed: 60, Listen: "127.0.0.1:0"})
//	...
//	config := &rest.Config{Host: s.URL()}
//	...
//	result, err := s.Close()
//
// One goroutine runs the engine, so that virtual time follows the clock at the speed
// asked for. Requests come to it through an inbox, are processes of one host of the
// engine, and go through [fakeapi.Transport] like those of any simulated client: the
// network and the faults of the scenario are theirs too. A TCP connection is a
// connection to the simulated API server.
//
// The run goes on after the duration of its scenario, until Close. While its clock
// stands (it is paused, or speed [Max] has come to that duration) requests are
// answered all the same: the clock then moves as far as that takes, a second at most.
//
// # Times
//
// At speed 1 a run begins at the present instant: the simulated cluster's times are
// those of the wall, and every age that kubectl shows is right. At other speeds the
// ages that the server computes (the columns of kubectl get) are right by virtual
// time, and those that kubectl computes by its own clock (describe, events) are not.
// So that they are of use nevertheless, a faster run begins so much earlier that its
// clocks show the wall's time at the end of its scenario: until then these ages are
// too large, and later they are too small, which kubectl shows as <invalid> once they
// are negative. After a pause, and at a speed below 1, they are too large.
//
// # Control
//
// Below /holter/v1/ the run itself is seen and steered, in JSON: see [Status].
//
//	GET  status                          where the run is
//	POST pause, resume                   stop the clock, let it go on
//	POST step    {"duration": "30s"}     go on by so much, as fast as it goes, and stop
//	POST speed   {"speed": "60x"}        another speed
//	POST fault   {"kill": {"node": ...}} let a fault strike, in JSON or YAML
//
// A step whose client goes ends where it is.
//
// # Who may come
//
// On a loopback address requests of web pages of other sites are refused; on any
// other the server speaks TLS, and every request needs a bearer token. What a client can make the server keep
// is bounded, and each has its bound in limits.go.
package serve
