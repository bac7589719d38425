//go:build unix

package main

import (
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/scenario"
	"github.com/holter-sim/holter/traces"
)

// signalled runs a command that gets a signal when it comes to the event of that number.
func signalled(t *testing.T, signal syscall.Signal, at uint64, args ...string) *call {
	t.Helper()
	c := &call{args: args, signals: &interrupt{}}
	c.watchers = []traces.Sink{traces.SinkFunc(func(ev *traces.Event) error {
		if ev.Seq == at {
			if err := syscall.Kill(os.Getpid(), signal); err != nil {
				return err
			}
			for !c.signals.raised.Load() {
				runtime.Gosched()
			}
		}
		return nil
	})}
	return c.run()
}

// heededSignals are those that are not ignored, as SIGHUP is under nohup.
func heededSignals() []syscall.Signal {
	return slices.DeleteFunc([]syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}, func(s syscall.Signal) bool { return signal.Ignored(s) })
}

func TestASignalEndsARunWithALineAndNoTrace(t *testing.T) {
	for _, signal := range heededSignals() {
		path := write(t, "trace.jsonl", "an earlier trace")
		c := signalled(t, signal, 100, "run", nodeDeath, nodeDeath, "--trace", path)
		require.Equal(t, exitRefused, c.code, "a trace is of one scenario")

		c = signalled(t, signal, 100, "run", nodeDeath, "--trace", path)
		require.Equal(t, exitInterrupted, c.code)
		require.Empty(t, c.out)
		require.Regexp(t, `(?m)^interrupted at \d{6}\.\d{6}s of 3m, after \d+ events: nothing was judged, and the trace was not written$`, c.err)
		require.Equal(t, "an earlier trace", read(t, path))
		require.Equal(t, []string{path}, filesBeside(t, path))

		c = signalled(t, signal, 100, "run", nodeDeath, nodeDeath)
		require.Equal(t, exitInterrupted, c.code)
		require.Equal(t, 1, strings.Count(c.err, "interrupted at "), "the second is not begun")
		require.Contains(t, c.err, ": nothing was judged\n")
	}
}

func TestASignalEndsManySeedsWithTheSummaryOfThoseThatAreDone(t *testing.T) {
	seeds := func(args ...string) *call {
		signals := &interrupt{}
		c := &call{args: append([]string{"run", nodeDeath, "--seeds", "1-100000"}, args...), signals: signals}
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			runtime.Gosched()
			for signals.done.Load() < 3 {
				runtime.Gosched()
			}
			_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
		}()
		defer func() { <-stopped }()
		return c.run()
	}
	c := seeds()
	require.Equal(t, exitInterrupted, c.code, c.err)
	require.Regexp(t, `(?m)^interrupted after \d+ of 100,000 runs: the summary is of those$`, c.err)
	require.Contains(t, c.out, "Detection")

	c = seeds("-o", "json")
	require.Equal(t, exitInterrupted, c.code)
	o := c.object(t)
	require.Equal(t, true, o["interrupted"])
	require.Less(t, o["runs"], 100000.0)
	require.GreaterOrEqual(t, o["runs"], 3.0)
}

func TestASignalEndsAServedScenarioWithItsResult(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		path := filepath.Join(t.TempDir(), "sim.kubeconfig")
		s := served(t, nodeDeath, "--speed", "max", "--kubeconfig", path).whenOver()
		require.NoError(t, syscall.Kill(os.Getpid(), signal))
		<-s.over
		require.Equal(t, exitFine, s.call.code, s.call.err)
		require.Contains(t, s.call.out, "Expectations")
		require.NoFileExists(t, path)
	}
}

func TestSignalsThatWereIgnoredStayIgnored(t *testing.T) {
	signal.Ignore(syscall.SIGHUP) // as nohup does
	defer signal.Reset(syscall.SIGHUP)
	c := (&call{args: []string{"run", nodeDeath}, watchers: []traces.Sink{traces.SinkFunc(func(ev *traces.Event) error {
		if ev.Seq == 100 {
			return syscall.Kill(os.Getpid(), syscall.SIGHUP)
		}
		return nil
	})}}).run()
	require.Equal(t, exitFine, c.code, c.err)
}

func TestALeftOverOfAKilledRunDoesNotStay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	require.NoError(t, os.WriteFile(path+".partial", []byte("left over"), 0o644))
	require.Equal(t, exitFine, holter("run", nodeDeath, "--trace", path).code)
	require.Equal(t, []string{path}, filesBeside(t, path))
	_, _, damage, err := traces.ReadFile(path, traces.ReadOptions{Strict: true})
	require.NoError(t, err)
	require.Nil(t, damage)
}

func TestARunThatIsStoppedSaysSo(t *testing.T) {
	s, _, err := scenario.Load(nodeDeath, nil)
	require.NoError(t, err)
	_, err = scenario.Run(s, scenario.Options{Sinks: scenario.StopWhen(func() bool { return true })}, nil)
	require.ErrorIs(t, err, scenario.ErrStopped)
	d, err := scenario.RunSeedsUntil(s, []uint64{1, 2, 3}, 2, nil, func() bool { return true })
	require.NoError(t, err)
	require.Zero(t, d.Runs)
}
