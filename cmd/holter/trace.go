package main

import (
	"errors"
	"io/fs"

	"github.com/holter-sim/holter/scenario"
	"github.com/holter-sim/holter/sim"
	"github.com/holter-sim/holter/traces"
)

// createTrace begins the trace of a scenario, with all that is needed to run it again.
func createTrace(path string, s *scenario.Scenario) (*traces.Writer, error) {
	text, err := s.YAML()
	if err != nil {
		return nil, err
	}
	w, err := traces.Create(path, traces.Header{
		Name:              s.Metadata.Name,
		Seed:              s.Spec.Seed,
		KubernetesVersion: s.Spec.KubernetesVersion,
		Binary:            binaryVersion(),
		Start:             sim.New(sim.Options{}).Start(),
		Scenario:          string(text),
	}, traces.WriteOptions{})
	if err != nil {
		return nil, cannotWrite(path, err)
	}
	return w, nil
}

func cannotWrite(path string, err error) error {
	var inner *fs.PathError
	if errors.As(err, &inner) {
		err = inner.Err
	}
	return &scenario.InputError{Field: "--trace", Value: path, Message: quoted(path) + " cannot be written: " + err.Error(),
		Accepted: "a path in a folder that is there"}
}
