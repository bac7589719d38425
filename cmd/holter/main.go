// Command holter runs the heartbeats of Kubernetes nodes, and the control plane that listens to them, on a virtual clock:
// it simulates a scenario and judges it, runs a recorded one again, and puts an audit log to the model. Each verb has a
// file of its own; what it prints is made here, what it means in package scenario.
package main

import (
	"os"
)

func main() {
	c := &cli{in: os.Stdin, out: os.Stdout, errOut: os.Stderr, getenv: os.Getenv}
	os.Exit(c.run(os.Args[1:]))
}
