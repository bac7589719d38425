package traces

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"
)

// Ratios on one machine: writing an event costs seven times what recording it without a sink does, and reading it back
// three times what writing does.

func BenchmarkRecord(b *testing.B) {
	writer, err := NewWriter(io.Discard, Header{}, WriteOptions{})
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		sinks []Sink
	}{{"hash", nil}, {"write", []Sink{writer}}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			ev := lostRenewal()
			r := NewRecorder(c.sinks...)
			for b.Loop() {
				r.Record(ev)
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	const events = 10_000
	data, _, _ := plain(b, events)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		read, damage, err := readAll(data, ReadOptions{})
		if err != nil || damage != nil || len(read) != events {
			b.Fatal(err, damage)
		}
	}
}

// BenchmarkAudit compares the ways through an audit log with encoding/json picking three fields from the same lines.
// Decoding everything the model uses takes three quarters of that time, half of it for checking that the bodies are
// JSON; passing over lines that are about something else takes a tenth.
func BenchmarkAudit(b *testing.B) {
	log := bytes.Repeat(recordedLog(b), 50)
	through := func(o AuditOptions) func(*testing.B) {
		return func(b *testing.B) {
			b.SetBytes(int64(len(log)))
			for b.Loop() {
				if _, err := ReadAudit(bytes.NewReader(log), o, func(*AuditRecord) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	b.Run("decoded", through(AuditOptions{Resources: []string{"leases", "nodes", "pods", "events"}}))
	b.Run("passed-over", through(AuditOptions{Resources: []string{"deployments", "services", "endpointslices"}}))
	b.Run("encoding-json", func(b *testing.B) {
		b.SetBytes(int64(len(log)))
		for b.Loop() {
			lines := json.NewDecoder(bytes.NewReader(log))
			for lines.More() {
				var rec struct {
					Verb           string
					RequestObject  json.RawMessage
					ResponseObject json.RawMessage
				}
				if err := lines.Decode(&rec); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
