package scenario

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/holter-sim/holter/fakeapi"
	"github.com/holter-sim/holter/fakeapi/clientgo"
	"github.com/holter-sim/holter/traces"
)

// TestNativeAndWireAgree runs every scenario with all its clients straight on
// the server, and again with all of them over HTTP and a real client-go, in
// protobuf as client-go speaks unless it is told otherwise. The traces are one.
func TestNativeAndWireAgree(t *testing.T) {
	for _, path := range suiteFiles(t) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".yaml"), func(t *testing.T) {
			t.Parallel()
			native, want := runThrough(t, path, nil)
			wire, got := runThrough(t, path, clientgo.Through(""))
			if native.TraceHash != wire.TraceHash {
				t.Errorf("the first events that differ, native - and wire +\n%s", firstDifference(want, got))
			}
			require.Equal(t, native.Requests, wire.Requests)
		})
	}
}

// TestJSONMakesNoDifference does the same in JSON for scenarios with faults of
// nodes, of the API server and with pods.
func TestJSONMakesNoDifference(t *testing.T) {
	for _, name := range []string{"node-death", "apiserver-restart-25s", "lease-conflict-costs-one-get", "pods-of-a-dead-node-are-evicted-after-300s"} {
		path := filepath.Join(suiteDir, name+".yaml")
		native, _ := runThrough(t, path, nil)
		wire, _ := runThrough(t, path, clientgo.Through(runtime.ContentTypeJSON))
		require.Equal(t, native.TraceHash, wire.TraceHash, name)
	}
}

// runThrough runs a scenario over that surface, and returns its trace as text.
func runThrough(t *testing.T, path string, surface fakeapi.Through) (*Result, []string) {
	t.Helper()
	s, _, err := Load(path, nil)
	require.NoError(t, err)
	var lines []string
	r, err := Run(s, Options{through: surface, Sinks: []traces.Sink{traces.SinkFunc(func(ev *traces.Event) error {
		lines = append(lines, traces.Text(ev))
		return nil
	})}}, nil)
	require.NoError(t, err)
	return r, lines
}

// firstDifference shows where two traces part, and a little after.
func firstDifference(want, got []string) string {
	for i := range want {
		if i >= len(got) || want[i] != got[i] {
			return cmp.Diff(want[i:min(i+5, len(want))], got[min(i, len(got)):min(i+5, len(got))])
		}
	}
	return cmp.Diff(want, got)
}
