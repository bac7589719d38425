// Package scenario is a YAML file become a whole simulated cluster, run and
// judged: the one package that wires the engine, the API server, the kubelets,
// the controller and the trace together.
//
//	s, warnings, err := scenario.Load("node-death.yaml", nil)
//	...
//	result, err := scenario.Run(s, scenario.Options{}, nil)
//	...
//	result.OK()
//
// Build gives the cluster to be driven by hand, RunSeeds runs many seeds, and
// WhatIf puts a recorded audit log to the modelled control plane.
package scenario
