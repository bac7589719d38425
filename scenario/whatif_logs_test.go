package scenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/traces"
)

// The recording as other clusters would have logged it: less of each request,
// part of the time, in pieces, damaged.

// atMetadata strips what a log at level Metadata has not got.
func atMetadata(records []traces.AuditRecord) []traces.AuditRecord {
	out := slices.Clone(records)
	for i := range out {
		out[i].Level, out[i].Object, out[i].ResponseObject, out[i].ResourceVersion = "Metadata", nil, nil, ""
	}
	return out
}

// atRequest strips what a log at level Request has not got.
func atRequest(records []traces.AuditRecord) []traces.AuditRecord {
	out := slices.Clone(records)
	for i := range out {
		out[i].Level, out[i].ResponseObject, out[i].ResourceVersion = "Request", nil, ""
	}
	return out
}

func TestALogAtLevelMetadataStillReproducesPauseAndKill(t *testing.T) {
	r := readRecording(t, writeLog(t, atMetadata(recordedRequests(t))))
	require.Len(t, r.Changes, 29, "a PUT of the status is an Unknown, a PATCH a change of taints")
	b := baseline(t, whatIf(t, r, nil))
	requireChanges(t, []string{
		"hollow-1 " + someTaint, "hollow-0 " + someTaint, "hollow-2 " + someTaint,
		"hollow-1 Ready=Unknown", "hollow-1 " + someTaint, "hollow-1 " + someTaint, "hollow-1 " + someTaint, "hollow-1 " + someTaint,
		"hollow-2 Ready=Unknown", "hollow-2 " + someTaint, "hollow-2 " + someTaint, "hollow-2 " + someTaint, "hollow-2 " + someTaint,
	}, r, b, 350*time.Millisecond) // at start-up the first status is taken for the one that says ready
	require.Equal(t, len(r.Writes)+29, r.Bodiless, "all that succeeded, the controller's too")
}

func TestALogAtLevelRequestTellsAsMuchAsOneWithResponses(t *testing.T) {
	full := readRecording(t, recordingPath())
	r := readRecording(t, writeLog(t, atRequest(recordedRequests(t))))
	require.Equal(t, full.Changes, r.Changes)
	require.Zero(t, r.Bodiless)
	require.Equal(t, whatIf(t, full, nil).before, whatIf(t, r, nil).before)
}

func TestALogThatBeginsInTheMiddleFindsItsNodesThere(t *testing.T) {
	const cut = 5 * time.Minute
	var records []traces.AuditRecord
	for _, r := range recordedRequests(t) {
		if since(r.Completed) >= cut {
			records = append(records, r)
		}
	}
	r := readRecording(t, writeLog(t, records))
	require.False(t, r.ControllerSeen, "its watches go on, they do not start")
	require.Equal(t, []string{"hollow-0", "hollow-1", "hollow-2"}, r.Nodes)
	require.Equal(t, cut, r.Start.Sub(recordingStart()).Round(10*time.Second))
	for i := range r.begun {
		require.True(t, r.begun[i].present)
	}
	b := baseline(t, whatIf(t, r, nil))
	require.Equal(t, 26, b.Recorded)
	requireChanges(t, requiredChanges()[3:], r, b, 150*time.Millisecond)
	for _, c := range b.Phantom {
		require.Greater(t, r.Start.Add(c.At.Duration()).Sub(recordingStart()), 1100*time.Second, "before, nothing is made up: %v", c)
	}
}

func TestALogThatBeginsInAnIncidentFindsItsNodesAsTheyWere(t *testing.T) {
	var records []traces.AuditRecord
	for _, r := range recordedRequests(t) {
		if since(r.Completed) >= 780*time.Second && since(r.Completed) < 900*time.Second { // hollow-1 is Unknown until 805
			records = append(records, r)
		}
	}
	r := readRecording(t, writeLog(t, records))
	require.Len(t, r.Changes, 2, "two taints of hollow-1 go")
	b := baseline(t, whatIf(t, r, &Fit{Phase: 500 * time.Millisecond, CostPerNode: defaultMonitorPassCostPerNode}))
	require.Equal(t, "hollow-1 -node.kubernetes.io/unreachable:NoSchedule", b.Pairs[0].Recorded.Node+" "+b.Pairs[0].Recorded.What)
	require.Equal(t, 2, b.Reproduced)
	require.Empty(t, b.Phantom)
}

