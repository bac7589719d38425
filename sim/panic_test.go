package sim

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAPanicSaysWhoWhenAndUnderWhichSeed(t *testing.T) {
	r := newRun(t, Options{Seed: 42})
	r.host.Go("lease", func() {
		r.host.Sleep(secs(115))
		panic("boom")
	})
	r.At(at(200), func() { r.say("not reached") })
	err := r.RunUntil(at(300))
	require.EqualError(t, err, `panic in process "lease" of host "node-1" at 000115.000000s, seed 42: boom`)
	var p *ProcessPanic
	require.ErrorAs(t, err, &p)
	require.Equal(t, "boom", p.Value)
	require.Contains(t, string(p.Stack), "TestAPanicSaysWho")
	require.Equal(t, at(115), r.Now())
	require.Same(t, p, r.RunUntil(at(300)), "the run is over for good")
}

func TestPanicsInLoopsAndCallbacksNameThem(t *testing.T) {
	for want, arrange := range map[string]func(*run){
		`panic in process "loop" of host "node-1" at 000001.000000s, seed 0: EOF`: func(r *run) {
			r.At(at(1), func() { r.host.Every("loop", secs(1), 0, true, func() { panic(io.EOF) }) })
		},
		`panic in callback of host "node-1" at 000001.000000s, seed 0: EOF`: func(r *run) {
			r.host.After(secs(1), func() { panic(io.EOF) })
		},
		`panic in callback at 000001.000000s, seed 0: EOF`: func(r *run) {
			r.After(secs(1), func() { panic(io.EOF) })
		},
	} {
		r := newRun(t, Options{})
		arrange(r)
		err := r.RunUntil(at(9))
		require.EqualError(t, err, want)
		require.ErrorIs(t, err, io.EOF)
		_, err = r.Step()
		require.ErrorIs(t, err, io.EOF)
	}
}

func TestAProcessMayRecoverItsOwnPanic(t *testing.T) {
	r := newRun(t, Options{})
	r.host.Go("process", func() {
		defer func() { r.say("recovered %v", recover()) }()
		r.host.Sleep(secs(1))
		panic("mine")
	})
	r.to(9, "1s recovered mine")
}

// The value that unwinds a killed process is no licence to vanish elsewhere.
func TestAKillRethrownInALivingProcessIsReported(t *testing.T) {
	r := newRun(t, Options{})
	other := r.NewHost("other")
	var caught any
	other.Go("victim", func() {
		defer func() { caught = recover() }()
		other.Sleep(secs(9))
	})
	r.At(at(1), other.Kill)
	r.host.After(secs(2), func() { r.host.Go("thrower", func() { panic(caught) }) })
	require.EqualError(t, r.RunUntil(at(3)),
		`panic in process "thrower" of host "node-1" at 000002.000000s, seed 0: sim: the process was killed`)
}

func TestTheFirstFailureIsTheOneReported(t *testing.T) {
	r := newRun(t, Options{})
	r.host.Go("process", func() {
		r.Stop(errors.New("first"))
		panic("second")
	})
	require.EqualError(t, r.RunUntil(at(1)), "first")
}

func TestBlockingInACallbackIsReported(t *testing.T) {
	r := newRun(t, Options{})
	r.host.After(secs(1), func() { r.host.Sleep(secs(1)) })
	require.ErrorContains(t, r.RunUntil(at(9)), "Sleep outside a process")
}

func TestHostNamesAreTakenOnce(t *testing.T) {
	r := newRun(t, Options{})
	require.PanicsWithValue(t, `sim: there is already a host "node-1"`, func() { r.NewHost("node-1") })
	require.True(t, strings.HasPrefix(r.host.Name(), "node"))
	require.Same(t, r.Engine, r.host.Engine())
}
