package main

import (
	"errors"
	"io/fs"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"github.com/holter-sim/holter/scenario"
	"github.com/holter-sim/holter/traces"
)

// exitInterrupted is what a shell makes of a program that SIGINT ended.
const exitInterrupted = 130

var errInterrupted = errors.New("interrupted")

// traceFile is a trace that is being written. An interrupt ends the run instead of the program, so that what was written
// is removed, and an earlier file at the path stays as it was.
type traceFile struct {
	writer      *traces.Writer
	interrupts  chan os.Signal
	interrupted atomic.Bool
}

// createTrace begins the trace of a scenario, with all that is needed to run it again.
func createTrace(path string, s *scenario.Scenario) (*traceFile, error) {
	text, err := s.YAML()
	if err != nil {
		return nil, err
	}
	w, err := traces.Create(path, traces.Header{
		Name:              s.Metadata.Name,
		Seed:              s.Spec.Seed,
		KubernetesVersion: s.Spec.KubernetesVersion,
		Binary:            binaryVersion(),
		Scenario:          string(text),
	}, traces.WriteOptions{})
	if err != nil {
		return nil, cannotWrite(path, err)
	}
	t := &traceFile{writer: w, interrupts: make(chan os.Signal, 1)}
	signal.Notify(t.interrupts, os.Interrupt, syscall.SIGTERM)
	go func() {
		for range t.interrupts {
			t.interrupted.Store(true)
			signal.Reset(os.Interrupt, syscall.SIGTERM) // the second one ends the program at once
		}
	}()
	return t, nil
}

func cannotWrite(path string, err error) error {
	var inner *fs.PathError
	if errors.As(err, &inner) {
		err = inner.Err
	}
	return &scenario.InputError{Field: "--trace", Value: path, Message: quoted(path) + " cannot be written: " + err.Error(),
		Accepted: "a path in a folder that is there"}
}

// sinks take the events of the run.
func (t *traceFile) sinks() []traces.Sink {
	stop := traces.SinkFunc(func(*traces.Event) error {
		if t.interrupted.Load() {
			return errInterrupted
		}
		return nil
	})
	return []traces.Sink{stop, t.writer}
}

// close puts the trace in its place.
func (t *traceFile) close() error {
	if t.interrupted.Load() {
		return errInterrupted
	}
	return t.writer.Close()
}

// abort removes what was written, unless it is in its place.
func (t *traceFile) abort() {
	t.writer.Abort()
	signal.Stop(t.interrupts)
	close(t.interrupts)
}
