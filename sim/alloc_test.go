package sim

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheHotPathsDoNotAllocate(t *testing.T) {
	r := newRun(t, Options{})
	r.host.Go("sleeper", func() {
		for {
			r.host.Sleep(secs(1))
		}
	})
	r.host.Every("loop", secs(1), 0.04, true, func() { r.host.Sleep(secs(1)) })
	var f func()
	f = func() { r.host.After(secs(1), f); r.After(secs(1), func() {}).Cancel() }
	f()
	r.to(1000)
	seconds := 1000
	require.Zero(t, testing.AllocsPerRun(100, func() {
		seconds += 10
		if err := r.RunUntil(at(seconds)); err != nil {
			t.Fatal(err)
		}
	}))
}
