package sim

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// run is an engine with one host and a log.
type run struct {
	*Engine
	t    *testing.T
	host *Host
	log  []string
}

func newRun(t *testing.T, o Options) *run {
	r := &run{Engine: New(o), t: t}
	t.Cleanup(r.Close)
	r.host = r.NewHost("node-1")
	return r
}

// say logs a line with the virtual time in seconds.
func (r *run) say(format string, args ...any) {
	r.log = append(r.log, fmt.Sprintf("%gs ", r.Now().Duration().Seconds())+fmt.Sprintf(format, args...))
}

// to runs to so many seconds and checks what was logged since the last time.
func (r *run) to(seconds int, want ...string) {
	r.t.Helper()
	require.NoError(r.t, r.RunUntil(at(seconds)))
	if len(want)+len(r.log) > 0 {
		require.Equal(r.t, want, r.log)
	}
	r.log = nil
}

// at returns the instant so many seconds into the run.
func at(seconds int) Time { return Time(seconds) * Time(time.Second) }

func secs(n int) time.Duration { return time.Duration(n) * time.Second }
