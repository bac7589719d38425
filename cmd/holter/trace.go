package main

import (
	"errors"
	"io/fs"
	"time"

	"github.com/holter-sim/holter/scenario"
	"github.com/holter-sim/holter/traces"
)

// createTrace begins the trace of a scenario, with all that is needed to run it again. Its clocks show start at time 0.
func createTrace(path string, s *scenario.Scenario, start time.Time) (*traces.Writer, error) {
	text, err := s.YAML()
	if err != nil {
		return nil, err
	}
	w, err := traces.Create(path, traces.Header{
		Name:              s.Metadata.Name,
		Seed:              s.Spec.Seed,
		KubernetesVersion: s.Spec.KubernetesVersion,
		Binary:            binaryVersion(),
		Start:             start,
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
