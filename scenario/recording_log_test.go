package scenario

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holter-sim/holter/traces"
)

// The recording of real components that the model is held against; its README
// says how it was made.
const recordingDir = "../testdata/recordings/v1.36.3-three-nodes"

func recordingPath() string { return filepath.Join(recordingDir, "audit.jsonl.gz") }

// recordingStart is what Recording.Start comes to.
func recordingStart() time.Time { return time.Date(2026, 11, 21, 9, 9, 12, 0, time.UTC) }

// recordedRequests are all records of the log, of every resource, by arrival.
func recordedRequests(t testing.TB) []traces.AuditRecord {
	t.Helper()
	file, err := os.Open(recordingPath())
	require.NoError(t, err)
	defer file.Close()
	var records []traces.AuditRecord
	_, err = traces.ReadAudit(file, traces.AuditOptions{Name: recordingPath(), Strict: true}, func(r *traces.AuditRecord) error {
		records = append(records, *r)
		return nil
	})
	require.NoError(t, err)
	slices.SortStableFunc(records, func(x, y traces.AuditRecord) int { return x.Received.Compare(y.Received) })
	return records
}

// writeLog makes an audit log of records.
func writeLog(t testing.TB, records []traces.AuditRecord) string {
	t.Helper()
	var log bytes.Buffer
	for i := range records {
		line, err := json.Marshal(&records[i])
		require.NoError(t, err)
		log.Write(append(line, '\n'))
	}
	return writeFile(t, log.Bytes())
}

func writeFile(t testing.TB, text []byte) string {
	t.Helper()
	file, err := os.CreateTemp(t.TempDir(), "audit-*.jsonl")
	require.NoError(t, err)
	_, err = file.Write(text)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	return file.Name()
}

func readRecording(t testing.TB, paths ...string) *Recording {
	t.Helper()
	r, err := ReadRecording(paths, nil, false)
	require.NoError(t, err)
	return r
}

// recordedDefaults are the settings that the recording was made with: none but
// the defaults.
func recordedDefaults(t testing.TB, sets ...string) Effective {
	t.Helper()
	s := New("whatif")
	for i := 0; i+1 < len(sets); i += 2 {
		require.NoError(t, s.Set(sets[i], sets[i+1]))
	}
	settings, err := s.Effective()
	require.NoError(t, err)
	return settings
}

func whatIf(t testing.TB, r *Recording, fit *Fit) *WhatIf {
	t.Helper()
	w, err := NewWhatIf(r, recordedDefaults(t), fit)
	require.NoError(t, err)
	return w
}

func baseline(t testing.TB, w *WhatIf) *Baseline {
	t.Helper()
	b, err := w.Baseline()
	require.NoError(t, err)
	return b
}

func alternative(t testing.TB, w *WhatIf, sets ...string) *Alternative {
	t.Helper()
	a, err := w.Alternative(sets[0], recordedDefaults(t, sets...).ControllerManager)
	require.NoError(t, err)
	return a
}

// since is a moment of the log as an offset from its start.
func since(at time.Time) time.Duration { return at.Sub(recordingStart()) }