func TestOverlappingLogsCountOnce(t *testing.T) {
	whole := readRecording(t, recordingPath())
	var first, second []traces.AuditRecord
	for _, r := range recordedRequests(t) {
		if at := since(r.Completed); at < 1000*time.Second {
			first = append(first, r)
		}
		if at := since(r.Completed); at >= 700*time.Second {
			second = append(second, r)
		}
	}
	for name, paths := range map[string][]string{
		"in order":     {writeLog(t, first), writeLog(t, second)},
		"out of order": {writeLog(t, second), writeLog(t, first)},
		"twice":        {recordingPath(), recordingPath()},
		"shipped twice in one file": {writeFile(t, append(read(t, writeLog(t, first)),
			read(t, writeLog(t, slices.Concat(first, second)))...))},
	} {
		r := readRecording(t, paths...)
		require.Equal(t, len(whole.Writes), len(r.Writes), name)
		require.Equal(t, whole.Changes, r.Changes, name)
		require.Equal(t, whole.Failed, r.Failed, name)
		require.Equal(t, whole.Bodiless, r.Bodiless, name)
		require.Equal(t, whole.Renewals, r.Renewals, name)
		require.Equal(t, whatIf(t, whole, nil).before, whatIf(t, r, nil).before, name)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return text
}

func TestADamagedLogIsReadUpToTheDamage(t *testing.T) {
	whole := read(t, recordingPath())
	path := writeFile(t, whole[:len(whole)*2/3])
	r := readRecording(t, path)
	require.Len(t, r.Warnings, 1)
	require.Contains(t, r.Warnings[0], path+": line ")
	require.Contains(t, r.Warnings[0], "read up to there")
	require.NotEmpty(t, r.Changes)
	requireChanges(t, requiredChanges(), r, baseline(t, whatIf(t, r, nil)), 60*time.Millisecond)

	_, err := ReadRecording([]string{path}, nil, true)
	var bad *InputError
	require.ErrorAs(t, err, &bad)
	require.Equal(t, path, bad.File)
	require.Contains(t, err.Error(), path+": line ")
}

func TestWhatCannotBeALogIsAnInputError(t *testing.T) {
	var others []traces.AuditRecord
	for _, r := range recordedRequests(t) {
		if r.Verb == "watch" || r.Verb == "get" || r.Resource == "events" || r.Namespace == "kube-system" {
			others = append(others, r)
		}
	}
	for path, want := range map[string]string{
		writeLog(t, others):                       "no write of a node, or of a Lease in kube-node-lease, is in the log; accepted: an audit log at level Metadata",
		writeFile(t, []byte("{\"a\":1}\n")):       "has no audit event (audit.k8s.io) in it",
		writeFile(t, nil):                         "is empty",
		writeFile(t, []byte("apiVersion: v1\n")):  "nothing in it can be read",
		t.TempDir():                               "cannot be read: is a directory",
		t.TempDir() + "/no-such-file":             "cannot be read: no such file or directory",
		writeFile(t, gzipped(t, []byte("\n\n"))):  "has no audit event (audit.k8s.io) in it",
		writeFile(t, gzipped(t, nil)[:5]):         "gzip: unexpected EOF",
		writeFile(t, []byte(`{"kind":"Event","`)): "nothing in it can be read",
	} {
		_, err := ReadRecording([]string{path}, nil, false)
		var bad *InputError
		require.ErrorAs(t, err, &bad)
		require.Contains(t, err.Error(), want)
		require.True(t, strings.HasPrefix(err.Error(), path+": "), "%v", err)
	}
}

func gzipped(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write(text)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return b.Bytes()
}

func TestStandardInputIsReadAsAFileIs(t *testing.T) {
	r, err := ReadRecording([]string{"-"}, bytes.NewReader(read(t, recordingPath())), true)
	require.NoError(t, err)
	require.Len(t, r.Changes, 29)
	_, err = ReadRecording([]string{"-"}, errorReader{}, true)
	require.ErrorContains(t, err, "<stdin>: the disk is gone")
}

type errorReader struct{}

func (errorReader) Read([]byte) (int, error) { return 0, errors.New("the disk is gone") }

// FuzzRecordingsAreReadOrRefused feeds what somebody might take for a log: the
// answer is a recording that can be put to the model, or an InputError.
func FuzzRecordingsAreReadOrRefused(f *testing.F) {
	for _, r := range []traces.AuditRecord{
		renewal("node-1", 1), status("node-1", 2, "True"), status("node-1", 3, "False"), created("node-2", 1), deleted("nodes", "node-2", 9),
		deleted("leases", "node-1", 4), asController(status("node-1", 60, "Unknown")), tainted("node-1", 61, `[{"key":"node.kubernetes.io/unreachable","effect":"NoExecute"}]`),
	} {
		line, err := json.Marshal(&r)
		require.NoError(f, err)
		f.Add(fmt.Sprintf("%s\n", line))
	}
	f.Fuzz(func(t *testing.T, log string) {
		r, err := ReadRecording([]string{"-"}, strings.NewReader(log), false)
		if err != nil {
			var bad *InputError
			require.ErrorAs(t, err, &bad)
			return
		}
		if r.End > time.Hour || len(r.Writes) > 100 {
			return // it is a recording, and a long one
		}
		w, err := NewWhatIf(r, recordedDefaults(t), nil)
		require.NoError(t, err)
		b := baseline(t, w)
		require.Equal(t, len(r.Changes), b.Recorded)
	})
}
